"""Claims in prose that no note supports."""

import pytest

from libriscribe2.checks.prose_claims import KnownFacts, unsupported_claims
from libriscribe2.models.notes import Note

NOTE = Note(
    id="n-000000000001",
    claim="Smeaton's tower at Eddystone was lit in 1759 and cost 16,000 pounds.",
    quote="lit in 1759",
    source="s-1",
    verified=True,
)
KNOWN = KnownFacts.of([NOTE], ["Mara Voss", "The Long Light"])


def claims(text: str, *, names: bool = True) -> list[tuple[str, ...]]:
    return [one.claims for one in unsupported_claims(text, KNOWN, names=names)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It was lit in 1759.", []),
        ("It cost 16000 pounds, or 16,000.", []),
        ("It was lit in 1760.", [("1760",)]),
        ("It rose by 3.5 metres.", [("3.5",)]),
        ("There are three steps, 3 at most, 12 in all.", []),
        ("Some 40% agree.", [("40",)]),
        ("The tower of Smeaton stands.", []),
        ("The tower of Fresnel stands.", [("Fresnel",)]),
        ("Fresnel stands.", []),
        ("Augustin Fresnel made it in March.", [("Fresnel",)]),
        ("Mara Voss likes The Long Light.", []),
        ("She said: “Nobody came.” It was 1999.", [("1999",)]),
        ("# Chapter 1999\n\nNothing here.", []),
        ("It was lit in 1759 [@n-000000000001].", []),
    ],
)
def test_XC_07_numbers_and_names_need_a_note(text: str, found: list[tuple[str, ...]]) -> None:
    assert claims(text) == found


def test_XC_07_where_capitals_tell_no_name_only_numbers_count() -> None:
    assert claims("Das Salz der Küste kostete 1420 viel.", names=False) == [("1420",)]


def test_XC_07_the_sentence_is_told_without_its_marks() -> None:
    (found,) = unsupported_claims("First. It was\n1760 [@n-000000000001].", KNOWN, names=True)
    assert found.sentence == "It was 1760."
