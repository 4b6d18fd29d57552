"""Orders of drafting: what each chapter is written from, and that nothing depends on the speed."""

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from tests.support.authors import Author, Killed
from tests.support.desk import PREMISE, Desk

from libriscribe2.agents.agent_scene import opened
from libriscribe2.llm.backend import Request

CHAPTERS = 5
BOOK = ("--chapters", str(CHAPTERS), "--scenes-per-chapter", "2", "--words", "1500")
WRITING = ("chapters", "drafts")
OTHER = " ".join(f"The keeper counted lamp number {n}." for n in range(1, 26))


def drafting(order: str, *options: str, at_once: int = 4) -> tuple[str, ...]:
    """The options of a book in an order of drafting."""
    return ("--drafting", order, "--max-concurrency", str(at_once), *options)


def draft(desk: Desk, order: str, *options: str, at_once: int = 4) -> Author:
    """A book in an order of drafting; returns its author."""
    return desk.written(*drafting(order, *options, at_once=at_once), size=BOOK)


def rewriting() -> Author:
    """An author who has another text for every scene: the offline one may come upon the same."""
    return Author(reply=lambda one: OTHER if "/scene" in one.step else None)


def chapter_of(request: Request) -> int:
    """The chapter that a request works on."""
    return int(request.step.split("/")[1].removeprefix("ch"))


def shown(request: Request) -> str:
    return "\n".join(str(message["content"]) for message in request.messages)


def paragraphs(text: str) -> set[str]:
    """Paragraphs that are long enough to be known again."""
    return {one for one in text.split("\n\n") if len(one) > 80}


def seen(request: Request, text: str) -> set[str]:
    """The paragraphs of a text that stand in a request."""
    return {one for one in paragraphs(text) if one in shown(request)}


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [1, 4, 8])
def test_T2_no_even_chapter_begins_before_all_odd_ones_are_done(desk: Desk, at_once: int) -> None:
    author = draft(desk, "redblack", at_once=at_once)
    asked = [one for one in author.asked if "/ch" in one.step and one.step[:6] != "scenes"]
    evens = [
        place
        for place, one in enumerate(asked)
        if one.step.startswith("chapters") and not chapter_of(one) % 2
    ]
    before = {one.step for one in asked[: evens[0]]}
    odd = [f"ch{n:02d}" for n in range(1, CHAPTERS + 1, 2)]
    assert {f"canon/{one}" for one in odd} <= before
    assert {f"chapters/{one}/scene02" for one in odd} <= before
    assert {f"canon/{one}" for one in odd[:1]} <= before


def test_T2_chapters_of_the_first_wave_see_no_text_and_of_the_second_only_the_first(
    desk: Desk,
) -> None:
    author = draft(desk, "redblack")
    texts = desk.project().chapters()
    uses = Counter(one for text in texts for one in set(paragraphs(text)))
    once = {one for one, count in uses.items() if count == 1}  # the stand-in author repeats himself
    for request in author.asked:
        if not request.step.startswith("chapters"):
            continue
        own = chapter_of(request)
        told = {n for n, text in enumerate(texts, start=1) if seen(request, text) & once}
        assert told <= {own} | (set(range(1, CHAPTERS + 1, 2)) if own % 2 == 0 else set())


@pytest.mark.slow
@pytest.mark.parametrize("order", ["sequential", "redblack", "parallel"])
def test_T7_every_boundary_has_a_side_that_saw_the_text_of_the_other(
    desk: Desk, order: str
) -> None:
    author = draft(desk, order)
    texts = desk.project().chapters()
    requests = [one for one in author.asked if one.step.split("/")[0] in WRITING]
    for number, (left, right) in enumerate(pairwise(texts), start=1):
        end, head = left.rstrip().split("\n\n")[-1], right.split("\n\n")[1]
        met = any(
            (chapter_of(one) == number + 1 and end in shown(one))
            or (chapter_of(one) == number and head in shown(one))
            for one in requests
        )
        assert met, f"{number} and {number + 1}"


def test_T7_an_even_chapter_sees_the_end_before_it_and_the_head_after_it(desk: Desk) -> None:
    author = draft(desk, "redblack")
    texts = desk.project().chapters()
    asked = {one.step: shown(one) for one in author.asked}
    for number in range(2, CHAPTERS, 2):
        assert (
            texts[number - 2].rstrip().split("\n\n")[-1]
            in asked[f"chapters/ch{number:02d}/scene01"]
        )
        assert texts[number].split("\n\n")[1] in asked[f"chapters/ch{number:02d}/scene02"]


