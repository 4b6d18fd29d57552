"""Numbers and marks of prose beside the notes, as far as code can tell."""

import pytest

from libriscribe2.checks.cited_sentences import cited_faults, sentences_with_marks
from libriscribe2.checks.text import ChapterText
from libriscribe2.models.notes import Note

FACTS = {
    identifier: Note(id=identifier, claim=claim, quote=quote, source="s-1", verified=True)
    for identifier, claim, quote in (
        ("n-00000000000a", "A 48-bit pattern delimits blocks.", "delimited by a 48-bit pattern"),
        ("n-00000000000b", "Blocks have up to 900,000 bytes.", "100,000 bytes through 900,000"),
        ("n-00000000000c", "It was released in 2008.", "released in December 2008"),
    )
}
A, B, C = (f"[@{one}]" for one in FACTS)


def found(text: str) -> list[tuple[str, tuple[str, ...]]]:
    chapter = ChapterText(1, "", f"# Title\n\n{text}\n")
    return [(one.kind, one.what) for one in cited_faults(chapter, FACTS)]


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (f"A pattern of 48 bits marks each block {A}.", []),
        (f"A pattern of 64 bits marks each block {A}.", [("cited", ("64",))]),
        (f"Each has 900,000 bytes. {B} Next come 77.", [("uncited", ("77",))]),
        (f"It takes 900000 bytes {B}, and it has been so since 2008.", [("cited", ("2008",))]),
        (f"It takes 900000 bytes {B}, and it has been so since 2008 {C}.", []),
        ("It was released in 2008.", [("uncited", ("2008",))]),
        (f"It was released in 2008 {C}.\n\nSo in 2008 it was new.", []),
        ("So in 2008 it was new. It came in three sizes, 1 to 9.", [("uncited", ("2008",))]),
        ("It is so [@n-0000000000ff].", [("unknown", ("[@n-0000000000ff]",))]),
        (f"At 1:30 in the morning a pattern of 48 bits marks it {A}.", []),
        (f"| Bits | 48 {A} |\n| --- | --- |\n| Year | 48 {C} |", [("cited", ("48",))]),
        (f"- It has 48 bits {A}.\n- It came in 2008 {C}.\n  So it was.", []),
        (f"1. It has 48 bits {A}.\n2. It came with 48 bits {C}.", [("cited", ("48",))]),
        (f"| Bits | 48 |\n| Year | 2008 {C} and {A} |", []),
        ("Type `xz -T16` and:\n\n```\nxz --block-size=500\n\nxz 77\n```\n\nThen wait.", []),
    ],
)
def test_a_number_needs_a_note_that_has_it(
    text: str, faults: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert found(text) == faults


def test_what_is_said_names_the_note_that_has_the_number_and_is_about_the_same() -> None:
    chapter = ChapterText(1, "", f"# T\n\nThe release came in 2008 {A}.\n")
    (fault,) = cited_faults(chapter, FACTS)
    assert fault.why == "the notes that it cites do not have 2008"
    assert C in fault.fix
    assert fault.sentence == f"The release came in 2008 {A}."


def test_names_and_numbers_of_a_source_and_first_words_of_cells_need_no_note() -> None:
    text = f"PEP 495 says that a pattern of 48 bits marks each block {A}.\n\n| Ask | {C} |"
    chapter = ChapterText(1, "", f"# T\n\n{text}\n")
    sources = ["PEP 495 \u2013 Local Time Disambiguation"]
    assert list(cited_faults(chapter, FACTS, names=sources)) == []
    assert [one.what for one in cited_faults(chapter, FACTS, names=[])] == [("495",)]


def test_marks_behind_the_end_of_a_sentence_belong_to_it() -> None:
    text = f"One is so. {A} Two is so {B}. Three is."
    assert sentences_with_marks(text) == [f"One is so. {A}", f"Two is so {B}.", "Three is."]


def test_a_name_needs_a_note_that_has_it_or_the_book_itself() -> None:
    text = (
        f"# T\n\nThe pattern of Ann Orr has 48 bits {A}. Bzip Manual says so {A}. "
        f"Orr is said of {A}. And 48 KiB {A}.\n\nWithout a mark Carl Ides is nobody.\n"
    )
    chapter = ChapterText(1, "", text)
    faults = list(cited_faults(chapter, FACTS, names=["Bzip Manual"]))
    assert [(one.kind, one.what) for one in faults] == [("named", ("Ann Orr",))]
    assert list(cited_faults(chapter, FACTS)) == []


CLOCKS = {
    identifier: Note(id=identifier, claim=claim, quote=quote, source=source, verified=True)
    for identifier, claim, quote, source in (
        ("n-00000000000a", "The first 1:30 is 1414906200.", "timestamp() 1414906200.0", "s-1"),
        ("n-00000000000b", "The second is 1414909800.", "timestamp() 1414909800.0", "s-1"),
        ("n-00000000000c", "It ends a state.", "the [UNTIL] column specifies the first", "s-2"),
        ("n-00000000000d", "A law of 2026.", "legally took place on 2026-03-09", "s-2"),
    )
}
CALLED = {"s-1": "PEP 495, Ada Miller", "s-2": "News of zones"}


def told(text: str) -> list[tuple[str, tuple[str, ...]]]:
    chapter = ChapterText(1, "", f"# Title\n\n{text}\n")
    return [(one.kind, one.what) for one in cited_faults(chapter, CLOCKS, (), [], CALLED)]


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (f"One is so {A}, two is so {B}. Subtract, and 3,600 remains.", []),
        (f"One is so {A}. A day has 86,400 seconds, and ten minutes have 600.", []),
        (f"So it is {A}. Then 19,800 seconds are left over: 5:30 of the day.", []),
        ("Add 700 seconds, not ten minutes.", [("uncited", ("700",))]),
        ("It had 40 rooms and 25 beds, 65 in all.", [("uncited", ("40", "25", "65"))]),
        (f"One is so {A}, two is so {B}, 3,601 apart {B}.", [("cited", ("3,601",))]),
        (
            f"In 2026 it ended. Here is how.\n\nIt was this.\n\n| Law | 9 March 2026 [@{'n-00000000000d'}] |",
            [],
        ),
        (
            f"In 2025 it ended.\n\n| Law | 9 March 2026 [@{'n-00000000000d'}] |",
            [("uncited", ("2025",))],
        ),
    ],
)
def test_a_number_that_follows_from_cited_ones_needs_no_note(
    text: str, faults: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert told(text) == faults


def test_a_source_is_named_only_beside_its_own_notes() -> None:
    assert told(f"PEP 495 by Ada Miller says so {A}.") == []
    assert told("PEP 495 has more.") == []
    assert told(f"It is PEP 495 that ends it {C}.") == [("cited", ("495",)), ("named", ("PEP",))]


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        (f'The "[UNTIL] column specifies the first" {C}.', False),
        (f"The “[UNTIL] column … specifies the first” says {C}.", False),
        (f'The "(UNTIL) column specifies the first" {C}.', True),
        (f'The "[UNTIL] column specifies the last" {C}.', True),
        (f'The "[UNTIL] column [of ends] specifies the first" {C}.', False),
        (f'The "last column" of it {C}.', False),
        ('The "(UNTIL) column specifies the last" of all.', False),
    ],
)
def test_words_in_quotation_marks_are_those_of_the_note(text: str, is_found: bool) -> None:
    assert [kind for kind, _ in told(text)] == ["quoted"] * is_found
