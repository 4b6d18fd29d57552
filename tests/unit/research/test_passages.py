"""Chapters cut into paragraphs and sentences, and the passages that hold given words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.research.passages import paragraphs, passages, sentences, word_patterns

PROSE = st.text(alphabet="ab AB.!?\u2026\"'\u201d)*_ \u3002\uff01\u732b1-\n", max_size=60)


def found(paragraph: str, query: str) -> list[str]:
    return list(passages(paragraph, word_patterns(query)))


def test_paragraphs_are_one_line_each_without_headings_and_scene_breaks() -> None:
    chapter = (
        "# The Wreck\n\nOne line\nand the next.\n \t\n* * *\n\n## 2\nUnder a heading.\n\n#hash\n"
    )
    assert paragraphs(chapter) == ["One line and the next.", "Under a heading.", "#hash"]


def test_a_chapter_without_text_has_no_paragraphs() -> None:
    assert paragraphs("# Title\n\n* * *\n") == []


@pytest.mark.parametrize(
    ("paragraph", "cut"),
    [
        ("One. Two! Three? Four", ["One. ", "Two! ", "Three? ", "Four"]),
        ("\u201cStop!\u201d She ran.", ["\u201cStop!\u201d ", "She ran."]),
        ("He said \u201cno.\u201d \u201cYes,\u201d she said.", None),
        ("Dr. Voss met Mrs. E. Lind. He left.", ["Dr. Voss met Mrs. E. Lind. ", "He left."]),
        ("It cost 3.50 at 4 p.m. and no more.", ["It cost 3.50 at 4 p.m. and no more."]),
        ("Well... maybe. No.", ["Well... maybe. ", "No."]),
        (
            "\u5979\u8d70\u4e86\u3002\u732b\u5728\uff01",
            ["\u5979\u8d70\u4e86\u3002", "\u732b\u5728\uff01"],
        ),
        ("*Never.* Then rain.", ["*Never.* ", "Then rain."]),
        ("", [""]),
    ],
)
def test_sentences(paragraph: str, cut: list[str] | None) -> None:
    expected = cut or ["He said \u201cno.\u201d ", "\u201cYes,\u201d she said."]
    assert sentences(paragraph) == expected


@given(PROSE)
@settings(max_examples=200)
def test_sentences_joined_are_the_paragraph(text: str) -> None:
    assert "".join(sentences(text)) == text


def test_a_run_of_marks_takes_linear_time() -> None:
    text = "." * 200_000 + "*" * 200_000
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("query", "text", "holds"),
    [
        ("KEY", "The key lay there.", True),
        ("key", "The monkey sat.", False),
        ("mara", "Mara\u2019s lamp.", True),
        ("mara's", "Mara\u2019s lamp.", True),
        ("\u732b", "\u9ed1\u732b\u5728\u8fd9\u91cc\u3002", True),
        ("\u0e41\u0e21\u0e27", "\u0e14\u0e39\u0e41\u0e21\u0e27\u0e14\u0e33", True),
        ("half-light", "In half\u2011light.", True),
        ("c++", "Grade C it was.", True),
        ("na\u00efve", "NAI\u0308VE!", True),
    ],
)
def test_words_are_found_whole_whatever_their_spelling(query: str, text: str, holds: bool) -> None:
    assert bool(found(text, query)) is holds


def test_each_sentence_with_a_word_is_a_passage() -> None:
    text = "A key. No more. The key, the key! End."
    assert found(text, "key") == ["A key.", "The key, the key!"]


def test_words_far_apart_give_the_shortest_runs_of_sentences() -> None:
    text = "Mara sat. Rain fell. Her eyes were grey. Nothing. Mara had eyes."
    assert found(text, "mara eyes") == [
        "Mara sat. Rain fell. Her eyes were grey.",
        "Mara had eyes.",
    ]


def test_a_paragraph_without_one_of_the_words_has_no_passage() -> None:
    assert found("Mara sat. Rain fell.", "mara eyes") == []


def test_a_run_keeps_the_spelling_and_spacing_of_its_script() -> None:
    text = "\u5979\u8d70\u4e86\u3002\u732b\u5728\u3002"
    assert found(text, "\u5979 \u732b") == [text]


def test_a_query_without_a_word_has_no_pattern() -> None:
    assert word_patterns("?! ... *") == []


def test_a_word_that_comes_twice_is_one_pattern() -> None:
    assert len(word_patterns("Key key KEY lamp")) == 2


@given(
    st.lists(st.sampled_from(["key", "lamp", "rain", "sea"]), min_size=1, max_size=12), st.data()
)
@settings(max_examples=100)
def test_every_passage_holds_all_words_and_no_part_of_it_does(
    words: list[str], data: st.DataObject
) -> None:
    query = data.draw(st.lists(st.sampled_from(words), min_size=1, max_size=3, unique=True))
    text = " ".join(f"The {word}." for word in words)
    hits = found(text, " ".join(query))
    assert hits
    for hit in hits:
        inner = sentences(hit)
        assert all(word in hit for word in query)
        assert not all(word in "".join(inner[1:]) for word in query)
        assert not all(word in "".join(inner[:-1]) for word in query)