def test_T7_an_opening_is_written_from_text_that_stays(desk: Desk) -> None:
    author = draft(desk, "parallel", at_once=8)
    texts = desk.project().chapters()
    openings = [one for one in author.asked if one.step.endswith("/opening")]
    assert [chapter_of(one) for one in openings] == list(range(2, CHAPTERS + 1))
    for one in openings:
        asked = shown(one)
        block = re.search(r"<text_before>\n(.*?)\n</text_before>", asked, re.DOTALL)
        assert block is not None
        assert block[1] in texts[chapter_of(one) - 2]
        rest = opened(texts[chapter_of(one) - 1]).rest.strip()
        assert rest.split("\n\n")[0] in asked


@pytest.mark.slow
@pytest.mark.parametrize("order", ["redblack", "parallel"])
def test_T2_the_same_book_at_any_number_of_calls_at_once(tmp_path: Path, order: str) -> None:
    def drafted(at_once: int) -> dict[str, bytes]:
        desk = Desk(tmp_path / str(at_once))
        draft(desk, order, at_once=at_once)
        return desk.project().contents()

    assert drafted(1) == drafted(4) == drafted(8)


def test_QU_many_calls_at_once_have_a_story_drafted_in_two_waves(desk: Desk) -> None:
    ran = desk.create("--no-revision", "--max-concurrency", "8", size=BOOK)
    assert desk.project().brief()["drafting"] == "redblack"
    assert "drafting: redblack, because up to 8 calls" in ran.err
    desk.project().path("chapters/02.md").unlink()
    desk.run("resume", "book", "--max-concurrency", "1")
    assert desk.project().brief()["drafting"] == "redblack"
    assert desk.run("resume", "book").out.splitlines()[2] == "calls: 0"


def test_QU_many_calls_at_once_have_a_book_of_facts_drafted_all_at_once(desk: Desk) -> None:
    options = ("--no-revision", "--max-concurrency", "8", "--category", "Business")
    desk.create(*options, size=BOOK)
    assert desk.project().brief()["drafting"] == "parallel"


def test_T12_an_estimate_tells_the_time_of_each_order(desk: Desk) -> None:
    options = ("--no-revision", "--max-concurrency", "8", "--dry-run")
    command = ("create", PREMISE, "--mock", *BOOK, *options)
    ran = desk.run(*command)
    assert "redblack" in ran.err
    assert "redblack (current), " in ran.err
    assert ran.out.splitlines()[-1].startswith("total")
    times = desk.run(*command, "--json").value["times"]
    assert (times["at_once"], times["drafting"]) == (8, "redblack")
    assert times["seconds"]["redblack"] < 0.8 * times["seconds"]["sequential"]


def test_QU_the_usual_number_of_calls_keeps_the_order_of_the_book(desk: Desk) -> None:
    ran = desk.create("--no-revision", size=BOOK)
    assert desk.project().brief()["drafting"] == "sequential"
    assert "drafting:" not in ran.err


def test_XC_08_an_unknown_order_is_refused(desk: Desk) -> None:
    ran = desk.create("--drafting", "backwards", expect=2)
    assert "--drafting 'backwards'" in ran.err


@pytest.mark.slow
@pytest.mark.parametrize(("order", "step"), [("redblack", "chapters/ch04"), ("parallel", "ch05")])
def test_XC_04_a_book_that_was_killed_on_the_way_comes_out_the_same(
    desk: Desk, tmp_path: Path, order: str, step: str
) -> None:
    undisturbed = Desk(tmp_path / "undisturbed")
    whole = draft(undisturbed, order, "--no-revision")
    at = next(
        n for n, one in enumerate(whole.steps, start=1) if step in one and "scenes" not in one
    )
    killed = Author({at}, failure=Killed)
    with pytest.raises(Killed):
        desk.create(*drafting(order, "--no-revision"), size=BOOK, backend=killed)
    going_on = Author()
    desk.run("resume", "book", "--max-concurrency", "4", backend=going_on)
    assert desk.project().contents() == undisturbed.project().contents()
    assert not set(killed.answered) & {one.key() for one in going_on.asked}


@pytest.mark.parametrize("order", ["redblack", "parallel"])
def test_XC_04_every_reply_is_found_again(desk: Desk, order: str) -> None:
    draft(desk, order)
    assert "0 calls" in desk.run("replay", "book").err
    desk.project().path("chapters/03.md").unlink()
    again = Author()
    desk.run("resume", "book", backend=again)
    assert again.asked == []


@pytest.mark.parametrize("order", ["redblack", "parallel"])
@pytest.mark.parametrize("chapters", [1, 2, 3])
def test_QU_short_books_have_their_chapters_in_any_order(
    desk: Desk, order: str, chapters: int
) -> None:
    size = ("--chapters", str(chapters), "--scenes-per-chapter", "1", "--words", "600")
    desk.create("--drafting", order, "--no-story-bible", size=size)
    book = desk.project()
    assert len(book.chapters()) == chapters
    # The stand-in ends with whole sentences: of 200 words each may miss one.
    assert book.words() == pytest.approx(600, rel=0.1)
    assert not book.path(".libriscribe/canon").exists()


