"""Rules of the specification: emphasis, globs, keywords in one string, numbers as strings.

The value is the normalised truth; the raw form is accepted too, for a reader that leaves
normalisation to the model class behind it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from bench.corpus import schemas, tricky, vocabulary
from bench.corpus.case import CaseClass, Draft, Policy, Rng
from bench.corpus.samples import Voice, cast, concept, keywords, outline
from bench.corpus.tokens import STYLES, text_of

# The table "What Gets Cleaned" and the guarantees beside it.
EMPHASIS: Final = {
    "**Paris**": "Paris",
    "*weather-tool*": "weather-tool",
    "Get **current** weather": "Get current weather",
    "Tool: *geocoding*": "Tool: geocoding",
    "*The End*.": "The End.",
    "The **Salt** Road": "The Salt Road",
    "She said *no*, and *meant* it": "She said no, and meant it",
}
PROSE: Final = (
    "The *Titanic* sank that night.",
    "She *never* said **that**.",
    "_Quietly_, he left.",
    "Value: 123",
    *tricky.GLOBS,
)


def _spec(name: str, make: Callable[[Rng], Draft]) -> CaseClass:
    return CaseClass(name, "spec", Policy.VALUE, make)


def _pair(
    meant: Mapping[str, Any], written: Mapping[str, Any], schema: dict[str, Any], rng: Rng
) -> Draft:
    """A draft whose text is `written`; `meant` is the truth, `written` as good."""
    return Draft(text_of(written, rng.choice(STYLES)), dict(meant), schema, (dict(written),))


def _emphasis_title(rng: Rng) -> Draft:
    base = concept(Voice(rng)).value
    raw, plain = rng.choice(tuple(EMPHASIS.items()))
    return _pair(base | {"title": plain}, base | {"title": raw}, schemas.CONCEPT, rng)


def _prose_kept(rng: Rng) -> Draft:
    value = concept(Voice(rng)).value | {"description": rng.choice(PROSE)}
    return Draft(text_of(value, rng.choice(STYLES)), value, schemas.CONCEPT)


def _csv_keywords(rng: Rng) -> Draft:
    base = keywords(Voice(rng)).value
    name = rng.choice(tuple(base))
    joint = rng.choice((", ", ",", " , "))
    written = base | {name: joint.join(base[name]) + rng.choice(("", ",", ", "))}
    return _pair(base, written, schemas.KEYWORDS, rng)


def _null_list(rng: Rng) -> Draft:
    base = keywords(Voice(rng)).value
    name = rng.choice(tuple(base)[1:])
    return _pair(base | {name: []}, base | {name: None}, schemas.KEYWORDS, rng)


def _numeric_strings(rng: Rng) -> Draft:
    base = outline(Voice(rng)).value
    chapters = [chapter | {"number": str(chapter["number"])} for chapter in base["chapters"]]
    return _pair(base, base | {"chapters": chapters}, schemas.OUTLINE, rng)


def _one_for_list(rng: Rng) -> Draft:
    person = cast(Voice(rng)).value["characters"][0]
    text = text_of(person, rng.choice(STYLES))
    return Draft(text, [person], schemas.listing(schemas.CHARACTER), (person,))


def _one_inner_for_list(rng: Rng) -> Draft:
    person = cast(Voice(rng)).value["characters"][0]
    return _pair({"characters": [person]}, {"characters": person}, schemas.CAST, rng)


def _string_for_list(rng: Rng) -> Draft:
    base = keywords(Voice(rng)).value
    word = rng.choice([word for word in vocabulary.WORDS if "," not in word])
    return _pair(
        base | {"genre_keywords": [word]}, base | {"genre_keywords": word}, schemas.KEYWORDS, rng
    )


CLASSES: Final = (
    _spec("spec_emphasis_in_title", _emphasis_title),
    _spec("spec_prose_kept", _prose_kept),
    _spec("spec_csv_keywords", _csv_keywords),
    _spec("spec_null_list", _null_list),
    _spec("spec_numeric_strings", _numeric_strings),
    _spec("spec_one_for_list", _one_for_list),
    _spec("spec_one_inner_for_list", _one_inner_for_list),
    _spec("spec_string_for_list", _string_for_list),
)
