"""Reads a manuscript that was written elsewhere: what its chapters say, who is in it, what comes next.

It makes no file of the book by itself and is no stage: the command `import` asks it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from libriscribe2.agents.agent_base import BOOK_KEYS, ConsultedAgent, Unit
from libriscribe2.checks.text import words
from libriscribe2.models.excerpts import book_lines, cards, to_json
from libriscribe2.models.story import (
    MOST_CAST,
    BookNotes,
    BookNotesOfFacts,
    ChapterNotes,
    ChapterNotesOfFacts,
    Character,
    NextChapters,
    NextChaptersOfFacts,
    OutlineChapter,
    Seen,
)
from libriscribe2.project.paths import OUTLINE
from libriscribe2.prose import parts, shorten, weigh

PART_BUDGET: Final = 24_000
"""Most characters of text in one request: about 6,000 tokens of English."""

SUMMARIES_BUDGET: Final = 12_000
PEOPLE_BUDGET: Final = 6_000
ABOUT_BUDGET: Final = 400
BATCH: Final = 20
"""Most chapters that one reply plans."""

LATEST: Final = 3
"""How many of the last summaries are shown whole."""

FIRST: Final = 5
"""How many of the first are never left out."""


@dataclass(frozen=True, slots=True)
class Written:
    """A chapter that is written.

    Attributes:
        title: Its title.
        text: Its Markdown.
    """

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class TakenOver:
    """What was read out of a manuscript.

    Attributes:
        chapters: The notes of every chapter, in order.
        book: The notes of the whole.
        places: Places or terms by name, with what the chapters say of them.
        following: The chapters that are to come.
        ending: How the book is to end; "" where nobody said.
    """

    chapters: Sequence[ChapterNotes]
    book: BookNotes
    places: Mapping[str, str]
    following: Sequence[OutlineChapter] = ()
    ending: str = ""


class ManuscriptReader(ConsultedAgent):
    """Reads a manuscript; code keeps only the people and places whose names stand in it."""

    name = "import"
    brief_keys = BOOK_KEYS
    writes = OUTLINE
    prompts = ("import_chapter", "import_book", "import_next")

    async def read(self, chapters: Sequence[Written], more: int = 0) -> TakenOver:
        """Read all chapters, then the book as a whole, then plan what is to follow.

        Args:
            chapters: The chapters.
            more: How many chapters are to follow.

        Raises:
            MaxRetriesExceededError: No usable reply came; what was read is not asked again.
        """
        notes = await self.together(
            self._chapter(number, chapter, len(chapters) + more)
            for number, chapter in enumerate(chapters, start=1)
        )
        people, places = (
            _merged([one.people for one in notes]),
            _merged([one.places for one in notes]),
        )
        lines = _summaries([one.title for one in chapters], [one.summary for one in notes])
        said = await self.ask(
            Unit(self.name, None, self.writes),
            BookNotesOfFacts if self._of_facts else BookNotes,
            prompt="import_book",
            part="book",
            limits=None,
            book=book_lines(self.brief),
            summaries=lines,
            people=_listed(people, PEOPLE_BUDGET),
            places=_listed(places, PEOPLE_BUDGET // 2),
        )
        book = BookNotes.model_validate(said.model_dump())
        book = book.model_copy(update={"characters": _known(book.characters, people)})
        taken = TakenOver(notes, book, {name: _about(said) for name, said in places.items()})
        return await self._following(chapters, taken, more)

    @property
    def _of_facts(self) -> bool:
        return self.brief.kind != "fiction"

    async def _chapter(self, number: int, chapter: Written, of: int) -> ChapterNotes:
        """The notes of a chapter; a very long one is read in parts."""
        texts = parts(chapter.text, PART_BUDGET)
        shape: type[BaseModel] = ChapterNotesOfFacts if self._of_facts else ChapterNotes
        said = [
            await self.ask(
                Unit(self.name, number, self.writes),
                shape,
                prompt="import_chapter",
                part=f"part{index:02d}" if len(texts) > 1 else "",
                book=book_lines(self.brief),
                chapter=to_json({"number": number, "of": of, "title": chapter.title}),
                text=text,
            )
            for index, text in enumerate(texts, start=1)
        ]
        told = [ChapterNotes.model_validate(one.model_dump()) for one in said]
        tokens = set(words(chapter.text))
        return told[-1].model_copy(
            update={
                "summary": " ".join(one.summary for one in told),
                "people": _standing([one for part in told for one in part.people], tokens),
                "places": _standing([one for part in told for one in part.places], tokens),
            }
        )

    async def _following(
        self, chapters: Sequence[Written], taken: TakenOver, more: int
    ) -> TakenOver:
        """The plan of the chapters that are to follow, a batch at a time."""
        planned, ending = list[OutlineChapter](), ""
        while len(planned) < more:
            done, count = len(chapters) + len(planned), min(BATCH, more - len(planned))
            titles = [*(one.title for one in chapters), *(one.title for one in planned)]
            told = [*(one.summary for one in taken.chapters), *(one.summary for one in planned)]
            fields = ("name", "role", "motivation", "conflict")
            said = await self.ask(
                Unit(self.name, None, self.writes),
                NextChaptersOfFacts if self._of_facts else NextChapters,
                prompt="import_next",
                part=f"from{done + 1:02d}",
                limits={"chapters": {"minItems": count, "maxItems": count}},
                book=book_lines(self.brief),
                summary=shorten(taken.book.summary, SUMMARIES_BUDGET // 4),
                characters=cards(taken.book.characters, fields, PEOPLE_BUDGET),
                outline=_summaries(titles, told),
                exit=shorten(taken.chapters[-1].exit_state, ABOUT_BUDGET),
                wanted=_wanted(count, done, last=len(planned) + count >= more),
            )
            found = NextChapters.model_validate(said.model_dump())
            planned += found.chapters
            ending = found.ending or ending
        return TakenOver(taken.chapters, taken.book, taken.places, planned[:more], ending)


def questions(chapters: Sequence[Written], more: int = 0) -> int:
    """How many questions a manuscript takes, attempts that fail not counted."""
    return sum(len(parts(one.text, PART_BUDGET)) for one in chapters) + 1 - (-more // BATCH)


def _wanted(count: int, done: int, *, last: bool) -> str:
    """What a batch of chapters is to do, in words."""
    chapters = "1 chapter" if count == 1 else f"{count} chapters"
    ending = ", which bring the book to its end" if last else ""
    return f"the next {chapters} after chapter {done}{ending}"


def _standing(seen: Sequence[Seen], tokens: set[str]) -> list[Seen]:
    """Those whose names stand in a text, word by word, each once."""
    kept: dict[str, Seen] = {}
    for one in seen:
        own = words(one.name)
        if own and tokens.issuperset(own):
            kept.setdefault(one.name.casefold(), one)
    return list(kept.values())


def _merged(chapters: Sequence[Sequence[Seen]]) -> dict[str, list[str]]:
    """What all chapters say, by name; who is in most of them comes first.

    A part of a longer name that is the only one of its kind means the same: `Ada` is `Ada Quell`.
    """
    names = list(dict.fromkeys(one.name for chapter in chapters for one in chapter))
    whole = {name: _whole(name, names) for name in names}
    said: dict[str, list[str]] = {}
    for chapter in chapters:
        for one in chapter:
            said.setdefault(whole[one.name], []).append(one.about)
    order = {name: index for index, name in enumerate(said)}
    ranked = sorted(said, key=lambda name: (-len(said[name]), order[name]))
    return {name: said[name] for name in ranked}


def _whole(name: str, names: Sequence[str]) -> str:
    """The longer name that a name is a part of, where only one is."""
    own = set(words(name))
    longer = [other for other in names if own < set(words(other))]
    whole = [one for one in longer if not any(set(words(one)) < set(words(o)) for o in longer)]
    return whole[0] if len({frozenset(words(one)) for one in whole}) == 1 else name


def _known(cast: Sequence[Character], people: Mapping[str, Sequence[str]]) -> list[Character]:
    """The people of a reply that the chapters know, each once; a name by itself is no invention."""
    known = [set(words(name)) for name in people]
    kept: dict[str, Character] = {}
    for one in cast:
        own = set(words(one.name))
        if own and any(own <= name for name in known):
            kept.setdefault(one.name.casefold(), one)
    return list(kept.values())[:MOST_CAST]


def _about(said: Sequence[str]) -> str:
    """What several chapters say of one thing."""
    return shorten(
        " ".join(dict.fromkeys(one.strip() for one in said if one.strip())), ABOUT_BUDGET
    )


def _listed(found: Mapping[str, Sequence[str]], budget: int) -> str:
    """People or places as a JSON list within a budget, those of most chapters first."""
    rows = [
        {"name": name, "chapters": len(said), "about": _about(said)} for name, said in found.items()
    ]
    shown = rows[:MOST_CAST]
    while len(shown) > 1 and weigh(json.dumps(shown, ensure_ascii=False)) > budget:
        shown.pop()
    return json.dumps(shown, ensure_ascii=False)


def _summaries(titles: Sequence[str], summaries: Sequence[str]) -> str:
    """Every chapter in a line; the last few in full, the others in what room is left."""
    late = len(summaries) - LATEST
    each = max(40, (SUMMARIES_BUDGET * 2 // 3) // max(1, late))
    lines = [
        f"{n}. {shorten(title, 80)}: {shorten(told, each if n <= late else SUMMARIES_BUDGET // 9)}"
        for n, (title, told) in enumerate(zip(titles, summaries, strict=True), start=1)
    ]
    while len(lines) > FIRST + LATEST and weigh("\n".join(lines)) > SUMMARIES_BUDGET:
        del lines[FIRST : FIRST + max(1, (len(lines) - FIRST - LATEST) // 8)]
    return "\n".join(lines)
