"""Configuration files: TOML text to tables, or one error that names the file and the place."""

import tomllib
from pathlib import Path
from typing import Any, Final

import platformdirs

from libriscribe2.errors import ConfigError

_LARGEST_FILE: Final = 1_000_000


def user_file() -> Path:
    """Where the user's own configuration file is looked for on this system."""
    return platformdirs.user_config_path("libriscribe2", appauthor=False) / "config.toml"


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
        raise _unusable(path, "It is nested too deeply or holds too long a number.") from error


def read_text(path: Path) -> str:
    """The text of a small UTF-8 file, with or without a byte order mark; "" where there is none.

    Raises:
        ConfigError: It is not a regular file, too large, unreadable or not UTF-8.
    """
    try:
        if not path.exists():
            return ""
        if not path.is_file():
            raise _unusable(path, "It is not a regular file.")
        if path.stat().st_size > _LARGEST_FILE:
            raise _unusable(path, f"It is larger than {_LARGEST_FILE:,} bytes.")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unusable(path, f"Byte {error.start} is not valid UTF-8.") from error
    except OSError as error:
        raise _unusable(path, f"{error.strerror or error}.") from error


def _unusable(path: Path, why: str) -> ConfigError:
    return ConfigError(f"The configuration file {path} cannot be used.", why, f"Correct {path}.")
