"""Flags over the environment and `.env`, over the project's file, the user's file, the defaults."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from libriscribe2.settings.env_file import Environment
from libriscribe2.settings.faults import check_keys, check_project_keys, invalid_value
from libriscribe2.settings.keys import KnownKeys, leaves, nest
from libriscribe2.settings.layers import (
    DEFAULT,
    Given,
    environment_layer,
    file_layer,
    flag_layer,
    inherited_layer,
    without_misfits,
)
from libriscribe2.settings.schema import Settings


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings and where each of them came from.

    Attributes:
        settings: The settings.
        origins: For every dotted key: `flag`, `env NAME`, `.env`, a file's path, or `default`.
        warnings: Sentences about values that were ignored.
    """

    settings: Settings
    origins: Mapping[str, str]
    warnings: tuple[str, ...] = ()

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
