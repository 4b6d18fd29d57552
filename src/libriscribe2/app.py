"""The composition root: settings -> backend -> client -> agents -> engine."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import TypeVar
from uuid import uuid4

from libriscribe2 import __version__
from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_context import AgentContext, Unit
from libriscribe2.batch.provider.spool import book_spool
from libriscribe2.engine.decisions import book_status, check_artifacts
from libriscribe2.engine.runner import Runner
from libriscribe2.engine.stages import AgentType, all_stages, stages_of
from libriscribe2.errors import BudgetError, LibriScribeError
from libriscribe2.llm.backend import Backend, CallLog
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.options import CallRecord
from libriscribe2.llm.outbox import CallReport, DumpWritten, Piece
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.llm.rate_limits import SharedRates
from libriscribe2.llm.redaction import redact, secrets_in
from libriscribe2.llm.routed_backend import RoutedBackend
from libriscribe2.llm.session import Tally
from libriscribe2.llm.spooled_backend import identity
from libriscribe2.models.brief import Brief
from libriscribe2.observe.call_events import BudgetWatch, tell_call, tell_dump, tell_wait
from libriscribe2.observe.events import EventStream, Listener
from libriscribe2.pipeline.passage_judge import PassageJudge
from libriscribe2.pipeline.revision_judge import RevisionJudge
from libriscribe2.project.artifacts import Book
from libriscribe2.project.dumps import DebugDumps
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings import Settings
from libriscribe2.settings.parts import (
    answering,
    call_session,
    check_models,
    research_means,
    resolved,
    stage_model,
    time_limits,
    with_judge,
)
from libriscribe2.utils.collector import spare_the_loaded

AgentT = TypeVar("AgentT", bound=Agent)
T = TypeVar("T")


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
class Hooks:
    """What a run is given from outside.

    Attributes:
        command: The command line, for the journal.
        backend: Who answers instead of the offline author and LiteLLM; for tests and dry runs. No
            model is then asked, so no key is looked for.
        call_log: Who remembers replies instead of the project's journal.
        listeners: Hear every event.
        on_text: Hears prose while it arrives: the step and a piece of text.
        rates: The limits that other machines share; None keeps those of this machine.
        trusts_judges: Whether a judge is heard whatever it says in its exam: an estimate counts
            what is asked, and the offline author knows no good from bad.
    """

    command: str = ""
    backend: Backend | None = None
    call_log: CallLog | None = None
    listeners: tuple[Listener, ...] = ()
    on_text: Callable[[str, str], None] = field(default=lambda _step, _piece: None)
    rates: SharedRates | None = None
    trusts_judges: bool = False


class Workshop:
    """One project with all parts wired up.

    Args:
        store: The project, held by this process.
        brief: What the author asked for.
        settings: The settings in force.
        choice: The default model and why it is the one.
        hooks: Who hears what the run does, and who answers in its place.
    """

    def __init__(
        self,
        store: ProjectStore,
        brief: Brief,
        settings: Settings,
        choice: ModelChoice,
        hooks: Hooks,
    ) -> None:
        self.store = store
        self.brief = brief
        self.settings = settings
        self.choice = choice
        self._hooks = hooks
        self._ignored = {one.writes for one in all_stages() if not one.wanted(brief)}
        self._events = EventStream(uuid4().hex[:8], hooks.listeners)
        self._session = call_session(
            settings, store, self._url_of, asks_models=hooks.backend is None, shared=hooks.rates
        )
        self._watch = BudgetWatch(self._events, self._session.budget.used)
        self._session.outbox = self
        self._routed = RoutedBackend(self._url_of, time_limits(settings.llm))
        self._spool = book_spool(settings.batch.spool, store.paths.root.name)
        self._client = LLMClient(
            "",
            "",
            choice.model,
            backend=hooks.backend
            or answering(self._routed, self._spool, self._url_of, self._session.wait),
            call_log=hooks.call_log if hooks.call_log is not None else store.call_log,
            session=self._session,
            dumps=DebugDumps(
                store.paths.debug, redact=partial(redact, secrets=secrets_in(os.environ))
            ),
        )
        self._research = research_means(
            settings, store, self._session.pause, asks_models=hooks.backend is None
        )
        judge = RevisionJudge(self._hired_judge, store, trusted=hooks.trusts_judges)
        self._judge = judge if settings.revision.judge else None

    @property
    def tally(self) -> Tally:
        """The sums of the run so far."""
        return self._session.tally

    def make(self, agent: type[AgentT]) -> AgentT:
        """The agent of a stage, with the model that the settings give it."""
        return agent(self._context(agent))

    def _context(self, agent: AgentType) -> AgentContext:
        """What the agent of a stage works with."""
        own = stage_model(self.settings, agent)
        return AgentContext(
            brief=self.brief,
            book=Book(self.store, self._ignored),
            client=self._client.using(
                self._resolved(own.model).model,
                [self._resolved(name).model for name in own.fallbacks],
            ),
            attempts=self.settings.pipeline.max_attempts,
            temperature=own.temperature,
            prompts=self.store.paths.root / "prompts",
            anew=self.store.anew,
            stop=self._session.stop,
            research=self._research,
            judge=self._judge,
        )

    def _hired_judge(self) -> PassageJudge:
        """Who judges revised chapters; without an answer of its the run goes on."""
        return PassageJudge(replace(self._context(PassageJudge), stop=lambda: None))

    def put(self, item: CallReport) -> None:
        """Tell what the calls report."""
        if isinstance(item, CallRecord):
            self._called(item)
        elif isinstance(item, DumpWritten):
            tell_dump(self._events, item.record, item.name)
        elif isinstance(item, Piece):
            self._hooks.on_text(item.step, item.text)
        else:
            tell_wait(self._events, item)

    def _called(self, call: CallRecord) -> None:
        """Tell of an answered request; the journal has its reply, so no other record is wanted."""
        if self._spool is not None:
            self._spool.forget(identity(call.request))
        self._watch.look()
        tell_call(self._events, call)

    @asynccontextmanager
    async def _announced(self, start: float) -> AsyncIterator[None]:
        """Tell that a run begins, and how the block broke off; let go of what the run holds."""
        self.store.note_run(self._events.run, version=__version__, command=self._hooks.command)
        self._events.emit("run.start", model=self.choice.model, reason=self.choice.reason)
        try:
            yield
        except asyncio.CancelledError:
            self._events.emit("run.interrupted", **self._totals(start))
            raise
        except LibriScribeError as error:
            if isinstance(error, BudgetError):
                self._events.emit("budget.stop", message=error.what, reason=error.why)
            told = {"message": error.what, "status": error.slug}
            self._events.emit("run.failed", **told, **self._totals(start))
            raise
        finally:
            self._session.rates.close()
            await self._routed.aclose()

    async def run(
        self,
        stages: Sequence[AgentType],
        *,
        refresh: bool = False,
        only: frozenset[str] | None = None,
        again: Sequence[Unit] = (),
    ) -> Outcome:
        """Bring stages up to date.

        Every file that is there is read first, and every model's key looked for: what would
        fail later fails before anything is paid for.

        Args:
            stages: The stages, in running order.
            refresh: Whether stale units are remade.
            only: Files whose units may run; None means all.
            again: Units to do again, whatever their state; noted once the models are known to
                be there, so that a command that fails leaves nothing behind.

        Raises:
            LibriScribeError: The first failure; what was made is kept.
        """
        start = monotonic()
        spare_the_loaded()
        check_artifacts(stages, self.store)
        if self._hooks.backend is None:
            found = book_status(stages, self.brief, self.store, refresh=refresh)
            due = {unit.stage for unit in again}
            allowed = [one for one in found if only is None or one.unit.output in only]
            due |= {one.unit.stage for one in allowed if one.runs}
            asking = [one for one in stages if one.name in due]
            check_models(self.settings, self.choice, with_judge(self.settings, self.brief, asking))
        for unit in again:
            if not self.store.manifest.asked_again(unit.step):
                self.store.again(unit.step)
        runner = Runner(self.store, self.brief, self.make, self._session, self._events)
        async with self._announced(start):
            await runner.run(stages, refresh=refresh, only=only)
        outcome = self._outcome(start)
        self._events.emit("run.end", words=outcome.words, **self._totals(start))
        return outcome

    async def consult(self, agent: type[AgentT], work: Callable[[AgentT], Awaitable[T]]) -> T:
        """Have an agent answer something from which no file of the book is made.

        Args:
            agent: Who answers; its replies are recorded like all others.
            work: What is wanted of it.

        Raises:
            LibriScribeError: A key is missing, a cap is reached, or no usable reply came.
        """
        start = monotonic()
        if self._hooks.backend is None:
            check_models(self.settings, self.choice, [agent])
        async with self._announced(start):
            told = await work(self.make(agent))
        self._events.emit("run.end", **self._totals(start))
        return told

    def _resolved(self, name: str) -> ModelChoice:
        """The model that a configured name stands for."""
        return resolved(name, self.choice, self.settings)

    def _url_of(self, name: str) -> str | None:
        """The server of a model; None is the provider's own."""
        return self._resolved(name).url

    def _outcome(self, start: float) -> Outcome:
        """What the run came to."""
        book = Book(self.store)
        kept = book_status(stages_of(self.brief), self.brief, self.store)
        stale = sum(one.state == "stale" for one in kept)
        return Outcome(
            book.words(), book.chapters(), stale, self._session.tally, monotonic() - start
        )

    def _totals(self, start: float) -> dict[str, object]:
        """The sums of the run, as an event tells them."""
        tally = self._session.tally
        return {
            "calls": tally.calls,
            "tokens": {"in": tally.input_tokens, "out": tally.output_tokens},
            "cost_usd": tally.known_cost,
            "seconds": monotonic() - start,
        }
