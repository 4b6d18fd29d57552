"""Small agents that record what is done to them, and a project to run them in."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

from pydantic import BaseModel
from typing_extensions import override

from libriscribe2.agents.agent_base import Agent, AgentContext, Unit
from libriscribe2.engine.engine import Engine
from libriscribe2.engine.runner import RunParts
from libriscribe2.llm.backend import ScriptedBackend
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.llm.session import CallSession
from libriscribe2.models.brief import Brief
from libriscribe2.models.story import OutlineChapter, OutlineFile
from libriscribe2.observe.events import Event, RunEvents
from libriscribe2.project.artifacts import Book
from libriscribe2.project.dumps import DebugDumps
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore

AgentT = TypeVar("AgentT", bound=Agent)


class ToyAgent(Agent):
    """Writes its unit's name; the script may have it do something else.

    Attributes:
        script: What to do for a file, by its name: wait for a door, raise, or answer.
        log: Starts and ends in order.
    """

    script: ClassVar[dict[str, Any]] = {}
    log: ClassVar[list[str]] = []

    @override
    async def execute(self, unit: Unit) -> BaseModel | str:
        self.log.append(f"start {unit.output}")
        todo = self.script.get(unit.output)
        if isinstance(todo, asyncio.Event):
            await todo.wait()
        else:
            await asyncio.sleep(0)  # noqa: TID251 - others get their turn, nobody waits
        if isinstance(todo, BaseException):
            raise todo
        self.log.append(f"end {unit.output}")
        return cast("BaseModel | str", todo) if isinstance(todo, BaseModel) else f"{unit.step}\n"


def toy(name: str, *reads: str, writes: str = "", **more: Any) -> type[ToyAgent]:
    """An agent that declares just this."""
    declared = {"name": name, "reads": reads, "writes": writes or f"{name}.txt", **more}
    return type(f"{name.title()}Agent", (ToyAgent,), declared)


async def until(condition: Callable[[], bool]) -> None:
    """Give the other tasks their turns until something is the case."""
    for _ in range(1_000):
        if condition():
            return
        await asyncio.sleep(0)  # noqa: TID251 - nobody waits
    raise AssertionError("it never came about")


def outline_of(chapters: int) -> OutlineFile:
    plan = [OutlineChapter(title=f"T{n}", summary="S") for n in range(1, chapters + 1)]
    return OutlineFile(summary="S", chapters=plan)


class _Maker:
    def __init__(self, context: AgentContext) -> None:
        self._context = context

    def make(self, agent: type[AgentT]) -> AgentT:
        return agent(self._context)

    def check_models(self, stages: Sequence[type[Agent]]) -> None:
        """There are none to look for."""


class Bench:
    """A project in which toy agents run.

    Args:
        folder: Where the project goes.
        script: What single files do, by name.
    """

    def __init__(self, folder: Path, script: Mapping[str, Any] | None = None) -> None:
        self.paths = ProjectPaths(folder / "book", folder / "debug")
        self.script = dict(script or {})
        self.log: list[str] = []
        self.told: list[Event] = []
        self.session = CallSession()

    async def run(self, *agents: type[ToyAgent], refresh: bool = False, until: str = "") -> None:
        """Run the agents, in the order given; read no more once the file `until` is there."""
        self.log.clear()
        self.told.clear()
        brief = Brief(premise="p")
        for one in agents:
            one.script, one.log = self.script, self.log
        opened = ProjectStore.open if self.paths.root.exists() else ProjectStore.create
        with opened(self.paths) as store:
            dumps = DebugDumps(self.paths.debug)
            client = LLMClient("", "", "m", backend=ScriptedBackend(), dumps=dumps)
            context = AgentContext(brief, Book(store), client)
            parts = RunParts(store, brief, _Maker(context), self.session, RunEvents("r"))
            engine = Engine(parts, ModelChoice("m", "a test"))
            async with aclosing(engine.run(agents, refresh=refresh)) as items:
                async for item in items:
                    if isinstance(item, Event):
                        self.told.append(item)
                    if until and (self.paths.root / until).exists():
                        return

    def events(self, name: str) -> list[Event]:
        """The events of one name."""
        return [event for event in self.told if event.event == name]
