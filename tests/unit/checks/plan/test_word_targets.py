"""The plan shares the words out; how many there are, the author says."""

from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.checks.text_lengths import chapter_words, scene_words
from libriscribe2.models.brief import Brief
from libriscribe2.models.story import OutlineChapter, ScenePlan


def chapters(*targets: int) -> list[OutlineChapter]:
    return [OutlineChapter(title="T", summary="S", target_words=words) for words in targets]


def scenes(*targets: int) -> list[ScenePlan]:
    return [ScenePlan(summary="S", target_words=words) for words in targets]


def book(*targets: int, words: int = 6_000) -> list[float]:
    return chapter_words(Brief(premise="P", words=words), chapters(*targets))


def test_without_targets_all_are_even() -> None:
    assert book(0, 0, 0) == [2_000, 2_000, 2_000]
    assert scene_words(2_000, scenes(0, 0, 0, 0)) == [500] * 4


def test_targets_share_out_what_the_author_wants() -> None:
    assert book(1_000, 2_000, 3_000) == [1_000, 2_000, 3_000]
    assert book(2_000, 4_000, 6_000) == [1_000, 2_000, 3_000]
    assert scene_words(1_000, scenes(300, 100)) == [750, 250]


def test_a_wild_target_counts_as_less_wild() -> None:
    assert [round(one) for one in book(2, 0, 0)] == [857, 2_571, 2_571]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=12), st.integers(100, 10**6))
def test_all_chapters_together_have_the_wanted_length(targets: list[int], words: int) -> None:
    brief = Brief(premise="P", words=words)
    total = brief.words_per_chapter(len(targets)) * len(targets)
    assert abs(sum(book(*targets, words=words)) - total) <= total / 10**6


@given(st.lists(st.integers(0, 10**5), min_size=1, max_size=8), st.integers(1, 10**5))
def test_all_scenes_together_have_the_length_of_the_chapter(targets: list[int], words: int) -> None:
    assert abs(sum(scene_words(words, scenes(*targets))) - words) <= len(targets)
