"""The metrics of a whole book: what is planted is found where it stands."""

import pytest
from tests.unit.checks.prose import chapter, fresh

from libriscribe2.checks.reference_ranges import RANGES
from libriscribe2.checks.report.book_metrics import BookMetrics, BookPlan, book_metrics
from libriscribe2.checks.report.metric import Metric
from libriscribe2.checks.report.sample_style import distance_metric, style_numbers
from libriscribe2.checks.text_figures import SURFACE

LAST = "She put out the lamp and listened to the water until the harbour fell asleep again."
ENDING = f"The keys lay cold beside seven unopened letters from the mainland office. {LAST}"


WHOLE_ENDING = (
    "Nobody had thought to count the boats, the nets or the children before nightfall, and the "
    f"bell of the chapel hung quiet above roofs that smoked under fog. {ENDING}"
)


def metrics(book: BookMetrics) -> dict[str, Metric]:
    return {one.name: one for one in book.metrics}


def test_repeated_endings_are_flagged_at_both_places() -> None:
    chapters = [
        chapter(n, fresh(n, 120), ENDING if n in (2, 5) else fresh(50 + n, 28)) for n in range(1, 7)
    ]
    metric = metrics(book_metrics(chapters, BookPlan()))["like endings"]
    assert metric.level != "ok"
    assert [(one.file, one.line) for one in metric.places] == [
        ("chapters/02.md", 5),
        ("chapters/05.md", 5),
    ]
    assert all(one.quote == LAST for one in metric.places)


def test_in_a_long_book_one_repeated_ending_is_flagged_at_both_places() -> None:
    chapters = [
        chapter(n, fresh(n, 120), WHOLE_ENDING if n in (2, 27) else fresh(50 + n, 90))
        for n in range(1, 31)
    ]
    metric = metrics(book_metrics(chapters, BookPlan()))["most alike endings"]
    assert metric.level != "ok"
    assert [one.file for one in metric.places] == ["chapters/02.md", "chapters/27.md"]


def test_one_looping_page_of_a_long_book_is_flagged_where_it_stands() -> None:
    loop = "The bell rang once more over the water. " * 130
    chapters = [chapter(n, loop if n == 9 else fresh(n, 1_000)) for n in range(1, 16)]
    found = metrics(book_metrics(chapters, BookPlan()))
    assert found["repeated phrases"].level == "ok"
    page = found["most repetitive page"]
    assert (page.level, page.places[0].file) == ("red", "chapters/09.md")


def test_a_book_without_faults_is_inside_every_range_of_repetition() -> None:
    book = book_metrics([chapter(n, fresh(n, 400)) for n in range(1, 5)], BookPlan())
    assert {
        one.level for one in (*book.group("repetition"), *book.group("openings and endings"))
    } == {"ok"}


def test_every_figure_has_a_range_and_every_group_its_metrics() -> None:
    pytest.importorskip("wordfreq")
    plan = BookPlan(people=["Elara"], chapter_words=dict.fromkeys(range(1, 10), 100))
    chapters = [chapter(n, fresh(n, 120)) for n in range(1, 10)]
    facts = Metric("contradictions", "continuity", 0, "errors")
    voice = distance_metric(chapters, style_numbers(chapters[:1]))
    book = book_metrics(chapters, plan, [facts, voice])
    assert {one.name for one in book.metrics} == set(RANGES)
    record = book.as_record()
    assert record["chapters"] == 9
    assert {one["level"] for one in record["figures"]} <= {"ok", "amber", "red", None}


def test_a_book_of_facts_is_told_where_it_has_gone_wrong_alone() -> None:
    said = fresh(5, 400)
    often = [chapter(n, fresh(n, 900), said[: 40 * n]) for n in range(1, 5)]
    novel, facts = (book_metrics(often, BookPlan(kind=kind)) for kind in ("fiction", "non-fiction"))
    assert {one.level for one in novel.group("voice")} >= {"amber"}
    assert {one.level for one in facts.group("voice")} == {None}
    assert "amber" not in {one.level for one in facts.group("repetition")}
    same = book_metrics([chapter(n, said) for n in (1, 2, 3)], BookPlan(kind="non-fiction"))
    assert "red" in {one.level for one in same.group("repetition")}


def test_figures_that_are_not_compared_in_a_language_have_no_level() -> None:
    book = book_metrics([chapter(1, fresh(1, 200))] * 3, BookPlan(language="German"))
    for one in (*book.group("repetition"), *book.group("openings and endings")):
        assert (one.level, one.human) == (None, "")
        assert one not in book.flagged()
    assert {one.level for one in book.group("length")} == {"amber"}


def test_a_language_without_a_word_list_gets_the_figures_that_need_none() -> None:
    book = book_metrics([chapter(1, fresh(1, 200))], BookPlan(language="German"))
    assert book.group("ai sound") == []
    assert not {one.name for one in book.metrics} & set(SURFACE)
    assert book.group("voice")


def test_chapters_off_their_length_are_named() -> None:
    plan = BookPlan(chapter_words=dict.fromkeys(range(1, 9), 400))
    book = book_metrics([chapter(1, fresh(1, 400)), chapter(2, fresh(2, 60))], plan)
    (only,) = metrics(book)["length score"].places
    assert only.file == "chapters/02.md"
    assert only.quote == "60 words, 400 requested"


def test_chapters_without_prose_are_left_out() -> None:
    book = book_metrics([chapter(1), chapter(2, fresh(1, 50))], BookPlan())
    assert book.chapters == 1
    with pytest.raises(ValueError, match="no prose"):
        book_metrics([chapter(1)], BookPlan())


def test_flagged_figures_come_red_ones_first() -> None:
    said = fresh(1, 200)
    levels = [one.level for one in book_metrics([chapter(1, said), chapter(2, said)], BookPlan())
              .flagged()]  # fmt: skip
    assert levels == sorted(levels, key=lambda level: level != "red")
    assert "red" in levels
    assert "amber" in levels


def test_a_stock_phrase_is_told_once_not_shifted_by_a_word() -> None:
    habit = "counted the hooks behind that narrow door"
    book = book_metrics([chapter(n, fresh(n, 60), f"He {habit}.") for n in range(1, 5)], BookPlan())
    (only,) = metrics(book)["stock phrases"].places
    assert "4 times in 4 chapters" in only.quote
    assert (only.file, only.line) == ("chapters/01.md", 5)
