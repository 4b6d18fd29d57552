"""Talks with the author about a book: answers from plan and text, with proposals; its picture."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import regex

from libriscribe2.agents.agent_base import BOOK_KEYS, ConsultedAgent, Unit
from libriscribe2.checks.patching import GAP, changed_paragraphs
from libriscribe2.context.earlier_text import PassageIndex
from libriscribe2.models.excerpts import book_lines, cards, concept_block, to_json
from libriscribe2.models.story import ConceptFile, OutlineFile
from libriscribe2.models.style import MOST_HABITS, STYLE, Habit, Habits, StyleFile, style_block
from libriscribe2.project.paths import CONCEPT, OUTLINE, chapter_file
from libriscribe2.prose import lines_within, parts, shorten, weigh
from libriscribe2.replies.parsers import ReplyReader
from libriscribe2.research.quotes import line_of_quote

ANSWER: Final = "[Answer]"
QUOTES: Final = "[Quotes]"
PROPOSALS: Final = "[Proposals]"

# Most characters of each part of a request (`prose.weigh`).
TEXT_BUDGET: Final = 26_000
CARDS_BUDGET: Final = 5_000
OUTLINE_BUDGET: Final = 9_000
PASSAGE_BUDGET: Final = 1_600
SUMMARY_BUDGET: Final = 600
EDITS_BUDGET: Final = 24_000
LEAST_SUMMARY: Final = 80

PICTURE_SIZE: Final = "1024x1536"
"""The upright size that most models paint; two by three, a little wider than a cover."""

_CARDS: Final = ("name", "role", "motivation", "relationships", "arc")
_QUOTE: Final = regex.compile(r"^\D{0,20}(\d{1,6})\D{0,3}?[:.)\]-]\s*(.+)$")
_PROPOSAL: Final = regex.compile(r"^\W*(note|edit|chapter)\s+([\d.]+|book)\s*:\s*(.+)$", regex.I)
_ARROW: Final = regex.compile(r"\s*(?:->|=>|\u2192)\s*")
_MARKS: Final = " \t\"'\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb\u300c\u300d"


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words of the book that were found again.

    Attributes:
        file: The chapter's file.
        line: Their line there.
        words: The words.
    """

    file: str
    line: int
    words: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """Something that the author may accept.

    Attributes:
        kind: `note`, `edit`, `chapter` for a new summary, or `rule` for the style sheet.
        part: What it is about, such as `7`, `7.2` or `book`; of a rule its aspect.
        text: The note, the new words, the summary, or the rule.
        find: The words that the new ones replace; of a rule those that the author replaced.
        shown: The author's words, which show a rule.
    """

    kind: str
    part: str
    text: str
    find: str = ""
    shown: str = ""

    @property
    def told(self) -> str:
        """It in one line."""
        change = f"\u201c{self.find}\u201d -> \u201c{self.shown or self.text}\u201d"
        if self.shown:
            return f"{self.kind}, {self.part}: {self.text} ({change})"
        return f"{self.kind} {self.part}: {change if self.find else self.text}"


@dataclass(frozen=True, slots=True)
class Advice:
    """What came of a question.

    Attributes:
        answer: The answer.
        quotes: The quotes that stand in the book.
        lost: How many others do not.
        proposals: What the author may accept, in order.
        keys: Keys of the calls.
    """

    answer: str
    quotes: tuple[Quoted, ...]
    lost: int
    proposals: tuple[Proposed, ...]
    keys: tuple[str, ...]


class AdvisorAgent(ConsultedAgent):
    """Answers questions about a book; nothing is made from it unless the author accepts it."""

    name = "chapters"
    heeds = "chapters"
    recorded_as = "Advisor"
    brief_keys = BOOK_KEYS
    prompts = ("ask", "learn")

    async def advise(self, question: str) -> Advice:
        """The answer to a question of the author's.

        Raises:
            LibriScribeError: No reply had the sections that are asked for.
        """
        outline = self.book.load(OUTLINE, OutlineFile)
        texts = {
            n: text
            for n in range(1, len(outline.chapters) + 1)
            if (text := self.book.found(chapter_file(n))) is not None
        }
        text, shown = _shown(texts, question)
        unit = Unit("ask", None, "")
        values = {
            "book": book_lines(self.brief),
            "concept": concept_block(self.book.load(CONCEPT, ConceptFile).concept),
            "characters": cards(self.book.characters(), _CARDS, CARDS_BUDGET),
            "outline": _outline(outline, texts),
            "text": text,
            "shown": shown,
            "question": question,
        }
        _, (system, user) = self._render("ask", values, {})
        user["content"] += self._noted(unit.step)[0]
        reader = ReplyReader.for_sections((ANSWER, QUOTES, PROPOSALS), may_be_empty=True)
        said = await self._think((system, user), reader, self._options(unit, ""))
        quotes = list(_quotes(said[QUOTES], texts))
        found = tuple(one for one in quotes if one is not None)
        return Advice(
            said[ANSWER].strip(),
            found,
            len(quotes) - len(found),
            tuple(_proposals(said[PROPOSALS])),
            tuple(self.made_from.keys),
        )

    async def learn(self, edits: Mapping[int, tuple[str, str]]) -> Advice:
        """The habits that an author's edits show, as rules to accept.

        A rule counts if both its quotes stand in the same passage, the first before the edit alone.
        Passages that are another text altogether show no habit, and are left out.

        Args:
            edits: What was written and what the author made of it, by chapter.

        Raises:
            LibriScribeError: The question got no usable reply.
        """
        found = [
            (number, was.strip(), now.strip())
            for number, texts in edits.items()
            for was, now in changed_paragraphs(*texts)
            if was.strip() and now.strip() and weigh(was) + weigh(now) <= EDITS_BUDGET // 3
        ]
        lines = (to_json({"chapter": n, "was": was, "now": now}) for n, was, now in found)
        values = {
            "book": book_lines(self.brief),
            "style": style_block(self.book.load(STYLE.file, StyleFile), STYLE.budget),
            "edits": "\n".join(lines_within(lines, EDITS_BUDGET)),
        }
        said = (await self.ask_about(Unit("learn", None, ""), Habits, "learn", values)).habits
        kept = [
            Proposed("rule", one.aspect, " ".join(one.rule.split()), one.before, one.after)
            for one in said[:MOST_HABITS]
            if one.aspect and any(_shows(one, was, now) for _, was, now in found)
        ]
        return Advice("", (), len(said) - len(kept), tuple(kept), tuple(self.made_from.keys))


