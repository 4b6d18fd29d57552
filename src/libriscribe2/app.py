"""The composition root: settings -> backend -> client -> agents -> pipeline."""

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from uuid import uuid4

from libriscribe2 import __version__
from libriscribe2.agents.agent_base import Agent, AgentContext
from libriscribe2.llm.backend import Backend
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.litellm_backend import LiteLLMBackend
from libriscribe2.llm.offline_author import OfflineAuthor
from libriscribe2.llm.options import CallRecord
from libriscribe2.llm.providers import ModelChoice, check_model
from libriscribe2.llm.redaction import redact, secrets_in
from libriscribe2.llm.resilience import RetryPolicy, Wait
from libriscribe2.llm.routed_backend import RoutedBackend
from libriscribe2.llm.session import CallSession, Tally
from libriscribe2.llm.time_limits import TimeLimits
from libriscribe2.models.brief import Brief
from libriscribe2.pipeline.events import EventStream, Listener
from libriscribe2.pipeline.runner import Runner
from libriscribe2.pipeline.stages import AgentType
from libriscribe2.pipeline.survey import check_artifacts
from libriscribe2.project.artifacts import Book
from libriscribe2.project.debug_dump import DebugDumps
from libriscribe2.project.paths import MANUSCRIPT
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings import LlmConfig, Settings, StageModel
from libriscribe2.utils.words import count_words


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to.

    Attributes:
        words: Words of the manuscript; 0 while there is none.
        chapters: Chapters of the outline.
        tally: Calls, tokens and cost of this run.
        seconds: Wall time.
    """

    words: int
    chapters: int
    tally: Tally
    seconds: float


@dataclass(frozen=True)
class Hooks:
    """What a run is given from outside.

    Attributes:
        command: The command line, for the journal.
        backend: Who answers instead of the offline author and LiteLLM; for tests and dry runs.
        listeners: Hear every event.
        on_text: Hears prose while it arrives: the step and a piece of text.
    """

    command: str = ""
    backend: Backend | None = None
    listeners: tuple[Listener, ...] = ()
    on_text: Callable[[str, str], None] = field(default=lambda _step, _piece: None)


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
        self._events = EventStream(uuid4().hex[:8], hooks.listeners)
        self._session = _session(settings)
        self._session.on_call = partial(_tell_call, self._events)
        self._session.on_wait = partial(_tell_wait, self._events)
        url = settings.llm.base_url or choice.url or ""
        self._online = LiteLLMBackend(url or None, None, limits=_limits(settings.llm))
        self._client = LLMClient(
            url,
            "",
            choice.model,
            backend=hooks.backend or RoutedBackend(OfflineAuthor(), self._online),
            call_log=store.call_log,
            session=self._session,
        )
        self._dumps = DebugDumps(
            store.paths.debug, redact=partial(redact, secrets=secrets_in(os.environ))
        )

    def make(self, agent: AgentType) -> Agent:
        """The agent of a stage, with the model that the settings give it."""
        own = stage_model(self.settings, agent)
        context = AgentContext(
            brief=self.brief,
            book=Book(self.store),
            client=self._client.using(own.model or self.choice.model, own.fallbacks),
            dumps=self._dumps,
            attempts=self.settings.pipeline.max_attempts,
            temperature=own.temperature,
            prompts=self.store.paths.root / "prompts",
            again=self.store.again,
            on_text=self._hooks.on_text,
        )
        return agent(context)

    async def run(self, stages: Sequence[AgentType], *, refresh: bool = False) -> Outcome:
        """Bring stages up to date.

        Every file that is there is read first, and every model's key looked for: what would
        fail later fails before anything is paid for.

        Raises:
            LibriScribeError: The first failure; what was made is kept.
        """
        start = monotonic()
        check_artifacts(stages, self.store)
        check_models(self.settings, self.choice, stages)
        self.store.note_run(self._events.run, version=__version__, command=self._hooks.command)
        self._events.emit("run.start", model=self.choice.model, reason=self.choice.reason)
        runner = Runner(self.store, self.brief, self.make, self._session, self._events)
        try:
            await runner.run(stages, refresh=refresh)
        except asyncio.CancelledError:
            self._events.emit("run.interrupted", **self._totals(start))
            raise
        finally:
            await self._online.aclose()
        outcome = self._outcome(start)
        self._events.emit("run.end", words=outcome.words, **self._totals(start))
        return outcome

    def _outcome(self, start: float) -> Outcome:
        """What the run came to."""
        book = Book(self.store)
        words = count_words(book.text(MANUSCRIPT)) if book.has(MANUSCRIPT) else 0
        return Outcome(words, book.chapters(), self._session.tally, monotonic() - start)

    def _totals(self, start: float) -> dict[str, object]:
        """The sums of the run, as an event tells them."""
        tally = self._session.tally
        return {
            "calls": tally.calls,
            "tokens": {"in": tally.input_tokens, "out": tally.output_tokens},
            "cost_usd": tally.known_cost,
            "seconds": monotonic() - start,
        }


def stage_model(settings: Settings, agent: AgentType) -> StageModel:
    """What the settings say of a stage's model, under its name or one of its other names."""
    given = settings.models.stages()
    name = next((name for name in (agent.name, *agent.also_called) if name in given), agent.name)
    return settings.models.for_stage(name)


def check_models(settings: Settings, choice: ModelChoice, stages: Sequence[AgentType]) -> None:
    """Look for the key of every model that a run of `stages` may ask.

    Raises:
        ModelError: A key is missing, or nobody serves a model of that name.
    """
    asking = [stage_model(settings, agent) for agent in stages if agent.asks_model]
    names = {own.model or choice.model for own in asking}
    names |= {name for own in asking for name in own.fallbacks}
    served = {choice.model} if choice.url else set()
    for name in sorted(names - served):
        if not settings.llm.base_url:
            check_model(name, os.environ)


def _session(settings: Settings) -> CallSession:
    """The shared state of a run's calls."""
    return CallSession(
        limit=asyncio.Semaphore(settings.pipeline.max_concurrency),
        retry=RetryPolicy(attempts=settings.llm.retries + 1),
    )


def _limits(llm: LlmConfig) -> TimeLimits:
    """The clocks over each request."""
    return TimeLimits(
        first_piece=llm.first_token_seconds,
        between_pieces=llm.between_tokens_seconds,
        whole_call=llm.timeout_seconds,
    )


def _tell_call(events: EventStream, call: CallRecord) -> None:
    """One answered request, as an event."""
    usage = call.completion.usage
    events.emit(
        "llm.call",
        stage=call.request.step.split("/")[0],
        unit=call.request.step,
        calls=0 if call.replayed else 1,
        tokens={"in": usage.input_tokens, "out": usage.output_tokens},
        cost_usd=call.completion.cost_usd,
        seconds=call.completion.seconds,
        model=call.completion.model or call.request.model,
        reason="replayed from the journal" if call.replayed else "",
    )


def _tell_wait(events: EventStream, wait: Wait) -> None:
    """One wait before the same payload leaves again, as an event."""
    events.emit("llm.wait", seconds=wait.seconds, reason=wait.kind, message=wait.message)
