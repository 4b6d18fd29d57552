"""The story bible: what each chapter comes to and states, with the words that state it.

A chapter that was edited is asked about as a change: what is no longer so, and what is new.
"""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import ClassVar, Final

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.checks.continuity.fact_values import Names, canonical_facts
from libriscribe2.checks.patching import changed_paragraphs
from libriscribe2.checks.text import sentences
from libriscribe2.context.knowledge_parts import BOOK_FILES, chapter_files
from libriscribe2.context.notes import noted
from libriscribe2.context.prompt_context import PromptContext, read_context
from libriscribe2.context.prompt_parts import block
from libriscribe2.context.scene_context import BUDGET, chapter_head, within_room
from libriscribe2.context.story_so_far import SCENE_BREAK, scenes_of
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.excerpts import book_lines, cards, chapter_block, to_json
from libriscribe2.models.reviews import ReadingChange
from libriscribe2.models.story import OutlineFile, ScenePlan, ScenesFile, WorldFile
from libriscribe2.models.story_bible import (
    MOST_CONTRADICTIONS,
    MOST_EVENTS,
    MOST_FACTS,
    ChapterStatements,
    ChapterStatementsWithThreads,
    EndedFact,
    EndedLine,
    Fact,
    StatedFact,
    StatementChange,
    StoryBibleFile,
    ThreadHit,
    VerifiedFact,
)
from libriscribe2.project.paths import (
    CHAPTER_FILES,
    CHARACTERS,
    CONCEPT,
    OUTLINE,
    SCENES,
    STORY_BIBLE_FILES,
    WORLD,
    chapter_file,
    story_bible_file,
    summary_file,
)
from libriscribe2.prose import weigh, without_notes
from libriscribe2.research.quotes import line_of_quote
from libriscribe2.telemetry import CANON_QUOTES_DROPPED

logger = logging.getLogger(__name__)

QUESTION: Final = 7_860
"""What the task of the reading takes with its schema, without the names of places."""

CHANGES_BUDGET: Final = 6_000
"""A chapter of which more was mended is read as it is."""

NO_PLAN: Final = ScenePlan(summary="It is written.")
PLACE_BUDGET: Final = 1_200
MOST_PIECES: Final = 8_600
"""So many words and signs beside its question and ledger are 12,000 tokens with them: names, commas
and figures, of which a record is full, are shorter than the words by which budgets are measured."""
PIECE: Final = 4
"""How much one takes (`prose.weigh`), with the space before it."""
_PIECE: Final = re.compile(r"\w+|[^\w\s]")
_NAMING: Final = re.compile(r"\w+")
_OF_CHAPTER: Final = re.compile(r"\s*\((?:chapter|claimed)[^)]*\)?$")

LEDGER_BUDGET: Final = 3_200
LEAST_LEDGER: Final = 1_200
"""So much of the ledger is shown however long the text is, where there is as much."""
LEDGER_SHARE: Final = 0.5
"""The ledger takes at most so much of the room of the text that is read."""


