"""English function words, which say nothing about what a passage is about."""

from typing import Final

_WORDS: Final = (
    "a about above after again all am an and any are as at away back be been before being below "
    "but by can could did do does down each even every few for from had has have he her here "
    "hers him his how i if in into is it its just like me more most my no nor not now of off on "
    "once one only or other our out over own said same she should so some such than that the "
    "their them then there these they this those through to too two under until up upon us very "
    "was we were what when where which while who whom why will with would you your"
)

STOPWORDS: Final = frozenset(_WORDS.split())
