"""Names that drift."""

import pytest
from tests.unit.checks.prose import chapter, fresh

from libriscribe2.checks.text import ChapterText
from libriscribe2.checks.text_names import confusable_names, name_drift


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
    pages = book("In the yard Tobiah waited.")
    assert name_drift(pages, ["Marguerite", "Tobias", "Tobiah"]) == []
    assert [one.spelling for one in name_drift(pages, ["Marguerite", "Tobias"])] == ["Tobiah"]
    assert name_drift(pages, ["Tobias"], others=["Tobiah Rocks"]) == []


def test_a_frequent_name_needs_no_list() -> None:
    assert [one.name for one in name_drift(book("There sat Margerite."), [])] == ["Marguerite"]


def test_names_of_people_that_are_easily_confused() -> None:
    people = ["Jon Ash", "John Oak", "Mira Bell", "Mila Stone", "Tobias"]
    assert confusable_names(people) == [("Jon Ash", "John Oak"), ("Mira Bell", "Mila Stone")]
