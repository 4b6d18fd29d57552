"""A text that is one JSON value as a whole, repaired where nothing is lost."""

from dataclasses import dataclass
from typing import Any

from libriscribe2.utils.refusals import refusal
from libriscribe2.utils.repair import RepairOutcome, repair_json
from libriscribe2.utils.strict_json import strict_parse


@dataclass(frozen=True, slots=True)
class WholeJson:
    """The reading of a text.

    Attributes:
        value: The value; None unless `ok`.
        ok: Whether the text is one value, with all its content.
        advice: What is wrong, said to the model; "" if `ok`.
    """

    value: Any
    ok: bool
    advice: str = ""


def whole_json(text: str, *, was_closed: bool = False) -> WholeJson:
    """Read a text that should be one JSON object or list, and nothing else.

    Args:
        text: The text.
        was_closed: Whether a mark behind the text shows that its author had finished; brackets
            that are missing at its end are then forgotten ones, not cut off.

    Returns:
        The value, or why there is none.
    """
    plain = text.strip()
    parsed = strict_parse(plain)
    if parsed.end == len(plain):
        return WholeJson(parsed.value, ok=True)
    if plain[:1] not in {"{", "["}:
        return WholeJson(None, ok=False, advice="It is not JSON.")
    outcome = repair_json(plain)
    trouble = outcome.trouble
    if trouble is not None and not (was_closed and _lacks_only_closers(outcome)):
        advice = refusal(trouble.kind, plain, trouble.position, trouble.detail).feedback
        return WholeJson(None, ok=False, advice=advice)
    if plain[outcome.end :].strip() or outcome.value is None:
        return WholeJson(None, ok=False, advice="There is other text behind the JSON value.")
    return WholeJson(outcome.value, ok=True)


def _lacks_only_closers(outcome: RepairOutcome) -> bool:
    return (
        outcome.trouble is not None
        and outcome.trouble.kind == "cut_off"
        and outcome.value is not None
        and all(repair.lossless or repair.name == "missing_closer" for repair in outcome.repairs)
    )
