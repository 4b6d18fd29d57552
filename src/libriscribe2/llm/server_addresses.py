"""Where a call goes and with which key; addresses and keys with which no request could leave."""

import os
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from libriscribe2.errors import ConfigError, KeyMissingError
from libriscribe2.wording import redact

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
        KeyMissingError: Names the variable and what is wrong.
    """
    if len(key.split()) > 1:
        why = "there is a blank or a line break in it"
    elif not (key.isascii() and key.isprintable()):
        why = "it contains a character that no key has"
    elif key[:1] in {"'", '"'}:
        why = "the quotes around it are part of it"
    else:
        return
    fix = f"set {variable} to the key alone, or choose --model demo"
    raise KeyMissingError(f"{variable} does not hold a key", why, fix)


_NO_KEY: Final = "no-key-needed"
_OF_THIS_MACHINE: Final = {
    "lm_studio": "http://127.0.0.1:1234/v1",
    "hosted_vllm": "http://127.0.0.1:8000/v1",
}
"""Servers of one's own for which LiteLLM knows no address: it would ask OpenAI in their place."""


def server_arguments(
    url: str | None, api_key: str | None = None, *, model: str = ""
) -> dict[str, Any]:
    """Where a call goes and with which key, where the provider's own are not meant.

    Args:
        url: The server's address; None is the provider's own.
        api_key: The key; None leaves it to the provider's variable.
        model: The model that is asked.
    """
    address = url if url is not None else _address_here(model)
    wanted: dict[str, Any] = {} if address is None else {"api_base": address}
    if api_key is not None:
        wanted["api_key"] = api_key
    elif url is not None and not os.environ.get("OPENAI_API_KEY"):
        wanted["api_key"] = _NO_KEY
    return wanted


def address_variable(model: str) -> str:
    """The variable from which LiteLLM takes the server of a model's provider; "" without one."""
    prefix, slash, _ = model.partition("/")
    return f"{prefix.removesuffix('_chat').upper()}_API_BASE" if slash else ""


def address_asked(model: str) -> str:
    """The server that a variable names for a model's provider; "" for the provider's own."""
    variable = address_variable(model)
    others = (variable, variable.replace("_API_BASE", "_BASE_URL"))
    found = next((url for name in others if name and (url := os.environ.get(name))), "")
    return "" if "@" in found else redact(found)


def _address_here(model: str) -> str | None:
    """Where a server of this machine is, if the model has one and no variable names another."""
    variable = address_variable(model)
    if not variable or os.environ.get(variable):
        return None
    return _OF_THIS_MACHINE.get(model.partition("/")[0])
