"""The repair parser: damaged JSON read by an iterative, linear pass, every change named."""

from typing import Final

from libriscribe2.utils.repair.conservation import lost_content
from libriscribe2.utils.repair.outcome import RepairOutcome, Trouble
from libriscribe2.utils.repair.parser import Policy, parse_damaged
from libriscribe2.utils.strict_json import same_json

__all__ = ["RepairOutcome", "Trouble", "repair_json"]

_DEFAULT: Final = Policy()
_OTHERS: Final = (
    Policy(structure_wins=True),
    Policy(closing=("wrong_closer", "extra_closer", "missing_closer")),
    Policy(closing=("extra_closer", "missing_closer", "wrong_closer")),
)


def repair_json(text: str, start: int = 0) -> RepairOutcome:
    """Read the damaged JSON value that begins at `start`.

    Where two readings are possible both are made: if only one comes out sound it is taken, if both
    do and they differ the value is refused as ambiguous.
    """
    first, doubts = _proven(text, start, _DEFAULT)
    if not doubts:
        return first
    sound = [first] if first.trouble is None else []
    for policy in _OTHERS:
        other, _ = _proven(text, start, policy)
        if other.trouble is None and not any(same_json(other.value, o.value) for o in sound):
            sound.append(other)
    if len(sound) == 1:
        return sound[0]
    if not sound:
        return first
    trouble = Trouble("ambiguous", sound[0].repairs[0].position)
    return RepairOutcome(None, first.end, first.repairs, trouble, first.members, first.work * 4)


def _proven(text: str, start: int, policy: Policy) -> tuple[RepairOutcome, int]:
    """One reading with its conservation checked, and how many doubts it met."""
    outcome, parser = parse_damaged(text, start, policy)
    if outcome.value is None:
        return outcome, parser.doubts
    lost = lost_content(text, start, outcome.end, parser.contents)
    if lost is None:
        return outcome, parser.doubts
    trouble = Trouble("ambiguous", lost)
    failed = RepairOutcome(
        None, outcome.end, outcome.repairs, trouble, outcome.members, outcome.work
    )
    return failed, parser.doubts
