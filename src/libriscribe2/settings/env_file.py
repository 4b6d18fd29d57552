"""The environment: the process's variables, completed from `.env`. The real environment wins."""

import io
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dotenv import dotenv_values

from libriscribe2.settings.files import read_text

ENV_FILE: Final = ".env"


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
        ConfigError: The file cannot be read or is not UTF-8.
    """
    values = dotenv_values(stream=io.StringIO(read_text(path)))
    return {name: value for name, value in values.items() if value is not None}


def export(variables: Mapping[str, str], environ: MutableMapping[str, str]) -> None:
    """Put the variables of `.env` into the process's, where LiteLLM looks for API keys.

    A variable that is already set stays as it is.
    """
    for name, value in variables.items():
        environ.setdefault(name, value)
