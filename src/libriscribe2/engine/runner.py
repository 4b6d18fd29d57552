"""Which unit of a book runs when: each as soon as the files that it works from are settled."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Container, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from time import monotonic
from typing import Any, Generic, Protocol, TypeVar

from typing_extensions import override

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.engine.stages import (
    AgentType,
    RunDecision,
    book_status,
    check_planned,
    decide,
    input_hashes,
    is_too_late,
    stages_of,
    with_touched,
)
from libriscribe2.errors import LibriScribeError
from libriscribe2.llm.session import CallSession, ReplyAwaitedError, RunStoppedError, Tally
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.observe.events import EventName, RunEvents
from libriscribe2.project.artifacts import Book
from libriscribe2.project.manifest import OWN, FileRecord
from libriscribe2.project.paths import OUTLINE
from libriscribe2.project.store import ProjectStore
from libriscribe2.prose import prose_words

AgentT = TypeVar("AgentT", bound=Agent)
T = TypeVar("T")


class AgentMaker(Protocol):
    """Makes the agents of a run."""

    def make(self, agent: type[AgentT]) -> AgentT:
        """The agent of a stage, with the model that it asks."""
        ...

    def check_models(self, stages: Sequence[AgentType]) -> None:
        """Look for the key and the server of every model that `stages` may ask.

        Raises:
            LibriScribeError: One of them is missing.
        """
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to.

    Attributes:
        words: Words of the chapters that are there.
        chapters: Chapters of the outline.
        stale: Files that are kept although what they were made from has changed.
        tally: Calls, tokens and cost of this run.
        seconds: Wall time.
    """

    words: int
    chapters: int
    stale: int
    tally: Tally
    seconds: float


@dataclass(frozen=True)
class RunParts:
    """What every run works with.

    Attributes:
        store: The project, held by this process.
        brief: What the author asked for.
        agents: Makes the agents.
        session: The shared state of the calls.
        events: Takes what happens.
    """

    store: ProjectStore
    brief: Brief
    agents: AgentMaker
    session: CallSession
    events: RunEvents


class Work(ABC, Generic[T]):
    """What a run has to do, in parts that are carried out as tasks.

    After a failure nothing new is begun or sent; what is under way is waited for and kept.

    Args:
        session: The shared state of the calls.
    """

    def __init__(self, session: CallSession) -> None:
        self.start = monotonic()
        self._session = session
        self._failure: Exception | None = None
        self._awaited: ReplyAwaitedError | None = None
        self._moved = True

    def due(self) -> Iterator[Coroutine[Any, Any, None]]:
        """The parts that can begin since others have ended; each begins before the next is asked for."""
        if self._failure is not None or not self._moved:
            return
        self._moved = False
        try:
            yield from self._parts()
        except Exception as error:  # noqa: BLE001 - raised when what is under way has ended
            self._fail(error)

    def settle(self, running: list["asyncio.Task[None]"]) -> None:
        """Take the parts that have ended out of `running`, oldest first.

        The failure that is reported is the first that is not a mere stop; of several at once it is
        that of the part that began first, in every run the same.
        """
        ended = [task for task in running if task.done()]
        running[:] = [task for task in running if task not in ended]
        self._moved = self._moved or bool(ended)
        for task in ended:
            error = task.exception()
            if error is not None and not isinstance(error, Exception):
                raise error
            if isinstance(error, ReplyAwaitedError):
                self._awaited = error  # the other parts go on
            elif error is not None:
                self._fail(error)

    def result(self) -> T:
        """What came of it, once nothing runs any more.

        Raises:
            LibriScribeError: The first failure of a part.
            ReplyAwaitedError: Nothing failed, and a part waits for a person's reply.
        """
        stop = self._failure or self._awaited
        if stop is not None:
            raise stop
        return self._result()

    @property
    def words(self) -> int:
        """Words of the book's chapters; 0 where the work is about something else."""
        return 0

    @property
    def seconds(self) -> float:
        """Wall time so far."""
        return monotonic() - self.start

    def _fail(self, error: Exception) -> None:
        self._session.stop()
        if self._failure is None or isinstance(self._failure, RunStoppedError):
            self._failure = error

    @abstractmethod
    def _parts(self) -> Iterator[Coroutine[Any, Any, None]]:
        """The parts that can begin now."""

    @abstractmethod
    def _result(self) -> T:
        """What came of all parts."""


