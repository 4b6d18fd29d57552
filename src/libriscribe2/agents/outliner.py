"""The outline: every chapter before it is written."""

import logging
from collections.abc import Sequence
from typing import Final

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.checks.plan.plan import plan_with
from libriscribe2.checks.plan.plan_report import allowances, as_list, faults
from libriscribe2.errors import MaxRetriesExceededError
from libriscribe2.models.brief import CountRange
from libriscribe2.models.citations import notes_to_plan
from libriscribe2.models.excerpts import (
    MendedOutline,
    book_lines,
    cards,
    concept_block,
    outline_lines,
    premise_block,
    to_json,
)
from libriscribe2.models.findings import Finding
from libriscribe2.models.story import ConceptFile, OutlineFile, OutlineOfFacts
from libriscribe2.models.story_bible import Thread
from libriscribe2.project.paths import CHARACTERS, CONCEPT, OUTLINE, RESEARCH_NOTES, WORLD
from libriscribe2.prose import shorten
from libriscribe2.telemetry import PLAN_NOT_MENDED

logger = logging.getLogger(__name__)

BATCH: Final = 15
"""Most chapters in one reply: more would pass the output limit of many models."""

CARD_BUDGET: Final = 4_000
SO_FAR_BUDGET: Final = 6_000
NOTES_BUDGET: Final = 6_000
TERMS_BUDGET: Final = 2_000
MOST_THREADS: Final = 16
ID_BUDGET: Final = 40
PROMISE_BUDGET: Final = 160
STATE_BUDGET: Final = 400
TIME_BUDGET: Final = 80
FAULTS_BUDGET: Final = 4_000


class OutlinerAgent(Agent):
    """Plans the chapters, a batch at a time where there are many.

    Where rules in code find faults in the plan, the model is asked once to mend them.
    """

    name = "outline"
    reads = (CONCEPT, CHARACTERS, WORLD, RESEARCH_NOTES)
    brief_keys = ("premise", *BOOK_KEYS, "chapters", "project_type")
    writes = OUTLINE
    shape = OutlineFile
    prompts = ("outline", "outline_mend")

    @override
    async def execute(self, unit: Unit) -> OutlineFile:
        """Ask for the chapters, in the number that the author wants."""
        wanted = self.brief.chapter_range()
        outline = await self._batch(unit, None, wanted)
        while len(outline.chapters) < wanted.low:
            outline = _joined(outline, await self._batch(unit, outline, wanted))
        found = self._faults(outline)
        return await self._mended(unit, outline, found) if found else outline

    async def _batch(
        self, unit: Unit, so_far: OutlineFile | None, wanted: CountRange
    ) -> OutlineFile:
        """The next chapters after those so far."""
        done = 0 if so_far is None else len(so_far.chapters)
        low = min(BATCH, wanted.low - done)
        last = done + low >= wanted.low
        high = None if wanted.high is None else min(BATCH, wanted.high - done)
        count = CountRange(low, high if last else low)
        concept = concept_block(self.book.load(CONCEPT, ConceptFile).concept)
        notes = notes_to_plan(self.book.notes(), concept, NOTES_BUDGET)
        shape = OutlineFile if self.brief.kind == "fiction" else OutlineOfFacts
        told = await self.ask(
            unit,
            shape,
            part=f"from{done + 1:02d}" if done else "",
            limits={"chapters": count.bounds()},
            premise=premise_block(self.brief),
            book=book_lines(self.brief),
            concept=concept,
            characters=cards(
                self.book.characters(), ("name", "role", "motivation", "conflict"), CARD_BUDGET
            ),
            places=cards(self.book.places(), ("name", "description"), CARD_BUDGET),
            notes=self._terms() + notes,
            so_far="" if so_far is None else _planned(so_far),
            wanted=_wanted(count, done, wanted.low, last=last),
        )
        return told.as_file()

    def _terms(self) -> str:
        """The terms of a subject as a block: a book of facts defines each in one chapter."""
        terms = self.book.terms()
        if self.brief.kind == "fiction" or not terms:
            return ""
        return f"\n\n<terms>\n{cards(terms, ('name', 'description'), TERMS_BUDGET)}\n</terms>"

    async def _mended(
        self, unit: Unit, outline: OutlineFile, found: Sequence[Finding]
    ) -> OutlineFile:
        """The outline with fewer faults, or as it was: asked for once, whatever comes of it."""
        try:
            mend = await self.ask(
                unit,
                MendedOutline,
                prompt="outline_mend",
                part="lint1",
                book=book_lines(self.brief),
                threads=_threads(outline.threads),
                outline=outline_lines(outline, (one.where.chapter for one in found)),
                faults=as_list(found, FAULTS_BUDGET),
            )
        except MaxRetriesExceededError as error:
            logger.warning("%s: %s: %s", PLAN_NOT_MENDED, unit.step, error.what)
            return outline
        mended = mend.applied_to(outline)
        return mended if len(self._faults(mended)) < len(found) else outline

    def _faults(self, outline: OutlineFile) -> tuple[Finding, ...]:
        """What code is sure to be wrong in an outline and the author does not let stand."""
        plan = plan_with(self.brief, self.book, outline)
        self.made_from.allow = self.brief.allow
        return faults(plan, OUTLINE, allowances(self.brief.allow))


def _joined(outline: OutlineFile, more: OutlineFile) -> OutlineFile:
    """An outline with the chapters of a further batch; what it says of a thread is newer."""
    threads = {one.id: one for one in (*outline.threads, *more.threads)}
    joined = {
        "promises": outline.promises or more.promises,
        "ending": outline.ending or more.ending,
        "threads": list(threads.values()),
        "chapters": [*outline.chapters, *more.chapters],
    }
    return outline.model_copy(update=joined)


def _planned(so_far: OutlineFile) -> str:
    """The chapters of earlier batches as a block, the latest in full, and the threads."""
    each = SO_FAR_BUDGET // len(so_far.chapters)
    lines = "\n".join(
        f"{number}. {chapter.title}: {shorten(chapter.summary, each)}"
        for number, chapter in enumerate(so_far.chapters, start=1)
    )
    last = so_far.chapters[-1]
    left = {
        "opening_move": last.opening_move,
        "ending_move": last.ending_move,
        "exit_state": shorten(last.exit_state, STATE_BUDGET),
        "story_time": shorten(last.story_time, TIME_BUDGET),
    }
    told = f"These chapters are planned already.\n\n<outline>\n{lines}\n</outline>"
    if any(left.values()):
        told += f"\n\nThe last of them ends so: {to_json(left)}"
    if so_far.threads:
        threads = f"<threads>\n{_threads(so_far.threads)}\n</threads>"
        told += f"\n\n{threads}\n\nList only threads that are new, or that have changed."
    return told


def _threads(threads: Sequence[Thread]) -> str:
    """Threads as lines of JSON."""
    shown = (
        one.model_dump()
        | {"id": shorten(one.id, ID_BUDGET), "promise": shorten(one.promise, PROMISE_BUDGET)}
        for one in threads[:MOST_THREADS]
    )
    return "\n".join(map(to_json, shown))


def _wanted(count: CountRange, done: int, whole: int, *, last: bool) -> str:
    """What this batch is asked for, in words."""
    chapters = count.wording("chapter")
    if not done:
        first = f"the first {chapters} of a book of {whole} chapters"
        return f"the whole book in {chapters}" if last else first
    ending = ", which bring the book to its end" if last else ""
    return f"the next {chapters} after chapter {done} of a book of {whole} chapters{ending}"