def test_QU_a_chapter_of_the_first_wave_written_again_makes_its_neighbours_stale(
    desk: Desk,
) -> None:
    draft(desk, "redblack", "--no-revision")
    desk.run("redo", "book", "chapters", "--chapter", "3", "--mock", backend=rewriting())
    told = desk.run("status", "book", "--json").value["units"]
    stale = {one["unit"] for one in told if one["state"] == "stale"}
    assert {one for one in stale if one.startswith("chapters/")} == {
        "chapters/02.md",
        "chapters/04.md",
    }


def test_QU_a_chapter_of_the_second_wave_written_again_leaves_the_others(desk: Desk) -> None:
    draft(desk, "redblack", "--no-revision")
    before = desk.project().chapters()
    desk.run("redo", "book", "chapters", "--chapter", "4", "--mock", backend=rewriting())
    told = desk.run("status", "book", "--json").value["units"]
    stale = {one["unit"] for one in told if one["state"] == "stale"}
    assert not any(one.startswith("chapters/") for one in stale)
    assert [one == other for one, other in zip(before, desk.project().chapters(), strict=True)] == [
        *[True] * 3,
        False,
        True,
    ]


def test_QU_a_chapter_drafted_with_all_others_is_written_again_as_a_whole(desk: Desk) -> None:
    draft(desk, "parallel")
    before = desk.project().chapters()[2]
    again = rewriting()
    desk.run("redo", "book", "chapters", "--chapter", "3", "--mock", backend=again)
    asked = [one for one in again.steps if "ch03" in one]
    assert asked[:3] == ["drafts/ch03/scene01", "drafts/ch03/scene02", "drafts/ch03/critique1"]
    written = [one for one in asked if one.startswith("chapters")]
    assert written == ["chapters/ch03/opening"]
    assert asked.index(written[0]) > max(
        place for place, one in enumerate(asked) if one.startswith("drafts")
    )
    assert opened(desk.project().chapters()[2]).rest != opened(before).rest
    told = desk.run("status", "book", "--json").value["units"]
    stale = {one["unit"] for one in told if one["state"] == "stale"}
    assert {one for one in stale if one.startswith("chapters/")} == {"chapters/04.md"}


def test_QU_an_opening_takes_up_from_the_text_of_the_author(desk: Desk) -> None:
    draft(desk, "parallel")
    desk.project().write("chapters/02.md", "# Mine\n\nThe sea took the last lamp at noon.\n")
    again = Author()
    desk.run("redo", "book", "chapters", "--chapter", "3", "--mock", backend=again)
    opening = next(one for one in again.asked if one.step == "chapters/ch03/opening")
    assert "The sea took the last lamp at noon." in shown(opening)


def test_QU_chapters_that_are_there_need_no_drafts(desk: Desk) -> None:
    draft(desk, "sequential", "--no-revision")
    book = desk.project()
    toml = book.text("book.toml").replace('drafting = "sequential"', 'drafting = "parallel"')
    book.write("book.toml", toml)
    again = Author()
    ran = desk.run("resume", "book", backend=again)
    assert again.asked == []
    assert "drafts" not in desk.run("status", "book").out
    assert not book.path(".libriscribe/drafts").exists()
    assert "calls: 0\n" in ran.out
    desk.run("resume", "book", "--rewrite", "--yes", backend=again)
    assert sum(one.step.startswith("drafts") for one in again.asked) == 2 * CHAPTERS


@pytest.mark.slow
@pytest.mark.parametrize("order", ["redblack", "parallel"])
def test_QU_chapters_change_places_in_any_order(desk: Desk, order: str) -> None:
    draft(desk, order, "--no-revision")
    texts = desk.project().chapters()
    desk.run("chapter", "move", "book", "5", "2")
    assert desk.run("status", "book").code == 0
    assert sorted(map(len, desk.project().chapters())) == sorted(map(len, texts))
    desk.run("chapter", "merge", "book", "3", "4")
    again = Author()
    desk.run("resume", "book", "--mock", backend=again)
    assert not any(one.startswith(WRITING) for one in again.steps)
    desk.run("resume", "book", "--mock", "--rewrite", "--yes")
    told = desk.run("status", "book", "--json").value["units"]
    assert {one["state"] for one in told} == {"fresh"}


