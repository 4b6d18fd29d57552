"""How a class of damage is made: a sample, its tokens, a mutator, and the text that comes out."""

from collections.abc import Sequence
from typing import Final

from bench.corpus import tricky
from bench.corpus.case import CaseClass, Draft, Policy, Rng
from bench.corpus.samples import SHAPES, Sample, Shape, any_sample, asked
from bench.corpus.tokens import STYLES, Mutator, Style, render, text_of, tokenize

TRIES: Final = 40
# Strings that look damaged but are not; sound quoting and escaping protects them.
SOUND: Final = tricky.LOOKALIKES + tricky.BRACES + tricky.ESCAPED + tricky.DIALOGUE


def damaged(sample: Sample, mutate: Mutator, style: Style, rng: Rng) -> str | None:
    """The damaged text of `sample`; None where the mutator found nothing to strike."""
    text = render(mutate(tokenize(sample.value, style), rng))
    return None if text == text_of(sample.value, style) else text


def damage(
    name: str,
    mutate: Mutator,
    extra: Sequence[str] = (),
    shapes: Sequence[Shape] = SHAPES,
    styles: Sequence[Style] = STYLES,
    policy: Policy = Policy.VALUE,
) -> CaseClass:
    """A class whose value is known and whose text `mutate` damaged.

    Args:
        name: Name of the class.
        mutate: Strikes the tokens of a clean text.
        extra: Tricky strings that the values carry; only such as stay readable under the damage.
        shapes: Shapes of value that the damage can strike.
        styles: Layouts in which the damaged text has one reading.
        policy: `EITHER` where there is a second defensible reading.
    """

    def make(rng: Rng) -> Draft:
        for _ in range(TRIES):
            sample = any_sample(rng, extra, shapes)
            text = damaged(sample, mutate, rng.choice(styles), rng)
            if text is not None:
                return Draft(text, sample.value, asked(rng, sample))
        message = f"Class {name!r} found nothing to damage in {TRIES} samples."
        raise RuntimeError(message)

    return CaseClass(name, "damage", policy, make)
