"""Every class of the corpus, in the order of the groups."""

from typing import Final

from bench.corpus import (
    clean,
    compound,
    damage_commas,
    damage_inner,
    damage_literals,
    damage_numbers,
    damage_odd,
    damage_quotes,
    damage_strings,
    envelopes,
    fences,
    gaps,
    multi,
    reasoning,
    reject,
    spec,
    truncation,
    wrap,
)
from bench.corpus.case import CaseClass

MODULES: Final = (
    clean,
    wrap,
    fences,
    reasoning,
    envelopes,
    multi,
    damage_commas,
    damage_quotes,
    damage_inner,
    damage_literals,
    damage_strings,
    damage_numbers,
    damage_odd,
    truncation,
    reject,
    gaps,
    spec,
    compound,
)


def all_classes() -> tuple[CaseClass, ...]:
    """The classes of all modules; their names are distinct.

    Raises:
        ValueError: Two classes share a name.
    """
    found = tuple(kind for module in MODULES for kind in module.CLASSES)
    names = [kind.name for kind in found]
    if len(set(names)) != len(names):
        message = "Two classes of the corpus share a name."
        raise ValueError(message)
    return found
