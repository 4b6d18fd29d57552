"""The layers of configuration: each source as a flat table of values that know where they stood."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from pydantic_settings import EnvSettingsSource

from libriscribe2.settings.env_file import Environment
from libriscribe2.settings.files import read_toml
from libriscribe2.settings.keys import leaves, nest
from libriscribe2.settings.schema import ENV_DELIMITER, ENV_PREFIX, Settings

DEFAULT: Final = "default"
FLAG: Final = "flag"

INHERITED_VARIABLES: Final = {
    "OPENAI_DEFAULT_MODEL": "models.default",
    "LLM_TIMEOUT": "llm.timeout_seconds",
    "PROJECTS_DIR": "projects_dir",
    "GOMIND_PLAN_RETRY_ENABLED": "plan_retry_enabled",
    "GOMIND_PLAN_RETRY_MAX": "plan_retry_max",
}
"""Variables of the original LibriScribe2 and of the plan parser's design; `LIBRISCRIBE2_*` wins."""

_FORGIVING_KEYS: Final = frozenset({"plan_retry_enabled", "plan_retry_max"})
"""Settings whose variables are ignored, with a warning, when their value does not fit."""


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
            layer |= _layer(nest({key: value}), FLAG)
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
    return _layer(table, str(path))


def table_layer(table: Mapping[str, Any], origin: str) -> Layer:
    """The values of tables that did not come from a file of their own."""
    return _layer(table, origin)


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
            layer |= _layer(table, environment.origin(name), typed=name)
    return layer


def inherited_layer(environment: Environment) -> Layer:
    """The values of the variables that other programs named; an empty one counts as not set."""
    layer: dict[str, Given] = {}
    for name, key in INHERITED_VARIABLES.items():
        value = environment.variables.get(name)
        if value:
            layer |= _layer(nest({key: value}), environment.origin(name), typed=name)
    return layer


def without_misfits(layer: Layer) -> tuple[Layer, tuple[str, ...]]:
    """The layer without forgiving keys whose value does not fit, and a warning for each."""
    misfits = {key for key in _FORGIVING_KEYS & layer.keys() if not _fits(key, layer[key].value)}
    kept = {key: given for key, given in layer.items() if key not in misfits}
    return kept, tuple(_warning(layer[key]) for key in sorted(misfits))


def _layer(table: Mapping[str, Any], origin: str, *, typed: str = "") -> dict[str, Given]:
    return {leaf.key: Given(leaf.value, typed or leaf.typed, origin) for leaf in leaves(table)}


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
