"""Settings loaded for a place or a project, with faults in a user's words."""

import re
from collections.abc import Collection, Mapping, MutableMapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from libriscribe2.errors import ConfigError, UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.project.book_file import BOOK_TABLE
from libriscribe2.project.paths import BOOK_TOML
from libriscribe2.settings.layers import (
    DEFAULT,
    ENV_FILE,
    FLAG,
    Environment,
    Given,
    KnownKeys,
    Layer,
    environment_layer,
    export,
    file_layer,
    flag_layer,
    inherited_layer,
    leaves,
    nest,
    read_text,
    stored_keys,
    table_layer,
    user_file,
    without_misfits,
)
from libriscribe2.settings.schema import ENV_DELIMITER, ENV_PREFIX, Settings
from libriscribe2.settings.trust import ANY_ADDRESS, USER_ONLY_KEYS, folder_variables
from libriscribe2.wording import MASK, plain_fault, redact

_LONGEST_VALUE: Final = 80
_SECRET_KEY = re.compile(r"(?i)(?:^|[._])(?:api_?)?(?:key|token|secret|password)s?$")
_URL_USER = re.compile(r"(?<=//)[^/@\s]+(?=@)")


def check_keys(layer: Layer, known: KnownKeys) -> None:
    """Refuse a layer with a key that no setting has.

    Raises:
        ConfigError: Names the place, the key as typed, and the nearest valid one.
    """
    for key, given in layer.items():
        section = known.inside(key)
        if section and given.value != {}:
            raise _section_as_value(key, given, section)
        if not section and key not in known:
            raise _unknown_key(key, given, known)


def check_project_keys(layer: Layer) -> None:
    """Refuse a project's file that sets what only the user may set, or names an address.

    Raises:
        ConfigError: Names the file and the key.
    """
    for key, given in layer.items():
        if key in USER_ONLY_KEYS:
            raise ConfigError(
                f"{given.origin}: `{key}` cannot be set by a book.",
                "A book may come from someone else, who could send your API key to a server, "
                "start a program or write outside the book's folder.",
                f"Move it to your own configuration file (`libriscribe2 config path`) or set "
                f"{variable(key)}.",
            )
        if ANY_ADDRESS.search(str(given.value)):
            raise ConfigError(
                f"{given.origin}: `{given.typed}` cannot be {shown(given.value)}.",
                "A book may come from someone else, and names no address to which your text goes, and no file elsewhere.",
                "Name the model as PROVIDER/NAME, and set the address of a server of your own as "
                f"{variable('llm.base_url')}.",
            )


def invalid_value(error: ValidationError, merged: Layer) -> ConfigError | UsageError:
    """The first value that does not fit, and how many more there are."""
    details = error.errors(include_url=False)
    first = details[0]
    given = _given_at(first["loc"], merged)
    more = f" ({len(details) - 1} more do not fit either.)" if len(details) > 1 else ""
    why = f"{plain_fault(first)}.{more}"
    if given.origin == FLAG:
        option = given.typed.removesuffix(".default").rpartition(".")[2].replace("_", "-")
        return UsageError(f"--{option} cannot be {shown(given.value)}.", why, "Correct it.")
    return ConfigError(
        f"{_place(given)}: `{given.typed}` cannot be {shown(given.value)}.",
        why,
        "Correct it, or remove it to take the default.",
    )


def shown(value: Any) -> str:
    """A value as an error or a listing may show it: shortened, without secrets."""
    text = repr(value) if len(str(value)) <= _LONGEST_VALUE else repr(f"{str(value)[:77]}...")
    return without_secrets(text)


def without_secrets(text: str) -> str:
    """The text without what looks like a key, and without the user part of a URL."""
    return redact(_URL_USER.sub(MASK, text))


def variable(key: str) -> str:
    """The environment variable of a dotted key."""
    return ENV_PREFIX + key.upper().replace(".", ENV_DELIMITER)


def _place(given: Given) -> str:
    if given.origin == FLAG:
        return "The command line"
    return "The environment" if given.origin.startswith("env ") else given.origin


def _spelled(key: str, given: Given) -> str:
    """A key in the spelling of the place: a variable for the environment, else dotted.

    A model's entry is spelled in its short form, which is the one that people write.
    """
    key = key.removesuffix(".model")
    return variable(key) if given.typed.upper().startswith(ENV_PREFIX) else key


def _unknown_key(key: str, given: Given, known: KnownKeys) -> ConfigError:
    nearest = known.nearest(key)
    if _SECRET_KEY.search(key):
        fix = (
            "API keys are not settings: put them into the variable of the provider, such as "
            "OPENAI_API_KEY, in the environment or in .env."
        )
    elif of_brief := _of_brief(key, given):
        fix = of_brief
    elif nearest:
        fix = f"Did you mean `{_spelled(nearest, given)}`?"
    else:
        fix = "Remove it; `libriscribe2 config show` lists every valid key."
    what = f"{_place(given)}: unknown key `{given.typed[:_LONGEST_VALUE]}`."
    return ConfigError(what, "No setting has this name.", fix)


def _of_brief(key: str, given: Given) -> str:
    """How a key of the brief gets into its table; "" for any other key."""
    section, _, name = key.rpartition(".")
    if name not in Brief.model_fields or Path(given.origin).name != BOOK_TOML:
        return ""
    if not section:
        return f"It describes the book: put it below a line `[{BOOK_TABLE}]`."
    alike = get_close_matches(section, [BOOK_TABLE], n=1)
    return f"Did you mean `[{BOOK_TABLE}]` for `[{section}]`?" if alike else ""


