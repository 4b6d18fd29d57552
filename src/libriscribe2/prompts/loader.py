"""Loads prompt files and fills their holes.

A prompt file has a system part and a user part, each under its own line:

    --- system ---
    You are ...
    --- user ---
    <premise>
    $premise
    </premise>

`name.non-fiction.md` is taken before `name.md` for a book that is not a story. A project may
override any prompt with a file of either name in its folder `prompts/`: its own files come before
all shipped ones. `$$` stands for a dollar sign.

A file that begins with the line `--- after chapter ---` is a task at the end of what `chapter.md`
shows of the book, the chapter and its text. A line `--- level ---` in a user part ends what many
requests have in common: providers may keep what stands before it.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from typing import Any, Final

from libriscribe2.errors import ConfigError, StorageError

_SHIPPED: Final = resources.files("libriscribe2.prompts")
_NOTHING: Final = ("", "[]")
_BLOCK: Final = re.compile(r"<(\w+)>\n\$(\w+)\n</\1>\n*")
"""A block that holds one value and nothing else: without the value it says nothing."""

_PARTS: Final = re.compile(r"\A--- system ---\n(.*?)\n--- user ---\n(.*)\Z", re.DOTALL)
SHARED: Final = "chapter"
"""The prompt that all tasks of a chapter begin with."""

_AFTER: Final = f"--- after {SHARED} ---\n"
_LEVEL_LINE: Final = "\n--- level ---\n"
LEVEL: Final = "\x1e"
"""Stands in a value, and in a template for the line of a level; no message holds it."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with holes.

    Attributes:
        name: File name without its ending.
        system: Template of the system message.
        user: Template of the user message.
        sha: First 16 hex digits of the file's SHA-256: which wording it was.
        shared: Whether it begins as all tasks of a chapter do.
        own: Whether the file, or the one that it begins with, is the project's own.
    """

    name: str
    system: str
    user: str
    sha: str
    shared: bool = False
    own: bool = False

    def filled(
        self, values: Mapping[str, str], also: Mapping[str, str]
    ) -> tuple[tuple[dict[str, Any], dict[str, Any]], str]:
        """Both messages, and for what a project's own prompt has no place, in words.

        That stands at its end.

        Args:
            values: What has to be shown.
            also: Values for which there need be no hole.

        Raises:
            ConfigError: A value is missing, or is given and a shipped prompt has no hole for it.
        """
        holes, told = self.holes(), dict(values)
        left = [name for name in values if name not in holes] if self.own else []
        for name in left:
            is_bare = told[name] and not told[name].startswith("\n\n<")
            told[name] = f"\n\n<{name}>\n{told[name]}\n</{name}>" if is_bare else told[name]
        longer = replace(self, user="".join((self.user, *(f"${{{name}}}" for name in left))))
        more = {name: text for name, text in also.items() if name in holes}
        names = ", ".join(f"${name}" for name in left if told[name])
        said = f"prompts/{self.name}.md has no place for {names}: added at its end"
        return longer.render(**more, **told), said if names else ""

    def holes(self) -> frozenset[str]:
        """Names of the values that the prompt wants."""
        return _holes(self.system) | _holes(self.user)

    def render(self, **values: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """The system and the user message; `levels` says where in the latter its levels end.

        Raises:
            ConfigError: A value is missing, or is given and has no hole.
        """
        holes = self.holes()
        missing, unused = sorted(holes - values.keys()), sorted(values.keys() - holes)
        if missing or unused:
            raise ConfigError(
                f"Prompt {self.name!r} does not fit its agent.",
                why=f"missing values: {missing}; values without a placeholder: {unused}",
                fix=f"Use exactly these placeholders in {self.name}.md: {sorted(values)}",
            )
        empty = {name for name, value in values.items() if value in _NOTHING}
        user = _BLOCK.sub(lambda one: "" if one[2] in empty else one[0], self.user)
        return (
            {"role": "system", "content": Template(self.system).substitute(values).strip()},
            _leveled(Template(user).substitute(values).strip()),
        )


def _leveled(text: str) -> dict[str, Any]:
    """A user message, and the places in it where a level ends."""
    pieces, ends = text.split(LEVEL), list[int]()
    for piece in pieces[:-1]:
        ends.append((ends[-1] if ends else 0) + len(piece))
    said = {"role": "user", "content": "".join(pieces)}
    return said | {"levels": sorted(set(ends) - {0})} if ends else said


def load_prompt(name: str, *, kind: str = "fiction", overrides: Path | None = None) -> Prompt:
    """Find and read a prompt.

    Args:
        name: The prompt, such as `outline`.
        kind: `fiction` or `non-fiction`.
        overrides: A folder whose files are taken before the shipped ones.

    Raises:
        ConfigError: There is no such prompt, or its file cannot be understood; the error names
            file and line.
        StorageError: The file cannot be read.
    """
    files = (f"{name}.{kind}.md", f"{name}.md")
    own = [overrides / file for file in files] if overrides is not None else []
    shipped = (one for file in files if (one := _SHIPPED.joinpath(file)).is_file())
    found = next((place for place in own if place.is_file()), None) or next(shipped, None)
    if found is not None:
        text = _read(found)
        if not text.startswith(_AFTER):
            return replace(_parse(found.name, str(found), text), own=found in own)
        first = load_prompt(SHARED, kind=kind, overrides=overrides)
        _check_dollars(str(found), text)
        user = f"{first.user}{text.removeprefix(_AFTER)}".replace(_LEVEL_LINE, f"{LEVEL}\n")
        sha = hashlib.sha256(f"{first.sha}{text}".encode()).hexdigest()[:16]
        is_own = first.own or found in own
        name = found.name.removesuffix(".md")
        return Prompt(name, first.system, user, sha, shared=True, own=is_own)
    raise ConfigError(
        f"There is no prompt {name!r}.",
        fix=f"Add {name}.md to libriscribe2/prompts or to the project's folder prompts/.",
    )


def _holes(template: str) -> frozenset[str]:
    return frozenset(Template(template).get_identifiers())


def load_text(name: str) -> str:
    """A shipped text that prompts share, such as the format rules.

    Raises:
        StorageError: It cannot be read.
    """
    return _read(_SHIPPED.joinpath(name))


def _read(place: Traversable) -> str:
    """The text of a prompt file, with line feeds only.

    Raises:
        ConfigError: It is not UTF-8; the error names the line.
        StorageError: It cannot be read.
    """
    try:
        data = place.read_bytes()
    except OSError as error:
        raise StorageError(
            f"{place} cannot be read.",
            why=error.strerror or "",
            fix="Check the file's permissions.",
        ) from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{place}, line {line}: not UTF-8 text.", why=error.reason, fix="Save it as UTF-8."
        ) from error
    return text.replace("\r\n", "\n")


def _parse(file: str, place: str, text: str) -> Prompt:
    """The two parts of a prompt file.

    Args:
        file: The file's name.
        place: What the error calls the file.
        text: What it holds.
    """
    parts = _PARTS.match(text)
    if parts is None:
        raise ConfigError(
            f"Prompt file {place} cannot be read.",
            why="It needs the lines '--- system ---' and '--- user ---', in this order.",
            fix="Start from the shipped file of the same name.",
        )
    _check_dollars(place, text)
    sha = hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
    user = parts[2].replace(_LEVEL_LINE, f"{LEVEL}\n")
    return Prompt(file.removesuffix(".md"), parts[1], user, sha)


def _check_dollars(place: str, text: str) -> None:
    """Every dollar sign has to begin a hole or another dollar sign."""
    stray = next((m for m in Template.pattern.finditer(text) if m["invalid"] is not None), None)
    if stray is not None:
        line = text.count("\n", 0, stray.start()) + 1
        raise ConfigError(
            f"{place}, line {line}: a dollar sign that begins no placeholder.",
            why="$name is filled in with a value.",
            fix="Write $$ for a dollar sign.",
        )