class StoryBibleAgent(Agent):
    """Reads a chapter: its summary, and what it states, so that code can compare it with the book.

    A model finds the statements; code keeps those whose quotes stand in the text.
    """

    name = "canon"
    recorded_as = "CanonKeeperAgent"
    prompts = ("canon", "canon_change")
    also_called = ("continuity", "story_bible")
    auto_refresh = True
    reads = (CHARACTERS, WORLD, OUTLINE, CHAPTER_FILES)
    reads_earlier: ClassVar[tuple[str, ...]] = (STORY_BIBLE_FILES,)
    brief_keys = BOOK_KEYS
    writes = STORY_BIBLE_FILES
    wanted_if = "has_story_bible"
    shape = StoryBibleFile

    @override
    @classmethod
    def inputs(cls, unit: Unit, order: DraftOrder) -> tuple[str, ...]:
        """Only its own chapter: names are matched with the cast again when facts are compared."""
        del order
        return (chapter_file(unit.chapter or 1),)

    @override
    @classmethod
    def awaits(cls, unit: Unit, order: DraftOrder) -> tuple[str, ...]:
        """Also all that the chapter was written from: the request begins as those that wrote it."""
        number = unit.chapter or 1
        recorded = (chapter_file, summary_file, story_bible_file)
        known = (name(n) for name in recorded for n in order.known(number))
        plan = (CONCEPT, SCENES, *BOOK_FILES)
        return (*cls.inputs(unit, order), *plan, *known, *chapter_files(number, order))

    @override
    async def execute(self, unit: Unit) -> StoryBibleFile:
        """Ask what the chapter states; a very long chapter is read in parts."""
        number = unit.chapter or 1
        text = self.book.text(chapter_file(number))
        outline = self.book.load(OUTLINE, OutlineFile)
        earlier = self._earlier(unit, text)
        if earlier is not None and not self.book.is_as_written(chapter_file(number)):
            plan = chapter_block(outline.chapters[number - 1], number, len(outline.chapters))
            about = {"book": book_lines(self.brief), "chapter": plan}
            made = await changed_reading(self, unit, earlier[0], (earlier[1], text), about)
            if made is not None:
                return made
        known = self._known(number)
        least = _ledger(*known, number, text, LEAST_LEDGER)
        shown, room = self._shown(number, text, weigh("\n".join(least)))
        ledger = _ledger(*known, number, text, room)
        values = {
            "ledger": "\n".join(ledger),
            "most": str(max(10, MOST_FACTS // len(shown))),
        }
        shape = ChapterStatementsWithThreads if outline.threads else ChapterStatements
        told = await self.together(
            self.ask_about(
                unit,
                shape,
                self.name,
                values | {name: part.pop(name) for name in ("changes", "place_names")},
                {name: text for name, text in part.items() if name not in values},
                part=f"part{index:02d}" if len(shown) > 1 else "",
            )
            for index, part in enumerate(shown, start=1)
        )
        lines = {line.partition(":")[0].strip("- "): fact for line, fact in ledger.items()}
        made = self._kept(unit, told, text, lines | _by_words(known[0], number))
        is_last = number == self.book.chapters()
        return made if earlier is None or is_last else _with_change(earlier[0], made)

    def _earlier(self, unit: Unit, text: str) -> tuple[StoryBibleFile, str] | None:
        """The reading before an edit and the text that was read; None where either is unknown."""
        if not self.book.has(unit.output) or self.book.is_asked_again(unit.step):
            return None
        was = self.book.text_behind(chapter_file(unit.chapter or 1), unit.output)
        if was is None or was == text:
            return None
        return self.book.load(unit.output, StoryBibleFile), was

    def _known(self, number: int) -> tuple[list[Fact], list[str]]:
        """What the chapters before a chapter state, and the names of people."""
        from libriscribe2.checks.continuity.ledger import (  # noqa: PLC0415 -- not before a chapter
            place_facts,
            standing_ends,
            stated_in,
            with_ends,
        )

        order = DraftOrder.planned(self.brief.drafting, self.brief.kind, self.book.roles())
        read = [n for n in _before(number, order) if self.book.has(story_bible_file(n))]
        files = {n: self.book.load(story_bible_file(n), StoryBibleFile) for n in read}
        texts = {n: self.book.text(chapter_file(n)) for n in read}
        cast = [person.name for person in self.book.characters()]
        stated = [
            one for n, file in files.items() for one in stated_in(file.of_chapter(n), texts[n])
        ]
        facts = canonical_facts([*self.book.stated_before(), *stated], cast)
        world = self.book.load(WORLD, WorldFile) if self.book.has(WORLD) else None
        known = with_ends([*place_facts(world), *facts], standing_ends(files, texts))
        return known, [*cast, *(one.name for file in files.values() for one in file.new_people)]

    def _shown(self, number: int, text: str, ledger: int) -> tuple[list[dict[str, str]], int]:
        """What each request shows first, and the room that it leaves to the ledger.

        It is the chapter as its critic saw it, and what was mended since.

        Args:
            number: The chapter.
            text: Its text.
            ledger: What the ledger takes at least.
        """
        budget, notes = BUDGET, self.book.author_notes()
        if notes:
            budget -= weigh(noted(notes, f"chapters/ch{number:02d}", "chapters")[0])
        draft = self.book.draft_of(chapter_file(number)) or text
        changed = changed_paragraphs(without_notes(draft), without_notes(text))
        lines = [to_json({"old": was, "new": now}) for was, now in changed]
        if sum(map(weigh, lines)) > CHANGES_BUDGET:
            draft, lines = text, []
        changes = block("changes", "\n".join(lines))
        places = cards(self.book.places(), ("name",), PLACE_BUDGET)
        head = chapter_head(self._state(number), budget)
        told = "".join((*head.values(scenes_of(draft), weigh(draft)).values(), changes, places))
        if (over := len(_PIECE.findall(told)) - MOST_PIECES) > 0:
            head = head.smaller(PIECE * over)
        room = head.body_room(QUESTION + weigh(places) + weigh(changes))
        body = without_notes(draft).removeprefix(f"# {head.state.chapter.title}").strip()
        texts = within_room(body, room - ledger)
        shown = [
            head.values(scenes_of(part), room)
            | {"text": part, "changes": changes, "place_names": places}
            for part in texts
        ]
        return shown, room - max(map(weigh, texts))

    def _state(self, number: int) -> PromptContext:
        """What the chapter was written from."""
        order = DraftOrder.planned(self.brief.drafting, self.brief.kind, self.book.roles())
        before = order.before(number)
        if before is not None and not self.book.has(chapter_file(before)):
            order = DraftOrder("parallel", order.chapters)
        plans = self.book.load(SCENES, ScenesFile).chapters if self.book.has(SCENES) else []
        scenes = plans[number - 1].scenes if number <= len(plans) else []
        return read_context(self.brief, self.book, number, scenes or [NO_PLAN], order)

    def _kept(
        self,
        unit: Unit,
        told: Sequence[ChapterStatements],
        text: str,
        ledger: Mapping[str, Fact],
    ) -> StoryBibleFile:
        """What the text really says of all that was told."""
        cast = [person.name for person in self.book.characters()]
        names = Names(cast)
        found = [fact for part in told for fact in part.facts]
        facts = [
            VerifiedFact(line=line, **vars(fact) | {"entity": names.canonical(fact.entity)})
            for fact in found
            if (line := line_of_quote(fact.quote, text)) is not None
        ]
        events = [event for part in told for event in part.events]
        hits = [
            hit
            for part in told
            if isinstance(part, ChapterStatementsWithThreads)
            for hit in part.threads
        ]
        stood = [event for event in events if line_of_quote(event.quote, text) is not None]
        moved = [hit for hit in hits if line_of_quote(hit.quote, text) is not None]
        doubts = [one for part in told for one in part.contradictions]
        doubted = [one for one in doubts if line_of_quote(one.quote, text) is not None]
        said = [one for part in told for one in part.ended]
        ended = [end for one in said if (end := _ended(one, ledger, text)) is not None]
        dropped = len(found) + len(events) + len(hits) + len(said) + len(doubts)
        dropped -= len(facts) + len(stood) + len(moved) + len(ended) + len(doubted)
        if dropped:
            logger.info("%s: %s: %d", CANON_QUOTES_DROPPED, unit.step, dropped)
        return StoryBibleFile(
            summary="\n\n".join(part.summary.strip() for part in told),
            facts=facts[:MOST_FACTS],
            ended=list({(one.entity, one.attribute, one.value): one for one in ended}.values()),
            events=stood[:MOST_EVENTS],
            new_people=[
                one
                for part in told
                for one in part.new_people
                if names.canonical(one.name) not in cast
            ],
            threads=_once(moved),
            exit=told[-1].exit,
            contradictions=doubted[:MOST_CONTRADICTIONS],
            dropped=dropped,
        )


def _ledger(
    known: Sequence[Fact], people: Sequence[str], number: int, text: str, most: int
) -> dict[str, Fact]:
    """What is open when a chapter begins, by the line that the request shows of it."""
    from libriscribe2.checks.continuity.ledger import open_ledger  # noqa: PLC0415 -- as above

    room = min(LEDGER_BUDGET, most, round(LEDGER_SHARE * len(text)))
    return open_ledger(known, number, text, people, room)


def _by_words(known: Iterable[Fact], number: int) -> dict[str, Fact]:
    """What holds when a chapter begins, by the words with which `state` says it."""
    from libriscribe2.checks.continuity.ledger import facts_in_force, plain  # noqa: PLC0415 -- as above

    held = facts_in_force(known, number, claims=True)
    return {plain(f"{one.entity} {one.attribute} {one.value}"): one for one in held}


def _with_change(old: StoryBibleFile, new: StoryBibleFile) -> StoryBibleFile:
    """The reading of a chapter that was written anew, as one change: both summaries."""
    people = [one.name for reading in (old, new) for one in reading.exit.people]
    about = dict.fromkeys([*people, *(one.entity for one in (*old.facts, *new.facts))])
    change = StatementChange(was=old.summary, now=new.summary, about=list(about))
    return new.model_copy(update={"changes": [*old.changes, change]})


def _before(number: int, order: DraftOrder) -> list[int]:
    """The chapters before one that it may be written from."""
    return [n for n in order.known(number) if n < number]


def _ended(said: EndedLine, ledger: Mapping[str, Fact], text: str) -> EndedFact | None:
    """The statement that a line of the ledger means; None where there is none, or no such words."""
    name, line = said.line.strip("[]():-* ").casefold(), line_of_quote(said.quote, text)
    fact = ledger.get(name) or ledger.get(" ".join(_NAMING.findall(_OF_CHAPTER.sub("", name))))
    if fact is None or line is None:
        return None
    before = "\n".join(text.split("\n")[: line - 1])
    return EndedFact(
        entity=fact.entity,
        attribute=fact.attribute,
        value=fact.value,
        stated=fact.quote,
        quote=said.quote,
        now=said.now.strip(),
        scene=before.count(SCENE_BREAK.strip()) + 1,
        line=line,
    )


def _once(hits: Sequence[ThreadHit]) -> list[ThreadHit]:
    """Each thread's moves once."""
    return list({(hit.thread.casefold(), hit.move): hit for hit in reversed(hits)}.values())[::-1]


CHANGED_BUDGET: Final = 20_000
"""Most that the passages of an edit may take (`prose.weigh`); a text that differs more is read anew."""

_ALIKE: Final = 0.6


async def changed_reading(
    agent: Agent,
    unit: Unit,
    old: StoryBibleFile,
    passages: tuple[str, str],
    shown: Mapping[str, str],
) -> StoryBibleFile | None:
    """The reading of a chapter after an edit; None where too much of the text is another.

    Args:
        agent: Who asks.
        unit: Its work.
        old: The reading before the edit.
        passages: The text that was read, and the text as it is.
        shown: What the request shows besides.

    Raises:
        LibriScribeError: No usable reply came.
    """
    was, text = passages
    changed = changed_paragraphs(without_notes(was), without_notes(text))
    lines = [to_json({"old": before, "new": after}) for before, after in changed]
    if sum(map(weigh, lines)) > CHANGED_BUDGET:
        return None
    told = ReadingChange()
    if lines:
        said = {"reading": _statements(old), "changed": "\n".join(lines), **shown}
        told = await agent.ask(
            unit, ReadingChange, prompt="canon_change", part="change", limits=None, **said
        )
    gone = set(told.gone)
    kept = [one for at, one in enumerate(old.facts, start=1) if at not in gone]
    events = [one for at, one in enumerate(old.events, len(old.facts) + 1) if at not in gone]
    new = [after for _, after in changed]
    facts = verified([*_requoted(kept, text, new), *told.facts], text)
    stood = [one for one in (*events, *told.events) if line_of_quote(one.quote, text) is not None]
    return old.model_copy(
        update={
            "facts": facts[:MOST_FACTS],
            "events": stood[:MOST_EVENTS],
            "summary": told.summary.strip() or old.summary,
            "exit": told.exit if told.exit.people or told.exit.open else old.exit,
            "changes": [*old.changes, *(one for one in told.changes if one.was or one.now)],
        }
    )


def verified(facts: Iterable[StatedFact], text: str) -> list[VerifiedFact]:
    """The facts whose words stand in a text, each once, with the line where they do."""
    found = {
        (fact.entity, fact.attribute, fact.value): VerifiedFact(
            **(fact.model_dump() | {"line": line})
        )
        for fact in facts
        if (line := line_of_quote(fact.quote, text)) is not None
    }
    return list(found.values())


def _statements(reading: StoryBibleFile) -> str:
    """A reading as the request shows it, its statements numbered."""
    told = [{"summary": reading.summary}]
    facts = (one.model_dump(mode="json", exclude={"line", "time"}) for one in reading.facts)
    happened = (one.model_dump(mode="json", exclude={"time"}) for one in reading.events)
    numbered = ({"number": at, **one} for at, one in enumerate((*facts, *happened), start=1))
    return "\n".join(map(to_json, (*told, *numbered, reading.exit.model_dump(mode="json"))))


def _requoted(
    facts: Iterable[VerifiedFact], text: str, passages: Sequence[str]
) -> Iterable[StatedFact]:
    """Facts that still hold, with the sentence of today where their words were edited."""
    now = [one for passage in passages for one in sentences(passage)]
    for fact in facts:
        if line_of_quote(fact.quote, text) is not None:
            yield fact
        elif close := _sentence_like(fact.quote, now):
            yield fact.model_copy(update={"quote": close})


def _sentence_like(quote: str, now: Sequence[str]) -> str:
    """The sentence that has most of a quote's words; "" where none is like it."""
    size = len(quote.split())
    pieces = {
        " ".join(words[at : at + size])
        for words in (one.split() for one in now)
        for at in range(max(1, len(words) - size + 1))
    }
    return next(iter(get_close_matches(quote, sorted(pieces), n=1, cutoff=_ALIKE)), "")
