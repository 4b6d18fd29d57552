"""What the pages show: figures, versions of chapters, uses of data, problems with their fixes."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.support.review_book import ReviewBook, make_book
from tests.support.screen import event

from libriscribe2.cli.progress import RunView
from libriscribe2.commands.projects import read_brief
from libriscribe2.commands.run_progress import scale_of
from libriscribe2.desk.book_pages import (
    book_data,
    named_in,
    older_versions,
    one_chapter,
    whole_book,
)
from libriscribe2.desk.problem_pages import problems
from libriscribe2.desk.run_pages import WIDTH, one_call, overview, run_state, timeline
from libriscribe2.desk.site import moment, money, number
from libriscribe2.desk.snapshot import ChapterEntry
from libriscribe2.project.store import ProjectStore


def told(book: ReviewBook) -> list[tuple[str, str, str, str]]:
    return [(one.weight, one.where, one.what, one.fix) for one in problems(book.snapshot())]


def test_stages_stand_in_the_order_of_the_pipeline(review_book: ReviewBook) -> None:
    values = overview(review_book.snapshot())
    names = [row.name for row in values["rows"]]
    assert names.index("concept") < names.index("outline") < names.index("chapters")
    concept = values["rows"][0]
    assert (concept.calls, concept.refused, concept.further) == (5, 1, 1)
    assert concept.repaired >= 1  # the keywords; the stand-in author may add to them
    assert sum(row.calls for row in values["rows"]) == values["totals"].calls
    assert (values["done"], values["planned"], values["left"]) == (2, 2, None)


def test_a_stage_that_nobody_knows_stands_last_and_an_unknown_price_is_unknown(
    review_book: ReviewBook,
) -> None:
    review_book.dump("x", stage="illustrations", step="illustrations", cost_usd=None)
    rows = overview(review_book.snapshot())["rows"]
    assert rows[-1].name == "illustrations"
    assert rows[-1].cost_usd is None


def test_a_run_is_told_while_it_goes_on_and_when_it_is_over() -> None:
    start = event("run.start")
    after = {"ts": start.ts + timedelta(seconds=30)}
    done = event("stage.end", unit="concept.json").model_copy(update=after)
    going = [
        start,
        event("stage.start", unit="concept.json"),
        done,
        event("stage.start", unit="outline.json").model_copy(update=after),
    ]
    state = run_state(going)
    assert (state["state"], state["done"]) == ("running", 1)
    over = run_state([*going, event("run.failed", message="no credit")])
    assert (over["state"], over["message"]) == ("stopped", "no credit")
    assert run_state([]) == {}
    killed = run_state(going, may_run=False)
    assert killed["state"] == "stopped"
    assert "resume" in killed["message"]
    ended = run_state([*going, event("run.failed", message="no credit")], may_run=False)
    assert ended["message"] == "no credit"


def test_the_timeline_stays_inside_its_width(review_book: ReviewBook) -> None:
    for seconds in (0.0, 3.5, 500.0):
        path = review_book.dump("x", seconds=seconds, step="chapters/ch01/scene01")
        content = json.loads(path.read_text(encoding="utf-8"))
        late = datetime.now(UTC) + timedelta(seconds=seconds + 5)
        content["debug_info"]["timestamp"] = late.strftime("%Y-%m-%dT%H:%M:%SZ")
        path.write_text(json.dumps(content), encoding="utf-8")
    bars = [bar for _, row in timeline(review_book.snapshot().calls, ["chapters"]) for bar in row]
    assert len(bars) >= 3
    assert all(bar.x >= 0 and bar.x + bar.width <= WIDTH + 0.2 for bar in bars)


def test_an_edited_chapter_has_the_version_that_was_written(tmp_path: Path) -> None:
    review_book = ReviewBook(make_book(tmp_path / "made", "--no-revision"), tmp_path / "copy")
    path = review_book.paths.root / "chapters/01.md"
    written = path.read_text(encoding="utf-8")
    assert older_versions(review_book.snapshot(), "01") == []
    review_book.write("chapters/01.md", written.replace("the", "THE"))
    versions = older_versions(review_book.snapshot(), "01")
    assert [(one.key, one.text) for one in versions] == [("written", written)]
    page = one_chapter(review_book.snapshot(), "01", "written")
    assert page is not None
    assert {piece.kind for piece in page["pieces"]} == {"same", "gone", "new"}
    assert page["chapter"].state == "edited"


def test_a_revised_chapter_has_its_draft_without_what_was_said_of_it(
    review_book: ReviewBook,
) -> None:
    """A file that patches changed is not what its replies add up to."""
    name = "chapters/01.md"
    with ProjectStore.open(review_book.paths) as store:
        written, made = store.read_text(name), store.manifest.files[name]
        steps = [store.manifest.step_of(key).rpartition("/")[2] for key in made.keys]
        revised = written.replace("the", "THE")
        store.write(name, revised, step=made.step, inputs={}, params={}, keys=made.keys)
    assert steps[:3] == ["scene01", "critique1", "patches1"]
    files = review_book.paths.debug.glob("*.json")
    dumps = (json.loads(file.read_text(encoding="utf-8"))["debug_info"] for file in files)
    (draft,) = [one["clean"] for one in dumps if one["step"] == "chapters/ch01/scene01"]
    (draft_of_it,) = older_versions(review_book.snapshot(), "01")
    assert draft_of_it.text.strip() == draft.strip()
    assert draft_of_it.label.endswith("before revision")


def test_a_replaced_chapter_is_found_in_the_trash(review_book: ReviewBook) -> None:
    review_book.write(".libriscribe/trash/20260102T030405Z-chapters_01.md", "# Old\n\nOld text.\n")
    review_book.write(".libriscribe/trash/20260102T030405Z-2-chapters_01.md", "# Old\n\nOlder.\n")
    review_book.write(".libriscribe/trash/20260102T030405Z-chapters_02.md", "# Two\n")
    versions = older_versions(review_book.snapshot(), "01")
    versions = [one for one in versions if one.key != "replies"]
    assert {one.text for one in versions} == {"# Old\n\nOld text.\n", "# Old\n\nOlder.\n"}
    assert {one.label for one in versions} == {"replaced 2026-01-02 03:04"}
    assert len({one.key for one in versions}) == 2


def test_a_chapter_that_cannot_be_read_leaves_the_others(review_book: ReviewBook) -> None:
    (review_book.paths.root / "chapters/01.md").write_bytes(b"\xff\xfe")
    page = whole_book(review_book.snapshot())
    assert "UTF-8" in page["chapters"][0].fault
    assert set(page["html"]) == {"02"}
    assert one_chapter(review_book.snapshot(), "07") is None


def test_data_say_where_they_were_used(review_book: ReviewBook) -> None:
    values = book_data(review_book.snapshot())
    assert {"outline.json", "chapters/01.md"} <= set(values["used"]["concept.json"])
    person, planned, named = values["people"][0]
    assert planned
    assert set(named) <= {"01", "02"}
    text = (review_book.paths.root / "chapters/01.md").read_text(encoding="utf-8")
    assert named.get("01", 0) == text.count(person.name.split()[0])


def test_a_name_is_found_in_full_or_by_its_first_word() -> None:
    chapters = [ChapterEntry("01", "", 0, "", "Ada met Ada Lovelace. The Hall, the hall.")]
    assert named_in("Ada Lovelace", chapters) == {"01": 2}
    assert named_in("The Hall", chapters) == {"01": 2}
    assert named_in("Nobody", chapters) == {}


def test_a_chapter_says_how_the_newest_run_made_it(review_book: ReviewBook) -> None:
    page = one_chapter(review_book.snapshot(), "01")
    assert page is not None
    assert page["remark"] == "1 of 1 suggested edits applied"


def test_notes_are_shown_as_they_are(review_book: ReviewBook) -> None:
    assert book_data(review_book.snapshot())["notes"] == []
    review_book.write("research/notes.json", '{"notes": [{"claim": "Tides turn."}, 3]}')
    assert book_data(review_book.snapshot())["notes"] == [{"claim": "Tides turn."}]
    review_book.write("research/notes.json", "{")
    assert book_data(review_book.snapshot())["notes"] == []


def test_a_sound_book_has_no_problem_but_refused_replies_that_were_corrected_are_none(
    review_book: ReviewBook,
) -> None:
    assert [one for one in told(review_book) if "words" not in one[2]] == []


def test_a_conversation_without_an_end_is_one_problem(review_book: ReviewBook) -> None:
    for attempt in (1, 2, 3):
        review_book.dump("no", step="title", stage="title", attempt=attempt, feedback="not so")
    found = [one for one in told(review_book) if "attempts" in one[2]]
    assert [(one[0], one[2], one[3]) for one in found] == [
        ("error", "there was no usable reply in 3 attempts", "libriscribe2 resume book")
    ]


def test_a_refused_reply_is_no_problem_once_the_step_has_another(review_book: ReviewBook) -> None:
    review_book.dump("no", step="title", stage="title", feedback="The reply was filtered: x.")
    assert any(one[1].endswith("title-try1.json") for one in told(review_book))
    review_book.dump("yes", step="title", stage="title")
    assert not any(one[1].endswith("title-try1.json") for one in told(review_book))


def test_stale_parts_repeats_and_strangers_are_told_with_their_fixes(
    review_book: ReviewBook,
) -> None:
    paragraph = "A long paragraph that stands twice, word for word, in this book. " * 3
    review_book.write("chapters/01.md", f"# One\n\n{paragraph}\n\n{paragraph}\n")
    review_book.edit("concept.json", '"title": "', '"title": "New ')
    scenes = json.loads((review_book.paths.root / "scenes.json").read_text(encoding="utf-8"))
    scenes["chapters"][1]["scenes"][0]["characters"].append("A Stranger")
    review_book.write("scenes.json", json.dumps(scenes))
    found = told(review_book)
    assert ("warning", "outline.json") in {one[:2] for one in found}
    assert any(one[3] == "libriscribe2 resume book --refresh" for one in found)
    assert any(
        one[2] == "the paragraph is also in chapter 01, paragraph 2"
        and one[3] == "libriscribe2 redo book chapters --chapter 1"
        for one in found
    )
    assert any(one[2] == "A Stranger is not in the cast" for one in found)
    weights = [one[0] for one in found]
    assert weights == sorted(weights, key=("error", "warning", "note").index)


def test_figures_are_readable() -> None:
    assert [money(None), money(0), money(0.1234), money(1234.5)] == [
        "unknown",
        "$0.00",
        "$0.1234",
        "$1,234.50",
    ]
    assert [number(1234), number(2_500_000)] == ["1,234", "2,500k"]
    assert moment("2026-01-02T03:04:05Z") == "2026-01-02 03:04:05"


def test_validation_errors_are_listed_without_the_sentences_around_them(
    review_book: ReviewBook,
) -> None:
    snapshot = review_book.snapshot()
    shown = {call.dump.step: one_call(snapshot, call.id) for call in snapshot.calls[::-1]}
    outline, draft = shown["outline"], shown["concept/draft"]
    assert outline is not None
    assert outline["errors"] == ["chapters: Field required (it is missing)"]
    assert draft is not None
    assert len(draft["errors"]) == 1
    assert one_call(snapshot, "none") is None


def test_the_timeline_bears_any_time_stamp(review_book: ReviewBook) -> None:
    for stamp in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        path = review_book.dump("x", seconds=1e12, step="chapters/ch01/scene01")
        content = json.loads(path.read_text(encoding="utf-8"))
        content["debug_info"]["timestamp"] = stamp
        path.write_text(json.dumps(content), encoding="utf-8")
    assert timeline(review_book.snapshot().calls, ["chapters"])


def test_a_file_among_the_chapters_that_is_none_is_left_out(review_book: ReviewBook) -> None:
    keys = [entry.key for entry in review_book.snapshot().chapters]
    review_book.write("chapters/notes.md", "# Notes\n")
    review_book.write("chapters/draft 3.md", "# Draft\n")
    assert [entry.key for entry in review_book.snapshot().chapters] == keys
    assert one_chapter(review_book.snapshot(), "notes") is None


def test_a_run_is_told_in_the_figures_of_the_terminal(review_book: ReviewBook) -> None:
    start = event("run.start")
    after = {"ts": start.ts + timedelta(seconds=30)}
    events = [
        start,
        event("stage.start", stage="chapters", chapter=2, unit="chapters/02.md"),
        event("llm.call", stage="chapters", calls=3, cost_usd=0.25).model_copy(update=after),
    ]
    snapshot = replace(review_book.snapshot(), events=events)
    view = RunView(scale_of(snapshot.view, read_brief(review_book.paths)))
    for one in events:
        list(view.receive(one, None))
    lines = [line.plain for line in view.lines(30.0, 20)]
    assert overview(snapshot)["told"] == " \u00b7 ".join(lines)
    assert lines[0].startswith("Chapter 2 of ")
