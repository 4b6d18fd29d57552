"""Spans of a run, as a collector receives them."""

import sys
import threading
import time

import pytest
from tests.support.authors import Author
from tests.support.collector import Collector
from tests.support.desk import SMALL, Desk
from tests.support.review_book import troubled
from tests.support.screen import event

from libriscribe2.observe import run_files as recording
from libriscribe2.observe.otel import OtelTracing
from libriscribe2.observe.spans import SpanFold

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
NOWHERE = "http://user:sk-secret-in-the-address@127.0.0.1:9"


def test_a_book_arrives_as_one_trace_with_every_request(desk: Desk) -> None:
    with Collector() as collector:
        desk.environment |= {ENDPOINT: collector.root, "OPENAI_API_KEY": "sk-secret-of-the-test"}
        ran = desk.create("--json", backend=Author(reply=troubled))
    spans, events = collector.spans, ran.events
    (root,) = [span for span in spans if not span.parent]
    assert root.name == "invoke_workflow book"
    assert {span.trace for span in spans} == {root.trace}
    units = [span for span in spans if span.name.startswith("invoke_agent ")]
    started = [one for one in events if one["event"] == "stage.start"]
    assert len(units) == len(started)
    assert {unit.parent for unit in units} == {root.id}
    chats = [span for span in spans if span.name == "chat demo"]
    calls = [one for one in events if one["event"] == "llm.call"]
    assert len(chats) == len(calls)
    assert {chat.parent for chat in chats} <= {unit.id for unit in units}
    assert {chat.kind for chat in chats} == {3}
    tokens = sum(chat.attributes["gen_ai.usage.input_tokens"] for chat in chats)
    assert tokens == sum(one["tokens"]["in"] for one in calls)
    refused = [chat for chat in chats if chat.failed]
    assert [one.attributes["error.type"] for one in refused] == ["refused", "refused"]
    assert {one.attributes["libriscribe.stage"] for one in refused} == {"concept", "outline"}
    assert (collector.resource["service.name"], len(spans)) == (
        "libriscribe2",
        1 + len(units) + len(chats),
    )
    assert "spans" not in ran.err


def test_no_secret_and_no_text_leaves_in_a_span(desk: Desk) -> None:
    with Collector() as collector:
        secret = "sk-secret-of-the-test"
        desk.environment |= {ENDPOINT: collector.root, "OPENAI_API_KEY": secret}
        desk.create(backend=Author(reply=troubled))
    sent = b"".join(collector.bodies)
    book = desk.project()
    title = book.json("concept.json")["concept"]["title"]
    words = [secret, "lighthouse keeper", "talk about the weather", title]
    assert sent
    assert [word for word in words if word.encode() in sent] == []
    assert "chapters" in sent.decode("utf-8", "replace")


def test_a_run_that_a_cap_stops_says_so_in_its_trace(desk: Desk) -> None:
    with Collector() as collector:
        desk.environment[ENDPOINT] = collector.root
        desk.create("--max-calls", "3", expect=8)
    (root,) = [span for span in collector.spans if not span.parent]
    assert (root.failed, root.attributes["error.type"]) == (True, "budget")


def test_an_import_is_one_trace_too(desk: Desk) -> None:
    (desk.folder / "boat.md").write_text("# The Quay\n\nThe boat came in.\n", encoding="utf-8")
    with Collector() as collector:
        desk.environment[ENDPOINT] = collector.root
        desk.run("import", "boat.md", "--mock")
    (root,) = [span for span in collector.spans if not span.parent]
    assert root.name == "invoke_workflow boat"
    chats = [span for span in collector.spans if span.name == "chat demo"]
    assert len(chats) == len(desk.project("boat").records("done")) > 0


