"""From a request to results."""

import logging
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field, JsonValue
from tests.support.chain import (
    Chain,
    FakeTools,
    capability,
    judges,
    model_of,
    plan,
    plan_text,
    provides,
    scripted,
    step,
    text_of,
)
from tests.support.written_book import WrittenBook

from libriscribe2.errors import BudgetError
from libriscribe2.llm.backend import BackendError, Completion, Line, ScriptedBackend
from libriscribe2.llm.client import LLMClient
from libriscribe2.models.tooling import Capability, RunRecord
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.research.catalog import all_tools
from libriscribe2.research.research_chain import Orchestrator
from libriscribe2.research.run_store import FileRunStore, RunStore
from libriscribe2.research.templates import Layers, OrchestratorConfig
from libriscribe2.research.tool import (
    Arguments,
    InProcessTools,
    Tool,
    ToolContext,
    capabilities_of,
    describe,
)
from libriscribe2.research.tool_error import ToolError

QUESTION = "What's the weather in Paris and what currency do they use?"
PARIS = (
    capability("geocode_location", city="string"),
    capability("get_weather", lat="number", lon="number"),
    capability("get_info", country="string"),
    capability("convert", **{"from": "string", "to": "string", "amount": "number"}),
)
STEPS = (
    step("step-1", "geocode_location", city="Paris"),
    step("step-2", "get_weather", "step-1"),
    step("step-3", "get_info", "step-1", country="France"),
    step("step-4", "convert", "step-3", **{"from": "USD", "amount": 100}),
)


def paris_tools() -> FakeTools:
    return FakeTools(
        geocode_location={"lat": 48.85, "lon": 2.35, "country": "France"},
        get_weather={"temperature": 18},
        get_info={"currency": {"code": "EUR", "name": "Euro"}},
        convert={"result": 92.0},
    )


async def test_pb_66_paris_takes_one_question_of_the_resolver() -> None:
    tools = paris_tools()
    chain = Chain(PARIS, tools, plan_text(*STEPS), provides(to="EUR"))
    record = await chain.orchestrator.run(QUESTION)
    assert record.success
    assert tools.given("get_weather") == [{"lat": 48.85, "lon": 2.35}]
    assert tools.given("convert") == [{"from": "USD", "amount": 100.0, "to": "EUR"}]
    layers = {b.parameter: (b.layer, b.step) for b in record.results["step-4"].bindings}
    assert layers["to"] == ("micro_resolution", "step-3")
    assert [call.step for call in chain.backend.calls] == ["research/plan", "research/step-4/bind"]
    assert "Euro" in text_of(chain.backend.calls[1])
    assert record.results["step-2"].llm_calls == 0
    assert record.results["step-4"].llm_calls == 1


async def failure_mode(tool: Capability, response: Any, wanted: Any, *script: Any) -> FakeTools:
    """Run a chain of a source and a tool whose parameter the plan takes from it."""
    tools = FakeTools(source=response, **{tool.name: {"ok": 1}})
    chain = Chain([capability("source"), tool], tools, *script)
    record = await chain.execute(
        step("step-2", "source"), step("step-3", tool.name, "step-2", **wanted)
    )
    assert record.success, record.results
    return tools


async def test_pb_73_path_mismatch_ends_in_a_rightly_typed_call() -> None:
    weather = capability("weather", lat="number", lon="number")
    wanted = {"lat": "{{step-2.response.lat}}", "lon": "{{step-2.response.lon}}"}
    response = {"latitude": "48.85", "longitude": "2.35"}
    tools = await failure_mode(weather, response, wanted, provides(lat="48.85", lon="2.35"))
    assert tools.given("weather") == [{"lat": 48.85, "lon": 2.35}]


async def test_pb_73_type_mismatch_ends_in_a_rightly_typed_call() -> None:
    weather = capability("weather", lat="number")
    tools = await failure_mode(weather, {"lat": "48.85"}, {"lat": "{{step-2.response.lat}}"})
    assert tools.given("weather") == [{"lat": 48.85}]


async def test_pb_73_a_semantic_gap_ends_in_a_rightly_typed_call() -> None:
    convert = capability("convert", to="string")
    wanted = {"to": "{{step-2.response.data.country.currency}}"}
    response = {"data": {"country": "France"}}
    tools = await failure_mode(convert, response, wanted, provides(to="EUR"))
    assert tools.given("convert") == [{"to": "EUR"}]


async def test_pb_36_a_chain_fetches_the_first_hit_of_a_search() -> None:
    tools = FakeTools(search={"results": [{"url": "https://a.example/"}]}, fetch={"text": "x"})
    chain = Chain([capability("search", query="string"), capability("fetch", url="string")], tools)
    await chain.execute(
        step("s1", "search", query="x"),
        step("s2", "fetch", "s1", url="{{s1.response.results[0].url}}"),
    )
    assert tools.given("fetch") == [{"url": "https://a.example/"}]


