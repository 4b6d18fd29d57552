"""How the book came to be: stages and costs, the list of calls, and one call whole."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from libriscribe2.commands.by_hand import waiting_requests
from libriscribe2.commands.calls import (
    Call,
    CallFilter,
    Tokens,
    conversation,
    facets,
    problems_first,
    search_text,
)
from libriscribe2.commands.reply_replay import Piece, clean_text, raw_against_clean
from libriscribe2.commands.run_progress import Progress, scale_of
from libriscribe2.desk.snapshot import Snapshot, readable
from libriscribe2.errors import LibriScribeError
from libriscribe2.llm.session import ReplyAwaitedError
from libriscribe2.observe.events import Event

_ENDS: Final = {
    "run.end": "finished",
    "run.failed": "stopped",
    "run.interrupted": "interrupted",
}
_KILLED: Final = "Its process ended unexpectedly; `libriscribe2 resume` continues."
_SHORTEST_TIMELINE: Final = 1.0
WIDTH: Final = 1000
"""Units across the timeline."""


@dataclass(frozen=True, slots=True)
class StageRow:
    """One stage in the table.

    Attributes:
        name: The stage.
        made: Units whose files are there.
        units: All of its units that are known.
        calls: Its calls.
        repaired: Of these, replies that could be used after cleaning.
        refused: Replies that could not be used.
        further: Attempts after the first of their conversation.
        tokens_in: Tokens read.
        tokens_out: Tokens written.
        cost_usd: Known prices together; None where one is unknown.
        seconds: Time of its calls.
    """

    name: str
    made: int
    units: int
    calls: int
    repaired: int
    refused: int
    further: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Bar:
    """A call in the timeline, in units of `WIDTH`."""

    call: Call
    x: float
    width: float


def overview(snapshot: Snapshot) -> dict[str, Any]:
    """The values of the page."""
    totals = snapshot.view.manifest.totals
    return {
        "run": run_state(snapshot.events, may_run=snapshot.may_run),
        "told": _told(snapshot),
        "done": len(snapshot.chapters),
        "planned": snapshot.planned_chapters(),
        "words": sum(entry.words for entry in snapshot.chapters),
        "totals": totals,
        "further": sum(call.dump.attempt > 1 for call in snapshot.calls),
        # A list that cannot be read is told by the next run.
        "waiting": readable(lambda: waiting_requests(snapshot.view), []),
        "left": _left(snapshot),
        "rows": [_stage_row(name, snapshot) for name in _order(snapshot)],
        "timeline": timeline(snapshot.calls, _order(snapshot)),
        "width": WIDTH,
    }


def _told(snapshot: Snapshot) -> str:
    """How far the newest run is, in the words and figures of the terminal."""
    if not snapshot.events or snapshot.brief is None:
        return ""
    try:
        progress = Progress(scale_of(snapshot.view, snapshot.brief))
        for event in snapshot.events:
            progress.fold(event)
    except LibriScribeError:  # a damaged file is told by its own page
        return ""
    seconds = (snapshot.events[-1].ts - snapshot.events[0].ts).total_seconds()
    told = (*progress.at_work(), progress.doing(), *progress.figures(seconds).told)
    return " \u00b7 ".join(filter(None, told))


def run_state(events: Sequence[Event], *, may_run: bool = True) -> dict[str, Any]:
    """What the newest run is doing, or how it ended; empty before there was one.

    Args:
        events: What it told.
        may_run: Whether its process may still be at work.
    """
    if not events:
        return {}
    last = events[-1]
    state = _ENDS.get(last.event, "running" if may_run else "stopped")
    if last.status == ReplyAwaitedError.slug:
        state = "waiting"
    killed = state == "stopped" and last.event not in _ENDS
    return {
        "state": state,
        "since": events[0].ts,
        "last": last.ts,
        "message": _KILLED if killed else last.message,
        "done": sum(event.event == "stage.end" for event in events),
        "calls": sum(event.calls for event in events if event.event == "llm.call"),
    }


def timeline(calls: Sequence[Call], order: Sequence[str]) -> list[tuple[str, list[Bar]]]:
    """When each call was under way, by stage."""
    timed = [(call, end) for call in calls if (end := _moment(call.dump.timestamp)) is not None]
    if not timed:
        return []
    first = min(end - call.dump.seconds for call, end in timed)
    whole = max(end for _, end in timed) - first
    if whole < _SHORTEST_TIMELINE:
        return []

    def bar(call: Call, end: float) -> Bar:
        width = max(WIDTH * call.dump.seconds / whole, 3.0)
        right = WIDTH * (end - first) / whole
        return Bar(call, round(min(max(right - width, 0.0), WIDTH - width), 1), round(width, 1))

    rows = [(name, [bar(*one) for one in timed if one[0].dump.stage == name]) for name in order]
    return [(name, bars) for name, bars in rows if bars]


def _order(snapshot: Snapshot) -> list[str]:
    known = [agent.name for agent in snapshot.stages]
    told = dict.fromkeys(call.dump.stage for call in snapshot.calls if call.dump.stage)
    return [*known, *(name for name in told if name not in known)]


def _stage_row(name: str, snapshot: Snapshot) -> StageRow:
    calls = [call for call in snapshot.calls if call.dump.stage == name]
    units = [unit for unit in snapshot.units if unit.unit.stage == name]
    tokens = [call.dump.usage or Tokens() for call in calls]
    return StageRow(
        name,
        made=sum(unit.state != "missing" for unit in units),
        units=len(units),
        calls=len(calls),
        repaired=sum(call.state == "repaired" for call in calls),
        refused=sum(call.state == "refused" for call in calls),
        further=sum(call.dump.attempt > 1 for call in calls),
        tokens_in=sum(one.input_tokens for one in tokens),
        tokens_out=sum(one.output_tokens for one in tokens),
        cost_usd=_together(call.dump.cost_usd for call in calls),
        seconds=sum(call.dump.seconds for call in calls),
    )


def _together(prices: Iterable[float | None]) -> float | None:
    known = list(prices)
    return None if None in known else sum(price for price in known if price is not None)


def _left(snapshot: Snapshot) -> float | None:
    """What the cap leaves, in US dollars; None without a cap."""
    if snapshot.max_cost is None:
        return None
    return max(0.0, snapshot.max_cost - snapshot.view.manifest.ledger.possible_usd())


def _moment(stamp: str) -> float | None:
    """A time stamp in seconds since 1970; None where it is none, or of no zone."""
    try:
        found = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    return found.timestamp() if found.tzinfo is not None else None


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