def test_the_variables_of_open_telemetry_are_obeyed(desk: Desk) -> None:
    with Collector() as collector:
        desk.environment |= {
            ENDPOINT: collector.root,
            "OTEL_SERVICE_NAME": "my-books",
            "OTEL_RESOURCE_ATTRIBUTES": "team=fiction",
            "OTEL_EXPORTER_OTLP_HEADERS": "x-token=abc",
        }
        desk.create()
        assert collector.resource["service.name"] == "my-books"
        assert collector.resource["team"] == "fiction"
        assert {one["x-token"] for one in collector.headers} == {"abc"}
        arrived = len(collector.bodies)
        for variable in ("OTEL_SDK_DISABLED=true", "OTEL_TRACES_SAMPLER=always_off"):
            name, _, value = variable.partition("=")
            desk.environment[name] = value
            assert "warning" not in desk.run("resume", "book").err
            del desk.environment[name]
        assert len(collector.bodies) == arrived


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "sk-secret", "did not reach the collector"),
        ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "999999", "No spans are sent"),
    ],
)
def test_a_variable_that_cannot_be_used_stops_no_book(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    monkeypatch.setattr(recording, "LONGEST_FLUSH", 0.1)
    desk.environment |= {ENDPOINT: NOWHERE, name: value}
    ran = desk.create()
    assert desk.project().path("manuscript.md").exists()
    assert told in ran.err
    assert "sk-secret" not in ran.err


def test_the_extra_that_is_not_installed_is_told_in_one_line(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "libriscribe2.observe.otel", None)
    desk.environment[ENDPOINT] = NOWHERE
    ran = desk.create()
    warnings = [line for line in ran.err.splitlines() if line.startswith("warning")]
    assert len(warnings) == 1
    assert "pip install 'libriscribe2[otel]'" in warnings[0]
    assert "sk-secret" not in ran.err
    assert desk.project().path("manuscript.md").exists()


@pytest.mark.slow
@pytest.mark.parametrize("status", [400, 503])
def test_a_collector_that_refuses_is_told_in_one_line(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setattr(recording, "LONGEST_FLUSH", 0.3)
    with Collector(status) as collector:
        desk.environment[ENDPOINT] = collector.root
        ran = desk.create()
    warnings = [line for line in ran.err.splitlines() if "warning" in line]
    assert len(warnings) == 1
    assert "spans did not reach the collector" in warnings[0]
    assert collector.root not in ran.err
    assert ran.out.strip().endswith("manuscript.md")


def test_a_collector_that_does_not_answer_keeps_no_run_waiting() -> None:
    door = threading.Event()
    with Collector(door=door) as collector, pytest.MonkeyPatch.context() as patch:
        patch.setenv(ENDPOINT, collector.root)
        patch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "600")
        tracing = OtelTracing()
        fold = SpanFold(tracing, "book")
        fold.receive(event("run.start"))
        fold.receive(event("run.end"))
        before = time.monotonic()
        assert tracing.close(0.1) == 1
        assert time.monotonic() - before < 10  # the SDK alone would wait for half a minute
        door.set()


def test_who_gives_a_collector_up_asks_it_no_more() -> None:
    others = set(threading.enumerate())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(ENDPOINT, NOWHERE)
        tracing = OtelTracing()
        fold = SpanFold(tracing, "book")
        fold.receive(event("run.start"))
        fold.receive(event("run.end"))
        assert tracing.close(0.1) == 1
    left = set(threading.enumerate()) - others
    for thread in left:
        thread.join(2)  # the SDK alone would go on for ten seconds
    assert not any(thread.is_alive() for thread in left)


def test_a_half_of_a_surrogate_pair_in_a_name_can_be_sent() -> None:
    with Collector() as collector, pytest.MonkeyPatch.context() as patch:
        patch.setenv(ENDPOINT, collector.root)
        tracing = OtelTracing()
        fold = SpanFold(tracing, "b\ud800k")
        fold.receive(event("run.start"))
        fold.receive(event("run.end"))
        assert tracing.close(30) == 0
    assert collector.spans[0].name == "invoke_workflow b?k"


@pytest.mark.slow
def test_who_does_not_trace_does_not_import_it(desk: Desk) -> None:
    timed = ("-X", "importtime", "-m", "libriscribe2")
    quiet = desk.run_apart("create", "A coast", "--mock", *SMALL, program=timed)
    assert "libriscribe2.observe.run_files" in quiet.err
    assert "opentelemetry" not in quiet.err
    env = {ENDPOINT: NOWHERE}
    assert "opentelemetry" not in desk.run_apart("--help", env=env, program=timed).err


@pytest.mark.slow
def test_a_process_sends_what_it_has_before_it_ends(desk: Desk) -> None:
    with Collector() as collector:
        env = {ENDPOINT: collector.root}
        desk.run_apart("create", "A coast", "--mock", *SMALL, env=env)
    assert [span.name for span in collector.spans if not span.parent] != []
