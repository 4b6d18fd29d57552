"""Habits of other languages: Python and JavaScript literals, concatenation, tuples, comments."""

from collections.abc import Callable
from typing import Any, Final

from bench.corpus import tricky
from bench.corpus.case import CaseClass, Draft, Policy, Rng
from bench.corpus.damage_quotes import single_quotes
from bench.corpus.damaging import SOUND, damage
from bench.corpus.samples import Voice, asked, book, cast, keywords, review
from bench.corpus.tokens import (
    LINED,
    STYLES,
    Mutator,
    Tokens,
    dump,
    places,
    render,
    rewrite,
    some,
    tokenize,
)

NOTES: Final = (
    "the hero's name is final",
    'was "Anna" before',
    "see chapter 3 {draft}",
    "optional",
    "keep under 20 words",
    "checked twice",
    "[sic]",
    "one, two: three",
    "genre: gothic",
)


def _literals(table: dict[str, str]) -> Mutator:
    def mutate(tokens: Tokens, _rng: Rng) -> Tokens:
        found = places(tokens, lambda token: token.kind == "literal")
        return rewrite(tokens, {at: table.get(tokens[at].text, tokens[at].text) for at in found})

    return mutate


python_literals: Final = _literals({"true": "True", "false": "False", "null": "None"})


def _python_repr(rng: Rng) -> Draft:
    extra = tricky.APOSTROPHES + tricky.DIALOGUE + tricky.MULTILINE
    sample = rng.choice((review, cast, book))(Voice(rng, extra))
    return Draft(repr(sample.value), sample.value, asked(rng, sample))


def _undefined(rng: Rng) -> Draft:
    sample = review(Voice(rng))
    at = {"null": "undefined"}
    text = render(_literals(at)(tokenize(sample.value, rng.choice(STYLES)), rng))
    return Draft(text, sample.value, asked(rng, sample), (_without_null(sample.value),))


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_null(item) for key, item in value.items() if item is not None}
    return [_without_null(item) for item in value] if isinstance(value, list) else value


def _split(joint: Callable[[Rng], str]) -> Mutator:
    """Long member values written as several string literals with `joint` between them."""

    def mutate(tokens: Tokens, rng: Rng) -> Tokens:
        found = places(
            tokens,
            lambda t: t.kind == "string" and t.inside == "{" and len(t.value) > 16,
        )
        return rewrite(
            tokens, {at: _halves(tokens[at].value, joint(rng)) for at in some(rng, found)}
        )

    return mutate


def _halves(text: str, joint: str) -> str:
    middle = text.find(" ", len(text) // 3) + 1 or len(text) // 2
    return dump(text[:middle]) + joint + dump(text[middle:])


def _plus(rng: Rng) -> str:
    return rng.choice((" + ", " +\n    ", "\n    + ", "+"))


def _adjacent(rng: Rng) -> str:
    return rng.choice(("\n    ", " \\\n    ", "\n  "))


def _parentheses(tokens: Tokens, _rng: Rng) -> Tokens:
    table = {"[": "(", "]": ")"}
    found = places(tokens, lambda token: token.kind in table)
    return rewrite(tokens, {at: table[tokens[at].text] for at in found})


def commented(write: Callable[[str], str], *, own_line: bool = False) -> Mutator:
    """Comments at line ends, or on lines of their own."""

    def mutate(tokens: Tokens, rng: Rng) -> Tokens:
        breaks = places(tokens, lambda token: token.kind == "space" and "\n" in token.text)
        texts = {}
        for at in some(rng, breaks, 4):
            note = write(rng.choice(NOTES))
            mark = tokens[at].text if own_line or rng.random() < 0.3 else "  "
            texts[at] = mark + note + tokens[at].text
        return rewrite(tokens, texts)

    return mutate


line_comments: Final = commented("// {}".format)
block_comments: Final = commented("/* {} */".format)
hash_comments: Final = commented("# {}".format)


def _inline_blocks(tokens: Tokens, rng: Rng) -> Tokens:
    found = places(tokens, lambda token: token.kind in {",", ":", "{", "["})
    return rewrite(
        tokens, {at: f"{tokens[at].text} /* {rng.choice(NOTES)} */" for at in some(rng, found)}
    )


def _long_comments(tokens: Tokens, _rng: Rng) -> Tokens:
    block = '/*\n * Concept, version 2\n * {"title": "old"}\n */\n'
    return rewrite(tokens, {0: block + tokens[0].text})


def _final_comments(tokens: Tokens, rng: Rng) -> Tokens:
    last = len(tokens) - 1
    note = rng.choice(("// end", "/* end of JSON */", "# end", "// that's all"))
    return rewrite(tokens, {last: f"{tokens[last].text} {note}"})


CLASSES: Final = (
    damage("python_literals", python_literals, SOUND, (review,)),
    CaseClass("python_repr", "damage", Policy.VALUE, _python_repr),
    damage(
        "literals_upper",
        _literals({"true": "TRUE", "false": "FALSE", "null": "NULL"}),
        SOUND,
        (review,),
    ),
    CaseClass("js_undefined", "damage", Policy.VALUE, _undefined),
    damage("js_concat", _split(_plus), tricky.ESCAPED),
    damage("python_concat", _split(_adjacent), tricky.ESCAPED, styles=LINED),
    damage("python_tuples", _parentheses, shapes=(keywords, cast, book)),
    damage(
        "python_tuples_single",
        lambda tokens, rng: single_quotes(_parentheses(tokens, rng), rng),
        shapes=(keywords, cast, book),
    ),
    damage("comments_line", line_comments, SOUND, styles=LINED),
    damage("comments_block", block_comments, SOUND, styles=LINED),
    damage("comments_hash", hash_comments, SOUND, styles=LINED),
    damage("comments_own_line", commented("// {}".format, own_line=True), SOUND, styles=LINED),
    damage("comments_inline", _inline_blocks, SOUND),
    damage("comments_before", _long_comments, SOUND),
    damage("comments_after", _final_comments, SOUND),
)
