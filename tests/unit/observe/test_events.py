"""What a line of `events.jsonl` holds, and events that wait for what is about to be known."""

import json
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.support.screen import event

from libriscribe2.observe.events import Event, EventStream

ALWAYS = {
    *("v", "ts", "run", "seq", "event", "stage", "chapter", "unit", "reason", "words", "calls"),
    *("tokens", "cost_usd", "seconds", "model", "path", "message"),
}


def told(*calls: tuple[Any, ...]) -> list[tuple[int, str, str, str]]:
    """What the listener hears: number, event, unit and dump."""
    heard: list[Event] = []
    stream = EventStream("r1", (heard.append,), now=lambda: datetime(2026, 1, 2, tzinfo=UTC))
    for name, *arguments, fields in calls:
        getattr(stream, name)(*arguments, **fields)
    return [(one.seq, one.event, one.unit, one.call_file) for one in heard]


def test_a_line_names_what_is_rare_only_where_there_is_some() -> None:
    plain = event("stage.start", stage="outline").model_dump(mode="json")
    assert plain.keys() == ALWAYS
    assert plain["tokens"] == {"in": 0, "out": 0}
    call = event("llm.call", attempt=2, issues=["x"], tokens={"in": 3, "out": 4, "cached": 2})
    record = call.model_dump(mode="json")
    assert record.keys() - ALWAYS == {"attempt", "issues"}
    assert record["tokens"] == {"in": 3, "out": 4, "cached": 2}


def test_an_event_that_is_held_gets_what_is_known_later() -> None:
    assert told(
        ("hold", "k1", "llm.call", {"unit": "a"}),
        ("complete", "k1", {"call_file": "0001"}),
        ("emit", "stage.end", {"unit": "a"}),
    ) == [(1, "llm.call", "a", "0001"), (2, "stage.end", "a", "")]


def test_an_event_that_is_held_comes_before_the_next_one_at_the_latest() -> None:
    assert told(
        ("hold", "k1", "llm.call", {"unit": "a"}),
        ("complete", "other", {"call_file": "0001"}),
        ("hold", "k2", "llm.call", {"unit": "b"}),
        ("emit", "run.end", {}),
        ("complete", "k2", {"call_file": "0002"}),
    ) == [(1, "llm.call", "a", ""), (2, "llm.call", "b", ""), (3, "run.end", "", "")]


TEXTS = st.text(st.characters(exclude_categories=[]), max_size=8)


@given(
    st.builds(
        dict,
        message=TEXTS,
        issues=st.lists(TEXTS, max_size=3),
        attempt=st.integers(0, 9),
        cost_usd=st.none() | st.floats(0, 9),
        tokens=st.fixed_dictionaries({"in": st.integers(0, 9), "cached": st.integers(0, 9)}),
    )
)
def test_a_line_is_read_back_as_the_event_that_it_was(fields: dict[str, Any]) -> None:
    once = event("llm.call", **fields)
    line = json.dumps(once.model_dump(mode="json"))
    assert Event.model_validate(json.loads(line)) == once
