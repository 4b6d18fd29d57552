"""Damage to commas, colons and closers: missing, doubled, at the wrong place, of the wrong kind."""

from collections.abc import Callable
from typing import Final

from bench.corpus.case import Policy, Rng
from bench.corpus.damaging import SOUND, damage
from bench.corpus.samples import book, cast, keywords, outline, review, scenes
from bench.corpus.tokens import (
    CLOSERS,
    LINED,
    OPENERS,
    STYLES,
    Token,
    Tokens,
    places,
    rewrite,
    solid_after,
    solid_before,
    some,
)


def _commas(tokens: Tokens, inside: str = "") -> list[int]:
    return places(tokens, lambda token: token.kind == "," and inside in {"", token.inside})


def _filled_closers(tokens: Tokens) -> list[int]:
    found = places(tokens, lambda token: token.kind in CLOSERS)
    return [at for at in found if not _is_opener(solid_before(tokens, at))]


def _is_opener(token: Token | None) -> bool:
    return token is None or token.kind in OPENERS


def trailing_commas(tokens: Tokens, rng: Rng) -> Tokens:
    """A comma before some closers."""
    chosen = some(rng, _filled_closers(tokens), 4)
    lined = {at: at - 1 if tokens[at - 1].kind == "space" else at for at in chosen}
    return rewrite(tokens, {spot: ("," + tokens[spot].text) for spot in lined.values()})


def missing_commas(tokens: Tokens, rng: Rng) -> Tokens:
    """No comma between some members, or between objects of a list."""
    found = [
        at
        for at in _commas(tokens)
        if tokens[at].inside == "{" or (solid_after(tokens, at) or tokens[0]).kind == "{"
    ]
    return rewrite(tokens, dict.fromkeys(some(rng, found), ""))


def _missing_in_lists(tokens: Tokens, rng: Rng) -> Tokens:
    found = [
        at for at in _commas(tokens, "[") if (solid_after(tokens, at) or tokens[0]).kind == "string"
    ]
    return rewrite(tokens, dict.fromkeys(some(rng, found), ""))


def extra_commas(tokens: Tokens, rng: Rng) -> Tokens:
    """Two or three commas where one belongs."""
    chosen = some(rng, _commas(tokens))
    return rewrite(tokens, {at: rng.choice((",,", ", ,", ",,,")) for at in chosen})


def _leading_commas(tokens: Tokens, rng: Rng) -> Tokens:
    openers = places(tokens, lambda token: token.kind in OPENERS)
    filled = [at for at in openers if (solid_after(tokens, at) or tokens[0]).kind not in CLOSERS]
    return rewrite(tokens, {at: tokens[at].text + "," for at in some(rng, filled)})


def _semicolons(tokens: Tokens, rng: Rng) -> Tokens:
    return rewrite(tokens, dict.fromkeys(some(rng, _commas(tokens, "{"), 5), ";"))


def _missing_colons(tokens: Tokens, rng: Rng) -> Tokens:
    found = places(tokens, lambda token: token.kind == ":")
    return rewrite(tokens, dict.fromkeys(some(rng, found), " "))


def _other_colons(tokens: Tokens, rng: Rng) -> Tokens:
    mark = rng.choice((" =", " =>", " ="))
    return rewrite(tokens, dict.fromkeys(places(tokens, lambda token: token.kind == ":"), mark))


def _wrong_closers(tokens: Tokens, rng: Rng) -> Tokens:
    found = places(tokens, lambda token: token.kind in CLOSERS)[:-1]
    other = dict(zip(CLOSERS, reversed(CLOSERS), strict=True))
    return rewrite(tokens, {at: other[tokens[at].text] for at in some(rng, found, 1)})


def _inner(closer: str, following: str) -> Callable[[Tokens, Rng], Tokens]:
    """Drop one `closer` that is followed by a comma and then by `following`."""

    def mutate(tokens: Tokens, rng: Rng) -> Tokens:
        found = []
        for at in places(tokens, lambda token: token.kind == closer):
            comma = solid_after(tokens, at)
            after = [token for token in tokens[at + 1 :] if token.kind not in {"space", ","}]
            if comma is not None and comma.kind == "," and after and after[0].kind == following:
                found.append(at)
        return rewrite(tokens, dict.fromkeys(some(rng, found, 1), ""))

    return mutate


def _missing_final(tokens: Tokens, rng: Rng) -> Tokens:
    count = 1 if rng.random() < 0.7 else 2
    found = places(tokens, lambda token: token.kind in CLOSERS)
    trailing = [at for at in found if all(t.kind in {"space", *CLOSERS} for t in tokens[at:])]
    return rewrite(tokens, dict.fromkeys(trailing[-count:], ""))


def _extra_closers(tokens: Tokens, rng: Rng) -> Tokens:
    last = len(tokens) - 1
    extra = rng.choice(("}", "]", "}}", "\n}", "\n]}"))
    return rewrite(tokens, {last: tokens[last].text + extra})


def _missing_inner_opener(tokens: Tokens, rng: Rng) -> Tokens:
    found = places(tokens, lambda token: token.kind in OPENERS and token.inside == "{")
    return rewrite(tokens, dict.fromkeys(some(rng, found, 1), ""))


CLASSES: Final = (
    damage("trailing_commas", trailing_commas, SOUND),
    damage("missing_commas", missing_commas, SOUND, styles=LINED),
    damage("missing_commas_one_line", missing_commas, SOUND, styles=STYLES[3:4]),
    damage(
        "missing_commas_in_lists",
        _missing_in_lists,
        (),
        (keywords, book, cast),
        LINED,
        Policy.EITHER,
    ),
    damage("extra_commas", extra_commas, SOUND),
    damage("leading_commas", _leading_commas, SOUND),
    damage("semicolons", _semicolons, SOUND),
    damage("missing_colon", _missing_colons, SOUND, styles=LINED),
    damage("other_colons", _other_colons, SOUND),
    damage("wrong_closer", _wrong_closers, SOUND),
    damage("missing_inner_brace", _inner("}", "{"), SOUND, (cast, outline, scenes)),
    damage("missing_inner_bracket", _inner("]", "key"), SOUND, (keywords, cast, scenes, review)),
    damage("missing_final_brace", _missing_final, SOUND, policy=Policy.EITHER),
    damage("extra_closers", _extra_closers, SOUND),
    damage(
        "missing_inner_opener", _missing_inner_opener, (), (keywords, cast), LINED, Policy.EITHER
    ),
)
