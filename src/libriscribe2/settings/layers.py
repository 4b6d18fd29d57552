"""Layers of settings: flags, environment, .env, files; which key each value has."""

import difflib
import io
import json
import re
import stat
import tomllib
from collections.abc import Collection, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import platformdirs
from dotenv import dotenv_values
from dotenv.parser import parse_stream
from pydantic import BaseModel, ValidationError
from pydantic_settings import EnvSettingsSource

from libriscribe2.errors import ConfigError
from libriscribe2.project.atomic import atomic_write, look_at, make_folder, storage_errors
from libriscribe2.settings.schema import (
    ENV_DELIMITER,
    ENV_PREFIX,
    ModelsConfig,
    Settings,
    StageModel,
    as_table,
)

_MODELS: Final = "models."
_DEEPEST_KEY: Final = 3
_WHOLE: Final = frozenset({"research.mcp"})
"""Keys whose value is a table: its own keys are names that the user gives."""

_SLIP: Final = 0.8
_ALIKE: Final = 0.6
_TELLING: Final = 4
"""So many letters of a name tell which one is meant."""
_OLDER_NAME: Final = re.compile(r"^(models|revision)\.judge(?![^.])")
"""The evaluator under the name that it has in older files."""
_ANY_ENTRY = re.compile(r"models\.[a-z][a-z0-9_]*")
_ANY_ENTRY_KEY = re.compile(rf"{_ANY_ENTRY.pattern}\.(?:{'|'.join(StageModel.model_fields)})")


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value of a nested table.

    Attributes:
        key: The full dotted key, such as `models.scene.model`.
        typed: The key as the user wrote it, such as `models.scene`.
        value: The value.
    """

    key: str
    typed: str
    value: Any


def leaves(table: Mapping[str, Any]) -> Iterator[Leaf]:
    """The values of a nested table, with the short forms of model entries written out.

    Tables deeper than any setting stay whole, so hostile nesting costs nothing.
    """
    yield from _leaves(table, "", _DEEPEST_KEY)


def _leaves(table: Mapping[str, Any], prefix: str, depth: int) -> Iterator[Leaf]:
    for name, value in table.items():
        key = f"{prefix}{name}"
        written = as_table(value) if prefix == _MODELS else value
        is_section = isinstance(written, Mapping) and bool(written) and key not in _WHOLE
        if is_section and depth > 1:
            for leaf in _leaves(written, f"{key}.", depth - 1):
                yield leaf if written is value else Leaf(leaf.key, key, leaf.value)
        else:
            yield Leaf(key, key, value)


def nest(flat: Mapping[str, Any]) -> dict[str, Any]:
    """The nested table of dotted keys; the inverse of `leaves` over known keys."""
    table: dict[str, Any] = {}
    for key, value in flat.items():
        *sections, name = key.split(".")
        place = table
        for section in sections:
            place = place.setdefault(section, {})
        place[name] = value
    return table


@dataclass(frozen=True, slots=True)
class KnownKeys:
    """Every key that a layer may hold.

    Attributes:
        stages: The stages that may have a model of their own; None allows any name.
    """

    stages: Collection[str] | None = None

    def __contains__(self, key: str) -> bool:
        """Whether `key` is a setting."""
        if self.stages is None and _ANY_ENTRY_KEY.fullmatch(key):
            return True
        return key in self.all()

    def all(self) -> tuple[str, ...]:
        """The full keys, the default model's before those of the stages."""
        entries = ("default", *sorted(self.stages if self.stages is not None else ()))
        models = (f"{_MODELS}{name}.{part}" for name in entries for part in StageModel.model_fields)
        return (*models, *_fixed_keys(Settings, ""))

    def inside(self, section: str) -> tuple[str, ...]:
        """The full keys below `section`; empty where it is not a section."""
        if self.stages is None and _ANY_ENTRY.fullmatch(section):
            return tuple(f"{section}.{part}" for part in StageModel.model_fields)
        return tuple(key for key in self.all() if key.startswith(f"{section}."))

    def nearest(self, key: str) -> str:
        """The key most like a wrong one, or "" where none is alike.

        A slip of the pen comes first, then a right name in the wrong section, then the beginning
        of one name alone.
        """
        known = self.all()
        by_name = {candidate.rpartition(".")[2]: candidate for candidate in reversed(known)}
        name = key.rpartition(".")[2]
        if slip := difflib.get_close_matches(key, known, n=1, cutoff=_SLIP):
            return slip[0]
        if name in by_name:
            return by_name[name]
        begun = [full for known_name, full in by_name.items() if known_name.startswith(name)]
        if len(begun) == 1 and len(name) >= _TELLING:
            return begun[0]
        if alike := difflib.get_close_matches(key, known, n=1, cutoff=_ALIKE):
            return alike[0]
        names = difflib.get_close_matches(name, by_name, n=1, cutoff=_ALIKE)
        return by_name[names[0]] if names else ""