@pytest.mark.parametrize("micro", [True, False])
@pytest.mark.parametrize("analysis", [True, False])
async def test_pb_72_layers_2_and_3_are_switched_independently(
    *, micro: bool, analysis: bool
) -> None:
    tools = FakeTools(
        source={"country": "France"},
        convert={"ok": 1},
        typo=[ToolError(404, "not_found", "no Tokio"), {"ok": 1}],
    )
    script = [provides(to="EUR")] * micro + [judges(should_retry=True, city="Tokyo")] * analysis
    config = OrchestratorConfig(layers=Layers(micro_resolution=micro), error_analysis=analysis)
    chain = Chain(
        [
            capability("source"),
            capability("convert", to="string"),
            capability("typo", city="string"),
        ],
        tools,
        *script,
        config=OrchestratorConfig(layers=config.layers, error_analysis=analysis, max_concurrency=1),
    )
    record = await chain.execute(
        step("s1", "source"), step("s2", "convert", "s1"), step("s3", "typo", "s2", city="Tokio")
    )
    assert record.results["s2"].success is micro
    assert record.results["s3"].success is (micro and analysis)


async def test_pb_62_without_a_key_a_chain_works_as_far_as_it_can(
    caplog: pytest.LogCaptureFixture,
) -> None:
    denied = BackendError("auth", "no key", status=401)
    tools = FakeTools(
        geocode_location={"lat": 1, "lon": 2},
        get_weather=[ToolError(422, "x", "no"), {}],
        get_info={"currency": {"code": "EUR"}},
        convert={},
    )
    chain = Chain(PARIS, tools, denied, config=OrchestratorConfig(max_concurrency=1))
    record = await chain.execute(*STEPS)
    assert [one.status for one in record.results.values()] == ["done", "failed", "done", "failed"]
    assert chain.asked == 1
    assert caplog.text.count("go on without a model") == 1


async def test_pb_63_the_messages_of_all_layers_can_be_found_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tools = FakeTools(source={"country": "France", "n": "5"}, t=[ToolError(422, "x", "no"), {}])
    tool = capability("t", n="integer", to="string", note="string?")
    script = (provides(to="EUR"), provides(note="x"), judges(should_retry=True, to="GBP"))
    chain = Chain([capability("source"), tool], tools, *script)
    with caplog.at_level(logging.DEBUG):
        await chain.execute(
            step("s1", "source"), step("s2", "t", "s1", note="{{s1.response.nothing}}")
        )
    for words in (
        "Auto-wiring result",
        "micro-resolution",
        "SEMANTIC FALLBACK",
        "AI-powered correction",
        "TYPE COERCION APPLIED",
    ):
        assert words in caplog.text


async def test_pb_65_every_question_is_counted() -> None:
    tools = paris_tools()
    tools._behaviours["get_weather"] = iter([ToolError(422, "x", "no"), {}])
    chain = Chain(
        PARIS,
        tools,
        plan_text(*STEPS),
        judges(should_retry=True, lat="48.9"),
        provides(to="EUR"),
        config=OrchestratorConfig(max_concurrency=1),
    )
    metrics = (await chain.orchestrator.run(QUESTION)).metrics
    assert metrics["plan_generation.total{status=success}"] == 1
    assert metrics["llm.micro_resolution.request"] == 1
    assert metrics["llm.micro_resolution.response"] == 1
    assert metrics["orchestration.error_analyzer.llm_latency_ms.count"] == 1
    assert metrics["orchestration.error_analysis.retry"] == 1
    assert metrics["orchestration.hybrid_resolution.success"] == 4
    assert metrics["orchestration.hybrid_resolution.llm_calls_avoided"] == 1
    assert metrics["orchestration.tool_calls.total"] == 5


async def test_a_run_that_is_done_is_not_run_again_and_a_new_request_is(tmp_path: Path) -> None:
    store = FileRunStore(tmp_path / "run.json", durable=False)
    await Chain(
        PARIS, paris_tools(), plan_text(*STEPS), provides(to="EUR"), store=store
    ).orchestrator.run(QUESTION)
    again = Chain(PARIS, paris_tools(), store=store)
    record = await again.orchestrator.run(QUESTION)
    assert record.success
    assert (again.asked, again.tools.calls) == (0, [])
    assert record.metrics["orchestration.tool_calls.total"] == 4
    other = Chain(PARIS, paris_tools(), plan_text(STEPS[0]), store=store)
    assert len((await other.orchestrator.run("Where is Paris?")).results) == 1
    assert other.asked == 1


