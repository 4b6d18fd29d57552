"""Stored replies read again: what was cut away or repaired, and what comes out differently today."""

import json
import re
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any, Final, Literal

from rapidfuzz.distance import Levenshtein
from typing_extensions import override

from libriscribe2.commands.calls import Call
from libriscribe2.llm.fallbacks import CUT
from libriscribe2.replies.contract import (
    EMPTY_REPLY,
    ParserResult,
    failure,
    plain_value,
    split_leading_reasoning,
)
from libriscribe2.replies.parsers import ReplyReader

MOST_CHARACTERS: Final = 60_000
"""Of the part that differs; beyond it lines are compared, because the time grows as the square."""

_MOST_TOKENS: Final = 60_000
_WORDS: Final = re.compile(r"\s+|\w+|[^\w\s]")
_LINES: Final = re.compile(r"[^\n]*\n|[^\n]+")
_SHORTEST_COMMON: Final = 4

Kind = Literal["same", "gone", "new"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text.

    Attributes:
        kind: `same`: in both texts; `gone`: only in the first; `new`: only in the second.
        text: The text.
    """

    kind: Kind
    text: str


def character_diff(before: str, after: str) -> list[Piece]:
    """The two texts as one list of pieces, by characters (by lines where they are very long).

    Without the pieces that are `new` it is the first text, without those that are `gone` the
    second.
    """
    start, end = _common(before, after)
    middle = before[start : len(before) - end], after[start : len(after) - end]
    if max(map(len, middle)) > MOST_CHARACTERS:
        pieces = _pieces(*(_LINES.findall(text) for text in middle))
    else:
        pieces = _calm(_pieces(*middle))
    whole = [Piece("same", before[:start]), *pieces, Piece("same", before[len(before) - end :])]
    return _joined(whole)


def word_diff(before: str, after: str) -> list[Piece]:
    """The same by words."""
    first, second = _WORDS.findall(before), _WORDS.findall(after)
    if max(len(first), len(second)) > _MOST_TOKENS:
        first, second = _LINES.findall(before), _LINES.findall(after)
    return _joined(_pieces(first, second))


def _pieces(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[Piece]:
    found: list[Piece] = []
    for code in Levenshtein.opcodes(before, after):
        gone = _text(before[code.src_start : code.src_end])
        if code.tag == "equal":
            found.append(Piece("same", gone))
        else:
            new = _text(after[code.dest_start : code.dest_end])
            found += [Piece("gone", gone), Piece("new", new)]
    return found


def _calm(pieces: list[Piece]) -> list[Piece]:
    """The same with chance likenesses of a few letters between two changes made changes too."""
    calm: list[Piece] = []
    for number, piece in enumerate(pieces):
        inner = 0 < number < len(pieces) - 1
        short = len(piece.text) < _SHORTEST_COMMON and piece.text.isalnum()
        if piece.kind == "same" and inner and short:
            calm += [Piece("gone", piece.text), Piece("new", piece.text)]
        else:
            calm.append(piece)
    return calm


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Neighbours made one: within a change, what is gone stands before what is new."""
    joined: list[Piece] = []
    change: dict[Kind, str] = {"gone": "", "new": ""}

    def close() -> None:
        joined.extend(Piece(kind, text) for kind, text in change.items() if text)
        change.update({"gone": "", "new": ""})

    for piece in pieces:
        if not piece.text:
            continue
        if piece.kind != "same":
            change[piece.kind] += piece.text
            continue
        close()
        if joined and joined[-1].kind == "same":
            joined[-1] = Piece("same", joined[-1].text + piece.text)
        else:
            joined.append(piece)
    close()
    return joined


def _text(part: Sequence[Hashable]) -> str:
    return part if isinstance(part, str) else "".join(map(str, part))


def _common(before: str, after: str) -> tuple[int, int]:
    """How many characters both begin with, and how many both end with apart from those."""
    most = min(len(before), len(after))
    start = next((n for n in range(most) if before[n] != after[n]), most)
    rest = most - start
    end = next((n for n in range(rest) if before[-1 - n] != after[-1 - n]), rest)
    return start, end


_INDENT: Final = re.compile(r"[{\[]\n([ \t]+)\S")
_COMPACT: Final = re.compile(r'"[:,]["\[{\d]')


def clean_text(call: Call) -> str | None:
    """The clean value of a call; None where the reply was refused, or the dump does not say.

    A JSON value is laid out as the reply laid it out, so that a comparison shows what was
    cleaned and not what was indented.
    """
    if call.dump.clean is None:
        return None
    if isinstance(call.dump.clean, str):
        return call.dump.clean
    return json_like(call.dump.clean, call.dump.raw_response)


def json_like(value: Any, sample: str) -> str:
    """A value as JSON text in the layout of a sample."""
    indent = _INDENT.search(sample)
    if indent is not None:
        return json.dumps(value, ensure_ascii=False, indent=indent[1])
    tight = "\n" not in sample and _COMPACT.search(sample) is not None
    return json.dumps(value, ensure_ascii=False, separators=(",", ":") if tight else None)


def raw_against_clean(call: Call) -> list[Piece] | None:
    """The reply and what was read of it as pieces; None where nothing was read."""
    clean = clean_text(call)
    return None if clean is None else character_diff(call.dump.raw_response, clean)


_SHOWN: Final = 120
"""Most characters of a side that are shown."""

_BEFORE: Final = 30
"""Characters that are shown before the first that differs, where a text is cut."""


class _Missing:
    """Stands for what one side does not have."""

    @override
    def __repr__(self) -> str:
        return "nothing"


_MISSING: Final = _Missing()


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two values differ.

    Attributes:
        path: The place, such as `clean.scenes[2].summary`.
        then: What stood there, shortened around the difference.
        now: What stands there.
    """

    path: str
    then: str
    now: str


def first_difference(path: str, then: Any, now: Any) -> Difference:
    """Where `now` first differs from `then`; objects are compared key by key, lists in order.

    Args:
        path: What the values are called.
        then: The value as it was.
        now: Another value as it is.
    """
    for name, one, other in _parts(then, now):
        if _differs(one, other):
            return first_difference(f"{path}{name}", one, other)
    if isinstance(then, str) and isinstance(now, str):
        start, _ = _common(then, now)
        return Difference(path, _around(then, start), _around(now, start))
    return Difference(path, _around(then, 0), _around(now, 0))


def _parts(then: Any, now: Any) -> list[tuple[str, Any, Any]]:
    """The parts of two objects or two lists; nothing else has any."""
    if isinstance(then, dict) and isinstance(now, dict):
        keys = dict.fromkeys([*then, *now])
        return [(f".{key}", then.get(key, _MISSING), now.get(key, _MISSING)) for key in keys]
    if isinstance(then, list) and isinstance(now, list):
        pairs = enumerate(zip_longest(then, now, fillvalue=_MISSING))
        return [(f"[{number}]", one, other) for number, (one, other) in pairs]
    return []


def _differs(one: Any, other: Any) -> bool:
    """Whether they are not alike as JSON: for Python `True`, `1` and `1.0` are equal."""
    parts = _parts(one, other)
    if parts:
        return any(_differs(first, second) for _, first, second in parts)
    return type(one) is not type(other) or bool(one != other)


def _around(value: Any, start: int) -> str:
    """A value as it is written, or the part of a long text where it begins to differ."""
    if isinstance(value, str) and len(value) > _SHOWN and start > _BEFORE:
        begin = start - _BEFORE
        return f"...{_cut(repr(value[begin : begin + 2 * _SHOWN]))}"
    return _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


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
