"""A model on a whole book: it doubts by the summaries, and what it doubts has to stand in the text.

No stage: a command asks it (`check --book-review`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from math import ceil
from typing import Final, TypeVar

from libriscribe2.agents.agent_base import BOOK_KEYS, ConsultedAgent, Unit, same_command
from libriscribe2.checks.continuity.story_report import TextNotes
from libriscribe2.checks.gates.gate import GateContext, measured
from libriscribe2.checks.patching import GAP, patched
from libriscribe2.checks.text import ChapterText
from libriscribe2.context.earlier_text import PassageIndex
from libriscribe2.context.scene_context import thread_lines
from libriscribe2.errors import IncompleteError
from libriscribe2.models.excerpts import book_lines, shown_blocks, to_json
from libriscribe2.models.findings import Finding, Place, in_order
from libriscribe2.models.reviews import MOST_DOUBTS, Doubt, Doubts, Patch, Proven
from libriscribe2.models.story import OutlineFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import OUTLINE, chapter_file, summary_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.prose import parts, shorten, weigh, without_notes
from libriscribe2.research.quotes import line_of_quote

REVIEWED: Final = "J2"
"""What a reader of the whole book finds."""

REVIEW_RULES: Final = {
    REVIEWED: "a model that read the whole book reports a problem that the text confirms"
}

MOST_PROOFS: Final = 3
"""Doubts that are looked for in the text."""

SHOWN_BUDGET: Final = 3_500
"""Characters of what is shown of the book as a whole (`prose.weigh`)."""

MOST_READINGS: Final = 3
"""Requests that the summaries are shown in; a book of 24 chapters needs one."""

# Characters of each part of a request (`prose.weigh`).
SUMMARIES_BUDGET: Final = 22_000
OTHERS_BUDGET: Final = 6_000
TEXT_BUDGET: Final = 13_000
PASSAGE_BUDGET: Final = 1_000
FIELD_BUDGET: Final = 600

_OF_TWO: Final = frozenset({"contradiction", "repetition"})
"""Kinds of doubts that two chapters have to prove."""

_UNIT: Final = Unit("story/review", None, "")

ReplyT = TypeVar("ReplyT", Doubts, Proven)


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What came of a review.

    Attributes:
        findings: What stands in the text.
        doubts: How many doubts the summaries gave.
        decisions: What the text says to those that were looked for, by decision; one whose words
            do not stand there is unclear.
    """

    findings: tuple[Finding, ...]
    doubts: int
    decisions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ReadBook:
    """What a review reads.

    Attributes:
        chapters: The chapters that are written.
        summaries: What they come to, by number.
    """

    chapters: tuple[ChapterText, ...]
    summaries: dict[int, str]


def book_to_read(view: ProjectView) -> ReadBook:
    """The chapters of a book and their summaries.

    Raises:
        IncompleteError: A chapter is not written, or not summarised.
        ProjectError: A file cannot be used.
    """
    book = Book(view)
    numbers = range(1, book.chapters() + 1)
    missing = [n for n in numbers if not (book.has(chapter_file(n)) and book.has(summary_file(n)))]
    if missing or not numbers:
        raise IncompleteError(
            "A review needs the whole book, and this one is incomplete.",
            why=f"chapter {missing[0]} or its summary is missing" if missing else "it has no plan",
            fix=f"Run `libriscribe2 resume {view.paths.called}` first.",
        )
    return ReadBook(
        tuple(ChapterText(n, chapter_file(n), book.text(chapter_file(n))) for n in numbers),
        {n: book.text(summary_file(n)).strip() for n in numbers},
    )


