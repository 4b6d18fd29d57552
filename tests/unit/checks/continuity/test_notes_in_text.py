"""Notes in the text that let a rule be broken."""

import pytest

from libriscribe2.checks.continuity.story_report import TextNotes

TEXT = """# One

First paragraph,
of two lines.

Second. {note}

Third.
"""
HEAD = "<!-- libriscribe2: allow R1 -->"


def lines(text: str, rule: str) -> list[int]:
    """The lines on which a rule may be broken."""
    return [n for n in range(1, text.count("\n") + 2) if TextNotes(text).lets(rule, n)]


@pytest.mark.parametrize(
    ("note", "rule", "there"),
    [
        ("<!-- libriscribe2: allow R1 -->", "R1", [6]),
        ("<!--libriscribe2:allow r1, R4-->", "R4", [6]),
        ("<!-- libriscribe2: allow all -->", "R9", [6]),
        ("<!-- libriscribe2: allow R1 -->", "R11", []),
        ("<!-- allow R1 -->", "R1", []),
        ("<!-- libriscribe2: forbid R1 -->", "R1", []),
    ],
)
def test_a_note_holds_in_its_paragraph(note: str, rule: str, there: list[int]) -> None:
    assert lines(TEXT.format(note=note), rule) == there


def test_a_note_at_the_head_holds_in_the_chapter() -> None:
    text = TEXT.format(note="")
    for head in (f"{HEAD}\n\n{text}", text.replace("# One\n", f"# One\n\n{HEAD}\n")):
        assert lines(head, "R1") == list(range(1, head.count("\n") + 2))


def test_a_note_of_its_own_holds_in_the_paragraph_below() -> None:
    text = TEXT.format(note="").replace("Third.", f"{HEAD}\n\nThird,\nof two.\n\nFourth.")
    assert lines(text, "R1") == [10, 11]


def test_a_note_above_a_paragraph_of_the_same_block_holds_there_only() -> None:
    text = TEXT.format(note="").replace("First", f"{HEAD}\nFirst")
    assert lines(text, "R1") == [3, 4, 5]


def test_no_text_takes_long() -> None:
    assert lines(f"{'-' * 50_000}a\n\n{HEAD}\n\nText.", "R1") == [5]
