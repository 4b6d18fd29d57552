"""Vocabulary, rhythm, lengths, beats and turns of phrase."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.checks.prose import chapter, fresh

from libriscribe2.checks.text_figures import (
    SURFACE,
    ai_names,
    compressed_share,
    mattr,
    mtld,
    per_thousand,
    rhythm,
    surface_hits,
)
from libriscribe2.checks.text_lengths import FIRST_RATIO, chapter_variation, habit, length_score

TOKENS = st.lists(st.sampled_from("abcdefgh"), max_size=60)


@given(TOKENS, st.integers(1, 12))
def test_mattr_is_the_mean_over_every_window(tokens: list[str], window: int) -> None:
    spans = [tokens[n : n + window] for n in range(max(1, len(tokens) - window + 1))]
    wanted = sum(len(set(span)) / len(span) for span in spans if span) / len(spans)
    assert mattr(tokens, window) == pytest.approx(wanted)


def test_mtld_of_one_word_said_again_and_of_no_word_twice() -> None:
    assert mtld(["so"] * 100) == pytest.approx(2.0, abs=0.1)
    assert mtld([str(n) for n in range(200)]) == 200
    assert mtld([]) == 0


def test_what_repeats_compresses_better() -> None:
    assert compressed_share("so it goes. " * 200) < 0.1 < compressed_share(fresh(1, 400))
    assert compressed_share("") == 1.0


def test_rhythm_counts_sentences_paragraphs_and_speech() -> None:
    told = rhythm([chapter(1, '"Go now," he said.', "One two three four five six. Seven eight.")])
    assert told.sentence_words == pytest.approx(4.0)
    assert told.short_share == pytest.approx(2 / 3)
    assert told.spoken_share == pytest.approx(2 / 12)
    assert told.paragraph_variation == pytest.approx(2 / 6)
    assert rhythm([]).sentence_words == 0.0


@pytest.mark.parametrize(
    ("actual", "wanted", "score"),
    [(1000, 1000, 100), (4000, 1000, 0), (1000, 3000, 0), (2500, 1000, 50), (500, 1000, 50),
     (0, 10, 0), (10, 0, 0)],
)  # fmt: skip
def test_length_score_is_that_of_longwriter(actual: int, wanted: int, score: float) -> None:
    assert length_score(actual, wanted) == pytest.approx(score)


def test_a_models_habit_is_the_median_within_bounds() -> None:
    assert habit([], []) == FIRST_RATIO
    assert habit([800, 500, 1_000], [1_000] * 3) == 0.8
    assert habit([10], [1_000]) == 0.8
    assert habit([9_000], [1_000]) == 1.25
    assert chapter_variation([5, 5, 5]) == 0.0


@pytest.mark.parametrize(
    ("kind", "hit", "miss"),
    [
        ("not X but Y", "It was not anger, but a kind of grief.", "Not now, but when he came."),
        ("not X but Y", "It wasn't a door. It was a mouth.", "It wasn't a door. She left."),
        ("em dashes", "She waited \u2014 and waited.", "A well-worn half-price coat."),
        ("participle tails", "He left, slamming the door.", "He left, wanting nothing, something."),
        ("similes", "It shone like a coin.", "I like apples."),
        ("-ly adverbs", "She slowly rose.", "Only the early family replied."),
        ("stock gestures", "He felt a surge of hope.", "He felt the cold wall."),
        ("favoured words", "The lamp flickered.", "The lamp went out."),
        ("fragments", "She turned. A pause.", "She turned. A pause, and then the rain."),
    ],
)
def test_a_turn_of_phrase_is_found_and_its_look_alike_is_not(
    kind: str, hit: str, miss: str
) -> None:
    found = surface_hits([chapter(1, miss), chapter(2, hit)], kind)
    if kind == "participle tails":
        found = [one for one in found if "wanting" not in one.text]
    assert [one.chapter for one in found] == [1]


def test_counts_are_per_thousand_words() -> None:
    assert per_thousand(3, [chapter(1, fresh(1, 1_499), "word.")]) == pytest.approx(2.0)
    assert per_thousand(3, []) == 0.0
    assert set(SURFACE) == {
        *("not X but Y", "em dashes", "participle tails", "similes", "-ly adverbs"),
        *("stock gestures", "favoured words", "fragments"),
    }


def test_names_that_models_favour_are_named() -> None:
    assert ai_names(["Elara Quill", "Berta Oduya", "Tom Voss"]) == ["Elara Quill", "Tom Voss"]
