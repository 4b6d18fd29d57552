"""Runs what has to run: every unit as soon as the files that it works from are settled."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatch
from time import monotonic

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.engine.decisions import RunDecision, decide
from libriscribe2.engine.inputs import check_planned, draft_order, input_hashes
from libriscribe2.engine.stages import AgentType
from libriscribe2.errors import LibriScribeError
from libriscribe2.llm.session import CallSession, RunStoppedError
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.observe.events import EventName, EventStream
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import OUTLINE
from libriscribe2.project.store import ProjectStore
from libriscribe2.prose import prose_words


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
        self._only: frozenset[str] | None = None
        self._stages: Sequence[AgentType] = ()
        self._unexpanded: list[AgentType] = []
        self._waiting: list[tuple[AgentType, Unit]] = []
        self._running: dict[asyncio.Task[None], str] = {}
        self._held: dict[tuple[str, DraftOrder], str] = {}

    async def run(
        self,
        stages: Sequence[AgentType],
        *,
        refresh: bool = False,
        only: frozenset[str] | None = None,
    ) -> None:
        """Bring every one of `stages` up to date.

        After a failure nothing new is sent; what is under way is waited for and kept.

        Args:
            stages: The stages, in running order.
            refresh: Whether stale units are remade.
            only: Files whose units may run; the others count as settled. None means all.

        Raises:
            LibriScribeError: The first failure of a unit.
        """
        self._refresh, self._only, self._stages = refresh, only, stages
        self._unexpanded = list(stages)
        failure: Exception | None = None
        try:
            while True:
                if failure is None:
                    failure = await self._started()
                if not self._running:
                    break
                done, _ = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
                failure = self._first_failure(done, failure)
        finally:
            await self._cancel_rest()
        if failure is not None:
            raise failure
        if self._waiting or self._unexpanded:
            names = [unit.output for _, unit in self._waiting]
            names += [agent.name for agent in self._unexpanded]
            raise LibriScribeError(
                "Some stages wait for each other and can never run.", why=", ".join(names)
            )

    async def _started(self) -> Exception | None:
        """Begin what can begin; what hinders it, after which nothing new is sent."""
        try:
            await self._start_what_is_ready()
        except Exception as error:  # noqa: BLE001 - raised when what is under way has ended
            self._session.stop()
            return error
        return None

    async def _start_what_is_ready(self) -> None:
        """Begin every unit whose inputs nobody is going to change any more.

        Each one asks its first question before the next one is looked at.
        """
        settled = True
        while settled:
            self._expand()
            coming, order = self._coming(), self._order()
            waiting = list(self._waiting)
            ready = [one for one in waiting if not self._is_held(*one, coming, order)]
            settled = False
            for agent, unit in ready:
                self._waiting.remove((agent, unit))
                settled = not self._begin(agent, unit) or settled
                await asyncio.sleep(0)  # noqa: TID251 - no wait, the unit's turn

    def _is_held(self, agent: AgentType, unit: Unit, coming: set[str], order: DraftOrder) -> bool:
        """Whether a file that the unit awaits is still going to be made.

        The one that was found the last time is looked at first: most units wait for long.
        """
        held = self._held.get((unit.output, order), "")
        if not held or not self._unsettled(held, coming):
            awaited = agent.awaits(unit, order)
            held = next((name for name in awaited if self._unsettled(name, coming)), "")
            self._held[unit.output, order] = held
        return bool(held)

    def _expand(self) -> None:
        """Turn stages into units; chapters are known once the outline is settled."""
        for agent in list(self._unexpanded):
            chapters: Iterable[int | None] = (None,)
            if agent.per_chapter():
                if self._unsettled(OUTLINE, self._coming()):
                    continue
                chapters = range(1, Book(self._store).chapters() + 1)
            self._unexpanded.remove(agent)
            units = (agent.unit(chapter) for chapter in chapters)
            self._waiting.extend((agent, unit) for unit in units if self._may_run(unit))

    def _may_run(self, unit: Unit) -> bool:
        """Whether the unit is one of those that this run is about."""
        return self._only is None or unit.output in self._only

    def _order(self) -> DraftOrder:
        """The order in which the chapters are drafted."""
        return draft_order(self._brief, self._store)

    def _coming(self) -> set[str]:
        """The files that are still going to be made, or found to need nothing."""
        return {unit.output for _, unit in self._waiting} | set(self._running.values())

    def _unsettled(self, name: str, coming: set[str]) -> bool:
        """Whether a file, or a file of a pattern, is still going to be made."""
        if any(name == a.writes or fnmatch(name, a.writes) for a in self._unexpanded):
            return True
        return any(fnmatch(file, name) for file in coming) if "*" in name else name in coming

    def _begin(self, agent: AgentType, unit: Unit) -> bool:
        """Start a unit, or say why it does not run; return whether it runs."""
        inputs = input_hashes(agent, unit, self._brief, self._store)
        found = decide(
            agent,
            unit,
            self._store.state(unit.output, inputs),
            again=self._store.manifest.asked_again(unit.step),
            refresh=self._refresh or (agent.follows and self._is_awaited(unit)),
        )
        idle = self._idle(agent, found) if found.runs else ""
        runs = found.runs and not idle
        self._tell("stage.start" if runs else "stage.skipped", unit, reason=idle or found.reason)
        if runs:
            task = asyncio.create_task(self._work(agent, found, inputs))
            self._running[task] = unit.output
        return runs

    def _idle(self, agent: AgentType, found: RunDecision) -> str:
        """Why a unit that could run has nothing to do; "" where it has."""
        if agent.on_demand and found.state == "missing" and not self._is_needed(found.unit):
            return "nothing needs it"
        return self._make(agent).idle() if agent.idle is not Agent.idle else ""

    def _is_needed(self, unit: Unit) -> bool:
        """Whether something that is going to run works from the unit's file."""
        order = self._order()
        return any(
            unit.output in reader.awaits(other, order) and self._will_run(reader, other)
            for reader, other in self._waiting
        )

    def _will_run(self, agent: AgentType, unit: Unit) -> bool:
        """Whether a waiting unit is going to run, as its files stand."""
        inputs = input_hashes(agent, unit, self._brief, self._store)
        state = self._store.state(unit.output, inputs)
        again = self._store.manifest.asked_again(unit.step)
        return decide(agent, unit, state, again=again, refresh=self._refresh).runs

    def _is_awaited(self, unit: Unit) -> bool:
        """Whether something that is still to be written by a model works from the unit's file."""
        order = self._order()
        return any(
            unit.output in reader.awaits(other, order) and self._is_due(other)
            for reader, other in self._waiting
            if reader.asks_model
        ) or any(
            reader.asks_model and unit.output in reader.reads and self._has_gap(reader)
            for reader in self._unexpanded
        )

    def _is_due(self, unit: Unit) -> bool:
        """Whether a unit's file is missing or was asked for again."""
        asked = self._store.manifest.asked_again(unit.step)
        return asked or not self._store.exists(unit.output)

    def _has_gap(self, agent: AgentType) -> bool:
        """Whether a stage that is not expanded yet lacks a chapter."""
        chapters = Book(self._store).chapters()
        return any(self._is_due(agent.unit(n)) for n in range(1, chapters + 1)) or not chapters

    async def _work(self, agent: AgentType, found: RunDecision, inputs: dict[str, str]) -> None:
        """Make a unit's artifact and save it."""
        start, unit = monotonic(), found.unit
        try:
            check_planned(unit.chapter, self._store)
            maker = self._make(agent)
            made = await maker.execute(unit)
        except RunStoppedError:
            raise
        except LibriScribeError as error:
            self._session.stop()
            told = {"message": error.what, "reason": error.why, "status": error.slug}
            self._tell("stage.failed", unit, **told)
            raise
        text = made if isinstance(made, str) else maker.as_text(made)
        self._set_aside(agent, found)
        made_from = maker.made_from
        self._store.write(
            unit.output,
            text,
            step=unit.step,
            inputs=inputs,
            params=made_from.as_params(),
            keys=made_from.keys,
        )
        words = prose_words(text) if isinstance(made, str) and agent.asks_model else 0
        took, size = monotonic() - start, len(text.encode())
        sha = self._store.manifest.files[unit.output].sha
        self._tell("file.written", unit, path=unit.output, words=words, size=size, sha=sha)
        remark = made_from.remark
        self._tell("stage.end", unit, words=words, seconds=took, path=unit.output, message=remark)

    def _set_aside(self, agent: AgentType, found: RunDecision) -> None:
        """Keep a copy of a text that is replaced on request; it may be the author's own."""
        name = found.unit.output
        if not self._store.exists(name):
            return
        if found.state == "again" or (found.state == "stale" and agent.asks_model):
            self._store.trash(name)
        if found.state == "again":
            self._store.adopt(name)

    def _first_failure(
        self, done: set[asyncio.Task[None]], failure: Exception | None
    ) -> Exception | None:
        """The failure that the run is going to report: the first that is not a mere stop.

        Of several at once it is that of the unit that began first, in every run the same.
        """
        for task in [task for task in self._running if task in done]:
            del self._running[task]
            error = task.exception()
            if error is None:
                continue
            self._session.stop()
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
