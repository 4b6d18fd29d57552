"""The fold of a run's events into spans."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.screen import event

from libriscribe2.observe.events import Event
from libriscribe2.observe.spans import Attributes, SpanFold, provider_name

START = datetime(2026, 1, 2, tzinfo=UTC)


@dataclass
class Kept:
    """A span in a list."""

    name: str
    began: datetime
    parent: "Kept | None"
    client: bool
    attributes: dict[str, Any] = field(default_factory=dict)
    ended: datetime | None = None
    error: str = ""


class ListTracing:
    """Keeps spans in a list."""

    def __init__(self) -> None:
        self.spans: list[Kept] = []

    def begin(
        self, name: str, at: datetime, attributes: Attributes, *, parent: Kept | None, client: bool
    ) -> Kept:
        self.spans.append(Kept(name, at, parent, client, dict(attributes)))
        return self.spans[-1]

    def end(self, span: Kept, at: datetime, attributes: Attributes, *, error: str) -> None:
        assert span.ended is None
        span.ended, span.error = at, error
        span.attributes.update(attributes)


def spans_of(*events: Event) -> list[Kept]:
    """The spans of a run whose events come a second apart."""
    tracing = ListTracing()
    fold = SpanFold(tracing, "book")
    for second, one in enumerate(events):
        fold.receive(one.model_copy(update={"ts": START + timedelta(seconds=second)}))
    return tracing.spans


def unit(name: str, stage: str, chapter: int | None = None, **fields: Any) -> Event:
    return event(name, stage=stage, chapter=chapter, unit=f"{stage}/{chapter}", **fields)


def call(stage: str, chapter: int | None = None, **fields: Any) -> Event:
    known = {"calls": 1, "model": "openai/a-2026", "attempt": 1, "agent": "Writer"}
    return unit("llm.call", stage, chapter, **{**known, **fields})


def test_a_run_is_a_workflow_its_units_are_agents_and_its_requests_chats() -> None:
    run, agent, chat = spans_of(
        event("run.start"),
        unit("stage.start", "chapters", 3),
        call("chapters", 3, seconds=0.5, asked="openai/a", finish_reason="stop", attempt=2),
        unit("stage.end", "chapters", 3),
        event("run.end"),
    )
    assert [one.name for one in (run, agent, chat)] == [
        "invoke_workflow book",
        "invoke_agent chapters",
        "chat openai/a",
    ]
    assert (run.parent, agent.parent, chat.parent) == (None, run, agent)
    assert [one.client for one in (run, agent, chat)] == [False, False, True]
    assert (chat.began, chat.ended) == (
        START + timedelta(seconds=1.5),
        START + timedelta(seconds=2),
    )
    assert (agent.ended, run.ended) == (START + timedelta(seconds=3), START + timedelta(seconds=4))
    assert chat.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.conversation.id": "r1",
        "gen_ai.agent.name": "chapters",
        "gen_ai.request.model": "openai/a",
        "gen_ai.response.model": "openai/a-2026",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 0,
        "gen_ai.usage.output_tokens": 0,
        "libriscribe.attempt": 2,
        "libriscribe.stage": "chapters",
        "libriscribe.chapter": 3,
    }


@pytest.mark.parametrize(
    ("last", "error"),
    [
        (event("run.failed", status="budget"), "budget"),
        (event("run.failed"), "_OTHER"),
        (event("run.interrupted"), "interrupted"),
    ],
    ids=["named", "unnamed", "interrupted"],
)
def test_a_run_that_breaks_off_ends_what_is_open_with_the_kind_of_failure(
    last: Event, error: str
) -> None:
    run, open_unit, failed = spans_of(
        event("run.start"),
        unit("stage.start", "chapters", 1),
        unit("stage.start", "chapters", 2),
        unit("stage.failed", "chapters", 2, status="provider"),
        last,
    )
    assert (run.error, open_unit.error, failed.error) == (error, error, "provider")
    assert open_unit.ended == run.ended


def test_a_refused_reply_is_an_error_and_a_mended_one_is_not() -> None:
    _, refused, mended = spans_of(
        event("run.start"),
        call("outline", status="refused", issues=["cut_off"]),
        call("outline", status="repaired", issues=["markdown"], repairs=["trailing_comma"]),
    )
    assert (refused.error, mended.error) == ("refused", "")
    assert mended.attributes["libriscribe.issues"] == ["markdown", "trailing_comma"]


def test_a_request_below_a_chapter_stands_under_the_unit_of_the_book() -> None:
    run, scenes, chat, other = spans_of(
        event("run.start"),
        unit("stage.start", "scenes"),
        call("scenes", 2),
        call("questions"),
    )
    assert (chat.parent, other.parent) == (scenes, run)


def test_a_replay_is_no_request() -> None:
    assert len(spans_of(event("run.start"), call("outline", calls=0))) == 1


def test_no_text_is_in_a_span() -> None:
    hidden: dict[str, Any] = {
        "message": "HIDDEN",
        "reason": "HIDDEN",
        "path": "HIDDEN",
        "errors": ["HIDDEN"],
    }
    found = spans_of(
        event("run.start", **hidden),
        unit("stage.start", "outline", **hidden),
        call("outline", **hidden),
        unit("stage.failed", "outline", **hidden),
        event("run.failed", **hidden),
    )
    assert "HIDDEN" not in repr(found)


EVENTS = st.lists(
    st.builds(
        unit,
        st.sampled_from(["stage.start", "stage.end", "stage.failed", "stage.skipped"]),
        st.sampled_from(["outline", "chapters"]),
        st.sampled_from([None, 1, 2]),
    )
    | st.builds(call, st.sampled_from(["outline", "chapters"]), st.sampled_from([None, 1])),
    max_size=12,
)


@given(EVENTS)
def test_whatever_comes_every_span_has_ended_when_the_run_has(events: Sequence[Event]) -> None:
    found = spans_of(event("run.start"), *_sensible(events), event("run.end"))
    assert all(one.ended is not None for one in found)
    assert [one.parent for one in found].count(None) == 1


def _sensible(events: Sequence[Event]) -> list[Event]:
    """Without a second start of a unit that is open."""
    kept, under_way = list[Event](), set[tuple[str, int | None]]()
    for one in events:
        key = one.stage, one.chapter
        if one.event == "stage.start" and key in under_way:
            continue
        if one.event == "stage.start":
            under_way.add(key)
        if one.event in {"stage.end", "stage.failed"}:
            under_way.discard(key)
        kept.append(one)
    return kept


def test_providers_have_the_names_that_open_telemetry_gives_them() -> None:
    assert provider_name("gemini/gemini-flash-latest") == "gcp.gemini"
    assert provider_name("anthropic/claude-sonnet-5") == "anthropic"
    assert provider_name("demo") == "demo"
