"""Names that drift."""

import pytest
from tests.unit.checks.prose import chapter, fresh

from libriscribe2.checks.text import ChapterText
from libriscribe2.checks.text_names import confusable_names, name_drift

pytest.importorskip("wordfreq")


def book(*last: str) -> list[ChapterText]:
    """Three chapters in which Marguerite and Tobias stand often, and a last paragraph."""
    usual = "The door opened for Marguerite, and with Tobias came the cold. "
    return [chapter(n, usual * 4, fresh(n, 30)) for n in (1, 2)] + [chapter(3, usual * 4, *last)]


@pytest.mark.parametrize(
    ("spelling", "name"),
    [("Margerite", "Marguerite"), ("Marguerrite", "Marguerite"), ("Tobais", "Tobias"),
     ("Tobius", "Tobias"), ("Margueritte", "Marguerite")],
)  # fmt: skip
def test_a_spelling_that_slips_once_is_found_with_its_place(spelling: str, name: str) -> None:
    (drift,) = name_drift(book(f"In the yard {spelling} waited."), ["Marguerite Bell", "Tobias"])
    assert (drift.spelling, drift.name, drift.uses) == (spelling, name, 1)
    assert (drift.chapter, drift.paragraph.line) == (2, 5)


@pytest.mark.parametrize(
    "fine",
    [
        "In the yard Marguerite's hat lay.",
        "They were the last of the Tobiases.",
        "Later the Baker came, and then the Butcher.",
        "Tobacco was sold there.",
        "He met Robert and Rosalind of the mill.",
    ],
)
def test_what_is_no_slip_is_let_alone(fine: str) -> None:
    assert name_drift(book(fine), ["Marguerite", "Tobias"]) == []


def test_a_name_of_the_canon_is_right_however_seldom() -> None:
    pages = book("In the yard Tobais waited.")
    assert name_drift(pages, ["Marguerite", "Tobias", "Tobais"]) == []
    assert [one.spelling for one in name_drift(pages, ["Marguerite", "Tobias"])] == ["Tobais"]
    assert name_drift(pages, ["Tobias"], others=["Tobais Rocks"]) == []


@pytest.mark.parametrize("word", ["Margarita", "Tobiah", "Marguerites", "Zobias", "Tobiaz"])
def test_another_name_an_inflection_and_a_dialect_are_no_slips(word: str) -> None:
    assert name_drift(book(f"In the yard {word} waited."), ["Marguerite", "Tobias"]) == []


@pytest.mark.parametrize(
    ("told", "alarms"),
    [
        ("Later Emily Margerite and her aunt arrived.", 0),
        ("Later Margerite Bellamy of the mill arrived.", 0),
        ("Then Margerite came.", 1),
        ("And with Margerite Bell came the cold.", 1),
    ],
)
def test_a_spelling_in_the_name_of_somebody_else_is_no_slip(told: str, alarms: int) -> None:
    company = "And then Emily came, and soon Bellamy, and after that it was quiet, and then cold."
    assert len(name_drift(book(company, told), ["Marguerite Bell", "Tobias"])) == alarms


GERMAN = "Die Butter lag neben der Mutter, und an den Wänden hingen ihre Hände als Bilder. "


def test_where_nouns_have_capitals_only_the_cast_is_compared() -> None:
    pages = [chapter(1, GERMAN * 12, "Die Muttre kam, und Fredegune ging.")]
    assert name_drift(pages, [], language="German") == []
    (drift,) = name_drift(pages, ["Fredegunde"], language="German")
    assert (drift.spelling, drift.name) == ("Fredegune", "Fredegunde")


def test_in_a_language_whose_words_are_not_known_nothing_is_found() -> None:
    pages = book("In the yard Tobais waited.")
    assert name_drift(pages, ["Tobias"], language="Welsh") == []
    assert name_drift(pages, ["Tobias"], language="Japanese") == []


def test_a_frequent_name_needs_no_list() -> None:
    assert [one.name for one in name_drift(book("There sat Margerite."), [])] == ["Marguerite"]


def test_names_of_people_that_are_easily_confused() -> None:
    people = ["Jon Ash", "John Oak", "Mira Bell", "Mila Stone", "Tobias"]
    assert confusable_names(people) == [("Jon Ash", "John Oak"), ("Mira Bell", "Mila Stone")]
