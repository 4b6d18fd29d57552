"""Which words of a text say nothing: those of its own language."""

import pytest

from libriscribe2.checks.function_words import STOPWORDS, function_words
from libriscribe2.checks.text import ChapterText, stock_phrases, words
from libriscribe2.context.earlier_text import overused_phrases

SENTENCES = {
    "German": "Der Vater und die Mutter sind in dem Haus, und es ist nicht weit zu den anderen.",
    "French": "Le père et la mère sont dans la maison, et ce n'est pas loin de chez les autres.",
    "Spanish": "El padre y la madre están en la casa, y no es muy lejos de los otros.",
    "Russian": "Отец и мать были в доме, и это не так далеко от него, как все они говорят.",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_text_has_the_function_words_of_its_language(language: str) -> None:
    own = function_words(words(SENTENCES[language]))
    assert own != STOPWORDS
    assert own.isdisjoint({"vater", "père", "padre", "отец"})


def test_an_english_text_and_one_of_no_known_language_have_the_english_ones() -> None:
    assert function_words(words("The war and the man who would die in it.")) == STOPWORDS
    assert function_words(["blarg", "fnord"]) == STOPWORDS


def test_what_every_german_sentence_has_is_nobodys_habit() -> None:
    text = " ".join(
        f"Da kam der Vater und die {one} mit ihm." for one in ("Tante", "Nichte", "Base")
    )
    chapters = [
        ChapterText(n, "", f"{text} {n} Im Hof bellt der rote Hund laut.") for n in (1, 2, 3)
    ]
    shown = overused_phrases(chapters)
    assert "der vater und die" not in shown
    assert any("rote hund" in one for one in shown)
    assert "der vater und die" not in {one.text for one in stock_phrases(chapters)}
