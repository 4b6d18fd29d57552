"""What an author can have done that asks a model: named, quoted and carried out alike.

A page first shows what an action takes, and then starts the very same one.
"""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, get_args

from libriscribe2.agents.agent_advisor import Advice
from libriscribe2.commands.forecasts import quote_asking, quote_import, quote_new, quote_project
from libriscribe2.commands.importing import ManuscriptImport, read_import, take_over
from libriscribe2.commands.mending import Proposal, propose, readings_due
from libriscribe2.commands.new_book import NewBook
from libriscribe2.commands.noting import note_down, part_of
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.commands.remaking import Redo
from libriscribe2.commands.revising import Revision, ask, chapter_named, learn, revise
from libriscribe2.commands.runs import OpenBook, Prepare, going_on
from libriscribe2.commands.variants import VariantsFile, make_variants
from libriscribe2.engine.engine import follow
from libriscribe2.errors import LibriScribeError, UsageError
from libriscribe2.forecast.model_time import VirtualLoop
from libriscribe2.forecast.quote import Quote
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.models.brief import Brief
from libriscribe2.observe.events import EventConsumer
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings.schema import Settings

Kind = Literal["write", "plan", "redo", "rewrite", "revise", "variants", "mend", "ask", "learn"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

ASKING: Final = frozenset({"revise", "variants", "mend", "ask", "learn"})
"""Actions whose outcome its author accepts or rejects; the others write files of the book."""

_ABOUT: Final[dict[Kind, str]] = {
    "write": "Write the book",
    "plan": "Make the plan",
    "redo": "Write {place} again",
    "rewrite": "Write again what is out of date",
    "revise": "Change {place} as you wish",
    "variants": "Write {count} variants of {place}",
    "mend": "Patch what contradicts your edits",
    "ask": "Answer your question",
    "learn": "Find habits in your edits",
}

Outcome = Revision | VariantsFile | Proposal | Advice | None
"""What an action leaves to be decided; None where nothing is."""


@dataclass(frozen=True, slots=True)
class Action:
    """What is to be done.

    Attributes:
        kind: `write` goes on with the book, `plan` brings the plan up to date, `redo` writes a
            part again, `rewrite` all that is out of date; `revise` changes a chapter as wished,
            `variants` writes a part several times, `mend` patches what contradicts the author's
            edits, `ask` has a question answered, `learn` finds habits in the author's edits.
        part: A chapter, a scene or a stage, as a command line names it; "" is the whole book.
        wish: What should be different, which is kept as a note, but for `revise`; or the question
            of `ask`.
        count: How many variants.
        until: The last stage or chapter of `write`; "" for all.
        force: Whether text of the author's own is replaced, too.
    """

    kind: Kind
    part: str = ""
    wish: str = ""
    count: int = 3
    until: str = ""
    force: bool = False

    @property
    def asks(self) -> bool:
        """Whether its outcome is accepted or rejected, and no file is written before."""
        return self.kind in ASKING

    @property
    def about(self) -> str:
        """What is done, in words."""
        place = f"chapter {self.part}" if self.part[:1].isdigit() else self.part or "the book"
        last = self.until.removeprefix("chapter:")
        if self.kind == "write" and last != self.until:
            return f"Write up to chapter {last}"
        return _ABOUT[self.kind].format(place=place, count=self.count)

    def prepare(self, paths: ProjectPaths) -> Prepare:
        """The run of an action that writes files.

        Raises:
            UsageError: The book has no such part.
        """
        match self.kind:
            case "plan":
                return going_on("plan", refresh=True)
            case "rewrite":
                return going_on(None, refresh=False, rewrite=True)
            case "redo":
                part = part_of(self.part, look_at(paths), read_brief(paths))
                return Redo(part.stage, part.chapter, self.force, part.scene).prepare
            case _:
                return going_on(self.until or None, refresh=False)

    def note(self, paths: ProjectPaths) -> None:
        """Put down what should be different, so that this run and all later ones heed it.

        Raises:
            UsageError: The book has no such part, or there is too much of it.
        """
        if self.wish.strip() and self.kind in ("plan", "redo", "variants"):
            note_down(paths, self.part or "book", self.wish)

    async def ask(self, book: OpenBook, consumers: Sequence[EventConsumer]) -> Outcome:
        """Have the question answered of an action that writes no file.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        if self.kind == "learn":
            return await learn(book, consumers)
        if self.kind == "variants":
            return await make_variants(book, consumers, self.part, self.count, judged=False)
        if self.kind == "mend":
            due = readings_due(book.store, book.brief)
            if due is not None:
                await follow(book.run(due), *consumers)
            return await propose(book, consumers, replace_mine=self.force)
        if not self.wish.strip():
            raise UsageError("Say what you want.")
        if self.kind == "ask":
            return await ask(book, consumers, self.wish.strip())
        number = chapter_named(self.part, book.store, book.brief)
        return await revise(book, consumers, number, self.wish)


async def quote_action(
    paths: ProjectPaths, settings: Settings, choice: ModelChoice, action: Action
) -> Quote:
    """What an action would take; to be run in a loop whose clock jumps (`commands.forecasts`).

    Raises:
        LibriScribeError: As the action itself would, before it sends anything.
        StorageError: The project cannot be copied.
    """
    if action.kind in ASKING:
        return await quote_asking(paths, settings, choice, lambda book: action.ask(book, ()))
    return await quote_project(paths, settings, choice, action.prepare(paths))


@contextmanager
def _as_usage() -> Iterator[None]:
    """Errors of the block as ones of texts alone, which pass from one process to another."""
    try:
        yield
    except LibriScribeError as error:
        raise UsageError(error.what, error.why, error.fix) from None


def action_aside(
    paths: ProjectPaths, settings: Settings, choice: ModelChoice, action: Action
) -> Quote:
    """What an action takes; for a process of its own.

    Raises:
        UsageError: Nobody can say.
    """
    return _dry(quote_action(paths, settings, choice, action))


def new_book_aside(brief: Brief, settings: Settings, choice: ModelChoice, new: NewBook) -> Quote:
    """The same of a new book.

    Raises:
        UsageError: As for `action_aside`.
    """
    return _dry(quote_new(brief, settings, choice, new, "new-book"))


def import_aside(work: ManuscriptImport, settings: Settings, choice: ModelChoice) -> Quote:
    """The same of a manuscript that is to be read.

    Raises:
        UsageError: As for `action_aside`.
    """
    return _dry(quote_import(work.brief, settings, choice, partial(take_over, work=work)))


def manuscript_aside(file: Path) -> ManuscriptImport:
    """A manuscript, read where nothing but its reader is.

    Raises:
        UsageError: It cannot be read.
    """
    with _as_usage():
        return read_import(file, {}, None)


def _dry(work: Coroutine[Any, Any, Quote]) -> Quote:
    """The outcome of work whose waits pass in no time."""
    with _as_usage(), asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
