"""The settings of one command: the files that are looked at, found by the rules of this program."""

from collections.abc import Collection, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from libriscribe2.project.paths import BOOK_TOML
from libriscribe2.settings.env_file import ENV_FILE, export, read_env_file
from libriscribe2.settings.files import user_file
from libriscribe2.settings.loading import Loaded, load_settings


def load_for_project(
    root: Path | None,
    *,
    environ: MutableMapping[str, str],
    flags: Mapping[str, Any],
    stages: Collection[str] | None = None,
    folder: Path = Path(),
) -> Loaded:
    """The settings of a command about the project in `root`, or about none.

    Reads `.env` of the working directory into `environ` first, so that the API keys in it work.

    Args:
        root: The project's folder; one without a `book.toml` has the other layers only.
        environ: The variables of the process; those of `.env` are added, none is changed.
        flags: Values of the command line by dotted key; None is a flag that was not given.
        stages: The stages that may have a model of their own; None allows any name.
        folder: The working directory.

    Raises:
        ConfigError: A file or a variable cannot be used.
        UsageError: A flag cannot be used.
    """
    env_file = read_env_file(folder / ENV_FILE)
    export(env_file, environ)
    return load_settings(
        flags=flags,
        project_file=root / BOOK_TOML if root is not None else None,
        user_file=user_file(),
        environ=environ,
        env_file=env_file,
        stages=stages,
    )
