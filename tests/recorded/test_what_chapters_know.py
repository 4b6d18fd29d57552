"""What the requests of books written by hand show of the chapters before, in the book's own words.

Each line was missed, or found to be false, by somebody who wrote a chapter from its prompt alone.
"""

import re
from pathlib import Path

import pytest
from tests.recorded.conftest import Asked
from tests.support.desk import Desk
from tests.support.recorded_books import block, played

MOST_CHARACTERS = 47_000


@pytest.mark.parametrize(
    ("name", "step", "said"),
    [
        # What somebody says is known as that.
        ("skarra", "chapters/ch09/whole", "ten inches over a good spring, not two feet"),
        ("skarra", "canon/ch09", "ten inches over a good spring, not two feet"),
        ("skarra", "chapters/ch09/whole", "has: box of cartridges"),
        ("unruh", "chapters/ch03/whole", "im Februar 1945 bei der Tante in Fürstenwalde"),
        ("unruh", "chapters/ch04/whole", "Ostufer bei der mittleren der drei Weiden"),
        # Where a thing lies that the plan calls otherwise, and what belongs to it.
        ("skarra", "chapters/ch05/whole", "tide-key from Lunn's coat, location: lower shelf"),
        ("skarra", "canon/ch05", "tide-key from Lunn's coat, location: lower shelf"),
        ("skarra", "chapters/ch07/whole", "six cartridges of Rudd's pistol"),
        ("skarra", "chapters/ch10/whole", "nine men, thirteen weeks, £40 19s."),
        ("skarra", "chapters/ch09/whole", "true ledger, location: lower shelf of the office safe"),
        ("unruh", "chapters/ch03/whole", "Taschenuhr, location: unter der Glasglocke"),
    ],
)
def test_a_request_tells_what_an_earlier_chapter_says_of_its_things(
    asked: Asked, name: str, step: str, said: str
) -> None:
    assert said in asked(name)[step]


def test_somebody_is_not_said_to_be_where_a_later_chapter_takes_them_from(asked: Asked) -> None:
    state = block(asked("skarra")["chapters/ch04/whole"], "state")
    assert "Peter Lunn, state: buried (chapter 3)" in state
    assert "dead-house" not in state


def test_what_somebody_claims_is_marked(asked: Asked) -> None:
    facts = block(asked("skarra")["chapters/ch09/whole"], "facts")
    (line,) = [one for one in facts.split("\n") if "ten inches over" in one]
    assert line.endswith("(chapter 5, claimed)")


def test_summaries_are_whole_as_long_as_there_is_room(asked: Asked) -> None:
    requests = asked("skarra")
    told = {n: block(requests[f"chapters/ch{n:02d}/whole"], "story_so_far") for n in range(2, 11)}
    assert [n for n, story in told.items() if "…" in story] == []
    assert [story.count("\n") for story in told.values()] == list(range(9))


def test_a_reading_that_would_be_too_long_is_shown_less_of_the_story_and_all_that_is_known(
    asked: Asked,
) -> None:
    """12,000 tokens of cl100k are some 47,200 characters of this book."""
    requests = asked("skarra")
    assert max(map(len, requests.values())) < MOST_CHARACTERS
    for number in (9, 10):
        writer, reader = (
            requests[step.format(number)] for step in ("chapters/ch{:02d}/whole", "canon/ch{:02d}")
        )
        assert len(block(reader, "story_so_far")) < len(block(writer, "story_so_far"))
        for part in ("facts", "state"):
            assert block(reader, part) == block(writer, part)


def test_a_patch_is_kept_although_it_adds_a_few_words_to_a_chapter_that_is_too_long(
    tmp_path: Path,
) -> None:
    text = played(Desk(tmp_path / "desk"), "skarra").text("chapters/01.md")
    assert "looped over its post, and not locked" in text


def test_chat_behind_the_last_scene_is_no_scene_of_the_book(tmp_path: Path) -> None:
    book = played(Desk(tmp_path / "desk"), "unruh")
    chapter = book.text("chapters/03.md")
    assert "fortfahren" not in chapter
    assert not chapter.rstrip().endswith("*")
    assert chapter.count("* * *") == 1


def test_writer_and_critic_are_told_one_length_near_that_of_the_plan(asked: Asked) -> None:
    requests = asked("skarra")
    for number in range(1, 11):
        step = f"chapters/ch{number:02d}"
        (wanted,) = re.findall(r"in about (\d+) words", requests[f"{step}/whole"])
        (measured,) = re.findall(r"of about (\d+) that were wanted", requests[f"{step}/critique1"])
        assert wanted == measured
        assert 740 <= int(wanted) <= 1_150


def test_the_world_is_told_in_short_to_whoever_writes(asked: Asked) -> None:
    world = block(asked("unruh")["chapters/ch01/whole"], "world")
    assert "Lebbenau" in world
    assert "Grenze" in world


def test_speech_between_single_quotation_marks_is_no_narration(asked: Asked) -> None:
    told = asked("skarra")
    assert not [step for step, prompt in told.items() if "is told in the first person" in prompt]


def test_finding_3_two_places_of_one_scene_that_clash_go_back_to_who_plans(asked: Asked) -> None:
    mends = [prompt for step, prompt in asked("skarra").items() if step.startswith("scenes/")]
    assert any("in the hall" in block(one, "faults") for one in mends)


def test_what_lies_where_somebody_works_is_at_their_hand(asked: Asked) -> None:
    assert "Werkstatt Lorenz" not in block(asked("unruh")["scenes/review"], "hints")
