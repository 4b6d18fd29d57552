"""What a line of `events.jsonl` holds."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.support.screen import event

from libriscribe2.observe.events import Event

ALWAYS = {
    *("v", "ts", "run", "seq", "event", "stage", "chapter", "unit", "reason", "words", "calls"),
    *("tokens", "cost_usd", "seconds", "model", "path", "message"),
}


def test_a_line_names_what_is_rare_only_where_there_is_some() -> None:
    plain = event("stage.start", stage="outline").model_dump(mode="json")
    assert plain.keys() == ALWAYS
    assert plain["tokens"] == {"in": 0, "out": 0}
    call = event("llm.call", attempt=2, issues=["x"], tokens={"in": 3, "out": 4, "cached": 2})
    record = call.model_dump(mode="json")
    assert record.keys() - ALWAYS == {"attempt", "issues"}
    assert record["tokens"] == {"in": 3, "out": 4, "cached": 2}


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
