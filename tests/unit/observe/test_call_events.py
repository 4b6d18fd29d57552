"""What the events say of a call and of the reply that it brought."""

from collections.abc import Sequence
from typing import Any

from libriscribe2.llm.backend import Completion, Request, Usage
from libriscribe2.llm.options import CallRecord
from libriscribe2.observe.call_events import tell_call, tell_dump
from libriscribe2.observe.events import Event, EventStream
from libriscribe2.project.dumps import DumpRecord

REQUEST = Request("chapters/ch03/scene02", "openai/a", ({"role": "user", "content": "SECRET"},))
USAGE = Usage(100, 20, 80, 5, known=True)
ANSWER = Completion("Once", usage=USAGE, cost_usd=0.25, model="openai/a-2026", seconds=2.0)


def dump(**fields: Any) -> DumpRecord:
    known = {"agent_name": "Writer", "raw_response": "Once", "stage": "chapters"}
    about = {"step": REQUEST.step, "key": REQUEST.key(), "model": "openai/a-2026"}
    return DumpRecord(**{**known, **about, **fields})


def heard(call: CallRecord | None = None, *dumps: DumpRecord) -> Sequence[Event]:
    """The events of a call and the dumps after it."""
    found: list[Event] = []
    events = EventStream("r1", (found.append,))
    if call is not None:
        tell_call(events, call)
    for number, record in enumerate(dumps, start=1):
        tell_dump(events, record, f"{number:04d}.json")
    events.emit("run.end")
    return found[:-1]


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
