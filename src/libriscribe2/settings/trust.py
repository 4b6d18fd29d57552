"""What the `.env` of the working folder may set: the folder may have come from somebody else.

Of such a file count the keys of providers, settings that harm nobody, and an address beside the key
that goes there. A file that the user trusts (`libriscribe2 trust`) counts whole until it changes.
"""

import hashlib
import io
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dotenv.parser import parse_stream
from dotenv.variables import Variable, parse_variables

from libriscribe2.errors import ConfigError
from libriscribe2.llm.providers import KEYLESS_PREFIXES, PROVIDERS, is_built_in, key_variables
from libriscribe2.project.atomic import atomic_write, make_folder, storage_errors
from libriscribe2.project.paths import user_state
from libriscribe2.settings.layers import (
    ENV_FILE,
    INHERITED_VARIABLES,
    Environment,
    check_lines,
    environment_layer,
    read_env_file,
    read_text,
)
from libriscribe2.settings.schema import ENV_PREFIX, Settings
from libriscribe2.wording import first_of

USER_ONLY_KEYS: Final = (
    "llm.base_url",
    "projects_dir",
    "debug_dir",
    "batches_dir",
    "batch.dsn",
    "batch.journal",
    "batch.spool",
    "export.pandoc",
    "research.search_url",
    "research.mcp",
)
"""Keys that neither a book nor a folder may set: what comes from elsewhere must not send the user's
API key to a server of its choice, nor make the program write outside its own folder, ask servers of
the user's network or start programs."""

ANY_ADDRESS: Final = re.compile(r"://|\bhttps?:|\brecorded:")
"""What makes a name of a model or any other setting an address, or a file somewhere."""

