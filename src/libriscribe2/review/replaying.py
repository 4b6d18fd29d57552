"""Reading stored replies again with the present cleanup pipeline: what would come out now?"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from libriscribe2.llm.conversation import CUT
from libriscribe2.project.dump_reading import ReplyReader, plain_value
from libriscribe2.replies.parsers import EMPTY_REPLY, ParserResult, failure, split_leading_reasoning
from libriscribe2.review.calls import Call

Likeness = Literal["same", "differs", "not replayed"]


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that would be otherwise.

    Attributes:
        field: `verdict`, `clean`, `feedback`, `method`, `issues` or `repairs`.
        then: What the dump says.
        now: What comes out today.
    """

    field: str
    then: Any
    now: Any


@dataclass(frozen=True, slots=True)
class Replayed:
    """A call, read again.

    Attributes:
        call: The call.
        likeness: Whether the same comes out.
        changes: What differs.
        reason: Why it was not replayed.
    """

    call: Call
    likeness: Likeness
    changes: tuple[Change, ...] = ()
    reason: str = ""

    def as_record(self) -> dict[str, Any]:
        """The outcome as JSON."""
        return {
            "id": self.call.id,
            "file": self.call.path.name,
            "step": self.call.dump.step,
            "likeness": self.likeness,
            "reason": self.reason,
            "changes": [asdict(change) for change in self.changes],
        }


def replay(call: Call) -> Replayed:
    """Read the reply of a call again, the way that its dump describes.

    Nothing is asked of a model and nothing is written.
    """
    dump = call.dump
    if call.state in ("damaged", "old"):
        return Replayed(call, "not replayed", reason=f"{call.state}: {call.fault}")
    if dump.reader is None:
        return Replayed(call, "not replayed", reason="the dump does not say how it was read")
    try:
        reader = ReplyReader.from_record(dump.reader)
    except (AttributeError, TypeError, ValueError, KeyError, OverflowError) as error:
        return Replayed(call, "not replayed", reason=f"its reader is damaged: {error}")
    if reader is None:
        shape = dump.reader.get("shape")
        return Replayed(call, "not replayed", reason=f"there is no shape {shape} any more")
    changes = _changes(call, _read_again(call, reader))
    return Replayed(call, "differs" if changes else "same", changes)


def _read_again(call: Call, reader: ReplyReader) -> ParserResult:
    """What comes out; a reply that is empty or cut never succeeds (`llm.conversation`).

    What a model is told of a cut reply depends on the room that it had, not on the reply.
    """
    if call.dump.finish_reason == "length":
        return failure(call.dump.feedback or CUT)
    answer = split_leading_reasoning(call.dump.raw_response)[1]
    return reader(answer) if answer.strip() else failure(EMPTY_REPLY)


def _changes(call: Call, result: ParserResult) -> tuple[Change, ...]:
    """The differences between a dump and what comes out today."""
    dump, report = call.dump, result.get("report")
    now: dict[str, Any] = {
        "verdict": result["status"],
        "clean": plain_value(result),
        "feedback": result.get("feedback", ""),
    }
    then: dict[str, Any] = {
        "verdict": "error" if dump.feedback else "success",
        "clean": dump.clean,
        "feedback": dump.feedback,
    }
    if report is not None:
        around = [issue for issue in dump.formatting_issues if issue == "reasoning_block"]
        now |= {"method": report.method, "issues": [*around, *report.issues]}
        then |= {"method": dump.extraction_method, "issues": dump.formatting_issues}
        now["repairs"] = _plain(report.repairs)
        then["repairs"] = _plain(dump.repairs)
    return tuple(
        Change(name, then[name], now[name]) for name in now if _like(then[name]) != _like(now[name])
    )


def _plain(repairs: Sequence[Any]) -> list[dict[str, Any]]:
    names = ("name", "lossless", "position")
    return [{name: getattr(repair, name) for name in names} for repair in repairs]


def _like(value: Any) -> str:
    """A value as JSON: for Python `True`, `1` and `1.0` are equal."""
    return json.dumps(value, sort_keys=True)
