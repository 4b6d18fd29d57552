"""Loads prompt files and fills their holes.

A prompt file has a system part and a user part, each under its own line:

    --- system ---
    You are ...
    --- user ---
    <premise>
    $premise
    </premise>

`name.non-fiction.md` is taken before `name.md` for a book that is not a story. A project may
override any prompt with a file of the same name in its folder `prompts/`.
"""

import hashlib
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from string import Template
from typing import Final

from libriscribe2.errors import ConfigError

_PARTS: Final = re.compile(r"\A--- system ---\n(.*?)\n--- user ---\n(.*)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with holes.

    Attributes:
        name: File name without its ending.
        system: Template of the system message.
        user: Template of the user message.
        sha: First 16 hex digits of the file's SHA-256: which wording it was.
    """

    name: str
    system: str
    user: str
    sha: str

    def holes(self) -> set[str]:
        """Names of the values that the prompt wants."""
        return {
            name for text in (self.system, self.user) for name in Template(text).get_identifiers()
        }

    def render(self, **values: str) -> tuple[dict[str, str], dict[str, str]]:
        """The system and the user message.

        Raises:
            ConfigError: A value is missing, or is given and has no hole.
        """
        holes = self.holes()
        missing, unused = sorted(holes - values.keys()), sorted(values.keys() - holes)
        if missing or unused:
            raise ConfigError(
                f"Prompt {self.name!r} does not fit its agent.",
                why=f"missing values: {missing}; values without a hole: {unused}",
                fix=f"Use exactly these holes in {self.name}.md: {sorted(values)}",
            )
        return (
            {"role": "system", "content": Template(self.system).substitute(values).strip()},
            {"role": "user", "content": Template(self.user).substitute(values).strip()},
        )


def load_prompt(name: str, *, kind: str = "fiction", overrides: Path | None = None) -> Prompt:
    """Find and read a prompt.

    Args:
        name: The prompt, such as `outline`.
        kind: `fiction` or `non-fiction`.
        overrides: A folder whose files are taken before the shipped ones.

    Raises:
        ConfigError: There is no such prompt, or the file does not have the two parts.
    """
    for candidate in (f"{name}.{kind}.md", f"{name}.md"):
        text = _read(candidate, overrides)
        if text is not None:
            return _parse(candidate, text)
    raise ConfigError(
        f"There is no prompt {name!r}.",
        fix=f"Add {name}.md to libriscribe2/prompts or to the project's folder prompts/.",
    )


def load_text(name: str) -> str:
    """A shipped text that prompts share, such as the format rules."""
    return resources.files("libriscribe2.prompts").joinpath(name).read_text(encoding="utf-8")


def _read(file: str, overrides: Path | None) -> str | None:
    """The text of a prompt file, the project's own first."""
    own = None if overrides is None else overrides / file
    if own is not None and own.is_file():
        return own.read_text(encoding="utf-8")
    shipped = resources.files("libriscribe2.prompts").joinpath(file)
    return shipped.read_text(encoding="utf-8") if shipped.is_file() else None


def _parse(file: str, text: str) -> Prompt:
    """The two parts of a prompt file."""
    parts = _PARTS.match(text.replace("\r\n", "\n"))
    if parts is None:
        raise ConfigError(
            f"Prompt file {file!r} cannot be read.",
            why="It needs the lines '--- system ---' and '--- user ---', in this order.",
            fix="Start from the shipped file of the same name.",
        )
    sha = hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
    return Prompt(file.removesuffix(".md"), parts[1], parts[2], sha)
