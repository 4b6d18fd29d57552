"""Claims in prose that no note supports."""

import pytest

from libriscribe2.checks.cited_sentences import folded_words, unknown_names
from libriscribe2.models.notes import Note

NOTE = Note(
    id="n-000000000001",
    claim="Smeaton's tower at Eddystone was lit in 1759 and cost 16,000 pounds.",
    quote="lit in 1759",
    source="s-1",
    verified=True,
)
KNOWN = folded_words(f"{NOTE.claim} {NOTE.quote} Mara Voss The Long Light")


def claims(text: str) -> list[tuple[str, ...]]:
    return [names for _, names in unknown_names(text, KNOWN)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The tower of Smeaton stands.", []),
        ("The tower of Fresnel stands.", [("Fresnel",)]),
        ("Fresnel stands.", []),
        ("Augustin Fresnel made it in March.", [("Fresnel",)]),
        ("Mara Voss likes The Long Light.", []),
        ("She said: “Nobody came.” It was 1999.", []),
        ("# Chapter 1999\n\nNothing here.", []),
        ("It was lit in 1759 [@n-000000000001].", []),
    ],
)
def test_XC_07_names_need_a_note(text: str, found: list[tuple[str, ...]]) -> None:
    assert claims(text) == found


def test_XC_07_the_sentence_is_told_without_its_marks() -> None:
    ((sentence, _),) = unknown_names("First. It was\nJon Ide [@n-000000000001].", KNOWN)
    assert sentence == "It was Jon Ide."
