"""Chapters that an edit of an earlier one contradicts: found, and mended by patches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import regex

from libriscribe2.agents.agent_base import BOOK_KEYS, ConsultedAgent, Unit
from libriscribe2.agents.story_bible_keeper import changed_reading, verified
from libriscribe2.checks.continuity.ledger import stated_in
from libriscribe2.checks.patching import OFF_LENGTH, apply, is_off_length, passages
from libriscribe2.checks.text import sentences
from libriscribe2.context.knowledge_parts import knowledge_blocks, read_knowledge
from libriscribe2.context.prompt_parts import block
from libriscribe2.models.excerpts import book_lines, chapter_block, to_json
from libriscribe2.models.reviews import MOST_PATCHES, Contradicting, MendedPassages, Patch, Patches
from libriscribe2.models.story import OutlineFile
from libriscribe2.models.story_bible import StatementChange, StoryBibleFile
from libriscribe2.project.paths import OUTLINE
from libriscribe2.prose import count_words, lines_within, parts, shorten
from libriscribe2.research.quotes import line_of_quote

# Characters of each part of a request (`prose.weigh`).
CHANGES_BUDGET: Final = 6_000
CHANGE_BUDGET: Final = 600
FIND_BUDGET: Final = 20_000
NOTED_BUDGET: Final = 6_000
PASSAGES_BUDGET: Final = 16_000
TEXT_BUDGET: Final = 36_000

MOST_READINGS: Final = 2
"""Requests that look through sentences: they are sorted, the likeliest come first."""

REFUSED: Final = "These changes could not be made; the text is as it stands above."

_START: Final = r"\b"
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}]")
"""Scripts in which no blank says where a word begins."""

_BEFORE: Final = 160
_FROM_LEDGER: Final = 3

Changes = Mapping[int, Sequence[StatementChange]]
"""What edits changed, by the chapter that was edited."""


@dataclass(frozen=True, slots=True)
class Written:
    """A chapter as it is.

    Attributes:
        text: Its text.
        reading: What it states.
    """

    text: str
    reading: StoryBibleFile


@dataclass(frozen=True, slots=True)
class Edited:
    """A chapter that was edited after it was summarised.

    Attributes:
        was: Its text then.
        text: Its text.
        summary: What it came to then.
    """

    was: str
    text: str
    summary: str


@dataclass(frozen=True, slots=True)
class Reread:
    """What an edited chapter comes to, and what the edit changed.

    Attributes:
        reading: Its summary, and the changes.
        keys: Keys of the calls that it was made from.
    """

    reading: StoryBibleFile
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mended:
    """A chapter that agrees with what was edited before it.

    Attributes:
        number: Its number.
        text: Its text with the patches.
        reading: What it states then.
        patches: How many patches it has.
        refused: Why others were not put in, each with its words.
        keys: Keys of the calls that it was made from.
        replanned: Whether it agrees with its own changed plan, and not with an edit.
    """

    number: int
    text: str
    reading: StoryBibleFile
    patches: int
    refused: tuple[str, ...]
    keys: tuple[str, ...]
    replanned: bool = False


@dataclass(frozen=True, slots=True)
class Replanned:
    """A chapter whose plan was changed after it was written.

    Attributes:
        written: The chapter.
        changes: The plans of the scenes that it touches, as lines of JSON.
        scenes: The text of the scenes that it touches.
    """

    written: Written
    changes: Sequence[str]
    scenes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Revised:
    """A chapter changed as its author asked.

    Attributes:
        text: Its text with the patches.
        patches: How many patches it has.
        refused: Why others were not put in, each with its words.
        keys: Keys of the calls that it was made from.
    """

    text: str
    patches: int
    refused: tuple[str, ...]
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence that may contradict a change."""

    chapter: int
    sentence: str
    before: str
    weight: int


