"""The environment: the process's variables, completed from `.env`. The real environment wins."""

import io
import re
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dotenv import dotenv_values
from dotenv.parser import parse_stream

from libriscribe2.errors import ConfigError
from libriscribe2.settings.files import read_text

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
    _check_lines(path, text)
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


def _check_lines(path: Path, text: str) -> None:
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
