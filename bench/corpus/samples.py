"""Values that a model would mean: concepts, keywords, casts, outlines, scenes and reviews."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bench.corpus import schemas, vocabulary
from bench.corpus.case import Rng, Schema

EXTRA_SHARE: Final = 0.35
SCHEMA_SHARE: Final = 0.75
DRAWS: Final = 8


@dataclass(frozen=True, slots=True)
class Sample:
    """A value and the schema it was asked for."""

    value: Any
    schema: Schema


@dataclass(frozen=True, slots=True)
class Voice:
    """Where the strings of a sample come from.

    Attributes:
        rng: Source of chance.
        extra: Tricky strings, one of which stands in for a sentence now and then.
    """

    rng: Rng
    extra: Sequence[str] = ()

    def one_of(self, choices: Sequence[str]) -> str:
        """One plain string of `choices`."""
        return self.rng.choice(choices)

    def sentence(self) -> str:
        """A sentence, or a tricky string where the voice has some."""
        if self.extra and self.rng.random() < EXTRA_SHARE:
            return self.rng.choice(self.extra)
        return self.rng.choice(vocabulary.SENTENCES)

    def words(self, low: int = 2, high: int = 4) -> list[str]:
        """Distinct keywords."""
        return self.rng.sample(vocabulary.WORDS, self.rng.randint(low, high))


def concept(voice: Voice) -> Sample:
    """A flat concept; its description always carries a tricky string of the voice."""
    description = voice.one_of(voice.extra or vocabulary.SENTENCES)
    return Sample(
        {
            "title": voice.one_of(vocabulary.TITLES),
            "logline": voice.sentence(),
            "description": description,
        },
        schemas.CONCEPT,
    )


def keywords(voice: Voice) -> Sample:
    """Three lists of keywords."""
    return Sample(
        {
            "primary_keywords": voice.words(),
            "secondary_keywords": voice.words(),
            "genre_keywords": voice.words(),
        },
        schemas.KEYWORDS,
    )


def book(voice: Voice) -> Sample:
    """Concept and keywords together, the shape of concept.json."""
    value = {"concept": concept(voice).value, "keywords": keywords(voice).value}
    return Sample(value, schemas.BOOK)


def cast(voice: Voice) -> Sample:
    """Two or three characters."""
    people = [_character(voice) for _ in range(voice.rng.randint(2, 3))]
    return Sample({"characters": people}, schemas.CAST)


def _character(voice: Voice) -> dict[str, Any]:
    return {
        "name": voice.one_of(vocabulary.NAMES),
        "role": voice.one_of(vocabulary.ROLES),
        "age": voice.rng.randint(7, 91),
        "traits": voice.words(2, 3),
        "description": voice.sentence(),
    }


def outline(voice: Voice) -> Sample:
    """A title and two to four chapters."""
    chapters = [_chapter(voice, number) for number in range(1, voice.rng.randint(3, 5))]
    value = {"title": voice.one_of(vocabulary.TITLES), "chapters": chapters}
    return Sample(value, schemas.OUTLINE)


def _chapter(voice: Voice, number: int) -> dict[str, Any]:
    return {
        "number": number,
        "title": voice.one_of(vocabulary.TITLES),
        "summary": voice.sentence(),
        "word_count": voice.rng.randrange(800, 4000, 50),
    }


def scenes(voice: Voice) -> Sample:
    """Two or three scenes of a chapter."""
    found = [_scene(voice, number) for number in range(1, voice.rng.randint(3, 4))]
    return Sample({"scenes": found}, schemas.SCENES)


def _scene(voice: Voice, number: int) -> dict[str, Any]:
    return {
        "number": number,
        "summary": voice.sentence(),
        "goal": voice.one_of(vocabulary.GOALS),
        "outcome": voice.sentence(),
        "characters": voice.rng.sample(vocabulary.NAMES, 2),
        "place": voice.one_of(vocabulary.PLACES),
    }


def review(voice: Voice) -> Sample:
    """A review: numbers, true, false and null beside text."""
    issues = [_issue(voice) for _ in range(voice.rng.randint(1, 2))]
    value = {
        "score": voice.rng.choice((7, 8.5, 6.25, 9)),
        "passed": voice.rng.random() < 0.5,
        "verdict": voice.sentence(),
        "issues": issues,
        "notes": None,
    }
    return Sample(value, schemas.REVIEW)


def _issue(voice: Voice) -> dict[str, Any]:
    return {
        "kind": voice.one_of(vocabulary.KINDS),
        "quote": voice.sentence(),
        "fix": None if voice.rng.random() < 0.4 else voice.one_of(vocabulary.GOALS),
        "blocking": voice.rng.random() < 0.5,
    }


Shape = Callable[[Voice], Sample]
SHAPES: Final[tuple[Shape, ...]] = (concept, keywords, book, cast, outline, scenes, review)
TALKING: Final[tuple[Shape, ...]] = (concept, book, cast, outline, scenes)


def any_sample(rng: Rng, extra: Sequence[str] = (), shapes: Sequence[Shape] = SHAPES) -> Sample:
    """A sample of one of `shapes`; where it can, it carries a tricky string of `extra`."""
    shape = rng.choice(shapes)
    sample = shape(Voice(rng, extra))
    for _ in range(DRAWS if extra else 0):
        if not set(extra).isdisjoint(strings(sample.value)):
            break
        sample = shape(Voice(rng, extra))
    return sample


def strings(value: Any) -> Iterator[str]:
    """Every string value inside `value`, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from strings(list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def asked(rng: Rng, sample: Sample) -> Schema | None:
    """The schema of a sample as a caller would pass it: most callers do, some do not."""
    return sample.schema if rng.random() < SCHEMA_SHARE else None