class MenderAgent(ConsultedAgent):
    """Mends later chapters; it is no stage, and its patches are shown before they are kept."""

    name = "chapters"
    heeds = "chapters"
    brief_keys = BOOK_KEYS
    prompts = ("mend_find", "mend", "revise", "canon_change")

    async def revise(self, number: int, text: str, wish: str) -> Revised:
        """A chapter with the patches that do what its author wants.

        What cannot be put in is asked for once more, with the reason.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        plan = self.book.load(OUTLINE, OutlineFile).chapters
        values = {
            "book": book_lines(self.brief),
            "plan": chapter_block(plan[number - 1], number, len(plan)),
            "chapter": str(number),
            "wish": wish,
        }
        known = read_knowledge(self.book, number, self.book.draft_order(self.brief))
        known = {name: block(name, said) for name, said in knowledge_blocks(known).items()}
        patches = 0
        refused: list[str] = []
        for turn in (1, 2):
            told = block("refused", "\n".join(refused), remark=REFUSED) if refused else ""
            refused = []
            for at, shown in enumerate(parts(text, TEXT_BUDGET), start=1):
                part = f"part{at:02d}" if turn == 1 else f"part{at:02d}-again"
                values |= {"text": shown, "refused": told}
                unit = Unit("revise", number, "")
                reply = await self.ask_about(unit, Patches, "revise", values, known, part=part)
                text, reasons = _applied(text, reply.patches)
                patches += len(reply.patches[:MOST_PATCHES]) - len(reasons)
                refused += reasons
            if not refused:
                break
        return Revised(text, patches, tuple(refused), tuple(self.made_from.keys))

    async def read_again(self, edited: Mapping[int, Edited]) -> dict[int, Reread]:
        """What the edits of chapters changed, in a book whose chapters are only summarised.

        A chapter of which too much is another is left out.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        plan = self.book.load(OUTLINE, OutlineFile).chapters

        async def one(number: int, told: Edited) -> Reread | None:
            # Each by an agent of its own, which notes what it was made from.
            agent, old = MenderAgent(self.context), StoryBibleFile(summary=told.summary, facts=[])
            shown = {
                "book": book_lines(self.brief),
                "chapter": chapter_block(plan[number - 1], number, len(plan)),
            }
            unit, passages = Unit("mend", number, ""), (told.was, told.text)
            made = await changed_reading(agent, unit, old, passages, shown)
            return None if made is None else Reread(made, tuple(agent.made_from.keys))

        made = await self.together(one(number, told) for number, told in edited.items())
        return {n: told for n, told in zip(edited, made, strict=True) if told is not None}

    async def mend(self, changes: Changes, chapters: Mapping[int, Written]) -> list[Mended]:
        """The chapters that contradict what was edited before them, mended.

        Args:
            changes: What edits changed.
            chapters: The chapters that are written, by number.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        found = await self._contradicting(changes, candidates(changes, chapters))
        made = await self.together(
            # Each by an agent of its own, which notes what it was made from.
            MenderAgent(self.context)._mended(number, changes, chapters[number], told)
            for number, told in found.items()
        )
        return [one for one in made if one.patches or one.refused]

    async def fit(self, replanned: Mapping[int, Replanned]) -> list[Mended]:
        """The chapters with a changed plan, with patches where their text contradicts it.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        made = await self.together(
            # Each by an agent of its own, which notes what it was made from.
            MenderAgent(self.context)._patched(
                number,
                "\n".join(lines_within(one.changes, CHANGES_BUDGET)),
                one.written,
                "\n\n[…]\n\n".join(lines_within(one.scenes, PASSAGES_BUDGET)),
                "plan",
            )
            for number, one in replanned.items()
        )
        return [replace(one, replanned=True) for one in made if one.patches or one.refused]

    async def _contradicting(
        self, changes: Changes, told: Sequence[_Candidate]
    ) -> dict[int, list[str]]:
        """The sentences that contradict, by chapter."""
        lines = [
            to_json(
                {"number": at, "chapter": one.chapter, "before": one.before, "text": one.sentence}
            )
            for at, one in enumerate(told, start=1)
        ]
        groups = parts("\n\n".join(lines), FIND_BUDGET)[:MOST_READINGS]
        answers = await self.together(
            self.ask(
                Unit("mend", None, ""),
                Contradicting,
                prompt="mend_find",
                part=f"find{at}",
                limits=None,
                changes=_lines(changes),
                sentences=group,
            )
            for at, group in enumerate(groups, start=1)
        )
        chosen = {number for answer in answers for number in answer.sentences}
        found: dict[int, list[str]] = {}
        for at, one in enumerate(told, start=1):
            if at in chosen:
                found.setdefault(one.chapter, []).append(one.sentence)
        return dict(sorted(found.items()))

    async def _mended(
        self, number: int, changes: Changes, written: Written, told: Sequence[str]
    ) -> Mended:
        """A chapter with the patches that fit."""
        shown = passages(written.text, [[written.text.find(one)] for one in told], PASSAGES_BUDGET)
        before = _lines({n: said for n, said in changes.items() if n < number})
        return await self._patched(number, before, written, shown.text)

    async def _patched(
        self, number: int, changes: str, written: Written, shown: str, part: str = ""
    ) -> Mended:
        """A chapter with the patches that fit, by what is changed and the passages that it bears on."""
        unit, text, reading = Unit("mend", number, ""), written.text, written.reading
        noted = [{"summary": reading.summary}]
        facts = stated_in(reading.facts, shown)
        noted += [one.model_dump(mode="json", exclude={"line", "time"}) for one in facts]
        reply = await self.ask(
            unit,
            MendedPassages,
            prompt="mend",
            part=part,
            limits=None,
            book=book_lines(self.brief),
            changes=changes,
            noted="\n".join(lines_within(map(to_json, noted), NOTED_BUDGET)),
            excerpts=shown,
            chapter=str(number),
        )
        text, refused = _applied(text, reply.patches, keeps_length=True)
        made = reading.model_copy(
            update={
                "facts": verified([*reading.facts, *reply.facts], text),
                "summary": reply.summary.strip() or reading.summary,
            }
        )
        count = len(reply.patches[:MOST_PATCHES]) - len(refused)
        return Mended(number, text, made, count, tuple(refused), tuple(self.made_from.keys))


