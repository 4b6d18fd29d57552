"""Addresses and keys with which no request could leave: told before one is begun."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from libriscribe2.errors import ConfigError, ModelError
from libriscribe2.llm.redaction import redact

_EXAMPLE: Final = "http://127.0.0.1:8080/v1"
_ADDED: Final = "/chat/completions"
"""What is added to a server's address."""


def fault_of_address(url: str) -> str:
    """What is wrong with the address of a model's server; "" where nothing is."""
    try:
        parts = urlsplit(url)
        named = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError as error:  # a port beyond 65535, half of an IPv6 address
        return f"it is not an address: {str(error).rstrip('.')}"
    if not named:
        return "it has to begin with http:// or https:// and to name a server"
    if len(url.split()) > 1:
        return "there is a blank in it"
    if parts.path.rstrip("/").endswith(_ADDED):
        return f"{_ADDED} is added to it"
    return ""


def check_address(url: str, environ: Mapping[str, str]) -> None:
    """Refuse an address to which no request can go.

    Args:
        url: The address.
        environ: The variables of the process, one of which may hold it.

    Raises:
        ConfigError: Names the variable, what is wrong and an address that would do.
    """
    fault = fault_of_address(url)
    if not fault and "@" in urlsplit(url).netloc:
        fault = "it holds a user's name or password, which cannot be sent beside a key"
    if not fault:
        return
    holder = next((name for name, value in environ.items() if value.strip() == url), "")
    shown = f"{url.partition('//')[0]}//..." if "@" in url else redact(url)
    what = f"{holder} {shown!r}" if holder else f"The address {shown!r} of the model's server"
    fix = f"Write it like {_likely(url)}" + (f" into {holder}, or unset it." if holder else ".")
    raise ConfigError(f"{what} cannot be used.", f"{fault}.", fix)


def _likely(url: str) -> str:
    """The address that was probably meant, else an example."""
    for likely in (f"http://{url}", url.rstrip("/").removesuffix(_ADDED)):
        plain = "@" not in likely and likely.count("//") == 1
        if plain and not fault_of_address(likely):
            return likely
    return _EXAMPLE


def check_key(variable: str, key: str) -> None:
    """Refuse a key that no header can hold, or that no provider gives; it is never shown.

    Args:
        variable: Where it stands.
        key: The key, without white space around it.

    Raises:
        ModelError: Names the variable and what is wrong.
    """
    if len(key.split()) > 1:
        why = "there is a blank or a line break in it"
    elif not (key.isascii() and key.isprintable()):
        why = "it holds a character that no key has"
    elif key[:1] in {"'", '"'}:
        why = "the quotes around it are part of it"
    else:
        return
    fix = f"set {variable} to the key alone, or choose --model offline"
    raise ModelError(f"{variable} does not hold a key", why, fix)
