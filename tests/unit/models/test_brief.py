"""The brief and what follows from it where the author says nothing."""

import pytest
from pydantic import ValidationError

from libriscribe2.models.brief import MOST_PREMISE, Brief, CountRange


def test_a_premise_is_enough() -> None:
    brief = Brief(premise=" A keeper ")
    assert (brief.premise, brief.kind, brief.language) == ("A keeper", "fiction", "English")
    assert brief.chapter_range() == CountRange(12, 12)


@pytest.mark.parametrize("field", ["chapters", "characters", "scenes_per_chapter"])
def test_counts_are_checked_when_they_are_given(field: str) -> None:
    with pytest.raises(ValidationError, match="backwards"):
        Brief.model_validate({"premise": "x", field: "12-8"})


def test_unknown_keys_are_refused() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        Brief.model_validate({"premise": "x", "chapterz": "3"})


@pytest.mark.parametrize(
    "field", ["title", "author", "genre", "tone", "chapters", "scenes_per_chapter"]
)
def test_blank_is_the_same_as_not_given(field: str) -> None:
    assert Brief.model_validate({"premise": "x", field: " \t"}) == Brief(premise="x")
    given = Brief.model_validate({"premise": "x", field: " 7 "})
    assert getattr(given, field) == "7"


@pytest.mark.parametrize("field", ["chapters", "characters", "scenes_per_chapter"])
def test_a_count_may_be_a_number_but_not_a_switch(field: str) -> None:
    given = Brief.model_validate({"premise": "x", field: 5})
    assert given == Brief.model_validate({"premise": "x", field: "5"})
    for wrong in (True, 5.0, [5]):
        with pytest.raises(ValidationError, match="whole number, or a text in quotes"):
            Brief.model_validate({"premise": "x", field: wrong})


def test_a_premise_that_is_too_long_is_refused_with_both_figures() -> None:
    assert len(Brief(premise=f" {'x' * MOST_PREMISE} ").premise) == MOST_PREMISE
    with pytest.raises(ValidationError, match=r"20,001 characters.* at most 20,000"):
        Brief(premise="x" * (MOST_PREMISE + 1))


@pytest.mark.parametrize(
    ("category", "kind"),
    [
        ("Fiction", "fiction"),
        ("FICTION", "fiction"),
        ("Science Fiction", "fiction"),
        ("Fantasy", "fiction"),
        ("Roman", "fiction"),
        ("Historical Fiction", "fiction"),
        ("Business", "non-fiction"),
        ("Non-Fiction", "non-fiction"),
        ("creative nonfiction", "non-fiction"),
        ("Self_Help", "non-fiction"),
        (" research  PAPER ", "non-fiction"),
    ],
)
def test_only_a_known_category_of_facts_is_no_story(category: str, kind: str) -> None:
    assert Brief(premise="x", category=category).kind == kind


@pytest.mark.parametrize(
    ("book_kind", "kind"),
    [("fiction", "fiction"), ("Non-Fiction", "non-fiction"), ("nonfiction", "non-fiction")],
)
def test_the_authors_own_word_on_the_kind_wins(book_kind: str, kind: str) -> None:
    for category in ("Fantasy", "Business"):
        brief = Brief.model_validate({"premise": "x", "category": category, "book_kind": book_kind})
        assert brief.kind == kind
        assert brief.book_kind == kind


@pytest.mark.parametrize("wrong", ["essay", 3])
def test_a_kind_that_does_not_exist_is_refused(wrong: object) -> None:
    with pytest.raises(ValidationError, match="'fiction' or 'non-fiction'"):
        Brief.model_validate({"premise": "x", "book_kind": wrong})


@pytest.mark.parametrize(
    ("words", "chapters", "low", "high"),
    [
        (300, "3", 1, 1),
        (1200, "3", 1, 1),
        (2700, "3", 1, 2),
        (4500, "3", 3, 4),
        (9000, "3", 4, 7),
        (50, "12", 1, 1),
        (0, "3", 4, 7),
    ],
)
def test_a_short_chapter_has_fewer_scenes_by_default(
    words: int, chapters: str, low: int, high: int
) -> None:
    brief = Brief(premise="x", words=words, chapters=chapters)
    assert brief.scene_range(1, brief.chapter_range().middle()) == CountRange(low, high)


def test_the_authors_number_of_scenes_stays() -> None:
    brief = Brief(premise="x", words=300, chapters="3", scenes_per_chapter="4")
    assert brief.scene_range(1, brief.chapter_range().middle()) == CountRange(4, 4)


@pytest.mark.parametrize(
    ("chapters", "people"), [("3", 3), ("5", 3), ("6", 5), ("12", 7), ("16", 10), ("8-12", 5)]
)
def test_the_cast_follows_the_chapters(chapters: str, people: int) -> None:
    assert Brief(premise="x", chapters=chapters).character_range() == CountRange(people, None)


def test_the_authors_cast_wins() -> None:
    assert Brief(premise="x", characters="5+").character_range() == CountRange(5, None)


def test_scenes_may_differ_by_chapter_and_the_last_entry_holds_on() -> None:
    brief = Brief(premise="x", scenes_per_chapter="3,4-5")
    assert [brief.scene_range(n, 3).low for n in (1, 2, 3)] == [3, 4, 4]


def test_words_are_shared_out_or_follow_the_size() -> None:
    assert Brief(premise="x", words=9_000).words_per_chapter(6) == 1_500
    assert Brief(premise="x", project_type="novel").words_per_chapter(3) == 6_000


@pytest.mark.parametrize("kind", ["short_story", "novella", "book", "novel", "epic"])
def test_every_size_class_can_be_used(kind: str) -> None:
    brief = Brief.model_validate({"premise": "x", "project_type": kind})
    assert brief.chapter_range().low >= 1
    assert brief.words_per_chapter(brief.chapter_range().low) > 500