def _section_as_value(key: str, given: Given, section: tuple[str, ...]) -> ConfigError:
    names = dict.fromkeys(inside[len(key) + 1 :].partition(".")[0] for inside in section)
    return ConfigError(
        f"{_place(given)}: `{given.typed}` is a section, not a value.",
        f"It holds {', '.join(names)}.",
        f"Set for example `{_spelled(section[0], given)}`.",
    )


def _given_at(location: tuple[int | str, ...], merged: Layer) -> Given:
    """The value that a Pydantic error location is in."""
    parts = [str(part) for part in location]
    keys = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next(merged[key] for key in keys if key in merged)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings and where each of them came from.

    Attributes:
        settings: The settings.
        origins: For every dotted key: `flag`, `env NAME`, `.env`, a file's path, or `default`.
        warnings: Sentences about values that were ignored.
        notes: Sentences about servers that the folder names.
    """

    settings: Settings
    origins: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def values(self) -> dict[str, Any]:
        """The settings as plain values by dotted key, in the order of the schema."""
        return _plain(self.settings)


def load_settings(
    *,
    flags: Mapping[str, Any],
    project_file: Path | None,
    user_file: Path | None,
    environ: Mapping[str, str],
    env_file: Mapping[str, str] | None = None,
    stages: Collection[str] | None = None,
) -> Loaded:
    """Read every layer, check it and lay the higher over the lower.

    Args:
        flags: Values of the command line by dotted key; None is a flag that was not given.
        project_file: The project's `book.toml`, or None; its `[book]` table is not read here.
        user_file: The user's configuration file, or None.
        environ: The variables of the process.
        env_file: The variables of `.env` (`read_env_file`), which those of the process outrank.
        stages: The stages that may have a model of their own; None allows any name.

    Raises:
        ConfigError: A file is unreadable, a key unknown, or a value out of bounds; the error names
            the file or variable, the key, and the nearest valid key.
        UsageError: A flag's value is out of bounds.
    """
    environment = Environment.of(environ, env_file if env_file is not None else {})
    inherited, warnings = without_misfits(inherited_layer(environment))
    own, own_warnings = without_misfits(environment_layer(environment))
    project = file_layer(project_file, of_book=True)
    known = KnownKeys(stages)
    merged: dict[str, Given] = {}
    for layer in (file_layer(user_file), project, inherited, own, flag_layer(flags)):
        check_keys(layer, known)
        merged |= {key: given for key, given in layer.items() if given.value != {}}
    check_project_keys(project)
    try:
        settings = Settings.model_validate(
            nest({key: given.value for key, given in merged.items()})
        )
    except ValidationError as error:
        raise invalid_value(error, merged) from error
    origins = {key: merged[key].origin if key in merged else DEFAULT for key in _plain(settings)}
    return Loaded(settings, origins, warnings + own_warnings)


def _plain(settings: Settings) -> dict[str, Any]:
    return {leaf.key: leaf.value for leaf in leaves(settings.model_dump(mode="json"))}


_PLACE: Final = "settings"


def check_book_tables(table: Mapping[str, Any], stages: Collection[str] | None = None) -> None:
    """Make sure that tables could stand in a `book.toml`.

    Args:
        table: The tables of settings, without the brief.
        stages: The stages that may have a model of their own; None allows any name.

    Raises:
        ConfigError: A key is unknown or not for a book, or a value is out of bounds.
    """
    layer = table_layer(table, _PLACE)
    check_keys(layer, KnownKeys(stages))
    check_project_keys(layer)
    try:
        Settings.model_validate(nest({key: given.value for key, given in layer.items()}))
    except ValidationError as error:
        raise invalid_value(error, layer) from error


def load_for_project(
    root: Path | None,
    *,
    environ: MutableMapping[str, str],
    flags: Mapping[str, Any],
    stages: Collection[str] | None = None,
    folder: Path = Path(),
) -> Loaded:
    """The settings of a command about the project in `root`, or about none.

    Reads what counts of `.env` in the working directory into `environ` first, and after it the keys
    that the user keeps with the program, so that the API keys in them work.

    Args:
        root: The project's folder; one without a `book.toml` has the other layers only.
        environ: The variables of the process; what counts of `.env` is added, none is changed.
        flags: Values of the command line by dotted key; None is a flag that was not given.
        stages: The stages that may have a model of their own; None allows any name.
        folder: The working directory.

    Raises:
        ConfigError: A file or a variable cannot be used.
        UsageError: A flag cannot be used.
    """
    path = folder / ENV_FILE
    text, keys = read_text(path), stored_keys()
    own = folder_variables(path, text, environ) if text else None
    if own is not None and keys:
        # An address in the file is refused beside a key that does not come from it, such as these.
        others = {name: key for name, key in keys.items() if name not in own.values}
        own = folder_variables(path, text, {**others, **environ})
    export(own.values if own is not None else {}, environ)
    export(keys, environ)
    loaded = load_settings(
        flags=flags,
        project_file=root / BOOK_TOML if root is not None else None,
        user_file=user_file(),
        environ=environ,
        env_file=own.values if own is not None else {},
        stages=stages,
    )
    if own is None:
        return loaded
    own.check_models(loaded.settings)
    return replace(loaded, warnings=own.warnings + loaded.warnings, notes=own.notes)
