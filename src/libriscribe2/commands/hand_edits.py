"""What an author changes by hand on a page: a paragraph of a chapter, or a field of the plan.

Each save says which version its author saw, so that two windows, or a window and an editor, never
overwrite each other. The old text goes to the trash, as with every command.
"""

import re
from typing import Any, Final

from libriscribe2.commands.projects import open_project
from libriscribe2.editing.versions import replace_text
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.models.base import Shape
from libriscribe2.models.story import (
    CharactersFile,
    ConceptFile,
    OutlineFile,
    ScenesFile,
    WorldFile,
)
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import (
    CHARACTERS,
    CONCEPT,
    OUTLINE,
    SCENES,
    WORLD,
    ProjectPaths,
    chapter_file,
)
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import digest
from libriscribe2.project.texts import readable_json

PLAN_SHAPES: Final[dict[str, type[Shape]]] = {
    CONCEPT: ConceptFile,
    CHARACTERS: CharactersFile,
    WORLD: WorldFile,
    OUTLINE: OutlineFile,
    SCENES: ScenesFile,
}
"""The files of a plan whose fields can be changed, with their shapes."""

_GAP: Final = re.compile(r"(\n[ \t]*\n\s*)")


class ConflictError(ProjectError):
    """A file is another than its author saw when he changed it; nothing was saved.

    Attributes:
        name: The file.
        theirs: What is there now.
        seen: The version that it now is.
    """

    slug = "conflict"

    def __init__(self, name: str, theirs: str, seen: str) -> None:
        super().__init__(f"{name} was changed meanwhile", fix="Compare both texts, and save one.")
        self.name = name
        self.theirs = theirs
        self.seen = seen


def version_of(view: ProjectView, name: str) -> str:
    """The version of a file that a page shows; "" where there is none."""
    return digest(view.read_bytes(name)) or ""


def paragraphs(text: str) -> list[str]:
    """The blocks of a Markdown text that blank lines divide, its heading included."""
    return _GAP.split(text.strip("\n"))[::2]


def save_paragraph(paths: ProjectPaths, chapter: int, number: int, text: str, seen: str) -> str:
    """Give a paragraph of a chapter another text, or none; the version that the file then has.

    Args:
        paths: The project.
        chapter: The chapter.
        number: Which of its `paragraphs`, from 0.
        text: The new text; "" takes the paragraph out.
        seen: The version that its author saw.

    Raises:
        ConflictError: The chapter is another one now.
        UsageError: It has no such paragraph, or nothing would be left of it.
        ProjectInUseError: Another process works on the book.
    """
    name = chapter_file(chapter)

    def changed(now: str) -> str:
        parts = _GAP.split(now.strip("\n"))
        if not 0 <= 2 * number < len(parts):
            raise UsageError(f"{name} has no paragraph {number + 1}.")
        new = plain(text)
        parts[2 * number : 2 * number + (1 if new else 2)] = [new] if new else []
        whole = "".join(parts).strip()
        if not whole:
            raise UsageError(f"Nothing would be left of {name}.")
        return f"{whole}\n"

    return _save(paths, name, changed, seen, theirs=lambda now: _paragraph(now, number))


def save_field(paths: ProjectPaths, name: str, where: str, text: str, seen: str) -> str:
    """Give a field of the plan another value; the version that the file then has.

    Args:
        paths: The project.
        name: A file of `PLAN_SHAPES`.
        where: The way to the field, such as `chapters.2.summary`.
        text: The new value; of a list, one line for each entry.
        seen: The version that its author saw.

    Raises:
        ConflictError: The file is another one now.
        UsageError: There is no such field, or it cannot hold that.
        ProjectInUseError: Another process works on the book.
    """
    shape = PLAN_SHAPES.get(name)
    if shape is None:
        raise UsageError(f"{name!r} is not a file of the plan.")

    def changed(now: str) -> str:
        value = Book.value(name, shape, now).model_dump(mode="json")
        holder, key = _held(value, where)
        holder[key] = _typed(holder[key], plain(text))
        whole = readable_json(value)
        try:
            Book.value(name, shape, whole)
        except ProjectError as error:
            raise UsageError(f"{where} cannot be saved like this.", why=error.why) from error
        return whole

    def theirs(now: str) -> str:
        holder, key = _held(Book.value(name, shape, now).model_dump(mode="json"), where)
        return as_text(holder[key])

    return _save(paths, name, changed, seen, theirs)


def as_text(value: Any) -> str:
    """A field of the plan as a page shows it for changing."""
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return "" if value is None else str(value)


def plain(text: str) -> str:
    """A text of a page's field as files keep it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip()


def _save(paths: ProjectPaths, name: str, changed: Any, seen: str, theirs: Any) -> str:
    """Change a file that is still what its author saw."""
    with ProjectStore.open(paths) as store:
        open_project(store)
        now, version = Book(store).text(name), version_of(store, name)
        if version != seen:
            raise ConflictError(name, theirs(now), version)
        new = changed(now)
        if new != now:
            replace_text(store, name, new, f"edit {name}", None)
        return version_of(store, name)


def _paragraph(text: str, number: int) -> str:
    blocks = paragraphs(text)
    return blocks[number] if 0 <= number < len(blocks) else ""


def _held(value: Any, where: str) -> tuple[Any, Any]:
    """What holds a field, and the field's key in it.

    Raises:
        UsageError: There is no such field.
    """
    *way, last = [int(one) if one.isdecimal() else one for one in where.split(".")]
    try:
        for one in way:
            value = value[one]
        value[last]
    except (LookupError, TypeError) as error:
        raise UsageError(f"There is no {where!r} in the plan.") from error
    return value, last


def _typed(was: Any, text: str) -> Any:
    """A text as a value of the kind that stands there."""
    if isinstance(was, list) and all(isinstance(one, str) for one in was):
        return [line.strip() for line in text.split("\n") if line.strip()]
    if isinstance(was, str):
        return text
    if (was is None or isinstance(was, int)) and not isinstance(was, bool):
        return int(text) if text.strip().isdecimal() else None if was is None or not text else text
    raise UsageError("This field cannot be changed here.")