def _fixed_keys(model: type[BaseModel], prefix: str) -> Iterator[str]:
    """The keys of a Pydantic model and of the models in it; those of `models` are made apart."""
    for name, field in model.model_fields.items():
        kind = field.annotation
        if kind is ModelsConfig:
            continue
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _fixed_keys(kind, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"


_LARGEST_FILE: Final = 1_000_000
_OWN: Final = 0o600


def user_file() -> Path:
    """Where the user's own configuration file is looked for on this system."""
    return platformdirs.user_config_path("libriscribe2", appauthor=False) / "config.toml"


def keys_file() -> Path:
    """Where the user's keys of providers are kept: `libriscribe2 keys`."""
    return user_file().with_name("keys.json")


def stored_keys() -> dict[str, str]:
    """The keys that the user keeps with the program, by variable; none where there is no file.

    Raises:
        ConfigError: The file cannot be read, or holds something else.
    """
    path = keys_file()
    try:
        found = json.loads(read_text(path) or "{}")
    except (ValueError, RecursionError) as error:
        raise _unusable(path, "It is not valid JSON.") from error
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found.values()):
        raise _unusable(path, "It does not hold one key for each variable.")
    return found


def store_key(variable: str, key: str | None) -> None:
    """Keep a key where nobody but the user can read it; None forgets it.

    Raises:
        ConfigError: The file that is there cannot be used.
        StorageError: It cannot be written.
    """
    path, kept = keys_file(), {**stored_keys(), variable: key}
    text = json.dumps({name: value for name, value in kept.items() if value}, indent=2)
    with storage_errors("write", path):
        make_folder(path.parent)
        atomic_write(path, f"{text}\n".encode(), mode=_OWN)


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file; none where there is no file.

    Raises:
        ConfigError: The file cannot be read, is not UTF-8, or is not TOML.
    """
    text = read_text(path)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unusable(path, f"It is not valid TOML: {error}.") from error
    except (RecursionError, ValueError) as error:
        # tomllib descends by recursion, and Python refuses whole numbers of over 4,300 digits.
        raise _unusable(path, "It is nested too deeply or has too long a number.") from error


def read_text(path: Path) -> str:
    """The text of a small UTF-8 file, with or without a byte order mark; "" where there is none.

    Raises:
        ConfigError: It is not a regular file, too large, unreadable or not UTF-8.
    """
    try:
        there = look_at(path)
        if there is None:
            return ""
        if not stat.S_ISREG(there.st_mode):
            raise _unusable(path, "It is not a regular file.")
        if there.st_size > _LARGEST_FILE:
            raise _unusable(path, f"It is larger than {_LARGEST_FILE:,} bytes.")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unusable(path, f"Byte {error.start} is not valid UTF-8.") from error
    except OSError as error:
        raise _unusable(path, f"{error.strerror or error}.") from error


def _unusable(path: Path, why: str) -> ConfigError:
    return ConfigError(f"The configuration file {path} cannot be used.", why, f"Correct {path}.")


ENV_FILE: Final = ".env"

_HOLDS_KEY: Final = re.compile(r"_API_KEY$|_AD_TOKEN$")
"""Names of variables from which LiteLLM takes keys."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Variables, and which of them came from `.env`.

    Attributes:
        variables: All variables.
        from_file: The names of those that only `.env` gives.
    """

    variables: Mapping[str, str]
    from_file: frozenset[str] = frozenset()

    @classmethod
    def of(cls, environ: Mapping[str, str], env_file: Mapping[str, str]) -> "Environment":
        """The process's variables over those of `.env`.

        A variable whose value equals that of the file counts as the file's, so it makes no
        difference whether `export` ran before.
        """
        variables = {**env_file, **environ}
        from_file = (name for name, value in env_file.items() if variables[name] == value)
        return cls(variables, frozenset(from_file))

    def origin(self, name: str) -> str:
        """Where the variable stood: `.env` or `env NAME`."""
        return ENV_FILE if name in self.from_file else f"env {name}"


def read_env_file(path: Path) -> dict[str, str]:
    """The variables of a `.env` file; none where there is no file.

    Raises:
        ConfigError: The file cannot be read, is not UTF-8, or a line of it says nothing.
    """
    text = read_text(path)
    check_lines(path, text)
    values = dotenv_values(stream=io.StringIO(text))
    return {name: value for name, value in values.items() if value is not None}


def export(variables: Mapping[str, str], environ: MutableMapping[str, str]) -> None:
    """Put the variables of `.env` into the process's, where LiteLLM looks for API keys.

    A variable that is already set stays as it is, but for white space around a key: a line break
    at its end, which files of secrets have, can be sent to nobody.
    """
    for name, value in variables.items():
        environ.setdefault(name, value)
    for name in filter(_HOLDS_KEY.search, tuple(environ)):
        if environ[name] != environ[name].strip():
            environ[name] = environ[name].strip()


def check_lines(path: Path, text: str) -> None:
    """Refuse a file with a line that sets nothing; python-dotenv would pass over it.

    Raises:
        ConfigError: Names the file and the line, but not what it holds: it may be a key.
    """
    for binding in parse_stream(io.StringIO(text)):
        if binding.error:
            held = binding.original.string
            before = held[: len(held) - len(held.lstrip())].count("\n")
            raise ConfigError(
                f"The configuration file {path} cannot be used.",
                f"Line {binding.original.line + before} does not read NAME=value "
                "(a quote that is opened has to be closed).",
                f"Correct {path}; a line that begins with # is left out.",
            )


DEFAULT: Final = "default"
FLAG: Final = "flag"

INHERITED_VARIABLES: Final = {
    "OPENAI_DEFAULT_MODEL": "models.default",
    "LLM_TIMEOUT": "llm.timeout_seconds",
    "PROJECTS_DIR": "projects_dir",
    "GOMIND_PLAN_RETRY_ENABLED": "plan_retry_enabled",
    "GOMIND_PLAN_RETRY_MAX": "plan_retry_max",
    "GOMIND_LOG_LEVEL": "log_level",
}
"""Variables of the original LibriScribe2 and of the tool chains' design; `LIBRISCRIBE2_*` wins."""

