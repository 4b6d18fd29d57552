"""Runs of text as Markdown: the same words, the same emphasis, and nothing that means more."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from libriscribe2.documents.blocks import LINE_BREAK, Run, heading_of, markdown_of

TEXT = st.text(st.sampled_from("ab 1*_#>-+.=~`\\<[]()&;\u201c\u201d!\u2014"), max_size=12)
RUNS = st.lists(st.builds(Run, TEXT, em=st.booleans(), strong=st.booleans()), max_size=5)


def shown(markdown: str) -> str:
    """What a reader of the Markdown sees."""
    tokens = MarkdownIt("commonmark").parse(markdown)
    assert [one.type for one in tokens] in (
        [],
        ["paragraph_open", "inline", "paragraph_close"],
    ), (markdown, tokens)
    parts = (tokens[1].children or []) if tokens else []
    return "".join(" " if one.type == "hardbreak" else one.content for one in parts)


@given(st.lists(TEXT, max_size=4))
@example(["-"])
@example(["+"])
def test_text_without_emphasis_is_shown_character_by_character(texts: list[str]) -> None:
    markdown = markdown_of([Run(text) for text in texts])
    assert shown(markdown) == " ".join("".join(texts).split())


@given(RUNS)
def test_emphasis_loses_no_letter(runs: list[Run]) -> None:
    def letters(text: str) -> str:
        return "".join(one for one in text if one.isalnum())

    assert letters(markdown_of(runs)) == letters("".join(run.text for run in runs))


@pytest.mark.parametrize(
    ("runs", "markdown"),
    [
        ([Run("a "), Run("big ", em=True), Run("dog")], "a *big* dog"),
        ([Run("un"), Run("believ", em=True), Run("able")], "un*believ*able"),
        ([Run("all", em=True, strong=True)], "***all***"),
        ([Run("one ", em=True), Run("two", em=True)], "*one two*"),
        ([Run("\u201cGo!\u201d", em=True), Run("she")], "*\u201cGo*!\u201dshe"),
        ([Run("so"), Run("   ", em=True), Run("far")], "so far"),
        ([Run("first"), Run(LINE_BREAK), Run("second")], "first\\\nsecond"),
        ([Run("1. No list")], "1\\. No list"),
        ([Run("- No list")], "\\- No list"),
        ([Run("# No heading")], "\\# No heading"),
        ([Run("snake_case and _so_")], "snake_case and \\_so\\_"),
        ([Run("see "), Run("[^1]", is_markdown=True)], "see [^1]"),
    ],
)
def test_marks_stand_at_the_words(runs: list[Run], markdown: str) -> None:
    assert markdown_of(runs) == markdown


def test_the_lines_of_a_heading_become_one() -> None:
    lines = [Run("Chapter 1"), Run(LINE_BREAK), Run("The "), Run("Boat", em=True)]
    assert heading_of(lines) == "Chapter 1: The Boat"
    assert heading_of([Run("Why?"), Run(LINE_BREAK), Run("Because.")]) == "Why? Because."
