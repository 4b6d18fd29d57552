"""A book of facts: its introduction and its conclusion are written from what the others say."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.authors import Author, Killed
from tests.support.desk import PREMISE, Desk

ORDERS = ("sequential", "redblack", "parallel")
CHAPTERS = 5
BOOK = ("--chapters", str(CHAPTERS), "--scenes-per-chapter", "2", "--words", "1500")
FACTS = ("--category", "Business", "--no-research", "--no-revision")
BETWEEN = {2, 3, 4}


def written(desk: Desk, order: str, *options: str, author: Author | None = None) -> Author:
    """A book of facts in an order of drafting; returns its author."""
    author = author if author is not None else Author()
    desk.create("--drafting", order, *FACTS, *options, size=BOOK, backend=author)
    return author


@pytest.fixture(scope="module", params=ORDERS)
def made(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Desk, Author]:
    """A desk with a book of facts, and its author; no test changes it."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    return desk, written(desk, request.param, "--max-concurrency", "8")


def parts(desk: Desk, place: str) -> dict[str, Any]:
    """The parts of the prompt of a scene."""
    (scene,) = desk.run("why", "book", place, "--json").value["scenes"]
    return {part["name"]: part for part in scene["parts"]}


def test_QU_the_plan_says_which_chapters_frame_the_others(made: tuple[Desk, Author]) -> None:
    desk, _ = made
    roles = [one.get("role") for one in desk.project().json("outline.json")["chapters"]]
    assert roles == ["introduction", None, None, None, "conclusion"]


def test_QU_the_frame_is_written_when_all_other_chapters_are_there(
    made: tuple[Desk, Author],
) -> None:
    _, author = made
    steps = [step for step in author.steps if step.split("/")[0] in ("chapters", "drafts")]
    frame = [at for at, step in enumerate(steps) if "/ch01/" in step or "/ch05/" in step]
    others = [at for at in range(len(steps)) if at not in frame]
    assert max(others) < min(frame)
    assert all(steps[at].startswith("chapters/") for at in frame)
    summaries = {author.steps.index(f"summaries/ch{n:02d}") for n in BETWEEN}
    assert max(summaries) < author.steps.index("chapters/ch01/scene01")


def test_QU_the_introduction_is_shown_what_the_others_really_say(
    made: tuple[Desk, Author],
) -> None:
    desk, author = made
    assert set(parts(desk, "ch1.s1")["ahead"]["chapters"]) == BETWEEN
    assert parts(desk, "ch1.s2")["text_after"]["chapters"] == [2]
    asked = next(one for one in author.asked if one.step == "chapters/ch01/scene01")
    prompt = "\n".join(str(turn["content"]) for turn in asked.messages)
    for number in BETWEEN:
        summary = desk.project().text(f".libriscribe/summaries/{number:02d}.md")
        assert " ".join(summary.split())[:120] in prompt
    assert "announce nothing that none of them holds" in prompt


def test_QU_the_conclusion_goes_on_from_the_chapter_before(made: tuple[Desk, Author]) -> None:
    desk, _ = made
    assert parts(desk, "ch5.s1")["text_before"]["chapters"] == [4]
    assert set(parts(desk, "ch5.s1")["story_so_far"]["chapters"]) == BETWEEN


def test_T2_no_other_chapter_sees_the_frame(made: tuple[Desk, Author]) -> None:
    desk, author = made
    seen = {n for place in ("2.1", "3.1", "4.2") for n in _chapters(parts(desk, place))}
    assert not seen & {1, CHAPTERS}
    second = next(one for one in author.asked if one.step.endswith("/ch02/scene01"))
    drafted = second.step.startswith("drafts")
    prompt = "\n".join(str(turn["content"]) for turn in second.messages)
    assert "is written when all others are there" in prompt or drafted


def _chapters(found: dict[str, Any]) -> set[int]:
    return {number for part in found.values() for number in part["chapters"]}


@pytest.mark.slow
@pytest.mark.parametrize("order", ["sequential", "parallel"])
def test_XC_04_a_book_of_facts_that_was_killed_in_its_frame_comes_out_the_same(
    desk: Desk, order: str
) -> None:
    whole = written(desk, order, "--project-name", "whole")
    killed = Author({whole.steps.index("chapters/ch01/scene02") + 1}, failure=Killed)
    with pytest.raises(Killed):
        written(desk, order, author=killed)
    going_on = Author()
    desk.run("resume", "book", backend=going_on)
    assert desk.project().contents() == desk.project("whole").contents()
    assert not set(killed.answered) & {one.key() for one in going_on.asked}


def test_QU_an_edited_chapter_makes_the_introduction_stale_and_a_redo_writes_it_anew(
    made: tuple[Desk, Author], tmp_path: Path
) -> None:
    desk = made[0].copied_to(tmp_path)
    book = desk.project()
    book.write(".libriscribe/summaries/04.md", "Another end.\n")
    units = desk.run("status", "book", "--json").value["units"]
    assert "chapters/01.md" in {one["unit"] for one in units if one["state"] == "stale"}
    again = Author()
    desk.run("redo", "book", "chapters", "--chapter", "1", backend=again)
    assert {step.split("/")[0] for step in again.steps} >= {"chapters"}
    assert not any(step.startswith("drafts") for step in again.steps)
    assert "Another end." in desk.run("why", "book", "1.1", "--prompt").out


def test_QU_a_chapter_that_is_no_longer_the_first_is_one_like_the_others(
    made: tuple[Desk, Author], tmp_path: Path
) -> None:
    desk = made[0].copied_to(tmp_path)
    desk.run("chapter", "move", "book", "1", "3")
    again = Author()
    desk.run("redo", "book", "chapters", "--chapter", "3", backend=again)
    drafting = desk.project().brief()["drafting"]
    seen = _chapters(parts(desk, "3.1"))
    assert seen == ({1, 2} if drafting == "sequential" else set())
    drafted = any(step.startswith("drafts/ch03") for step in again.steps)
    assert drafted == (drafting == "parallel")


def test_T12_an_estimate_makes_the_calls_of_the_run(desk: Desk) -> None:
    command = ("create", PREMISE, "--mock", "-p", "book", *BOOK, *FACTS, "--drafting", "parallel")
    quote = desk.run(*command, "--dry-run", "--json").value
    asked = written(desk, "parallel").steps
    for stage in ("chapters", "drafts"):
        (told,) = (one["calls"] for one in quote["stages"] if one["stage"] == stage)
        assert told == sum(step.startswith(f"{stage}/") for step in asked)
    assert set(quote["times"]["seconds"]) == set(ORDERS)