async def test_a_killed_chain_pays_for_no_reply_twice(tmp_path: Path) -> None:
    paths = ProjectPaths(tmp_path / "book", tmp_path / "debug")
    paths.root.mkdir()

    async def killed(parameters: dict[str, Any]) -> Any:
        raise BudgetError("the cap is reached")

    def chain(store: ProjectStore, tools: FakeTools, *script: Line) -> Chain:
        made = Chain(PARIS, tools, *script, store=FileRunStore(paths.root / "run.json"))
        log = store.call_log
        made.model.client = LLMClient("", "", "m", backend=made.backend, call_log=log)
        return made

    tools = paris_tools()
    tools._behaviours["convert"] = killed
    with ProjectStore.create(paths) as store:
        first = chain(store, tools, plan_text(*STEPS), provides(to="EUR"))
        with pytest.raises(BudgetError):
            await first.orchestrator.run(QUESTION)
    with ProjectStore.open(paths) as store:
        second = chain(store, paris_tools())
        record = await second.orchestrator.run(QUESTION)
    assert record.success
    assert second.asked == 0
    assert [name for name, _ in second.tools.calls] == ["convert"]


async def test_a_kept_plan_whose_tool_is_gone_is_planned_anew() -> None:
    chain = Chain(PARIS, paris_tools(), plan_text(STEPS[0]), provides(to="EUR"))
    await chain.orchestrator.run(QUESTION)
    fewer = Chain(
        PARIS[2:], paris_tools(), plan_text(step("s", "get_info", country="x")), store=chain.store
    )
    record = await fewer.orchestrator.run(QUESTION)
    assert list(record.results) == ["s"]


async def test_what_a_step_cost_is_kept_with_it() -> None:
    answer = provides(to="EUR")
    priced = Completion(answer.reply, tool_calls=answer.tool_calls, cost_usd=0.25)
    tools = FakeTools(source={"c": "France"}, convert={})
    chain = Chain([capability("source"), capability("convert", to="string")], tools, priced)
    record = await chain.execute(step("s1", "source"), step("s2", "convert", "s1"))
    assert record.results["s1"].cost_usd == 0.0
    assert record.results["s2"].cost_usd == 0.25


class Lookup(Arguments):
    name: str
    most: int = Field(3, ge=1)


async def look_up(context: ToolContext, arguments: Lookup) -> JsonValue:
    return {"name": arguments.name, "most": arguments.most, "step": context.step}


@pytest.fixture
def in_process(written: WrittenBook) -> Callable[..., InProcessTools]:
    def make(*tools: Tool[Any]) -> InProcessTools:
        return InProcessTools(tools, lambda one: ToolContext(written.book, step=one.step_id))

    return make


async def test_pb_71_tools_of_this_process_are_validated_and_corrected(
    in_process: Callable[..., InProcessTools],
) -> None:
    tool = Tool("look_up", "Looks a name up.", Lookup, look_up)
    model, backend = scripted(judges(should_retry=True, reason="too small", most=2))
    orchestrator = Orchestrator(
        capabilities_of([tool]),
        in_process(tool),
        model,
        RunStore(),
        sleep=Chain([], FakeTools()).waits,
    )

    record: RunRecord = await orchestrator.executor().execute(
        plan(step("s1", "look_up", name="Ann", most="0"))
    )
    assert record.results["s1"].response == {"name": "Ann", "most": 2, "step": "s1"}
    assert "greater than or equal to 1" in text_of(backend.calls[0])


def test_pb_64_capabilities_are_made_of_every_tool_of_the_catalog() -> None:
    for tool in all_tools():
        made = Capability.of(describe(tool))
        assert made.name == tool.name
        shape = tool.arguments.model_fields
        assert [one.name for one in made.parameters] == list(shape)
        assert set(made.required) == {n for n, f in shape.items() if f.is_required()}
        assert all("$ref" not in str(one.as_schema()) for one in made.parameters)


def test_pb_75_every_part_has_its_module_of_tests() -> None:
    folder = Path(__file__).parent
    parts = {
        "auto_wire": "wiring",
        "hybrid_resolver": "resolver",
        "error_analyzer": "diagnosis",
        "executor": "execution",
        "micro_resolver": "resolver",
    }
    for seed_name, module in parts.items():
        tests = (folder / f"test_{seed_name}.py").read_text(encoding="utf-8")
        assert f"libriscribe2.research.{module} import" in tests
        import_module(f"libriscribe2.toolchain.{seed_name}")


def test_a_model_of_a_chain_counts_what_is_asked_by_step() -> None:
    model = model_of(ScriptedBackend())
    assert model.step_path("s1", "bind") == "research/s1/bind"
    assert model.spent("s1").calls == 0
