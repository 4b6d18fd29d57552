"""Calls from dumps: states, order, filters, conversations, damaged files."""

from pathlib import Path

import pytest
from tests.support.review_book import KEYWORDS, ReviewBook

from libriscribe2.commands.calls import (
    CallFilter,
    CallFolder,
    conversation,
    facets,
    load_calls,
    problems_first,
)


def test_a_folder_that_is_not_there_has_no_calls(tmp_path: Path) -> None:
    assert load_calls(tmp_path / "none") == ()


def test_files_that_are_no_dumps_say_what_is_wrong(review_book: ReviewBook) -> None:
    review_book.damage()
    calls = {call.path.name: call for call in load_calls(review_book.paths.debug)}
    faults = {name: (call.state, call.fault) for name, call in calls.items() if call.fault}
    assert faults["0901-concept-try1.json"] == ("damaged", "the file is empty")
    assert faults["0903-concept-try1.json"][1].startswith("agent_name: ")
    assert faults["concept.json"][0] == faults["notes.json"][0] == "old"
    assert len({call.id for call in calls.values()}) == len(calls)


def test_a_cut_reply_is_a_problem_even_if_it_could_be_used(review_book: ReviewBook) -> None:
    review_book.dump("text", finish_reason="length")
    newest = review_book.snapshot().calls[-1]
    assert newest.state == "clean"
    assert newest.issues == ("cut_off",)
    assert newest.is_problem
    assert newest in problems_first(review_book.snapshot().calls)[:3]


def test_attempts_of_one_conversation_belong_together(review_book: ReviewBook) -> None:
    review_book.dump("first", step="chapters/ch02/scene01", attempt=1, feedback="no")
    review_book.dump("other", step="chapters/ch01/scene01", attempt=1)
    review_book.dump("second", step="chapters/ch02/scene01", attempt=2)
    calls = review_book.snapshot().calls
    found = conversation(calls, calls[-1])
    assert [call.dump.raw_response for call in found] == ["first", "second"]
    assert conversation(calls, calls[-3]) == found
    older = next(call for call in calls if call.dump.step == "chapters/ch02/scene01")
    assert conversation(calls, older) == [older]
    assert older.chapter == 2


def test_facets_count_what_can_be_filtered_by(review_book: ReviewBook) -> None:
    calls = review_book.snapshot().calls
    counts = facets(calls)
    for name, values in counts.items():
        for value, count in values.items():
            assert sum(CallFilter(**{name: value}).fits(call) for call in calls) == count
    assert counts["state"]["refused"] == 2
    assert counts["issue"]["markdown_code_blocks"] >= 1


def test_a_filter_of_text_looks_at_the_whole_row(review_book: ReviewBook) -> None:
    calls = review_book.snapshot().calls
    found = [call for call in calls if CallFilter(text="KEYWORDS").fits(call)]
    assert [call.dump.raw_response for call in found] == [KEYWORDS]


def test_dumps_are_read_once_and_again_after_a_change(review_book: ReviewBook) -> None:
    folder = CallFolder(review_book.paths.debug)
    before, again = folder.read(), folder.read()
    assert all(one is other for one, other in zip(before, again, strict=True))
    before[0].path.write_text("{", encoding="utf-8")
    after = folder.read()
    assert after[0].state == "damaged"
    assert after[1] is before[1]
    before[0].path.unlink()
    assert len(folder.read()) == len(before) - 1


@pytest.mark.parametrize("number", [1, 2])
def test_a_row_is_plain_json(review_book: ReviewBook, number: int) -> None:
    row = review_book.snapshot().calls[number].as_row()
    assert row["step"].startswith("concept/")
    assert row["cost_usd"] == 0
    assert isinstance(row["issues"], list)


def test_what_cannot_be_read_is_one_damaged_call_among_the_others(review_book: ReviewBook) -> None:
    folder = review_book.paths.debug
    whole = len(load_calls(folder))
    (folder / "0901-concept-try1.json").mkdir()
    (folder / "0902-concept-try1.json").symlink_to(folder / "nowhere")
    deep = '{"debug_info": ' + "[" * 100_000
    (folder / "0903-concept-try1.json").write_text(deep, encoding="utf-8")
    review_book.dump("x", seconds=float("nan"))
    review_book.dump("x", cost_usd=float("inf"))
    calls = load_calls(folder)
    damaged = [call for call in calls if call.state == "damaged"]
    assert (len(calls), len(damaged)) == (whole + 5, 5)
    assert all(call.fault for call in damaged)


def test_half_a_surrogate_pair_in_a_reply_does_not_make_its_dump_damaged(
    review_book: ReviewBook,
) -> None:
    half = "\ud83d"
    review_book.dump(f"a{half}b", clean=f"a{half}b", prompt=[{"role": "user", "content": half}])
    newest = load_calls(review_book.paths.debug)[-1]
    assert (newest.state, newest.dump.raw_response) == ("clean", "a\ufffdb")
    assert newest.dump.clean == "a\ufffdb"
