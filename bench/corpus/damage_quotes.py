"""Damage to quotes: other kinds, none at all, or one of a pair missing."""

import re
from collections.abc import Sequence
from typing import Final

from bench.corpus import tricky
from bench.corpus.case import Rng
from bench.corpus.damaging import damage
from bench.corpus.samples import TALKING, book, cast, concept, keywords, outline, scenes
from bench.corpus.tokens import (
    LINED,
    Mutator,
    Token,
    Tokens,
    dump,
    places,
    rewrite,
    solid_after,
    some,
)

QUOTED: Final = ("key", "string")
CURLY: Final = (("“", "”"), ("„", "“"))
FOREIGN: Final = (("«", "»"), ("”", "”"), ("‘", "’"), ("「", "」"))
BARE: Final = re.compile(r"[^\W\d][\w -]*\w")


def quoted(tokens: Tokens, kinds: Sequence[str] = QUOTED) -> list[int]:
    """Positions of the keys and strings."""
    return places(tokens, lambda token: token.kind in kinds)


def raw(token: Token) -> str:
    """The content of a string as it stands in the text, newlines escaped, quotes not."""
    return dump(token.value)[1:-1].replace('\\"', '"')


def single_quotes(tokens: Tokens, _rng: Rng) -> Tokens:
    """Single quotes around everything; apostrophes inside stay bare."""
    return rewrite(tokens, {at: f"'{raw(tokens[at])}'" for at in quoted(tokens)})


def _mixed_quotes(tokens: Tokens, rng: Rng) -> Tokens:
    chosen = [at for at in quoted(tokens) if rng.random() < 0.5]
    return rewrite(tokens, {at: f"'{raw(tokens[at])}'" for at in chosen})


def _between(pairs: Sequence[tuple[str, str]]) -> Mutator:
    """All strings between one of `pairs` of typographic quotes."""

    def mutate(tokens: Tokens, rng: Rng) -> Tokens:
        opening, closing = rng.choice(pairs)
        return rewrite(tokens, {at: opening + raw(tokens[at]) + closing for at in quoted(tokens)})

    return mutate


smart_quotes: Final = _between(CURLY[:1])


def _half_smart(tokens: Tokens, rng: Rng) -> Tokens:
    opening, closing = rng.choice((("“", '"'), ('"', "”")))
    chosen = some(rng, quoted(tokens), 5)
    return rewrite(tokens, {at: opening + raw(tokens[at]) + closing for at in chosen})


def _backticks(tokens: Tokens, rng: Rng) -> Tokens:
    chosen = some(rng, quoted(tokens, ("string",)), 4)
    return rewrite(tokens, {at: f"`{tokens[at].value}`" for at in chosen})


def _triple(tokens: Tokens, rng: Rng) -> Tokens:
    mark = rng.choice(('"""', "'''"))
    found = [
        at
        for at in quoted(tokens, ("string",))
        if mark[0] not in tokens[at].value[:1] + tokens[at].value[-1:]
    ]
    return rewrite(tokens, {at: mark + tokens[at].value + mark for at in some(rng, found, 4)})


def bare_keys(tokens: Tokens, rng: Rng) -> Tokens:
    """Keys without quotes, all of them or some."""
    found = quoted(tokens, ("key",))
    chosen = found if rng.random() < 0.7 else some(rng, found)
    return rewrite(tokens, {at: tokens[at].value for at in chosen})


def _bare_values(tokens: Tokens, rng: Rng) -> Tokens:
    found = [at for at in quoted(tokens, ("string",)) if BARE.fullmatch(tokens[at].value)]
    return rewrite(tokens, {at: tokens[at].value for at in some(rng, found, 5)})


def _bare_both(tokens: Tokens, rng: Rng) -> Tokens:
    return _bare_values(bare_keys(tokens, rng), rng)


def _missing(kind: str, *, opening: bool) -> Mutator:
    """Drop the opening or the closing quote of one key, or of one member's value."""

    def mutate(tokens: Tokens, rng: Rng) -> Tokens:
        chosen = some(rng, [at for at in quoted(tokens, (kind,)) if _readable(tokens, at)], 1)
        cut = slice(1, None) if opening else slice(None, -1)
        return rewrite(tokens, {at: tokens[at].text[cut] for at in chosen})

    return mutate


def _readable(tokens: Tokens, at: int) -> bool:
    """Whether the layout shows where a half-quoted string ends: keys, and values of members."""
    if tokens[at].kind == "key":
        return True
    after = solid_after(tokens, at)
    return tokens[at].inside == "{" and after is not None and after.kind in {",", "}"}


CURLY_DIALOGUE: Final = tuple(re.sub('"([^"]*)"', "“\\1”", text) for text in tricky.DIALOGUE[:8])
KEYED: Final = (concept, keywords, book, cast)

CLASSES: Final = (
    damage("single_quotes", single_quotes),
    damage("single_quotes_apostrophe", single_quotes, tricky.APOSTROPHES, TALKING),
    damage("single_quotes_dialogue", single_quotes, tricky.DIALOGUE, TALKING),
    damage("mixed_quotes", _mixed_quotes),
    damage("smart_quotes", _between(CURLY)),
    damage("smart_quotes_apostrophe", smart_quotes, tricky.APOSTROPHES, TALKING),
    damage("smart_quotes_dialogue", smart_quotes, tricky.DIALOGUE, TALKING),
    damage("smart_quotes_nested", smart_quotes, CURLY_DIALOGUE, TALKING),
    damage("smart_quotes_half", _half_smart),
    damage("foreign_quotes", _between(FOREIGN)),
    damage("backtick_strings", _backticks, tricky.DIALOGUE + tricky.MULTILINE, TALKING),
    damage("triple_quotes", _triple, tricky.DIALOGUE + tricky.MULTILINE, TALKING),
    damage("unquoted_keys", bare_keys, tricky.DIALOGUE),
    damage("unquoted_values", _bare_values, shapes=(keywords, cast, scenes, outline)),
    damage("unquoted_both", _bare_both, shapes=(keywords, cast, scenes), styles=LINED),
    damage("missing_quote_key_open", _missing("key", opening=True), shapes=KEYED, styles=LINED),
    damage("missing_quote_key_close", _missing("key", opening=False), shapes=KEYED, styles=LINED),
    damage("missing_quote_value_open", _missing("string", opening=True), styles=LINED),
    damage("missing_quote_value_close", _missing("string", opening=False), styles=LINED),
)
