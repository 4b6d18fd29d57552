"""Where chapters begin, in manuscripts of every habit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.documents.blocks import Block
from libriscribe2.documents.chapter_division import (
    counted_lines,
    divide,
    is_bare,
    names_chapter,
    without_number,
)
from libriscribe2.documents.text_reader import text_blocks

LONG = "word " * 120


def titles(*blocks: Block) -> list[str]:
    return [one.title for one in divide(blocks).chapters]


def of_text(text: str) -> list[str]:
    return titles(*text_blocks(text))


def test_chapters_begin_at_the_highest_level_of_which_there_are_several() -> None:
    top = [Block("One", 1), Block("a"), Block("Two", 1), Block("Inside", 2), Block("b")]
    found = divide(top)
    assert [one.title for one in found.chapters] == ["One", "Two"]
    assert found.chapters[1].text == "# Two\n\n## Inside\n\nb\n"
    assert found.how == "level 1 headings"


def test_a_single_top_heading_is_the_title_of_the_book() -> None:
    found = divide([Block("My Book", 1), Block("A", 2), Block("a"), Block("B", 2), Block("b")])
    assert found.title == "My Book"
    assert [one.text for one in found.chapters] == ["# A\n\na\n", "# B\n\nb\n"]
    assert found.left_out == ()
    alone = divide([Block("The Boat", 1), Block("a")])
    assert [one.title for one in alone.chapters] == ["The Boat"]


def test_parts_stand_over_their_first_chapter() -> None:
    found = divide([
        *(Block("Part One", 1), Block("Chapter 1", 2), Block("a"), Block("Chapter 2", 2)),
        *(Block("b"), Block("Part Two", 1), Block("Chapter 3", 2), Block("c")),
    ])  # fmt: skip
    assert [one.title for one in found.chapters] == ["Chapter 1", "Chapter 2", "Chapter 3"]
    assert found.chapters[0].text == "# Chapter 1\n\n**Part One**\n\na\n"
    assert found.chapters[2].text == "# Chapter 3\n\n**Part Two**\n\nc\n"


def test_a_subtitle_right_after_a_number_joins_it() -> None:
    blocks = [Block("Chapter 1", 1), Block("The Boat", 2), Block("a"), Block("2", 1), Block("b")]
    assert titles(*blocks) == ["Chapter 1: The Boat", "2"]


def test_a_title_page_is_left_out_and_told_but_a_long_beginning_is_a_chapter() -> None:
    short = divide([Block("For Ada"), Block("One", 1), Block("a"), Block("Two", 1), Block("b")])
    assert short.left_out == ("2 words before the first chapter: 'For Ada'",)
    long = [Block(LONG), Block("One", 1), Block("a"), Block("Two", 1), Block("b")]
    assert titles(*long) == ["1", "One", "Two"]


def test_a_heading_over_nothing_is_told() -> None:
    found = divide([Block("One", 1), Block("a"), Block("Empty", 1), Block("Two", 1), Block("b")])
    assert [one.title for one in found.chapters] == ["One", "Two"]
    assert found.left_out == ("heading without text: 'Empty'",)


def test_without_any_heading_it_is_one_chapter_and_said() -> None:
    found = divide([Block("a"), Block("b")])
    assert [one.text for one in found.chapters] == ["# 1\n\na\n\nb\n"]
    assert found.how == "no heading: one chapter"
    assert divide([]).chapters == ()


def test_scene_breaks_are_one_kind_and_never_at_an_edge() -> None:
    breaks = [Block("***"), Block("a"), Block("#"), Block("\u2042"), Block("b"), Block("---")]
    assert divide(breaks).chapters[0].text == "# 1\n\na\n\n* * *\n\nb\n"


def test_a_note_stands_in_the_chapter_that_refers_to_it() -> None:
    found = divide([
        *(Block("A", 1), Block("See[^7]."), Block("B", 1), Block("c[^9]")),
        *(Block("Seven.", note="7"), Block("More.", note="7"), Block("Nine.", note="9")),
    ])  # fmt: skip
    assert found.chapters[0].text.endswith("See[^7].\n\n[^7]: Seven.\n\n    More.\n")
    assert found.chapters[1].text.endswith("c[^9]\n\n[^9]: Nine.\n")


def test_a_table_of_contents_outranks_headings() -> None:
    blocks = [Block("x", start="First"), Block("SECOND", start="Second"), Block("y", 3), Block("z")]
    assert titles(*blocks) == ["First", "Second"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("CHAPTER I.\nLoomings\n\na\n\nCHAPTER II.\n\nb", ["CHAPTER I: Loomings", "CHAPTER II."]),
        ("Kapitel 1 \u2013 Der Sturm\n\na\n\nKapitel 2\n\nb", ["Kapitel 1 \u2013 Der Sturm", "Kapitel 2"]),
        ("Prologue\n\na\n\nChapter One\n\nb\n\nEpilogue\n\nc", ["Prologue", "Chapter One", "Epilogue"]),
        ("1\n\na\n\n2\n\nb\n\n3\n\nc", ["1", "2", "3"]),
        ("I. The Boat\n\na\n\nII. The Rope\n\nb", ["I. The Boat", "II. The Rope"]),
        ("**Chapter 1**\n\na\n\n*Chapter 2*\n\nb", ["Chapter 1", "Chapter 2"]),
        ("\u7b2c\u4e00\u7ae0 \u8239\n\na\n\n\u7b2c\u4e8c\u7ae0\n\nb", ["\u7b2c\u4e00\u7ae0 \u8239", "\u7b2c\u4e8c\u7ae0"]),
        ("Chapter two was the worst of all.\n\nb", ["1"]),
        ("7\n\nwas her number.", ["1"]),
    ],
)  # fmt: skip
def test_a_line_alone_may_read_like_a_heading(text: str, found: list[str]) -> None:
    assert of_text(text) == found


def test_numbers_and_titles() -> None:
    assert [without_number(one) for one in ("Chapter 7: The Boat", "Kapitel 7", "The Boat")] == [
        "The Boat", "Kapitel 7", "The Boat",
    ]  # fmt: skip
    assert [is_bare(one) for one in ("Chapter 7", "VII.", "7", "The Boat", "7 Boats")] == [
        True, True, True, False, False,
    ]  # fmt: skip
    assert names_chapter("CAPÍTULO 3")
    assert not names_chapter("Chapterhouse")
    assert counted_lines(["1", "x", "3", "2. Two", "IV", "III"]) == [0, 3, 5]


WORDS = st.lists(st.sampled_from(["ab", "cd", "ef"]), min_size=1, max_size=6).map(" ".join)
BLOCKS = st.lists(st.builds(Block, WORDS, st.integers(0, 3)), max_size=20)


@given(BLOCKS)
def test_no_word_of_prose_is_lost_without_being_told(blocks: list[Block]) -> None:
    found = divide(blocks)
    lines = [line for one in found.chapters for line in one.text.splitlines() if line]
    kept = [line for line in lines if not line.startswith(("#", "**"))]
    prose = [one.text for one in blocks if not one.level]
    lost = len(prose) - len(kept)
    assert kept == prose[lost:]
    assert bool(lost) <= any("before the first chapter" in one for one in found.left_out)
