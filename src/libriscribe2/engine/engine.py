"""`Engine`: a run of a book as one stream of events.

    async for item in engine.run(stages): ...

The items (`follow` is the one loop that reads them) are events, pieces of prose while they arrive,
and at the end the result. Units run as tasks: they write what they make before they report it, and
none waits for a reader; only the next units begin as the items are read. Closing the stream, or
cancelling whoever reads it, ends the units that are under way.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from libriscribe2 import __version__
from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.engine.runner import Outcome, Question, Runner, RunParts, Work
from libriscribe2.engine.stages import AgentType, book_status, check_artifacts
from libriscribe2.errors import BudgetError, LibriScribeError
from libriscribe2.llm.call_records import Piece
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.llm.session import ReplyAwaitedError
from libriscribe2.observe.events import Event, EventConsumer, EventName
from libriscribe2.project.paths import CHAPTER_FILES, SCENES

AgentT = TypeVar("AgentT", bound=Agent)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Result(Generic[T]):
    """The last item of a run.

    Attributes:
        value: What came of it.
    """

    value: T


RunItem: TypeAlias = Event | Piece | Result[T]
RunStream: TypeAlias = AsyncGenerator[RunItem[T], None]


class Connections(Protocol):
    """Connections to models' servers."""

    async def aclose(self) -> None:
        """Close what is open."""
        ...


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a command asks of a run.

    Attributes:
        stages: The stages to bring up to date.
        refresh: Whether stale units are remade.
        only: Files whose units may run; None means all.
        again: Units to do again, whatever their state.
        job: The same in the words of the command line, such as `redo chapters --chapter 2`.
    """

    stages: Sequence[type[Agent]]
    refresh: bool = False
    only: frozenset[str] | None = None
    again: tuple[Unit, ...] = ()
    job: str = ""

    @property
    def ends_with_plan(self) -> bool:
        """Whether it is the plan that is asked for, and no prose."""
        made = {stage.writes for stage in self.stages}
        return self.only is None and SCENES in made and CHAPTER_FILES not in made

    def by(self, engine: "Engine") -> RunStream[Outcome]:
        """The run that carries it out."""
        return engine.run(self.stages, refresh=self.refresh, only=self.only, again=self.again)


@dataclass(eq=False)
class Engine:
    """Carries out runs of one project.

    Args:
        parts: What the run works with.
        model: The default model and why it is the one.
        connections: Closed at the end of a run; None where nothing is open.
        command: The command line, for the journal.
    """

    _parts: RunParts
    _model: ModelChoice
    _connections: Connections | None = None
    command: str = ""

    def run(
        self,
        stages: Sequence[AgentType],
        *,
        refresh: bool = False,
        only: frozenset[str] | None = None,
        again: Sequence[Unit] = (),
    ) -> RunStream[Outcome]:
        """Bring stages up to date, as a stream of events.

        Every file that is there is read first, and every model's key looked for: what would
        fail later fails here, before anything is paid for.

        Args:
            stages: The stages, in running order.
            refresh: Whether stale units are remade.
            only: Files whose units may run; None means all.
            again: Units to do again, whatever their state; noted once the models are known to
                be there, so that a command that fails leaves nothing behind.

        Raises:
            LibriScribeError: The stream raises the first failure; finished parts are kept.
        """
        store = self._parts.store
        check_artifacts(stages, store)
        status = book_status(stages, self._parts.brief, store, refresh=refresh)
        allowed = [one for one in status if only is None or one.unit.output in only]
        due = {one.unit.stage for one in allowed if one.runs} | {unit.stage for unit in again}
        self._parts.agents.check_models([one for one in stages if one.name in due])
        for unit in again:
            step = unit.at(unit.part)
            if not store.manifest.asked_again(step):
                store.again(step)
        return self._stream(Runner(self._parts, stages, refresh=refresh, only=only))

    def stop(self) -> None:
        """Send nothing more, and let calls under way end; the run then says that it was stopped."""
        self._parts.session.stop()

    def consult(self, agent: type[AgentT], work: Callable[[AgentT], Awaitable[T]]) -> RunStream[T]:
        """Have an agent answer something from which no file of the book is made.

        Args:
            agent: Who answers; its replies are recorded like all others.
            work: What is wanted of it.

        Raises:
            LibriScribeError: A key is missing; the stream raises that a cap is reached, or that
                no usable reply came.
        """
        self._parts.agents.check_models([agent])
        return self._stream(
            Question(self._parts.session, lambda: work(self._parts.agents.make(agent)))
        )

    async def _stream(self, work: Work[T]) -> RunStream[T]:
        """Carry out the work; its parts are tasks, and what they report is passed on."""
        events, running = self._parts.events, list[asyncio.Task[None]]()
        self._begin()
        try:
            while True:
                for part in work.due():
                    running.append(asyncio.create_task(part))
                    running[-1].add_done_callback(events.wake)
                    await asyncio.sleep(0)  # noqa: TID251 - no wait, the part's first question
                if not running:
                    break
                await events.arrived()
                for item in self._happened():
                    yield item
                work.settle(running)
            result = work.result()
            self._end("run.end", work, words=work.words)
        except (asyncio.CancelledError, Exception) as error:
            await _cancelled(running)
            self._fail(error, work)
            for item in self._happened():
                yield item
            raise
        finally:
            await _cancelled(running)
            await self._close()
        for item in self._happened():
            yield item
        yield Result(result)

    def _happened(self) -> list[Event | Piece]:
        """What has happened since the last time, oldest first."""
        for message in self._parts.store.journal.take_news():
            self._parts.events.emit("journal.replaced", message=message)
        return self._parts.events.take()

    def _begin(self) -> None:
        """Report that a run begins."""
        events = self._parts.events
        self._parts.store.note_run(events.run, version=__version__, command=self.command)
        events.emit("run.start", model=self._model.model, reason=self._model.reason)

    def _fail(self, error: BaseException, work: Work[T]) -> None:
        """Report how a run broke off; a bug is not reported as an event."""
        if isinstance(error, asyncio.CancelledError):
            self._end("run.interrupted", work)
        if isinstance(error, BudgetError):
            self._parts.events.emit("budget.stop", message=error.what, reason=error.why)
        if isinstance(error, ReplyAwaitedError):
            self._end("run.interrupted", work, message=error.what, status=error.slug)
        elif isinstance(error, LibriScribeError):
            self._end("run.failed", work, message=error.what, status=error.slug)

    def _end(self, event: EventName, work: Work[T], **fields: object) -> None:
        """Report the end of a run with its sums."""
        tally = self._parts.session.tally
        self._parts.events.emit(
            event,
            **fields,
            calls=tally.calls,
            tokens={
                "in": tally.input_tokens,
                "out": tally.output_tokens,
                "cached": tally.cached_tokens,
            },
            cost_usd=tally.known_cost,
            seconds=work.seconds,
        )

    async def _close(self) -> None:
        """Let go of what the run holds."""
        self._parts.session.rates.close()
        if self._connections is not None:
            await self._connections.aclose()


async def _cancelled(running: "list[asyncio.Task[None]]") -> None:
    """End the tasks that still run."""
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    running.clear()


class PieceConsumer(Protocol):
    """Whoever reads prose while it arrives."""

    def receive_piece(self, piece: Piece) -> None:
        """Take the next piece."""
        ...


async def follow(
    run: RunStream[T], *consumers: EventConsumer, pieces: PieceConsumer | None = None
) -> T:
    """Read a run to its end, and return what came of it.

    Args:
        run: The run; it is closed in any case, which ends what is under way.
        *consumers: Receive every event, in this order.
        pieces: Receives prose while it arrives.

    Raises:
        LibriScribeError: The run failed; finished parts are kept.
    """
    results: list[T] = []
    async with aclosing(run) as items:
        async for item in items:
            if isinstance(item, Event):
                for consumer in consumers:
                    consumer.receive(item)
            elif isinstance(item, Result):
                results.append(item.value)
            elif pieces is not None:
                pieces.receive_piece(item)
    return results[0]
