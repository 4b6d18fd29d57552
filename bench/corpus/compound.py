"""Two or three damages at once, and damage inside a wrapping."""

from collections.abc import Callable, Sequence
from typing import Final

from bench.corpus import chatter, tricky
from bench.corpus.case import CaseClass, Draft, Policy, Rng
from bench.corpus.damage_commas import extra_commas, missing_commas, trailing_commas
from bench.corpus.damage_inner import bare_inner_quotes
from bench.corpus.damage_literals import block_comments, line_comments, python_literals
from bench.corpus.damage_quotes import bare_keys, single_quotes, smart_quotes
from bench.corpus.damage_strings import raw_newlines
from bench.corpus.samples import any_sample, asked, book, cast, concept, outline, review
from bench.corpus.tokens import LINED, Mutator, Tokens, places, render, rewrite, tokenize

# One of each row at most: two of one row would strike the same tokens.
FAMILIES: Final[tuple[tuple[Mutator, ...], ...]] = (
    (trailing_commas,),
    (missing_commas, extra_commas),
    (single_quotes, smart_quotes, bare_inner_quotes, raw_newlines),
    (python_literals,),
)
# These add text to tokens that others struck before, so they come last.
COMMENTS: Final[tuple[Mutator, ...]] = (line_comments, block_comments)
LAYERS: Final = ("fence", "prose", "think", "open fence", "bom")
QUOTE_SHAPES: Final = (concept, book, cast, outline, review)
LINES: Final = ("First line.\nSecond line.", "One\n\nTwo")


def _strike(tokens: Tokens, count: int, rng: Rng) -> Tokens:
    families = list(FAMILIES)
    rng.shuffle(families)
    for family in families[:count]:
        tokens = rng.choice(family)(tokens, rng)
    return tokens


def _with_comments(tokens: Tokens, rng: Rng) -> Tokens:
    return rng.choice(COMMENTS)(tokens, rng)


def _around(text: str, layer: str, rng: Rng) -> str:
    if layer == "fence":
        return f"{rng.choice(chatter.INTROS)}\n```json\n{text}\n```\n{rng.choice(chatter.OUTROS)}"
    if layer == "prose":
        return f"{rng.choice(chatter.INTROS)}\n\n{text}\n\n{rng.choice(chatter.OUTROS)}"
    if layer == "think":
        return f"<think>\n{rng.choice(chatter.REASONING)}\n</think>\n{text}"
    return f"```json\n{text}" if layer == "open fence" else f"\ufeff{text}\n"


def _compound(
    name: str,
    strikes: Sequence[Callable[[Tokens, Rng], Tokens]],
    layers: Sequence[str] = (),
) -> CaseClass:
    def make(rng: Rng) -> Draft:
        while True:
            sample = any_sample(rng, tricky.DIALOGUE[:6] + LINES, QUOTE_SHAPES)
            before = tokenize(sample.value, rng.choice(LINED))
            tokens = before
            for strike in strikes:
                tokens = strike(tokens, rng)
            if tokens == before:
                continue
            text = render(tokens)
            text = _around(text, rng.choice(layers), rng) if layers else text
            return Draft(text, sample.value, asked(rng, sample))

    return CaseClass(name, "compound", Policy.VALUE, make)


def _one(tokens: Tokens, rng: Rng) -> Tokens:
    return _strike(tokens, 1, rng)


def _two(tokens: Tokens, rng: Rng) -> Tokens:
    return _strike(tokens, 2, rng)


def _three(tokens: Tokens, rng: Rng) -> Tokens:
    return _strike(tokens, 3, rng)


def _cut(rng: Rng) -> Draft:
    sample = any_sample(rng, (), QUOTE_SHAPES)
    tokens = _two(tokenize(sample.value, rng.choice(LINED)), rng)
    strings = places(tokens, lambda token: token.kind == "string" and len(token.text) > 8)
    at = rng.choice(strings[len(strings) // 2 :])
    text = render(rewrite(tokens[: at + 1], {at: tokens[at].text[: len(tokens[at].text) // 2]}))
    return Draft(text, None, asked(rng, sample))


CLASSES: Final = (
    _compound("compound_2", (_two,)),
    _compound("compound_3", (_three,)),
    _compound("compound_2_with_comments", (_one, _with_comments)),
    _compound("compound_3_with_comments", (_two, _with_comments)),
    _compound("compound_keys_and_damage", (bare_keys, _one)),
    _compound("compound_keys_and_comments", (bare_keys, _one, _with_comments)),
    _compound("compound_wrapped_damage", (_one,), LAYERS),
    _compound("compound_wrapped_2", (_two,), LAYERS),
    CaseClass("compound_cut", "truncation", Policy.FLAG, _cut),
)