_BASE_URL: Final = f"{ENV_PREFIX}LLM__BASE_URL"
_OURS: Final = (ENV_PREFIX, "GOMIND_")
_KEY: Final = re.compile(r"[A-Z][A-Z0-9_]*_(?:API_KEY|AD_TOKEN)")
_AWS: Final = (
    *("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
    "AWS_BEARER_TOKEN_BEDROCK",
)
_KNOWN_KEYS: Final = frozenset({*_AWS, *(key for one in PROVIDERS for key in one.keys)})
_LOOKED_UP: Final = re.compile(r"(?:oidc|os\.environ)/")
"""Beginnings of keys in whose place LiteLLM reads a file, an address or another variable."""

_ACCOUNTS: Final = frozenset({
    "OPENAI_ORGANIZATION", "OPENAI_PROJECT", "AZURE_API_VERSION", "CLOUDFLARE_ACCOUNT_ID",
    "AWS_REGION", "AWS_REGION_NAME", "AWS_DEFAULT_REGION", "VERTEXAI_PROJECT", "VERTEXAI_LOCATION",
    "WATSONX_PROJECT_ID",
})  # fmt: skip
_ACCOUNT: Final = re.compile(r"[\w-]+")
"""A name that cannot turn the address into which LiteLLM puts it into another."""

_ADDRESS: Final = re.compile(r"([A-Z][A-Z0-9_]*?)_(?:API_BASE|BASE_URL|API_URL|ENDPOINT|URL)")
_SECRET: Final = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$")
_KEY_END: Final = re.compile(r"_(?:API_?KEY|API_TOKEN|TOKEN|AUTH_TOKEN|SECRET_KEY|KEY)$")
_MOST_NAMED: Final = 60


@dataclass(frozen=True, slots=True)
class FolderVariables:
    """The variables of a `.env` that count.

    Attributes:
        values: What they hold.
        warnings: A sentence about what is ignored.
        notes: A sentence about each address to which requests go.
    """

    values: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def check_models(self, settings: Settings) -> None:
        """Refuse models whose key does not stand in the file, where the file names their server.

        Some keys are in no variable at all: a token that a provider's own tools left behind.

        Raises:
            ConfigError: Names the model.
        """
        url = self.values.get(_BASE_URL, "").strip()
        if not self.notes or not url or settings.llm.base_url != url:
            return
        entries = (settings.models.default, *settings.models.stages().values())
        for name in (name for one in entries for name in (one.model, *one.fallbacks)):
            if name and not is_built_in(name) and not self.values.keys() & {*_keys_for(name)}:
                raise ConfigError(
                    f"{_BASE_URL} in .env cannot be used for the model {name!r}.",
                    "The key of its provider does not stand in the same file.",
                    "Put the key there, or trust the file with `libriscribe2 trust`.",
                )


def folder_variables(path: Path, text: str, environ: Mapping[str, str]) -> FolderVariables:
    """What counts of a `.env`.

    Args:
        path: The file.
        text: What it holds.
        environ: The variables of the process, which outrank it; with those of the file that an
            earlier call let through, the answer is the same.

    Raises:
        ConfigError: A line of it says nothing.
    """
    trust = trusted(path.parent, text)
    if trust == "yes":
        return FolderVariables(read_env_file(path))
    found, lines = _read(path, text)
    keys = {name: value for name, value in found.items() if _is_key(name, value)}
    counts = {name: value for name, value in found.items() if _counts(name, value, keys, environ)}
    ignored = [name for name in lines if name not in counts and name not in environ]
    used = [name for name in counts if _is_address(name) and _is_of_file(name, counts, environ)]
    return FolderVariables(
        counts,
        (_ignored(path, ignored, lines, changed=trust == "changed"),) if ignored else (),
        tuple(
            f"{path}, line {lines[name]}: requests go to {_host(counts[name])} ({name}), with the "
            "key of the same file."
            for name in used
        ),
    )


def _read(path: Path, text: str) -> tuple[dict[str, str], dict[str, int]]:
    """The values of a file and the lines of all its names.

    A value that refers to a variable from elsewhere is none: it may be another provider's key.
    """
    check_lines(path, text)
    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    for binding in parse_stream(io.StringIO(text)):
        if binding.key is None or not binding.value:
            continue
        held = binding.original.string
        before = held[: len(held) - len(held.lstrip())].count("\n")
        lines[binding.key] = binding.original.line + before
        values.pop(binding.key, None)
        atoms = [*parse_variables(binding.value)]
        if all(one.name in values for one in atoms if isinstance(one, Variable)):
            values[binding.key] = "".join(one.resolve(values) for one in atoms)
    return values, lines


def _is_key(name: str, value: str) -> bool:
    """Whether a variable holds the key of a provider."""
    is_one = name in _KNOWN_KEYS or _KEY.fullmatch(name) is not None
    return is_one and _LOOKED_UP.match(value.strip()) is None


def _counts(name: str, value: str, found: Mapping[str, str], environ: Mapping[str, str]) -> bool:
    """Whether a variable of a file may be used, by the keys that the file holds."""
    if name.upper() == _BASE_URL:
        return name == _BASE_URL and _brings_keys(_KNOWN_KEYS, frozenset(), found, environ)
    if name.upper().startswith(_OURS) or name in INHERITED_VARIABLES:
        return _is_harmless(name, value)
    if name in found:
        return True
    if name in _ACCOUNTS:
        return _ACCOUNT.fullmatch(value) is not None
    address = _ADDRESS.fullmatch(name)
    return address is not None and any(
        _brings_keys(keys, stems, found, environ)
        for keys, stems in _providers()
        if address[1] in stems
    )


def _is_harmless(name: str, value: str) -> bool:
    """Whether one of our own variables names no program, place or host."""
    key = INHERITED_VARIABLES.get(name)
    layer = environment_layer(Environment({name: value}))
    keys = {key} if key is not None else set(layer)
    return not keys & {*USER_ONLY_KEYS} and ANY_ADDRESS.search(value) is None


def _is_address(name: str) -> bool:
    return name == _BASE_URL or (
        _ADDRESS.fullmatch(name) is not None and not name.startswith(_OURS)
    )


def _providers() -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The keys of each provider, and with what the names of its variables begin."""
    for one in PROVIDERS:
        stems = {_KEY_END.sub("", key) for key in one.keys}
        stem = one.prefix.removesuffix("_chat").upper().replace("-", "_")
        yield frozenset(one.keys), frozenset({stem, *stems})
    for prefix in KEYLESS_PREFIXES:
        stem = prefix.removesuffix("_chat").upper()
        yield frozenset({f"{stem}_API_KEY"}), frozenset({stem})


def _brings_keys(
    keys: frozenset[str],
    stems: frozenset[str],
    found: Mapping[str, str],
    environ: Mapping[str, str],
) -> bool:
    """Whether a file holds one of these keys, and no key or secret beside it comes from elsewhere."""
    starts = tuple(f"{stem}_" for stem in stems)
    beside = {
        name
        for name, value in environ.items()
        if value.strip()
        and (name in keys or (name.startswith(starts) and _SECRET.search(name) is not None))
    }
    return any(found.get(key, "").strip() for key in keys) and all(
        _is_of_file(name, found, environ) for name in beside
    )


def _is_of_file(name: str, found: Mapping[str, str], environ: Mapping[str, str]) -> bool:
    """Whether the value in force is the file's."""
    value = found.get(name)
    return value is not None and environ.get(name, value).strip() == value.strip()


def _keys_for(model: str) -> tuple[str, ...]:
    """The variables whose key goes along with the calls of a model; () where that is not known."""
    prefix = model.partition("/")[0]
    if prefix in KEYLESS_PREFIXES:
        return (f"{prefix.removesuffix('_chat').upper()}_API_KEY",)
    return key_variables(model)


def _ignored(path: Path, ignored: list[str], lines: Mapping[str, int], *, changed: bool) -> str:
    named = first_of([f"{name[:80]} (line {lines[name]})" for name in ignored], _MOST_NAMED)
    again = "It has changed since you trusted it. " if changed else ""
    return (
        f"{path}: ignored: {named}. {again}A folder, which may come from somebody else, gives "
        "keys of providers, harmless settings, and an address beside its own key. If the file is "
        "yours, `libriscribe2 trust` lets it set everything."
    )


def _host(url: str) -> str:
    """The server of an address, without a user's name or password."""
    scheme, _, rest = url.strip().partition("//")
    return f"{scheme}//{re.split(r'[/?#]', rest, maxsplit=1)[0].rpartition('@')[2]}"


def trusted(folder: Path, text: str) -> str:
    """Whether the user trusts the `.env` of a folder: `yes`, `changed` since then, or `no`."""
    kept = _record(folder)
    try:
        held = kept.read_text(encoding="utf-8").split("\n")[0] if kept.is_file() else ""
    except (OSError, UnicodeDecodeError):
        return "no"
    return ("yes" if held == _digest(text) else "changed") if held else "no"


def trust_file(path: Path) -> tuple[str, ...]:
    """Remember that the user trusts a `.env` as it is now; what it may set from now on.

    Raises:
        ConfigError: There is no such file, or a line of it says nothing.
        StorageError: It cannot be remembered.
    """
    text = read_text(path)
    if not text:
        raise ConfigError(f"There is no {path} that could be trusted.")
    _, lines = _read(path, text)
    record = _record(path.parent)
    with storage_errors("write", record):
        make_folder(record.parent)
        atomic_write(record, f"{_digest(text)}\n{_place(path.parent)}\n".encode())
    return tuple(f"{name} (line {line})" for name, line in lines.items())


def forget(folder: Path) -> bool:
    """Trust the `.env` of a folder no more; whether it was trusted.

    Raises:
        StorageError: That cannot be remembered.
    """
    record = _record(folder)
    with storage_errors("remove", record):
        was_there = record.exists()
        record.unlink(missing_ok=True)
    return was_there


def trusted_folders() -> list[tuple[str, str]]:
    """The folders whose `.env` the user trusted, each with what became of it since.

    Raises:
        StorageError: The user's state cannot be read.
    """
    place = user_state("trusted")
    with storage_errors("read", place):
        if not place.is_dir():
            return []
        texts = [one.read_text(encoding="utf-8", errors="replace") for one in place.iterdir()]
    folders = sorted(line for text in texts for line in text.split("\n")[1:2])
    states = {"yes": "trusted", "changed": "changed since, not trusted", "no": "not trusted"}
    return [(one, states[trusted(Path(one), read_text(Path(one) / ENV_FILE))]) for one in folders]


def _place(folder: Path) -> str:
    return os.path.realpath(folder)


def _record(folder: Path) -> Path:
    return user_state("trusted") / hashlib.sha256(os.fsencode(_place(folder))).hexdigest()[:32]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