class CoverPainter(ConsultedAgent):
    """Has a model paint a picture for the cover, which the author may keep."""

    name = "cover"
    brief_keys = BOOK_KEYS
    prompts = ("cover",)

    async def paint(self, wish: str) -> str:
        """The name of the picture in the project.

        Args:
            wish: What the author wants to see; "" leaves it to the model.

        Raises:
            LibriScribeError: No usable picture came.
        """
        concept = self.book.load(CONCEPT, ConceptFile).concept if self.book.has(CONCEPT) else None
        values = {
            "book": book_lines(self.brief),
            "logline": shorten(concept.logline if concept else self.brief.premise, SUMMARY_BUDGET),
            "description": shorten(concept.description, PASSAGE_BUDGET) if concept else "none yet",
            "wish": shorten(wish, PASSAGE_BUDGET) or "whatever suits the book best",
        }
        _, messages = self._render("cover", values, {})
        options = self._options(Unit(self.name, None, ""), "", picture=PICTURE_SIZE)
        client = self.context.client.with_options(options)
        return (await client.ask(messages)).completion.reply


def _shows(one: Habit, was: str, now: str) -> bool:
    """Whether an edit is the change that a habit quotes."""
    is_old = line_of_quote(one.before, was) and not line_of_quote(one.before, now)
    return bool(is_old and line_of_quote(one.after, now))


def _outline(outline: OutlineFile, texts: Mapping[int, str]) -> str:
    """The chapters in a line each, with what the book owes at its end."""
    each = OUTLINE_BUDGET // max(1, len(outline.chapters))
    lines = [f"The book ends so: {outline.ending}"] if outline.ending else []
    for number, one in enumerate(outline.chapters, start=1):
        told = shorten(one.summary, min(SUMMARY_BUDGET, max(LEAST_SUMMARY, each)))
        state = "written" if number in texts else "not written"
        lines.append(to_json({"number": number, "title": one.title, "is": state, "summary": told}))
    return "\n".join(lines)


def _shown(texts: Mapping[int, str], question: str) -> tuple[str, str]:
    """The text of the book, or the passages that fit a question best; and which it is, in words."""
    whole = "\n\n".join(f"[Chapter {n}]\n{text.strip()}" for n, text in texts.items())
    if weigh(whole) <= TEXT_BUDGET:
        return whole, "all that is written"
    passages = [(n, one) for n, text in texts.items() for one in parts(text, PASSAGE_BUDGET)]
    index = PassageIndex(one for _, one in passages)
    ranked = index.best(question, len(passages))
    ranked += [at for at in (0, len(passages) - 1) if at not in ranked]
    chosen: list[int] = []
    left = TEXT_BUDGET
    for at in ranked:
        left -= weigh(passages[at][1]) + len(GAP)
        if left < 0:
            break
        chosen.append(at)
    told = (f"[Chapter {passages[at][0]}]\n{passages[at][1]}" for at in sorted(chosen))
    return GAP.join(told), "what fits the question best"


def _quotes(said: str, texts: Mapping[int, str]) -> Iterator[Quoted | None]:
    """The quotes of a reply, each with its place; None for one that stands nowhere."""
    for line in said.splitlines():
        if (found := _QUOTE.match(line.strip())) is None:
            continue
        words = found[2].strip(_MARKS)
        named = int(found[1])
        order = sorted(texts, key=lambda n: (n != named, n))
        places = ((n, line_of_quote(words, texts[n])) for n in order if words)
        place = next(((n, at) for n, at in places if at is not None), None)
        yield None if place is None else Quoted(chapter_file(place[0]), place[1], words)


def _proposals(said: str) -> Iterator[Proposed]:
    """The proposals of a reply; a line that begins none goes on with the one before."""
    told: list[list[str]] = []
    for line in filter(None, map(str.strip, said.splitlines())):
        if found := _PROPOSAL.match(line):
            told.append([found[1].lower(), found[2].lower().strip("."), found[3]])
        elif told:
            told[-1][2] += f" {line}"
    for kind, part, text in told:
        if kind != "edit":
            yield Proposed(kind, part, text.strip())
            continue
        old, *new = _ARROW.split(text, maxsplit=1)
        if new and old.strip(_MARKS):
            yield Proposed(kind, part, new[0].strip(_MARKS), old.strip(_MARKS))
