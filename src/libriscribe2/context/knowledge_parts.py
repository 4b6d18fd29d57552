"""The kinds of knowledge that there are (`models.base`): read, and shown as parts of prompts."""

import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Final

from libriscribe2 import models
from libriscribe2.context.prompt_parts import NEVER, Part, Rendered, block, frame
from libriscribe2.models.base import Knowledge
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.project.artifacts import Book

CHAPTER_RANK: Final = 5
"""How soon what is known of chapters gives way where all parts of a prompt are too much."""

_WHOLE: Final = 10**9


def _discovered() -> Iterator[Knowledge]:
    """The kinds that the modules of shapes declare."""
    for module in pkgutil.iter_modules(models.__path__, f"{models.__name__}."):
        named = vars(import_module(module.name)).values()
        yield from (one for one in named if isinstance(one, Knowledge))


KINDS: Final = tuple(sorted(_discovered(), key=lambda one: one.name))
"""Every kind of knowledge, by name."""

BOOK_FILES: Final = tuple(one.file for one in KINDS if not one.per_chapter)
"""Files about the whole book: a chapter that was written from one of them is stale without it."""

CHAPTER_PATTERNS: Final = tuple(one.file for one in KINDS if one.per_chapter)
"""Files about single chapters, with a `*` for the number: later chapters look things up in them."""


def chapter_files(number: int, order: DraftOrder, kinds: Sequence[Knowledge] = KINDS) -> list[str]:
    """The files about single chapters that chapter `number` may look things up in."""
    known = order.known(number)
    return [one.file_of(n) for one in kinds if one.per_chapter for n in known]


def read_knowledge(
    book: Book, number: int, order: DraftOrder, kinds: Sequence[Knowledge] = KINDS
) -> dict[str, Any]:
    """What is known when chapter `number` is written, by kind; a kind without a file is left out.

    Raises:
        ProjectError: A file cannot be used.
    """
    known: dict[str, Any] = {}
    for one in kinds:
        if one.per_chapter:
            files = {n: one.file_of(n) for n in order.known(number)}
            values = {n: book.load(f, one.shape) for n, f in files.items() if book.has(f)}
            known |= {one.name: values} if values else {}
        elif book.has(one.file):
            known[one.name] = book.load(one.file, one.shape)
    return known


def knowledge_parts(
    known: Mapping[str, Any], kinds: Sequence[Knowledge] = KINDS, *, per_chapter: bool
) -> list[Part]:
    """The parts of a scene's prompt that show what is known of the book, or of its chapters."""
    return [_part(one, known.get(one.name)) for one in kinds if one.per_chapter == per_chapter]


def knowledge_blocks(known: Mapping[str, Any]) -> dict[str, str]:
    """What requests about a finished chapter show of it, by name."""
    shown = [one for one in KINDS if one.revision_budget]
    return {
        one.name: one.show(known[one.name], one.revision_budget) if one.name in known else ""
        for one in shown
    }


def _part(one: Knowledge, value: Any) -> Part:
    """One kind as a block; nothing where nothing is known."""

    def render(room: int) -> Rendered:
        if value is None:
            return Rendered()
        text = one.show(value, max(0, room - frame(one.name)))
        chapters = tuple(sorted(value)) if one.per_chapter and text else ()
        return Rendered(
            block(one.name, text), cut=text != one.show(value, _WHOLE), chapters=chapters
        )

    return Part(one.name, one.budget, CHAPTER_RANK if one.per_chapter else NEVER, render)
