"""Numbers of structured replies."""

import math
from collections.abc import Mapping
from typing import Any

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.spot import Spot

_COUNTED = frozenset({"number", "index", "order", "chapter", "scene", "id", "chapter_number"})


def number_within(schema: Mapping[str, Any], spot: Spot, dice: Dice, step: int = 0) -> int | float:
    """A number that fits a schema and its field.

    Args:
        schema: Bounds, exclusive bounds and `multipleOf` are kept to.
        spot: The field: counters count, ages are ages, scores are good but not best.
        dice: Decides where the field does not.
        step: 0 for the first choice, then further ones.
    """
    whole = schema.get("type") != "number"
    unit: int | float = schema.get("multipleOf", 1)
    low, high = _bounds(schema, unit, whole=whole)
    wanted = _wanted(spot, low, high, dice)
    if not whole and isinstance(unit, int) and "multipleOf" not in schema:
        return min(max(wanted + step / 4, low), high)
    first, last = math.ceil(low / unit), math.floor(high / unit)
    index = min(max(round(wanted / unit), first), last)
    index = first + (index - first + step) % max(1, last - first + 1)
    return index * unit


def _bounds(schema: Mapping[str, Any], unit: float, *, whole: bool) -> tuple[float, float]:
    """The least and the greatest value allowed; 1,000 apart where a bound is missing."""
    margin = unit if whole or "multipleOf" in schema else 1e-6
    low = schema.get("minimum", -math.inf)
    high = schema.get("maximum", math.inf)
    if "exclusiveMinimum" in schema:
        low = max(low, schema["exclusiveMinimum"] + margin)
    if "exclusiveMaximum" in schema:
        high = min(high, schema["exclusiveMaximum"] - margin)
    if low == -math.inf:
        low = 0 if high > 0 else high - 1000
    return low, high if high != math.inf else low + 1000


def _wanted(spot: Spot, low: float, high: float, dice: Dice) -> float:
    if spot.key in _COUNTED:
        return spot.index + 1
    if spot.key == "age":
        return dice.between(22, 67)
    if spot.key in {"score", "rating", "confidence"}:
        return round(low + (high - low) * 0.7, 1)
    if spot.key in {"words", "word_count"}:
        return 1000
    return low + dice.below(int(min(high - low, 5)) + 1)
