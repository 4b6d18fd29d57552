"""Prose behind prose: nothing twice, nothing lost."""

from hypothesis import example, given
from hypothesis import strategies as st

from libriscribe2.agents.agent_scene import FEWEST_REPEATED, joined, without_repetition

BEFORE = "Mara climbed. The wind pulled at the door, and the lamp swung."
SMALL = st.text("ab .", max_size=14)


def test_a_beginning_that_repeats_the_end_is_cut_whether_a_sentence_or_less() -> None:
    for repeated in (
        "The wind pulled at the door, and the lamp swung.",
        "and the lamp swung.",
        BEFORE,
    ):
        rest = without_repetition(f"{repeated}\n\nShe ran.", BEFORE)
        assert rest == (
            "She ran." if len(repeated.split()) >= FEWEST_REPEATED else f"{repeated}\n\nShe ran."
        )


def test_words_that_differ_by_a_letter_or_go_on_inside_a_word_stay() -> None:
    for text in (
        "The wind pulled at the doors, and the lamp swung. She ran.",
        "She ran. The wind pulled at the door, and the lamp swung.",
        "",
    ):
        assert without_repetition(text, BEFORE) == text
    before = "they came to see the old light"
    assert without_repetition("they came to see the old lighthouse", before).startswith("they")
    assert without_repetition("Anything.", "") == "Anything."


def test_a_text_that_says_one_thing_over_and_over_is_cut_as_any_other() -> None:
    over = "no no no, " * 2_000
    assert without_repetition(f"{over}yes.", f"Why? {over}") == "yes."
    assert without_repetition(f"{over}yes.", f"{over}why?") == f"{over}yes."


def test_a_text_ends_its_sentence_before_a_paragraph_begins() -> None:
    assert joined("She ran.", "He stayed.") == "She ran.\n\nHe stayed."
    assert (
        joined("She ran, \u201cno!\u201d", "He stayed.") == "She ran, \u201cno!\u201d\n\nHe stayed."
    )
    assert joined("She ran and ", " fell.") == "She ran and fell."
    assert (joined("", "A."), joined("A.", " ")) == ("A.", "A.")


@given(SMALL, SMALL)
def test_what_is_cut_is_the_longest_common_part(text: str, before: str) -> None:
    own, end = text.lstrip(), before.rstrip()
    longest = max(size for size in range(len(own) + 1) if end.endswith(own[:size]))
    rest = without_repetition(text, before)
    assert rest in {text, own[longest:].lstrip()}
    said = own[:longest]
    clean = not (own[longest : longest + 1].isalpha() and said[-1:].isalpha())
    if clean and len("".join(c if c.isalpha() else " " for c in said).split()) >= FEWEST_REPEATED:
        assert rest == own[longest:].lstrip()


@given(st.text(max_size=60), st.text(max_size=60))
@example("0", "0\x1f")
@example("0", "0\u3000")
@example("0", "\u30000")
def test_joining_keeps_both_texts(text: str, more: str) -> None:
    both = joined(text, more)
    assert both.startswith(text.rstrip())
    assert both.endswith(more.strip())
