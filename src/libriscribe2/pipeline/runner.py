"""Runs what has to run: every unit as soon as the files that it works from are settled."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatch
from time import monotonic

from pydantic import BaseModel

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.errors import LibriScribeError
from libriscribe2.llm.session import CallSession, RunStoppedError
from libriscribe2.models.brief import Brief
from libriscribe2.pipeline.events import EventName, EventStream
from libriscribe2.pipeline.stages import AgentType
from libriscribe2.pipeline.staleness import Verdict, input_hashes, verdict
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import OUTLINE
from libriscribe2.project.store import ProjectStore
from libriscribe2.utils.words import count_words


class Runner:
    """Brings stages up to date.

    Args:
        store: The project.
        brief: What the author asked for.
        make: Makes the agent of a stage.
        session: The shared state of the calls.
        events: Where the run tells what it does.
    """

    def __init__(
        self,
        store: ProjectStore,
        brief: Brief,
        make: Callable[[AgentType], Agent],
        session: CallSession,
        events: EventStream,
    ) -> None:
        self._store = store
        self._brief = brief
        self._make = make
        self._session = session
        self._events = events
        self._refresh = False
        self._unexpanded: list[AgentType] = []
        self._waiting: list[tuple[AgentType, Unit]] = []
        self._running: dict[asyncio.Task[None], str] = {}

    async def run(self, stages: Sequence[AgentType], *, refresh: bool = False) -> None:
        """Bring every one of `stages` up to date.

        After a failure nothing new is sent; what is under way is waited for and kept.

        Args:
            stages: The stages, in running order.
            refresh: Whether stale units are remade.

        Raises:
            LibriScribeError: The first failure of a unit.
        """
        self._refresh = refresh
        self._unexpanded = list(stages)
        failure: Exception | None = None
        try:
            while True:
                if failure is None:
                    self._start_what_is_ready()
                if not self._running:
                    break
                done, _ = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
                failure = self._first_failure(done, failure)
        finally:
            await self._cancel_rest()
        if failure is not None:
            raise failure

    def _start_what_is_ready(self) -> None:
        """Begin every unit whose inputs nobody is going to change any more."""
        while True:
            self._expand()
            coming = self._coming()
            ready = [pair for pair in self._waiting if self._is_ready(*pair, coming)]
            if not ready:
                return
            for agent, unit in ready:
                self._waiting.remove((agent, unit))
                self._begin(agent, unit)

    def _expand(self) -> None:
        """Turn stages into units; chapters are known once the outline is settled."""
        for agent in list(self._unexpanded):
            chapters: Iterable[int | None] = (None,)
            if agent.per_chapter():
                if self._unsettled(OUTLINE, self._coming()):
                    continue
                chapters = range(1, Book(self._store).chapters() + 1)
            self._unexpanded.remove(agent)
            self._waiting.extend((agent, agent.unit(chapter)) for chapter in chapters)

    def _coming(self) -> set[str]:
        """The files that are still going to be made, or found to need nothing."""
        return {unit.output for _, unit in self._waiting} | set(self._running.values())

    def _is_ready(self, agent: AgentType, unit: Unit, coming: set[str]) -> bool:
        """Whether all that the unit works from is settled."""
        return not any(self._unsettled(name, coming) for name in agent.inputs(unit))

    def _unsettled(self, name: str, coming: set[str]) -> bool:
        """Whether a file, or a file of a pattern, is still going to be made."""
        if any(name == a.writes or fnmatch(name, a.writes) for a in self._unexpanded):
            return True
        return any(fnmatch(file, name) for file in coming) if "*" in name else name in coming

    def _begin(self, agent: AgentType, unit: Unit) -> None:
        """Start a unit, or say why it does not run."""
        inputs = input_hashes(agent, unit, self._brief, self._store)
        found = verdict(
            agent,
            unit,
            self._store.state(unit.output, inputs),
            again=self._store.manifest.asked_again(unit.step),
            refresh=self._refresh,
        )
        self._tell("stage.start" if found.runs else "stage.skipped", unit, reason=found.reason)
        if found.runs:
            task = asyncio.create_task(self._work(agent, found, inputs))
            self._running[task] = unit.output

    async def _work(self, agent: AgentType, found: Verdict, inputs: dict[str, str]) -> None:
        """Make a unit's artifact and save it."""
        start, unit = monotonic(), found.unit
        try:
            maker = self._make(agent)
            made = await maker.execute(unit)
        except RunStoppedError:
            raise
        except LibriScribeError as error:
            self._session.stopped = True
            self._tell("stage.failed", unit, message=error.what, reason=error.why)
            raise
        text = made if isinstance(made, str) else maker.as_text(made)
        self._set_aside(agent, found)
        params = {"model": maker.context.client.model_name} if agent.asks_model else {}
        self._store.write(unit.output, text, step=unit.step, inputs=inputs, params=params)
        words = 0 if isinstance(made, BaseModel) else count_words(text)
        self._tell("stage.end", unit, words=words, seconds=monotonic() - start, path=unit.output)

    def _set_aside(self, agent: AgentType, found: Verdict) -> None:
        """Keep a copy of a text that is replaced on request; it may be the author's own."""
        name = found.unit.output
        if not self._store.exists(name):
            return
        if found.state == "again" or (found.state == "stale" and agent.asks_model):
            self._store.trash(name)
        if found.state == "again":
            self._store.adopt(name)

    def _first_failure(
        self, done: Iterable[asyncio.Task[None]], failure: Exception | None
    ) -> Exception | None:
        """The failure that the run is going to report: the first that is not a mere stop."""
        for task in done:
            del self._running[task]
            error = task.exception()
            if error is None:
                continue
            self._session.stopped = True
            if not isinstance(error, Exception):
                raise error
            if failure is None or isinstance(failure, RunStoppedError):
                failure = error
        return failure

    async def _cancel_rest(self) -> None:
        """End what is still running when the run itself is interrupted."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._running.clear()

    def _tell(self, event: EventName, unit: Unit, **fields: object) -> None:
        """Emit an event of a unit."""
        about = {"stage": unit.stage, "chapter": unit.chapter, "unit": unit.output}
        self._events.emit(event, **about, **fields)
