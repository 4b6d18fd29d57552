"""Kinds of knowledge: read where they may be, and shown as they say of themselves."""

from pathlib import Path
from typing import Final

from tests.support.written_book import WrittenBook

from libriscribe2.context.knowledge_parts import (
    BOOK_FILES,
    KINDS,
    chapter_files,
    knowledge_parts,
    read_knowledge,
)
from libriscribe2.models.base import Knowledge, Shape
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.style import STYLE


class Mood(Shape):
    mood: str


def shown(values: dict[int, Mood], budget: int) -> str:
    return "; ".join(f"{n}: {one.mood}" for n, one in sorted(values.items()))[:budget]


MOODS: Final = Knowledge("moods", "moods/*.json", Mood, shown, budget=200)


def test_a_kind_is_found_by_being_declared() -> None:
    assert STYLE in KINDS
    assert STYLE.file in BOOK_FILES
    assert len({one.name for one in KINDS}) == len({one.file for one in KINDS}) == len(KINDS)


def test_a_kind_with_a_file_per_chapter_is_read_for_the_chapters_that_may_be_seen(
    tmp_path: Path,
) -> None:
    written = WrittenBook(tmp_path)
    for number in range(1, 6):
        written.write(MOODS.file_of(number), f'{{"mood": "grey {number}"}}')
    order = DraftOrder("sequential", 6)
    assert chapter_files(4, order, [MOODS]) == [f"moods/{n:02d}.json" for n in (1, 2, 3)]
    known = read_knowledge(written.book, 4, order, [MOODS, STYLE])
    assert {name: sorted(values) for name, values in known.items()} == {"moods": [1, 2, 3]}
    (part,) = knowledge_parts(known, [MOODS, STYLE], per_chapter=True)
    made = part.render(part.budget)
    assert made.text == "\n\n<moods>\n1: grey 1; 2: grey 2; 3: grey 3\n</moods>"
    assert (made.cut, made.chapters) == (False, (1, 2, 3))
    less = part.render(30)
    assert less.cut
    assert len(less.text) <= 30


def test_what_is_not_known_takes_no_room() -> None:
    parts = [
        *knowledge_parts({}, [MOODS, STYLE], per_chapter=True),
        *knowledge_parts({}, [MOODS, STYLE], per_chapter=False),
    ]
    assert [one.name for one in parts] == ["moods", "style"]
    assert not any(one.render(one.budget).text for one in parts)
