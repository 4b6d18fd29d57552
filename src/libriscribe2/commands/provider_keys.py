"""The keys of providers that the user keeps with the program: what there is, one more, one less."""

from collections.abc import MutableMapping
from dataclasses import dataclass

from libriscribe2.errors import UsageError
from libriscribe2.llm.providers import PROVIDERS, Provider, provider_called
from libriscribe2.llm.server_addresses import check_key
from libriscribe2.settings.layers import keys_file, store_key, stored_keys


@dataclass(frozen=True, slots=True)
class KeyInForce:
    """A key that is there; the key itself is never shown.

    Attributes:
        provider: Whose it is.
        variable: What it is called.
        place: Where it stands.
        is_kept: Whether the program keeps it, so that it can be forgotten.
    """

    provider: Provider
    variable: str
    place: str
    is_kept: bool


def keys_in_force(environ: MutableMapping[str, str]) -> list[KeyInForce]:
    """The keys that are there, by the order of providers.

    Args:
        environ: The variables of the process, with what `.env` and the program's file gave.
    """
    stored = stored_keys()
    return [
        KeyInForce(
            one,
            name,
            str(keys_file()) if stored.get(name) == environ[name] else "environment or .env",
            name in stored,
        )
        for one in PROVIDERS
        for name in one.keys
        if environ.get(name, "").strip()
    ]


def keep_key(called: str, key: str, environ: MutableMapping[str, str]) -> Provider:
    """Keep the key of a provider in a file that nobody but the user can read.

    It is in force at once, unless the environment or a `.env` has another, which outranks it.

    Raises:
        UsageError: There is no such provider, or no key.
        KeyMissingError: The key cannot be one.
        StorageError: The file cannot be written.
    """
    found = provider_called(called)
    variable, key = found.keys[0], key.strip()
    if not key:
        fix = f"Type it when asked, or pipe it: `libriscribe2 keys set {found.prefix} < key.txt`."
        raise UsageError("There is no key.", fix=fix)
    check_key(variable, key)
    before = stored_keys().get(variable)
    store_key(variable, key)
    if environ.get(variable) in (None, "", before):
        environ[variable] = key
    return found


def forget_key(called: str, environ: MutableMapping[str, str]) -> Provider:
    """Forget the kept key of a provider.

    Raises:
        UsageError: There is no such provider, or no key of it is kept.
        StorageError: The file cannot be written.
    """
    found, stored = provider_called(called), stored_keys()
    kept = [name for name in found.keys if name in stored]
    if not kept:
        raise UsageError(
            f"No key of {found.title} is kept.", fix="`libriscribe2 keys list` shows what there is."
        )
    for name in kept:
        store_key(name, None)
        if environ.get(name) == stored[name]:
            del environ[name]
    return found
