"""Answers with holes in them: sums, ellipses, placeholders, keys that contradict each other."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from bench.corpus import schemas
from bench.corpus.case import CaseClass, Draft, Policy, Rng
from bench.corpus.samples import (
    Sample,
    Shape,
    any_sample,
    asked,
    book,
    cast,
    concept,
    keywords,
    outline,
)
from bench.corpus.tokens import STYLES, Tokens, places, render, rewrite, some, text_of, tokenize

Strike = Callable[[Tokens, Rng], Tokens]
LISTS: Final[tuple[Shape, ...]] = (book, keywords, cast, outline)
SUMS: Final = (
    "100 * 3",
    "800 + 400",
    "2 * (3 + 4)",
    "10 / 2",
    "1000 - 50",
    "100 * chapters",
    "2**10",
)
HOLES: Final = (
    '{"title": {{title}}, "logline": {{logline}}, "description": {{description}}}',
    '{"title": <title>, "logline": <logline>, "description": <description>}',
    '{"title": ${title}, "logline": ${logline}, "description": ${description}}',
    '{"title": [title], "logline": [logline], "description": [description]}',
    '{"title": string, "logline": string, "description": string}',
)


def _gap(name: str, strike: Strike, shapes: Sequence[Shape]) -> CaseClass:
    """A class of answers in which `strike` left something out."""

    def make(rng: Rng) -> Draft:
        sample = any_sample(rng, (), shapes)
        text = render(strike(tokenize(sample.value, rng.choice(STYLES)), rng))
        return Draft(text, None, asked(rng, sample))

    return CaseClass(name, "reject", Policy.REJECT, make)


def _sum(tokens: Tokens, rng: Rng) -> Tokens:
    found = places(tokens, lambda token: token.kind == "number")
    return rewrite(tokens, {at: rng.choice(SUMS) for at in some(rng, found, 1)})


def _list_end(*gaps: str) -> Strike:
    """Write one of `gaps` before the end of a list."""

    def strike(tokens: Tokens, rng: Rng) -> Tokens:
        at = rng.choice(places(tokens, lambda token: token.kind == "]"))
        return rewrite(tokens, {at: rng.choice(gaps) + tokens[at].text})

    return strike


def _values(tokens: Tokens, rng: Rng) -> Tokens:
    found = places(tokens, lambda token: token.kind == "string")
    return rewrite(tokens, dict.fromkeys(some(rng, found), rng.choice(("...", "…"))))


def _member(tokens: Tokens, rng: Rng) -> Tokens:
    end = rng.choice((", ...}", ",\n  ...\n}", ", …}", " ... }"))
    return rewrite(tokens, {len(tokens) - 1: end})


def _concept_class(name: str, write: Callable[[Rng], str]) -> CaseClass:
    """A class of texts for a concept that hold no concept."""

    def make(rng: Rng) -> Draft:
        return Draft(write(rng), None, schemas.CONCEPT if rng.random() < 0.75 else None)

    return CaseClass(name, "reject", Policy.REJECT, make)


def _same_everywhere(*marks: str) -> Callable[[Rng], str]:
    """The same mark, filled with the name of the key, as every value."""

    def write(rng: Rng) -> str:
        mark = rng.choice(marks)
        value: dict[str, Any] = {
            key: mark.format(key) for key in ("title", "logline", "description")
        }
        return text_of(value, rng.choice(STYLES))

    return write


def _second_title(sample: Sample, title: str, rng: Rng) -> str:
    """The concept with another member "title" before its own."""
    tokens = tokenize(sample.value, rng.choice(STYLES))
    return render(rewrite(tokens, {0: '{"title": ' + text_of(title) + ","}))


def _conflict(rng: Rng) -> Draft:
    sample = any_sample(rng, (), (concept,))
    text = _second_title(sample, "Another title altogether", rng)
    return Draft(text, None, asked(rng, sample))


def _agreeing(rng: Rng) -> Draft:
    sample = any_sample(rng, (), (concept,))
    text = _second_title(sample, sample.value["title"], rng)
    return Draft(text, sample.value, asked(rng, sample))


CLASSES: Final = (
    _gap("arithmetic", _sum, (outline,)),
    _gap("ellipsis_in_list", _list_end(", ...", ",\n    ...\n  ", ", …", " ... "), LISTS),
    _gap("ellipsis_string", _list_end(', "..."', ', "…"', ',\n"..."'), LISTS),
    _gap(
        "ellipsis_comment",
        _list_end(
            " // ...\n",
            " /* ... and so on */",
            " // more items here\n",
            " # ... (8 more)\n",
            " /* remaining entries omitted */",
            " // rest of the list as above\n",
        ),
        LISTS,
    ),
    _gap("ellipsis_values", _values, (concept,)),
    _gap("ellipsis_member", _member, (concept,)),
    _concept_class("template_holes", lambda rng: rng.choice(HOLES)),
    _concept_class(
        "template_echo", _same_everywhere("<{}>", "<your {} here>", "[{}]", "{{{{{}}}}}")
    ),
    _concept_class(
        "placeholder_values", _same_everywhere("...", "…", "{}", "string", "[Insert {} here]")
    ),
    CaseClass("duplicate_keys_conflict", "reject", Policy.FLAG, _conflict),
    CaseClass("duplicate_keys_agree", "damage", Policy.VALUE, _agreeing),
)