_FORGIVING_KEYS: Final = frozenset({"plan_retry_enabled", "plan_retry_max"})
"""Settings whose variables are ignored, with a warning, when their value does not fit; so are all
variables of `GOMIND_*`, which may be meant for another program."""


@dataclass(frozen=True, slots=True)
class Given:
    """One value of a layer.

    Attributes:
        value: The value, not yet validated.
        typed: The name that the user wrote: a key, or a variable.
        origin: Where it stood: `flag`, `env NAME`, `.env`, or a file's path.
    """

    value: Any
    typed: str
    origin: str


Layer = Mapping[str, Given]
"""Values by their full dotted key."""


def flag_layer(flags: Mapping[str, Any]) -> Layer:
    """The command line's values by dotted key; None is a flag that was not given."""
    layer: dict[str, Given] = {}
    for key, value in flags.items():
        if value is not None:
            layer |= table_layer(nest({key: value}), FLAG)
    return layer


def file_layer(path: Path | None, *, of_book: bool = False) -> Layer:
    """A TOML file's values.

    Args:
        path: The file, or None.
        of_book: Whether it is a project's file, whose `[book]` table is the brief and no setting.

    Raises:
        ConfigError: The file cannot be used.
    """
    if path is None:
        return {}
    tables = read_toml(path).items()
    table = {name: value for name, value in tables if not (of_book and name == "book")}
    return table_layer(table, str(path))


def environment_layer(environment: Environment) -> Layer:
    """The values of `LIBRISCRIBE2_*`; an empty variable counts as not set."""
    source = EnvSettingsSource(Settings)
    layer: dict[str, Given] = {}
    for name in sorted(environment.variables):
        value = environment.variables[name]
        if value and name.upper().startswith(ENV_PREFIX):
            # The source looks at this one variable only, so each value keeps its own origin.
            source.env_vars = {name.lower(): value}
            table = source() or {_dotted(name): value}
            layer |= table_layer(table, environment.origin(name), typed=name)
    return layer


def inherited_layer(environment: Environment) -> Layer:
    """The values of the variables that other programs named; an empty one counts as not set."""
    layer: dict[str, Given] = {}
    for name, key in INHERITED_VARIABLES.items():
        value = environment.variables.get(name)
        if value:
            layer |= table_layer(nest({key: value}), environment.origin(name), typed=name)
    return layer


def without_misfits(layer: Layer) -> tuple[Layer, tuple[str, ...]]:
    """The layer without forgiving keys whose value does not fit, and a warning for each."""
    misfits = {
        key
        for key, given in layer.items()
        if (key in _FORGIVING_KEYS or given.typed.startswith("GOMIND_"))
        and not _fits(key, given.value)
    }
    kept = {key: given for key, given in layer.items() if key not in misfits}
    return kept, tuple(_warning(layer[key]) for key in sorted(misfits))


def table_layer(table: Mapping[str, Any], origin: str, *, typed: str = "") -> dict[str, Given]:
    """The values of tables by key.

    Args:
        table: The tables.
        origin: Where they come from.
        typed: The name by which all were given; "" where each has its own.
    """
    found = sorted(leaves(table), key=lambda leaf: _OLDER_NAME.match(leaf.key) is None)
    return {
        _OLDER_NAME.sub(r"\1.evaluator", leaf.key): Given(leaf.value, typed or leaf.typed, origin)
        for leaf in found
    }


def _dotted(variable: str) -> str:
    """The key that a `LIBRISCRIBE2_*` variable stands for."""
    return variable[len(ENV_PREFIX) :].lower().replace(ENV_DELIMITER, ".")


def _fits(key: str, value: Any) -> bool:
    try:
        Settings.model_validate(nest({key: value}))
    except ValidationError:
        return False
    return True


def _warning(given: Given) -> str:
    return f"{given.typed}={given.value!r} does not fit and is ignored ({given.origin})."