class Runner(Work[Outcome]):
    """Brings stages up to date.

    Args:
        parts: What the run works with.
        stages: The stages, in running order.
        refresh: Whether stale units are remade.
        only: Files whose units may run; the others count as settled. None means all.
    """

    def __init__(
        self,
        parts: RunParts,
        stages: Sequence[AgentType],
        *,
        refresh: bool = False,
        only: frozenset[str] | None = None,
    ) -> None:
        super().__init__(parts.session)
        self._store = parts.store
        self._brief = parts.brief
        self._agents = parts.agents
        self._events = parts.events
        self._refresh = refresh
        self._only = only
        self._unexpanded = list(stages)
        self._waiting: list[tuple[AgentType, Unit]] = []
        self._running: set[str] = set()

    @override
    def _parts(self) -> Iterator[Coroutine[Any, Any, None]]:
        """The work of every unit whose inputs nobody is going to change any more."""
        skipped = True
        while skipped:
            skipped = False
            self._expand()
            coming, order = self._coming(), self._order()
            for agent, unit in self._ready(coming, order):
                self._waiting.remove((agent, unit))
                inputs = input_hashes(agent, unit, self._brief, self._store)
                decision = self._decision(agent, unit, inputs)
                event: EventName = "stage.start" if decision.runs else "stage.skipped"
                self._emit(event, unit, reason=decision.reason)
                if decision.runs:
                    self._running.add(unit.output)
                    yield self._make(agent, decision, inputs)
                skipped = skipped or not decision.runs

    @override
    def _result(self) -> Outcome:
        """What the run came to.

        Raises:
            LibriScribeError: Something could never run.
        """
        if self._waiting or self._unexpanded:
            names = [unit.output for _, unit in self._waiting]
            names += [agent.name for agent in self._unexpanded]
            raise LibriScribeError(
                "Some stages wait for each other and can never run.", why=", ".join(names)
            )
        book = Book(self._store)
        stages = stages_of(self._brief)
        stale = sum(one.state == "stale" for one in book_status(stages, self._brief, self._store))
        return Outcome(book.words(), book.chapters(), stale, self._session.tally, self.seconds)

    @property
    @override
    def words(self) -> int:
        return Book(self._store).words()

    def _ready(self, coming: set[str], order: DraftOrder) -> list[tuple[AgentType, Unit]]:
        """The units that wait for no file that is still going to be made."""
        return [
            (agent, unit)
            for agent, unit in self._waiting
            if not any(self._is_coming(name, coming) for name in agent.awaits(unit, order))
        ]

    def _expand(self) -> None:
        """Turn stages into units; chapters are known once the outline is settled."""
        for agent in list(self._unexpanded):
            chapters: Iterable[int | None] = (None,)
            if agent.per_chapter():
                if self._is_coming(OUTLINE, self._coming()):
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
        return Book(self._store).draft_order(self._brief)

    def _coming(self) -> set[str]:
        """The files that are still going to be made, or found to need nothing."""
        return {unit.output for _, unit in self._waiting} | self._running

    def _is_coming(self, name: str, coming: set[str]) -> bool:
        """Whether a file, or a file of a pattern, is still going to be made."""
        if any(name == a.writes or fnmatch(name, a.writes) for a in self._unexpanded):
            return True
        return any(fnmatch(file, name) for file in coming) if "*" in name else name in coming

    def _decision(self, agent: AgentType, unit: Unit, inputs: dict[str, str]) -> RunDecision:
        """Whether a unit runs now, and why."""
        state = self._store.state(unit.output, inputs)
        decision = decide(
            agent,
            unit,
            state,
            again=self._store.manifest.asked_again(unit.step),
            refresh=self._refresh or (agent.auto_refresh and self._is_awaited(unit)),
        )
        decision = with_touched(decision, state, self._store)
        no_op = self._no_op(agent, decision) if decision.runs else ""
        return replace(decision, runs=False, reason=no_op) if no_op else decision

    def _no_op(self, agent: AgentType, decision: RunDecision) -> str:
        """Why a unit that could run has nothing to do; "" where it has."""
        if agent.lazy and decision.state == "missing" and not self._is_needed(decision.unit):
            return "not needed"
        if is_too_late(agent, decision, self._store):
            return "the book was begun without it"
        return self._agents.make(agent).no_op_reason()

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

    async def _make(self, agent: AgentType, decision: RunDecision, inputs: dict[str, str]) -> None:
        """Make a unit's artifact and save it; a unit that fails stays in the way of its readers."""
        start, unit = monotonic(), decision.unit
        try:
            check_planned(unit.chapter, self._store)
            maker = self._agents.make(agent)
            made = await maker.execute(unit)
            text = made if isinstance(made, str) else maker.as_text(made)
        except (RunStoppedError, ReplyAwaitedError):
            raise
        except LibriScribeError as error:
            self._session.stop()
            why = {"message": error.what, "reason": error.why, "status": error.slug}
            self._emit("stage.failed", unit, **why)
            raise
        self._set_aside(agent, decision)
        made_from = maker.made_from
        params = made_from.as_params()
        if made_from.settled is not None:
            last = self._store.manifest.files[unit.output]
            inputs = _partly(last, inputs, made_from.settled)
            params |= {OWN: last.params[OWN]} if last.is_own else {}
        self._store.write(
            unit.output,
            text,
            step=unit.step,
            inputs=inputs,
            params=params,
            keys=made_from.keys,
            draft=made_from.draft,
        )
        words = prose_words(text) if isinstance(made, str) and agent.asks_model else 0
        took, size = monotonic() - start, len(text.encode())
        sha = self._store.manifest.files[unit.output].sha
        self._emit("file.written", unit, path=unit.output, words=words, size=size, sha=sha)
        remark = made_from.remark
        self._emit("stage.end", unit, words=words, seconds=took, path=unit.output, message=remark)
        self._running.discard(unit.output)

    def _set_aside(self, agent: AgentType, decision: RunDecision) -> None:
        """Keep a copy of a text that is replaced on request; it may be the author's own."""
        name = decision.unit.output
        if not self._store.exists(name):
            return
        if decision.state == "again" or (decision.state == "stale" and agent.asks_model):
            self._store.trash(name)
        if decision.state == "again":
            self._store.adopt(name)

    def _emit(self, event: EventName, unit: Unit, **fields: object) -> None:
        """Report an event of a unit."""
        about = {"stage": unit.stage, "chapter": unit.chapter, "unit": unit.output}
        self._events.emit(event, **about, **fields)


def _partly(last: FileRecord, now: dict[str, str], settled: Container[str]) -> dict[str, str]:
    """The inputs of a file of which only a part was made again: the rest is as old as it was."""
    kept = {name: sha for name, sha in last.inputs.items() if sha and name not in settled}
    return kept | {name: sha for name, sha in now.items() if name in settled}


class Question(Work[T]):
    """Has an agent answer something from which no file of the book is made.

    Args:
        session: The shared state of the calls.
        answer: Makes the answer.
    """

    def __init__(self, session: CallSession, answer: Callable[[], Awaitable[T]]) -> None:
        super().__init__(session)
        self._answer = answer
        self._answers: list[T] = []

    @override
    def _parts(self) -> Iterator[Coroutine[Any, Any, None]]:
        if not self._answers and self._awaited is None:
            yield self._ask()

    @override
    def _result(self) -> T:
        return self._answers[0]

    async def _ask(self) -> None:
        self._answers.append(await self._answer())
