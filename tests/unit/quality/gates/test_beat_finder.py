"""Beats are found by paragraph as they are in the words of the whole chapter."""

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.unit.quality.prose import chapter, fresh

from libriscribe2.quality.beats import STEP, beat_coverage, stem_weight, stems
from libriscribe2.quality.gates.beat_finder import BeatFinder
from libriscribe2.quality.text import words

BEATS = ("Mara lights the lamp in the storm", "Bettina burns the letter", "She rows home")
WORDS = ("mara", "lights", "lamp", "storm", "bettina", "letter", "rowed", "home", "the")
LENGTHS = st.sampled_from([1, 9, 40, STEP - 3, STEP, STEP + 2, 2 * STEP + 1])


def weigh(stem: str, *, is_here: bool) -> float:
    return stem_weight(len(stem) % 3 + is_here, 4)


@settings(deadline=None)
@example([(STEP, "mara", 0), (STEP - 2, "the", 0), (5, "lamp", 4)])
@given(st.lists(st.tuples(LENGTHS, st.sampled_from(WORDS), st.integers(0, 300)), max_size=9))
def test_the_nearest_passage_is_that_of_the_words_in_a_row(
    paragraphs: list[tuple[int, str, int]],
) -> None:
    made = []
    for seed, (length, word, place) in enumerate(paragraphs):
        own = fresh(seed, length).split()
        own[place % length] = word
        made.append(" ".join(own))
    version = chapter(1, *made)
    here = stems(version.words)
    weights = {one: weigh(one, is_here=one in here) for beat in BEATS for one in stems(words(beat))}
    found = BeatFinder(BEATS, weigh).nearest(version)
    for beat in BEATS:
        assert found[beat].share == beat_coverage(beat, version.words, weights)
