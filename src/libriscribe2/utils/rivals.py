"""Answers that stand beside the best one, and differ from it."""

from collections.abc import Sequence

from libriscribe2.utils.choice import FULL
from libriscribe2.utils.readings import Reading
from libriscribe2.utils.strict_json import same_json


def has_rival(best: Reading, usable: Sequence[Reading]) -> bool:
    """Whether another value answers as well as the best one, and the reply does not say which counts.

    Two options or a draft and its revision both fit a schema in full. Without a schema the first
    value is the answer.
    """
    verdict = best.judgement
    if verdict.level < FULL or not verdict.known:
        return False
    return any(_is_rival(item, best) for item in usable)


def _is_rival(item: Reading, best: Reading) -> bool:
    verdict = item.judgement
    aside = 2 * verdict.known < best.judgement.known
    if aside or verdict.level < FULL or same_json(verdict.value, best.judgement.value):
        return False
    if item.start > best.start:
        return item.cue >= 0 and (item.lossless or item.cue > 0)
    # What needed repair before a sound value was a failed attempt at it.
    announced = (best.cue, best.fence is None) != (item.cue, item.fence is None)
    return not announced and not item.repairs