def test_QU_a_chapter_that_changes_its_wave_is_stale_only_where_its_neighbours_changed(
    desk: Desk,
) -> None:
    draft(desk, "redblack", "--no-revision")
    desk.run("chapter", "insert", "book", "2", "--title", "New", "--summary", "Something new.")
    told = desk.run("status", "book", "--json").value["units"]
    states = {one["unit"]: one["state"] for one in told if one["unit"].startswith("chapters/")}
    # Chapter 3 followed chapter 1, and chapter 5 was shown its summary.
    assert states == {
        "chapters/01.md": "fresh",
        "chapters/02.md": "missing",
        "chapters/03.md": "stale",
        "chapters/04.md": "fresh",
        "chapters/05.md": "stale",
        "chapters/06.md": "fresh",
    }


MENDED = "The grey cat sat on the brass lamp"


def _stated(quote: str) -> dict[str, object]:
    told = {"entity": "cat", "attribute": "state", "value": quote[:20], "quote": quote, "scene": 1}
    return told | {"time": {"day": None, "part": ""}, "stance": "asserted"}


def test_a_chapter_is_read_as_its_critic_saw_it_and_with_what_was_mended(desk: Desk) -> None:
    """The text is a beginning that is paid for already; no fact is looked for in words that are gone."""

    def reply(request: Request) -> str | None:
        prompt = str(request.messages[1]["content"])
        first = prompt.partition("<text>\n")[2].partition(".")[0]
        if "ch01/critique" in request.step:
            issue = {"severity": "error", "quote": first, "why": "No.", "fix": "A cat.", "kind": ""}
            return json.dumps({"issues": [issue]})
        if "patches" in request.step:
            return json.dumps({"patches": [{"issue": 1, "find": first, "replace": MENDED}]})
        if request.step.startswith("canon"):
            quotes = [first, MENDED]
            return json.dumps({"summary": "A cat sits.", "facts": [_stated(one) for one in quotes]})
        return None

    author = Author(reply=reply)
    desk.create(
        size=("--chapters", "1", "--scenes-per-chapter", "2", "--words", "900"), backend=author
    )
    asked = {one.step: str(one.messages[1]["content"]) for one in author.asked}
    critic, reader = asked["chapters/ch01/critique1"], asked["canon/ch01"]
    end = critic.index("</text>")
    assert reader[:end] == critic[:end]
    assert f'"new":"{MENDED}' in reader[end:]
    book = desk.project()
    assert book.text("chapters/01.md").count(MENDED) == 1
    (fact,) = book.json(".libriscribe/canon/01.json")["facts"]
    assert fact["quote"] == MENDED


def test_prompts_of_ones_own_from_an_earlier_version_go_on_working(desk: Desk) -> None:
    """What they have no place for is added at their end, and a line says so."""
    size = ("--chapters", "2", "--scenes-per-chapter", "1", "--words", "300")
    desk.written("--until", "plan", size=size)
    own = {
        "chapters": "$book$concept$style$chapter$characters$story_so_far$places$scene\nIn $words words.",
        "canon": "$book\n$chapter\n$characters\n$places\n$rules\n$threads\n<text>\n$text\n</text>\n$most",
        "critique_again": "$shown\n$changes\n$excerpts\n$most",
    }
    for name, user in own.items():
        desk.project().write(f"prompts/{name}.md", f"--- system ---\nMine.\n--- user ---\n{user}")
    author = Author()
    ran = desk.run("resume", "book", backend=author)
    asked = {one.step: one for one in author.asked}
    scene = str(asked["chapters/ch02/scene01"].messages[1]["content"])
    asks, rest = scene.split("In 150 words.")
    assert "<scene>" in asks
    assert "<joints>\nIt opens a chapter" in rest
    assert "<cast>" in rest
    reading = str(asked["canon/ch02"].messages[1]["content"])
    assert reading.index("<text>") < reading.index("<ledger>") < reading.index("<json_schema>")
    assert "prompts/chapters.md has no place for " in ran.err
    assert "$joints" in ran.err


DRAFTS = Path(__file__).parents[1] / "cases" / "drafts"
"""Two scenes by Kafka, Maupassant and Mori Ogai, who are in the public domain."""


@pytest.mark.parametrize("language", ["German", "French", "Japanese"])
def test_a_draft_in_another_language_is_kept_as_it_was_written(desk: Desk, language: str) -> None:
    draft = (DRAFTS / f"{language}.txt").read_text(encoding="utf-8").removesuffix("\n")
    scenes = draft.split("\n\n* * *\n\n")

    def written(request: Request) -> str | None:
        if not request.step.startswith("chapters/"):
            return None
        if request.step.endswith("/scene01"):
            return scenes[chapter_of(request) - 1]
        return json.dumps({"findings": [], "patches": []})

    author = Author(reply=written)
    size = ("--chapters", "2", "--scenes-per-chapter", "1", "--words", "600")
    desk.create("--language", language, backend=author, size=size)
    kept = [text.partition("\n\n")[2].removesuffix("\n") for text in desk.project().chapters()]
    assert kept == scenes
    assert not [step for step in author.steps if "patches" in step or "attempt" in step]
