"""Rarer damage: escaped or doubled delimiters, JavaScript escapes, notes and bullets in between."""

import json
from typing import Final

from bench.corpus.case import CaseClass, Draft, Policy, Rng
from bench.corpus.damage_commas import trailing_commas
from bench.corpus.damage_quotes import quoted, raw
from bench.corpus.damaging import SOUND, damage
from bench.corpus.samples import SHAPES, Voice, any_sample, asked, cast, concept, keywords, outline
from bench.corpus.tokens import (
    CLOSERS,
    LINED,
    STYLES,
    Tokens,
    dump,
    places,
    render,
    rewrite,
    solid_after,
    some,
    text_of,
    tokenize,
)

NOTES: Final = (" (working title)", " <- shorten", " [sic]", " - check this")


def _escaped_delimiters(tokens: Tokens, rng: Rng) -> Tokens:
    chosen = some(rng, quoted(tokens, ("string",)), 5)
    return rewrite(tokens, {at: f'\\"{raw(tokens[at])}\\"' for at in chosen})


def _doubled_delimiters(tokens: Tokens, _rng: Rng) -> Tokens:
    return rewrite(tokens, {at: f'""{raw(tokens[at])}""' for at in quoted(tokens)})


def _bold_keys(tokens: Tokens, _rng: Rng) -> Tokens:
    return rewrite(tokens, {at: f"**{tokens[at].text}**" for at in quoted(tokens, ("key",))})


def _bullets(tokens: Tokens, _rng: Rng) -> Tokens:
    return rewrite(tokens, {at: f"- {tokens[at].text}" for at in quoted(tokens, ("key",))})


def _noted(tokens: Tokens, rng: Rng) -> Tokens:
    chosen = some(rng, quoted(tokens, ("string",)), 2)
    return rewrite(tokens, {at: tokens[at].text + rng.choice(NOTES) for at in chosen})


def _closer_before_closer(tokens: Tokens, rng: Rng) -> Tokens:
    found = []
    for at in places(tokens, lambda token: token.kind == "]"):
        after = solid_after(tokens, at)
        if after is not None and after.kind in CLOSERS:
            found.append(at)
    return rewrite(tokens, dict.fromkeys(some(rng, found, 1), ""))


def _ascii_under_damage(rng: Rng) -> Draft:
    sample = any_sample(rng, ("🌊 and 𝔘 and 🇮🇪", "été, “curly”"), (concept, cast, outline))
    before = tokenize(sample.value, rng.choice(STYLES))
    escaped = {at: json.dumps(before[at].value) for at in quoted(before)}
    text = render(rewrite(trailing_commas(before, rng), escaped))
    return Draft(text, sample.value, asked(rng, sample))


def _script_escapes(rng: Rng) -> Draft:
    written, meant = rng.choice(
        ((r"\x41nna", "Anna"), (r"\u{1F30A} tide", "🌊 tide"), (r"caf\xe9", "café"))
    )
    sample = concept(Voice(rng))
    sample.value["title"] = meant
    text = text_of(sample.value, rng.choice(STYLES)).replace(dump(meant), f'"{written}"')
    return Draft(text, sample.value, asked(rng, sample), (sample.value | {"title": written},))


def _missing_value(rng: Rng) -> Draft:
    sample = any_sample(rng)
    before = tokenize(sample.value, rng.choice(STYLES))
    scalars = places(before, lambda t: t.inside == "{" and t.kind in {"string", "number"})
    lists = places(before, lambda t: t.kind == "[")
    gaps = dict.fromkeys(some(rng, scalars, 2), "")
    if not gaps:
        return Draft(render(before[: lists[0]]) + "}", None, asked(rng, sample))
    return Draft(render(rewrite(before, gaps)), None, asked(rng, sample))


CLASSES: Final = (
    damage("escaped_delimiters", _escaped_delimiters),
    damage("doubled_delimiters", _doubled_delimiters, policy=Policy.EITHER),
    damage("bold_keys", _bold_keys, policy=Policy.EITHER, styles=LINED),
    damage("bullets_before_keys", _bullets, policy=Policy.EITHER, styles=LINED),
    damage("notes_after_values", _noted, policy=Policy.EITHER),
    damage("missing_bracket_before_closer", _closer_before_closer, SOUND, (keywords, *SHAPES[1:5])),
    CaseClass("ascii_escapes_under_damage", "damage", Policy.VALUE, _ascii_under_damage),
    CaseClass("javascript_escapes", "damage", Policy.VALUE, _script_escapes),
    CaseClass("missing_value", "reject", Policy.FLAG, _missing_value),
)
