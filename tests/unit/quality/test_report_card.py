"""The card of a whole book: what is planted is found where it stands."""

import pytest
from tests.unit.quality.prose import chapter, fresh

from libriscribe2.quality.bands import BANDS
from libriscribe2.quality.card.figure import Figure
from libriscribe2.quality.card.planned import BookPlan
from libriscribe2.quality.card.report_card import ReportCard, report_card
from libriscribe2.quality.style.distance import distance_figure
from libriscribe2.quality.style.numbers import style_numbers
from libriscribe2.quality.text_figures import SURFACE

LAST = "She put out the lamp and listened to the water until the harbour fell asleep again."
ENDING = f"The keys lay cold beside seven unopened letters from the mainland office. {LAST}"


def figures(card: ReportCard) -> dict[str, Figure]:
    return {figure.name: figure for figure in card.figures}


def test_repeated_endings_are_flagged_at_both_places() -> None:
    chapters = [
        chapter(n, fresh(n, 120), ENDING if n in (2, 5) else fresh(50 + n, 28)) for n in range(1, 7)
    ]
    figure = figures(report_card(chapters, BookPlan()))["like endings"]
    assert figure.level != "ok"
    assert [(one.file, one.line) for one in figure.places] == [
        ("chapters/02.md", 5),
        ("chapters/05.md", 5),
    ]
    assert all(one.quote == LAST for one in figure.places)


def test_in_a_long_book_one_repeated_ending_is_flagged_at_both_places() -> None:
    chapters = [
        chapter(n, fresh(n, 120), ENDING if n in (2, 27) else fresh(50 + n, 28))
        for n in range(1, 31)
    ]
    figure = figures(report_card(chapters, BookPlan()))["most alike endings"]
    assert figure.level != "ok"
    assert [one.file for one in figure.places] == ["chapters/02.md", "chapters/27.md"]


def test_one_looping_page_of_a_long_book_is_flagged_where_it_stands() -> None:
    loop = "The bell rang once more over the water. " * 130
    chapters = [chapter(n, loop if n == 9 else fresh(n, 1_000)) for n in range(1, 16)]
    found = figures(report_card(chapters, BookPlan()))
    assert found["repeated phrases"].level == "ok"
    page = found["most repetitive page"]
    assert (page.level, page.places[0].file) == ("red", "chapters/09.md")


def test_a_book_without_faults_is_inside_every_range_of_repetition() -> None:
    card = report_card([chapter(n, fresh(n, 400)) for n in range(1, 5)], BookPlan())
    assert {one.level for one in (*card.group("repetition"), *card.group("edges"))} == {"ok"}


def test_every_figure_has_a_range_and_every_group_its_figures() -> None:
    plan = BookPlan(people=["Elara"], beats={1: ["a storm"]}, chapter_words=100)
    chapters = [chapter(n, fresh(n, 120)) for n in range(1, 10)]
    facts = Figure("contradictions", "continuity", 0, "errors")
    voice = distance_figure(chapters, style_numbers(chapters[:1]))
    card = report_card(chapters, plan, [facts, voice])
    assert {one.name for one in card.figures} == set(BANDS)
    record = card.as_record()
    assert record["chapters"] == 9
    assert {one["level"] for one in record["figures"]} <= {"ok", "amber", "red"}


def test_a_language_without_a_word_list_gets_the_figures_that_need_none() -> None:
    card = report_card([chapter(1, fresh(1, 200))], BookPlan(english=False))
    assert card.group("ai sound") == []
    assert not {one.name for one in card.figures} & set(SURFACE)
    assert card.group("voice")


def test_chapters_off_their_length_are_named() -> None:
    plan = BookPlan(chapter_words=400)
    card = report_card([chapter(1, fresh(1, 400)), chapter(2, fresh(2, 60))], plan)
    (only,) = figures(card)["length score"].places
    assert only.file == "chapters/02.md"
    assert only.quote == "60 words, 400 were asked for"


def test_chapters_without_prose_are_left_out() -> None:
    card = report_card([chapter(1), chapter(2, fresh(1, 50))], BookPlan())
    assert card.chapters == 1
    with pytest.raises(ValueError, match="no prose"):
        report_card([chapter(1)], BookPlan())


def test_flagged_figures_come_red_ones_first() -> None:
    said = fresh(1, 200)
    levels = [one.level for one in report_card([chapter(1, said), chapter(2, said)], BookPlan())
              .flagged()]  # fmt: skip
    assert levels == sorted(levels, key=lambda level: level != "red")
    assert "red" in levels
    assert "amber" in levels


def test_a_stock_phrase_is_told_once_not_shifted_by_a_word() -> None:
    habit = "counted the hooks behind that narrow door"
    card = report_card([chapter(n, fresh(n, 60), f"He {habit}.") for n in range(1, 5)], BookPlan())
    (only,) = figures(card)["stock phrases"].places
    assert "4 times in 4 chapters" in only.quote
    assert (only.file, only.line) == ("chapters/01.md", 5)