class BookReviewer(ConsultedAgent):
    """Reads a whole book. It is no stage: nothing of the book is made from it."""

    name = "judge"
    also_called = ("evaluator",)
    brief_keys = BOOK_KEYS
    prompts = ("book_review", "book_proof")

    async def review(
        self, chapters: Sequence[ChapterText], summaries: Mapping[int, str]
    ) -> Reviewed:
        """Doubt by the summaries, and look for the worst doubts in the text.

        Args:
            chapters: The chapters that are written.
            summaries: What they come to, by number.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        told = await self.together(
            self._read(at, group, summaries) for at, group in enumerate(readings(summaries), 1)
        )
        texts = {one.number: one.text for one in chapters}
        doubts = [one for one in in_turn(told) if can_be_proven(one, texts)]
        chosen = doubts[:MOST_PROOFS]
        proofs = await self.together(
            self._prove(at, doubt, texts) for at, doubt in enumerate(chosen, start=1)
        )
        pairs = zip(chosen, proofs, strict=True)
        found = [one for pair in pairs if (one := self._finding(*pair, texts)) is not None]
        falls = sum(one.verdict == "falls" for one in proofs)
        unclear = len(proofs) - len(found) - falls
        decisions = {"stands": len(found), "falls": falls, "unclear": unclear}
        return Reviewed(
            in_order(found), len(doubts), {name: n for name, n in decisions.items() if n}
        )

    async def _read(self, at: int, group: Sequence[int], summaries: Mapping[int, str]) -> Doubts:
        """What the summaries of some chapters leave to doubt, beside those of all others."""
        others = [number for number in sorted(summaries) if number not in group]
        values = {
            "shown": self._shown(),
            "others": summary_lines(others, summaries, OTHERS_BUDGET),
            "summaries": summary_lines(group, summaries, SUMMARIES_BUDGET),
            "most": str(MOST_DOUBTS),
        }
        return await self._asked(Doubts, "book_review", f"reading{at}", values)

    async def _prove(self, at: int, doubt: Doubt, texts: Mapping[int, str]) -> Proven:
        """What the text says to a doubt."""
        told, other = doubt.model_dump(), other_text(doubt, texts)
        values = {
            "shown": self._shown(),
            "doubt": to_json({name: shortened(value) for name, value in told.items()}),
            "other": excerpts(other, doubt),
            "chapter": excerpts(texts[doubt.chapter], doubt),
        }
        return await self._asked(Proven, "book_proof", f"proof{at}", values)

    async def _asked(
        self, model: type[ReplyT], prompt: str, part: str, values: Mapping[str, str]
    ) -> ReplyT:
        """The reply to a question."""
        with same_command():
            return await self.ask(_UNIT, model, prompt=prompt, part=part, limits=None, **values)

    def _shown(self) -> str:
        """What every request shows of the book."""
        outline = self.book.load(OUTLINE, OutlineFile)
        promises = "\n".join(f"- {one}" for one in (*outline.promises, outline.ending) if one)
        shown = {
            "book": book_lines(self.brief),
            "promises": shorten(promises, SHOWN_BUDGET // 3),
            "threads": shorten("\n".join(thread_lines(outline.threads)), SHOWN_BUDGET // 3),
        }
        return shown_blocks(shown, SHOWN_BUDGET)

    def _finding(self, doubt: Doubt, proof: Proven, texts: Mapping[int, str]) -> Finding | None:
        """A doubt that the text proves; None where its words do not stand there."""
        text = texts[doubt.chapter]
        line = line_of_quote(proof.quote, text) if proof.quote else None
        if proof.verdict != "stands" or line is None:
            return None
        other = other_text(doubt, texts)
        there = line_of_quote(proof.other_quote, other) if other and proof.other_quote else None
        if other and there is None:
            return None
        where = _place(doubt.chapter, line, proof.quote)
        kind = f"{doubt.kind}: " if doubt.kind else ""
        return Finding(
            "warning",
            where,
            kind + " ".join((proof.why.strip() or doubt.why).split()),
            _fix(where, self._patch(doubt.chapter, proof, texts)),
            REVIEWED,
            _place(doubt.other, there, proof.other_quote) if there else None,
            allowed=TextNotes(text).lets(REVIEWED, line),
        )

    def _patch(self, number: int, proof: Proven, texts: Mapping[int, str]) -> Patch | None:
        """The change that a proof suggests, where its words stand once and no gate worsens."""
        around = GateContext(
            number=number,
            before=texts.get(number - 1, ""),
            after=texts.get(number + 1, ""),
            people=tuple(person.name for person in self.book.characters()),
            others=tuple(entry.name for entry in (*self.book.places(), *self.book.terms())),
            language=self.brief.language,
            kind=self.brief.kind,
        )
        patch = Patch(find=proof.find, replace=proof.replace)
        made = patched(texts[number], [patch], lambda text: measured(text, around))
        return patch if made.kept else None


def _place(chapter: int, line: int, quote: str) -> Place:
    return Place(chapter_file(chapter), chapter, line=line, quote=quote)


def _fix(where: Place, patch: Patch | None) -> str:
    """What to do, with the change that worsens no gate where one is known."""
    leave = f"Or allow it: `<!-- libriscribe2: allow {REVIEWED} -->` in that paragraph."
    if patch is None:
        return f"If you agree, correct {where.address}. {leave}"
    find, replace = (" ".join(one.split()) for one in (patch.find, patch.replace))
    change = (
        f"change \u201c{find}\u201d to \u201c{replace}\u201d"
        if replace
        else f"remove \u201c{find}\u201d"
    )
    return f"If you agree, {change} in {where.file}. {leave}"


def readings(summaries: Mapping[int, str]) -> list[Sequence[int]]:
    """The chapters in order, in groups that are read together."""
    numbers = sorted(summaries)
    whole = sum(weigh(text) for text in summaries.values())
    count = min(MOST_READINGS, max(1, ceil(whole / SUMMARIES_BUDGET)))
    ends = [len(numbers) * at // count for at in range(count + 1)]
    return [numbers[start:end] for start, end in pairwise(ends) if start < end]


def can_be_proven(doubt: Doubt, texts: Mapping[int, str]) -> bool:
    """Whether there is the text that would have to prove a doubt."""
    needs_other = doubt.kind in _OF_TWO
    return doubt.chapter in texts and (bool(other_text(doubt, texts)) or not needs_other)


def other_text(doubt: Doubt, texts: Mapping[int, str]) -> str:
    """The text of the chapter that a doubt sets its own beside; "" for none."""
    return texts.get(doubt.other, "") if doubt.other != doubt.chapter else ""


def summary_lines(numbers: Sequence[int], summaries: Mapping[int, str], budget: int) -> str:
    """Chapters in a line each, within a budget for all of them."""
    each = max(60, budget // max(1, len(numbers)) - 20)
    lines = (f"{n}. {shorten(' '.join(summaries[n].split()), each)}" for n in numbers)
    return shorten("\n".join(lines), budget)


def in_turn(told: Sequence[Doubts]) -> Iterator[Doubt]:
    """The doubts of all readings, the worst of each first, one of a kind and place only once."""
    seen: set[tuple[str, int, int]] = set()
    for row in zip_longest(*(one.doubts[:MOST_DOUBTS] for one in told)):
        for doubt in filter(None, row):
            key = doubt.kind, doubt.chapter, doubt.other
            if key not in seen:
                seen.add(key)
                yield doubt


def excerpts(text: str, doubt: Doubt) -> str:
    """A chapter, or of a long one the passages that speak of a doubt."""
    whole = without_notes(text)
    if weigh(whole) <= TEXT_BUDGET:
        return whole
    pieces = parts(whole, PASSAGE_BUDGET)
    chosen = PassageIndex(pieces).best(
        f"{doubt.about} {doubt.why}", TEXT_BUDGET // (PASSAGE_BUDGET + len(GAP))
    )
    return GAP.join(pieces[at] for at in sorted(chosen)) or shorten(whole, TEXT_BUDGET)


def shortened(value: object) -> object:
    """A field of a doubt as a prompt shows it."""
    return shorten(value, FIELD_BUDGET) if isinstance(value, str) else value
