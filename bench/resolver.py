"""Tool chains: questions that auto-wiring saves, time of binding, and the order of a large graph.

`python -m bench.resolver`.
"""

import asyncio
import os
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, Final

from libriscribe2.llm.backend import ScriptedBackend
from libriscribe2.llm.client import LLMClient
from libriscribe2.models.tooling import Capability, Parameter, Plan, PlanStep, StepMetadata
from libriscribe2.research.chain_model import ChainModel
from libriscribe2.research.research_chain import Orchestrator
from libriscribe2.research.resolver import HybridResolver
from libriscribe2.research.run_store import FileRunStore, RunStore
from libriscribe2.research.templates import OrchestratorConfig

TITLE = "Tool chains without a network"

STEPS: Final = 1_000
PARAMETERS: Final = 20
USUAL: Final = 4
GRAPH: Final = 200
WIDTH: Final = 8
TOOL_SECONDS: Final = 0.05
_TYPES: Final = ("string", "number", "integer", "boolean")
_VALUES: Final = ("text", "48.85", "42", "true")


class SlowTools:
    """Tools that take their time and return every name that the next step needs."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def call(self, step: PlanStep, parameters: Mapping[str, Any]) -> Any:
        del step, parameters
        if self._seconds:
            await asyncio.sleep(self._seconds)  # noqa: TID251 - the tool's own time is measured
        return response(USUAL)


def capability(count: int) -> Capability:
    """A tool with so many required parameters, of every scalar type."""
    kinds = (_TYPES[number % len(_TYPES)] for number in range(count))
    parameters = (Parameter(f"p{n}", kind, required=True) for n, kind in enumerate(kinds))
    return Capability("tool", "A tool.", tuple(parameters))


def response(count: int) -> dict[str, Any]:
    """A result that holds each of the names, as texts that have to be coerced."""
    return {f"p{number}": _VALUES[number % len(_VALUES)] for number in range(count)}


def chain_model() -> tuple[ChainModel, ScriptedBackend]:
    """A model that must not be asked: its script is empty."""
    backend = ScriptedBackend()
    return ChainModel(LLMClient("", "", "none", backend=backend)), backend


def graph(width: int, steps: int) -> Plan:
    """Layers of `width` steps, each step needing one of the layer before."""
    literals = StepMetadata(parameters=dict(response(USUAL)))

    def step(number: int) -> PlanStep:
        needs = (f"s{number - width}",) if number >= width else ()
        given = StepMetadata() if needs else literals
        return PlanStep(step_id=f"s{number}", agent_name="tool", depends_on=needs, metadata=given)

    return Plan(plan_id="g", original_request="", steps=tuple(map(step, range(steps))))


async def binding() -> tuple[float, int]:
    """Seconds to bind `STEPS` steps, and the questions that it took."""
    model, backend = chain_model()
    resolver, tool = HybridResolver(model), capability(PARAMETERS)
    step = PlanStep(step_id="s2", agent_name="tool", depends_on=("s1",))
    began = perf_counter()
    for _ in range(STEPS):
        bound = await resolver.bind(step, tool, {"s1": response(PARAMETERS)})
        assert not bound.problem
    return perf_counter() - began, len(backend.calls)


async def running(store: RunStore, seconds: float) -> tuple[float, int]:
    """Seconds to run the graph, and the questions that it took."""
    model, backend = chain_model()
    config = OrchestratorConfig(max_concurrency=WIDTH)
    tools = SlowTools(seconds)
    parts = Orchestrator(
        (capability(USUAL),),
        tools,
        model,
        store,
        sleep=asyncio.sleep,  # noqa: TID251 - nothing fails, so nothing waits
        config=config,
    )
    executor, plan = parts.executor(), graph(WIDTH, GRAPH)
    began = perf_counter()
    record = await executor.execute(plan)
    took = perf_counter() - began
    assert record.success
    return took, len(backend.calls)


async def bare() -> float:
    """Seconds of the same waits without an engine: what the machine allows."""
    began = perf_counter()
    for _ in range(GRAPH // WIDTH):
        tools = SlowTools(TOOL_SECONDS)
        step = PlanStep(step_id="s", agent_name="tool")
        await asyncio.gather(*(tools.call(step, {}) for _ in range(WIDTH)))
    return perf_counter() - began


def measure() -> Iterator[str]:
    took, asked = asyncio.run(binding())
    yield f"- binding {STEPS} steps of {PARAMETERS} parameters: {took:.2f} s, {asked} questions"
    ideal = GRAPH / WIDTH * TOOL_SECONDS
    floor = asyncio.run(bare())
    yield f"- the same waits without an engine: {floor / ideal:.3f} times the ideal"
    rows: list[tuple[str, RunStore]] = [("kept in memory", RunStore())]
    with TemporaryDirectory() as folder:
        rows += [
            ("kept in a file", FileRunStore(Path(folder) / "quick.json", durable=False)),
            ("kept in a synced file", FileRunStore(Path(folder) / "run.json")),
        ]
        for name, store in rows:
            busy = process_time()
            took, asked = asyncio.run(running(store, TOOL_SECONDS))
            busy = process_time() - busy
            yield (
                f"- {GRAPH} steps of {USUAL} parameters and {1e3 * TOOL_SECONDS:.0f} ms, {WIDTH} at once, {name}: "
                f"{took:.3f} s, {took / ideal:.3f} times the ideal, "
                f"{1e3 * busy / GRAPH:.2f} ms of CPU per step, {asked} questions"
            )


def main() -> None:
    cpus = os.cpu_count()
    print(f"{platform.platform()}, Python {platform.python_version()}, {cpus} CPUs\n")
    print(f"## {TITLE}\n")
    for line in measure():
        print(line)


if __name__ == "__main__":
    main()