FREE_WORDS: Final = 60
"""So many words the mending of a chapter may add or take, however short it is."""


def _applied(
    text: str, patches: Sequence[Patch], *, keeps_length: bool = False
) -> tuple[str, list[str]]:
    """A text with the patches that fit, and why others do not, each with its words."""
    refused, first = list[str](), count_words(text)
    for patch in patches[:MOST_PATCHES]:
        applied = apply(text, patch)
        reason = applied.reason
        count = count_words(applied.text)
        if keeps_length and abs(count - first) > FREE_WORDS and is_off_length(first, count):
            reason = reason or OFF_LENGTH
        if reason:
            refused.append(f"\u201c{shorten(patch.find, 60)}\u201d: {reason}")
        else:
            text = applied.text
    return text, refused


def candidates(changes: Changes, chapters: Mapping[int, Written]) -> list[_Candidate]:
    """The sentences of later chapters that speak of what was changed, the likeliest first."""
    found: dict[tuple[int, str], _Candidate] = {}
    for edited, told in changes.items():
        for change in told:
            for number, written in chapters.items():
                if number <= edited:
                    continue
                for one in _speaking(change, number, written):
                    key = one.chapter, one.sentence
                    if key not in found or found[key].weight < one.weight:
                        found[key] = one
    return sorted(found.values(), key=lambda one: (-one.weight, one.chapter))


def _speaking(change: StatementChange, number: int, written: Written) -> Iterator[_Candidate]:
    """The sentences of a chapter that hold a word of a change, or state something about its things."""
    names, words = _pattern(change.about), _pattern(change.words or change.about)
    about = {one.casefold() for one in change.about}
    quotes = [one.quote for one in written.reading.facts if one.entity.casefold() in about]
    for paragraph in written.text.split("\n\n"):
        named = names is not None and names.search(paragraph) is not None
        before = ""
        for sentence in sentences(paragraph):
            hits = {one.casefold() for one in words.findall(sentence)} if words else set()
            noted = any(line_of_quote(one, sentence) is not None for one in quotes)
            if hits or noted:
                weight = 2 * len(hits) + named + _FROM_LEDGER * noted
                yield _Candidate(number, sentence, before[-_BEFORE:], weight)
            before = sentence


def _pattern(words: Sequence[str]) -> "regex.Pattern[str] | None":
    """What finds any of some words, also where they go on; no word begins inside another one."""
    said = sorted({one.strip() for one in words if one.strip()}, key=lambda one: (-len(one), one))
    if not said:
        return None
    whole = (f"{'' if _UNSPACED.search(one) else _START}{regex.escape(one)}" for one in said)
    return regex.compile("|".join(whole), regex.IGNORECASE)


def _lines(changes: Changes) -> str:
    """The changes as a request shows them."""
    told = (
        to_json(
            {
                "chapter": number,
                "was": shorten(one.was, CHANGE_BUDGET),
                "now": shorten(one.now, CHANGE_BUDGET),
            }
        )
        for number, said in sorted(changes.items())
        for one in said
    )
    return "\n".join(lines_within(told, CHANGES_BUDGET))
