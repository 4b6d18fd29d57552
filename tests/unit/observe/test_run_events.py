"""What the events of a run say of its calls, and in which order they come."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from libriscribe2.llm.backend import Completion, Request, Usage
from libriscribe2.llm.call_records import CallRecord, CallReport, DumpWritten, Piece
from libriscribe2.llm.limits.budget import Budget
from libriscribe2.llm.limits.retries import Wait
from libriscribe2.observe.events import Event, RunEvents
from libriscribe2.project.records import DumpRecord

REQUEST = Request("chapters/ch03/scene02", "openai/a", ({"role": "user", "content": "SECRET"},))
USAGE = Usage(100, 20, 80, 5, known=True)
ANSWER = Completion("Once", usage=USAGE, cost_usd=0.25, model="openai/a-2026", seconds=2.0)


def dump(**fields: Any) -> DumpRecord:
    known = {"agent_name": "Writer", "raw_response": "Once", "stage": "chapters"}
    about = {"step": REQUEST.step, "key": REQUEST.key(), "model": "openai/a-2026"}
    return DumpRecord(**{**known, **about, **fields})


def taken(*reports: CallReport, budget: Budget | None = None) -> Sequence[Event]:
    """The events of what calls report."""
    events = RunEvents("r1", budget)
    for report in reports:
        events.put(report)
    events.emit("run.end")
    return [item for item in events.take() if isinstance(item, Event)][:-1]


def heard(call: CallRecord, *dumps: DumpRecord) -> Sequence[Event]:
    """The events of a call and the dumps after it."""
    written = (DumpWritten(one, f"{n:04d}.json") for n, one in enumerate(dumps, start=1))
    return taken(call, *written)


def test_a_call_says_who_asked_whom_and_what_it_took() -> None:
    (call,) = heard(CallRecord("Writer", REQUEST, ANSWER, replayed=False))
    assert (call.stage, call.chapter, call.unit) == ("chapters", 3, REQUEST.step)
    assert (call.agent, call.attempt, call.model, call.asked) == (
        *("Writer", 1, "openai/a-2026"),
        "openai/a",
    )
    assert (call.calls, call.seconds, call.finish_reason) == (1, 2.0, "stop")
    assert (call.cost_usd, call.cost_source) == (0.25, "provider")
    tokens = call.tokens
    assert (tokens.input, tokens.output, tokens.cached, tokens.reasoning) == (100, 20, 80, 5)
    assert (call.status, call.call_file) == ("", "")  # nobody has read the reply yet


def test_a_replay_took_nothing_and_an_unknown_price_is_no_zero() -> None:
    (call,) = heard(CallRecord("Writer", REQUEST, ANSWER, replayed=True))
    assert (call.calls, call.seconds, call.tokens.cached) == (0, 0.0, 0)
    assert (call.cost_usd, call.cost_source) == (0.0, "journal")
    (call,) = heard(CallRecord("Writer", REQUEST, Completion("Once"), replayed=False))
    assert (call.cost_usd, call.cost_source) == (None, "unknown")
    assert (call.model, call.asked) == ("openai/a", "")


def test_a_reply_that_was_clean_adds_no_event() -> None:
    call = CallRecord("Writer", REQUEST, ANSWER, replayed=False)
    (told,) = heard(call, dump())
    assert (told.event, told.status, told.call_file) == ("llm.call", "clean", "0001.json")


def test_a_reply_that_was_mended_names_each_kind_of_repair_once() -> None:
    repair = {"name": "trailing_comma", "lossless": True, "position": 3}
    record = dump(formatting_issues=("markdown",), repairs=(repair, repair), attempt=2)
    call, repaired = heard(CallRecord("Writer", REQUEST, ANSWER, replayed=False), record)
    assert (call.status, call.repairs) == ("repaired", ("trailing_comma",))
    assert (repaired.event, repaired.attempt, repaired.chapter) == ("repair.applied", 2, 3)
    assert (repaired.issues, repaired.repairs) == (("markdown",), ("trailing_comma",))
    assert (repaired.calls, repaired.call_file) == (0, "0001.json")


def test_a_refusal_names_its_errors_and_neither_prompt_nor_reply() -> None:
    errors = ("These fields are wrong:", "- title: Field required (it was 'REPLY')", "- b: no")
    record = dump(feedback="no", validation_errors=errors, raw_response="REPLY")
    call, refused = heard(CallRecord("Writer", REQUEST, ANSWER, replayed=False), record)
    assert (call.status, refused.event) == ("refused", "validation.failed")
    assert refused.errors == ("title: Field required", "b: no")
    lines = refused.model_dump_json() + call.model_dump_json()
    assert "SECRET" not in lines
    assert "REPLY" not in lines


def test_the_dump_of_another_call_is_none_of_this_one() -> None:
    call, refused = heard(
        CallRecord("Writer", REQUEST, ANSWER, replayed=False), dump(key="other", feedback="no")
    )
    assert (call.status, call.call_file) == ("", "")
    assert refused.call_file == "0001.json"


def test_an_event_of_a_call_waits_for_its_dump_and_no_other_passes_it() -> None:
    other = replace(REQUEST, step="outline")
    first, second = (CallRecord("Writer", one, ANSWER, replayed=False) for one in (REQUEST, other))
    found = taken(
        first, second, DumpWritten(dump(key=other.key()), "0001.json"), Wait(1.0, "x", 1, "y")
    )
    assert [(one.seq, one.event, one.unit, one.call_file) for one in found] == [
        (1, "llm.call", REQUEST.step, ""),
        (2, "llm.call", "outline", "0001.json"),
        (3, "llm.wait", "", ""),
    ]


def test_pieces_of_prose_are_taken_in_order_and_are_no_events() -> None:
    events = RunEvents("r1")
    events.put(Piece("chapters/ch01", "Once "))
    events.emit("stage.end")
    events.put(Piece("chapters/ch01", "more"))
    first, event, last = events.take()
    assert isinstance(first, Piece)
    assert isinstance(last, Piece)
    assert isinstance(event, Event)
    assert (first.text, event.seq, last.text) == ("Once ", 1, "more")
    assert events.take() == []


class Looked(Budget):
    """A budget of which something else is used each time that it is looked at."""

    def __init__(self, *looks: dict[str, tuple[float, float]]) -> None:
        super().__init__()
        self._looks = iter(looks)

    def used(self) -> dict[str, tuple[float, float]]:
        return next(self._looks)


def test_each_cap_is_warned_of_once_from_four_fifths_on() -> None:
    looks = (
        {"max_cost": (3.99, 5.0), "max_calls": (1.0, 100.0)},
        {"max_cost": (4.0, 5.0), "max_calls": (79.0, 100.0)},
        {"max_cost": (4.5, 5.0), "max_calls": (80.0, 100.0)},
        {"max_cost": (5.0, 5.0), "max_calls": (100.0, 100.0)},
    )
    call = CallRecord("Writer", REQUEST, ANSWER, replayed=False)
    found = taken(*([call] * len(looks)), budget=Looked(*looks))
    warned = [one for one in found if one.event == "budget.warn"]
    assert [(one.cap, one.used, one.allowed) for one in warned] == [
        ("max_cost", 4.0, 5.0),
        ("max_calls", 80.0, 100.0),
    ]
    assert [one.message for one in warned] == [
        "$4.00 of $5.00 is used (max_cost)",
        "80 of 100 is used (max_calls)",
    ]
