"""The brief and what follows from it where the author says nothing."""

import pytest
from pydantic import ValidationError

from libriscribe2.models.brief import Brief
from libriscribe2.models.counts import CountRange


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
    ("category", "kind"),
    [("Fiction", "fiction"), ("FICTION", "fiction"), ("Business", "non-fiction")],
)
def test_only_fiction_is_a_story(category: str, kind: str) -> None:
    assert Brief(premise="x", category=category).kind == kind


@pytest.mark.parametrize(
    ("chapters", "people"), [("3", 3), ("5", 3), ("6", 5), ("12", 7), ("16", 10), ("8-12", 5)]
)
def test_the_cast_follows_the_chapters(chapters: str, people: int) -> None:
    assert Brief(premise="x", chapters=chapters).character_range() == CountRange(people, people)


def test_the_authors_cast_wins() -> None:
    assert Brief(premise="x", characters="5+").character_range() == CountRange(5, None)


def test_scenes_may_differ_by_chapter_and_the_last_entry_holds_on() -> None:
    brief = Brief(premise="x", scenes_per_chapter="3,4-5")
    assert [brief.scene_range(n).low for n in (1, 2, 3)] == [3, 4, 4]


def test_words_are_shared_out_or_follow_the_size() -> None:
    assert Brief(premise="x", words=9_000).words_per_chapter(6) == 1_500
    assert Brief(premise="x", project_type="novel").words_per_chapter(3) == 6_000


@pytest.mark.parametrize("kind", ["short_story", "novella", "book", "novel", "epic"])
def test_every_size_class_can_be_used(kind: str) -> None:
    brief = Brief.model_validate({"premise": "x", "project_type": kind})
    assert brief.chapter_range().low >= 1
    assert brief.words_per_chapter(brief.chapter_range().low) > 500
