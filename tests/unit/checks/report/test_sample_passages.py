"""The passages that stand for a voice, and what is counted in the samples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.checks.prose import chapter, fresh

from libriscribe2.checks.report.sample_style import style_numbers, typical_passages
from libriscribe2.checks.text import ChapterText, words
from libriscribe2.models.style import MOST_PASSAGES, PASSAGE_WORDS

PLAIN = "The boat came in at noon and nobody was there to take the rope from him. "
SHORT = "No. Not now. Go on. "

PARAGRAPHS = st.lists(
    st.tuples(st.integers(0, 99), st.integers(1, 260)).map(lambda one: fresh(*one) + "."),
    min_size=1,
    max_size=8,
)


@given(st.lists(PARAGRAPHS, min_size=1, max_size=3))
def test_passages_are_whole_paragraphs_of_the_samples_and_never_overlap(
    texts: list[list[str]],
) -> None:
    samples = [chapter(n, *paragraphs) for n, paragraphs in enumerate(texts, start=1)]
    passages = typical_passages(samples)
    assert len(passages) <= MOST_PASSAGES
    assert typical_passages(samples) == passages
    shown = [part for one in passages for part in one.text.split("\n\n")]
    assert all(len(words(one.text)) <= PASSAGE_WORDS for one in passages)
    own = {one.text for sample in samples for one in sample.paragraphs}
    assert set(shown) <= own
    fits = [
        text for paragraphs in texts for text in paragraphs if len(words(text)) <= PASSAGE_WORDS
    ]
    assert bool(passages) == bool(fits)


def test_what_is_unlike_the_rest_is_not_chosen() -> None:
    usual = [PLAIN * 6 for _ in range(12)]
    odd = [*usual[:6], SHORT * 20, *usual[6:]]
    passages = typical_passages([chapter(1, *odd)])
    assert len(passages) == MOST_PASSAGES
    assert all("Not now" not in one.text for one in passages)


def test_a_long_paragraph_is_cut_after_a_sentence() -> None:
    passages = typical_passages([chapter(1, (PLAIN * 30).strip())])
    assert [len(words(one.text)) for one in passages] == [PASSAGE_WORDS // 16 * 16]
    assert passages[0].text.endswith("from him.")


def test_short_samples_serve_where_there_is_no_longer_one() -> None:
    assert [one.text for one in typical_passages([chapter(1, "She left.")])] == ["She left."]
    assert typical_passages([chapter(1)]) == []


def test_the_numbers_are_counted_over_all_samples() -> None:
    told = style_numbers(
        [chapter(1, '"Go now," he said.'), chapter(2, "One two three four five six.")]
    )
    assert told.words == 10
    assert told.sentence_words == pytest.approx(5.0)
    assert told.short_share == pytest.approx(0.5)
    assert told.paragraph_words == pytest.approx(5.0)
    assert told.spoken_share == pytest.approx(0.2)
    assert style_numbers([ChapterText(1, "samples/a.md", "# Only a heading\n")]).words == 0
