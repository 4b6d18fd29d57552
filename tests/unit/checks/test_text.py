"""Words, sentences and paragraphs with their lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.checks.text import ChapterText, is_ideographic, sentences, words


def text(markdown: str) -> ChapterText:
    return ChapterText(1, "chapters/01.md", markdown)


def test_paragraphs_know_their_lines_and_leave_out_what_is_no_prose() -> None:
    one = text("# One\n\nFirst line\nand second.\n\n* * *\n\n\n\nAfter the break.\n")
    assert [(p.line, p.text) for p in one.paragraphs] == [
        (3, "First line and second."),
        (10, "After the break."),
    ]


def test_a_comment_written_as_the_target_of_a_link_is_no_prose() -> None:
    one = text("# One\n\n[//]: # (Version: 1.0.0)\n\n[home]: https://example.org\n\nAfter it.\n")
    assert [p.text for p in one.paragraphs] == ["After it."]


@pytest.mark.parametrize(
    "markdown",
    [
        "Before.\n\n```python\nfor one in two:\n\n    print(one)\n```\n\nAfter it.\n",
        "Before.\n\n   ```bash\n   ls\n   ```\n\nAfter it.\n",
        "Before.\n\n```\nls\n```bash\n\nstill code\n```\n\nAfter it.\n",
        "Before.\n\n~~~\n``` is no end\n~~~\n\nAfter it.\n",
        "Before.\n\n<br/><br/>\n\n<div class='end'>\n\nAfter it.\n\n</div>\n",
        "Before.\n\n![the lamp](pictures/lamp.png)\n\nAfter it.\n",
    ],
)
def test_code_pictures_and_tags_are_no_prose(markdown: str) -> None:
    one = text(markdown)
    assert [p.text for p in one.paragraphs] == ["Before.", "After it."]
    lines = markdown.split("\n")
    assert [lines[p.line - 1] for p in one.paragraphs] == ["Before.", "After it."]


def test_where_a_link_leads_is_not_read() -> None:
    one = text("See [the lamp](https://a.example/wiki/Lamp_(light)) and <https://b.example/x>.\n")
    assert one.words == ("see", "the", "lamp", "and")
    assert text("Was a < b, and b > c? (He said [so] (twice).)\n").words == (
        *("was", "a", "b", "and", "b", "c", "he", "said", "so", "twice"),
    )


@pytest.mark.parametrize("sign", ["![", "](", "<a", "](a(", "![a](", "```\n~~~\n", "https://"])
def test_marks_without_end_are_read_in_time(sign: str) -> None:
    assert text(sign * 100_000).paragraphs is not None


def test_blank_lines_with_spaces_divide_paragraphs_as_well() -> None:
    one = text("Alpha.\n   \nBeta.\n")
    assert [(p.line, p.text) for p in one.paragraphs] == [(1, "Alpha."), (3, "Beta.")]


@given(st.lists(st.sampled_from(["Alpha beta.", "# Head", "", "   ", "***", "Gamma\ndelta."])))
def test_a_paragraph_stands_in_the_line_that_it_names(blocks: list[str]) -> None:
    markdown = "\n\n".join(blocks)
    lines = markdown.split("\n")
    for paragraph in text(markdown).paragraphs:
        first = paragraph.text.split(" ", 1)[0]
        assert lines[paragraph.line - 1].lstrip().startswith(first)


def test_words_are_folded_and_keep_inner_apostrophes() -> None:
    assert words("Don\u2019t STOP, na\u00efve 42!") == ["don't", "stop", "na\u00efve", "42"]


def test_ideographs_are_words_of_their_own() -> None:
    assert words("\u706f\u5854 keeper") == ["\u706f", "\u5854", "keeper"]
    assert is_ideographic(tuple(words("\u706f\u5854\u5b88 a")))
    assert not is_ideographic(tuple(words("a lamp \u706f")))


@pytest.mark.parametrize(
    ("paragraph", "count"),
    [
        ("He left. She stayed.", 2),
        ("Dr. Moss met Mr. Finch. They spoke.", 2),
        ('"Go!" she said. "Now!" He went.', 3),
        ("It cost 3.5 pounds and no more.", 1),
        ("\u4ed6\u8d70\u4e86\u3002\u5979\u7559\u4e0b\u3002", 2),
        ("...", 0),
    ],
)
def test_sentences_end_where_they_end(paragraph: str, count: int) -> None:
    assert len(sentences(paragraph)) == count


@pytest.mark.parametrize("short", ["Mr", "Capt", "(capt", "Prof", "No", "J", "vs", "Hon"])
def test_an_abbreviation_ends_no_sentence_wherever_it_stands(short: str) -> None:
    assert len(sentences(f"{short}. Vane came. Then {short}. Vane left.")) == 2


@pytest.mark.parametrize("word", ["list", "escapt", "uno", "the northwest"])
def test_a_word_that_only_ends_like_an_abbreviation_ends_a_sentence(word: str) -> None:
    assert len(sentences(f"It was {word}. Then they left.")) == 2


@given(st.text(alphabet='ab .!?"\u3002A', max_size=60))
def test_sentences_hold_every_word_once(paragraph: str) -> None:
    assert words(" ".join(sentences(paragraph))) == words(paragraph)


def test_the_place_of_a_word_is_its_paragraph() -> None:
    one = text("Alpha beta.\n\nGamma delta.\n")
    assert [one.place_of(n).line for n in range(4)] == [1, 1, 3, 3]
