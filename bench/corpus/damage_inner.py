"""Quotes inside strings without their backslash: dialogue, edges, lists, things like keys."""

from typing import Final

from bench.corpus import tricky
from bench.corpus.case import Policy, Rng
from bench.corpus.damage_quotes import quoted, raw
from bench.corpus.damaging import damage
from bench.corpus.samples import TALKING, Sample, Voice, cast, concept, keywords
from bench.corpus.tokens import STYLES, Tokens, rewrite

AMBIGUOUS: Final = (
    'He said "a", "b" and left',
    'keys like "x", "y": "z" confuse',
    'Fog", "salt" and "sea',
)


def bare_inner_quotes(tokens: Tokens, _rng: Rng) -> Tokens:
    """Inner quotes without their backslash."""
    found = quoted(tokens, ("string",))
    return rewrite(tokens, {at: f'"{raw(tokens[at])}"' for at in found})


def _one_escaped(tokens: Tokens, _rng: Rng) -> Tokens:
    """The first inner quote escaped, the others not, as models do when they lose track."""
    found = quoted(tokens, ("string",))
    return rewrite(
        tokens, {at: f'"{raw(tokens[at]).replace(chr(34), chr(92) + chr(34), 1)}"' for at in found}
    )


def _keywords(voice: Voice) -> Sample:
    sample = keywords(voice)
    name = voice.one_of(tuple(sample.value))
    spot = voice.rng.randrange(len(sample.value[name]))
    sample.value[name][spot] = voice.one_of(tricky.ARRAY_QUOTES)
    return sample


def _traits(voice: Voice) -> Sample:
    sample = cast(voice)
    sample.value["characters"][0]["traits"][-1] = voice.one_of(tricky.ARRAY_QUOTES)
    return sample


def _ambiguous(voice: Voice) -> Sample:
    sample = concept(voice)
    sample.value["description"] = voice.one_of(AMBIGUOUS[:2])
    return sample


def _ambiguous_list(voice: Voice) -> Sample:
    sample = keywords(voice)
    sample.value["primary_keywords"][0] = voice.one_of(AMBIGUOUS[::2])
    return sample


CLASSES: Final = (
    damage("inner_quotes_dialogue", bare_inner_quotes, tricky.DIALOGUE, TALKING),
    damage("inner_quotes_edge", bare_inner_quotes, tricky.DIALOGUE_EDGE, TALKING),
    damage("inner_quotes_keylike", bare_inner_quotes, tricky.DIALOGUE_KEYLIKE, TALKING),
    damage("inner_quotes_array", bare_inner_quotes, shapes=(_keywords, _traits)),
    damage("inner_quotes_half_escaped", _one_escaped, tricky.DIALOGUE, TALKING),
    damage("inner_quotes_ambiguous", bare_inner_quotes, shapes=(_ambiguous,), policy=Policy.EITHER),
    damage(
        "inner_quotes_ambiguous_list",
        bare_inner_quotes,
        shapes=(_ambiguous_list,),
        styles=STYLES[3:],
        policy=Policy.EITHER,
    ),
)
