"""The list of calls, and one call whole."""

from collections.abc import Sequence
from typing import Any

from libriscribe2.commands.calls import (
    Call,
    CallFilter,
    conversation,
    facets,
    problems_first,
    search_text,
)
from libriscribe2.commands.reply_replay import Piece, clean_text, raw_against_clean
from libriscribe2.review.snapshot import Snapshot


def call_list(snapshot: Snapshot, wanted: CallFilter) -> dict[str, Any]:
    """The values of the list; every call is in it, those that do not fit are hidden."""
    found = problems_first(snapshot.calls)
    return {
        "calls": [(call, wanted.fits(call), search_text(call)) for call in found],
        "shown": sum(map(wanted.fits, found)),
        "facets": facets(snapshot.calls),
        "wanted": wanted,
    }


def call_rows(snapshot: Snapshot, wanted: CallFilter) -> list[dict[str, Any]]:
    """The calls that fit, as JSON."""
    return [call.as_row() for call in problems_first(snapshot.calls) if wanted.fits(call)]


def one_call(snapshot: Snapshot, call_id: str) -> dict[str, Any] | None:
    """The values of a call's page; None where there is no such call."""
    calls = snapshot.calls
    place = next((n for n, call in enumerate(calls) if call.id == call_id), None)
    if place is None:
        return None
    call = calls[place]
    pieces = raw_against_clean(call)
    return {
        "call": call,
        "attempts": conversation(calls, call),
        "errors": _faults(call.dump.validation_errors),
        "clean": clean_text(call),
        "raw_pieces": _without("new", pieces, call),
        "clean_pieces": _without("gone", pieces, call) if pieces is not None else None,
        "previous": calls[place - 1] if place else None,
        "next": calls[place + 1] if place + 1 < len(calls) else None,
        "previous_problem": _problem(calls[:place][::-1]),
        "next_problem": _problem(calls[place + 1 :]),
    }


def _faults(told: Sequence[str]) -> list[str]:
    """What was wrong, without the sentences around the list; all of it where there is no list."""
    listed = [line.removeprefix("- ") for line in told if line.startswith("- ")]
    return listed or [line for line in told if line.strip()]


def _problem(calls: Sequence[Call]) -> Call | None:
    return next((call for call in calls if call.is_problem), None)


def _without(kind: str, pieces: list[Piece] | None, call: Call) -> list[Piece]:
    """One side of a comparison; where nothing was read, the reply as it is."""
    if pieces is None:
        return [Piece("same", call.dump.raw_response)]
    return [piece for piece in pieces if piece.kind != kind]
