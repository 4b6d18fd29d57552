from collections.abc import Mapping

import pytest

from libriscribe2.agents.chapter_writer import ChapterWriterAgent
from libriscribe2.agents.summarizer import SummarizerAgent
from libriscribe2.editing.structure_plan import carried, renaming, renewed, step_moves
from libriscribe2.engine.stages import in_words
from libriscribe2.project.manifest import FileRecord
from libriscribe2.project.paths import number_in

AGENTS = (ChapterWriterAgent, SummarizerAgent)
CH5: Mapping[str, str | None] = {
    "concept.json": "c",
    "chapters/04.md": "t4",
    ".libriscribe/summaries/02.md": "s2",
    "book.toml:words": "w",
}


def test_a_neighbour_keeps_its_distance() -> None:
    assert carried(CH5, AGENTS, 95) == {
        "concept.json": "c",
        "chapters/99.md": "t4",
        ".libriscribe/summaries/97.md": "s2",
        "book.toml:words": "w",
    }


@pytest.mark.parametrize("shift", [-4, -1, 0, 3, 96])
def test_moving_back_gives_the_first_names_again(shift: int) -> None:
    assert carried(carried(CH5, AGENTS, shift), AGENTS, -shift) == CH5


def test_what_no_chapter_is_any_more_is_told_in_words() -> None:
    names = carried(CH5, AGENTS, -4)
    assert set(names) == {
        "concept.json",
        "chapters/0.md",
        ".libriscribe/summaries/-2.md",
        "book.toml:words",
    }
    assert {in_words(name) for name in names} == {
        "concept.json",
        "a chapter before it",
        "book.toml: words",
    }


def test_what_was_stale_stays_stale_and_all_else_is_as_it_is() -> None:
    made = FileRecord("x", inputs={"concept.json": "old", "chapters/04.md": "old4", "gone": "g"})
    changed = ("concept.json", "chapters/04.md", "gone", ".libriscribe/summaries/04.md")
    present = {"concept.json": "new", "chapters/05.md": "new4", ".libriscribe/summaries/05.md": "s"}
    assert renewed(made, changed, present, renaming(AGENTS, 1)) == {
        "concept.json": "old",
        "chapters/05.md": "old4",
        "gone": "g",
    }
    assert renewed(made, (), present, renaming(AGENTS, 1)) == present


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("chapters/07.md", 7),
        ("chapters/123.md", 123),
        ("chapters/-1.md", None),
        ("chapters/a.md", None),
        ("x/chapters/01.md", None),
        ("chapters/01xmd", None),
    ],
)
def test_the_number_of_a_file_is_in_its_name(name: str, number: int | None) -> None:
    assert number_in(name, "chapters/*.md") == number


def test_steps_follow_their_chapter() -> None:
    assert step_moves(AGENTS, {1: 1, 2: 3, 3: None}) == {
        "chapters/ch02": "chapters/ch03",
        "chapters/ch03": None,
        "summaries/ch02": "summaries/ch03",
        "summaries/ch03": None,
    }
