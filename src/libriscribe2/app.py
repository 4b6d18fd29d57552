"""The composition root: settings -> backend -> client -> agents -> engine."""

import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Protocol, TypeVar
from uuid import uuid4

from libriscribe2.agents.agent_base import Agent, AgentContext
from libriscribe2.agents.agent_passage_evaluator import PassageEvaluator, RevisionEvaluator
from libriscribe2.engine.engine import Engine
from libriscribe2.engine.runner import RunParts
from libriscribe2.engine.stages import AgentType, all_stages
from libriscribe2.llm.backend import Backend, CallLog
from libriscribe2.llm.backends.routed import RoutedBackend
from libriscribe2.llm.call_records import Outbox
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.limits.rates import SharedRates
from libriscribe2.llm.providers import MANUAL_MODEL, ModelChoice
from libriscribe2.llm.session import Tally
from libriscribe2.models.brief import Brief
from libriscribe2.observe.events import RunEvents
from libriscribe2.project.artifacts import Book
from libriscribe2.project.dumps import DebugDumps
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings.parts import (
    call_session,
    check_models,
    is_revising,
    research_means,
    resolved,
    stage_model,
    time_limits,
    with_evaluator,
)
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import redact, secrets_in

AgentT = TypeVar("AgentT", bound=Agent)


class SharedCalls(Protocol):
    """Sends the calls of many books together; given by whoever runs several."""

    def backend(
        self,
        inner: RoutedBackend,
        url_of: Callable[[str], str | None],
        wait: Callable[[float], Awaitable[None]],
    ) -> Backend:
        """Who answers the calls of this book.

        Args:
            inner: Answers all that is to be sent as an ordinary call.
            url_of: The server of a model; None is the provider's own.
            wait: Waits so many seconds; it raises where the run is being stopped.
        """
        ...

    def outbox(self, inner: Outbox) -> Outbox:
        """Takes the reports of the calls, and passes them on."""
        ...


@dataclass(frozen=True)
class AppOptions:
    """What a run is given beside the project and its settings.

    Attributes:
        command: The command line, for the journal.
        backend: Who answers instead of the stand-in author and LiteLLM; for tests and dry runs. No
            model is then asked, so no key is looked for.
        call_log: Who remembers replies instead of the project's journal.
        rates: The limits that other machines share; None keeps those of this machine.
        shared_calls: Sends the calls together with those of other books; None sends each at once.
        trusts_evaluators: Whether an evaluator is used whatever its calibration: an estimate counts
            what is asked, and the stand-in author knows no good from bad.
        allows_as_recorded: Whether the author lets stand of a plan what he let stand when it was
            made, and not what he says now: for making a book again from its journal.
    """

    command: str = ""
    backend: Backend | None = None
    call_log: CallLog | None = None
    rates: SharedRates | None = None
    shared_calls: SharedCalls | None = None
    trusts_evaluators: bool = False
    allows_as_recorded: bool = False


class App:
    """One project with all parts wired up.

    Args:
        store: The project, held by this process.
        brief: What the author asked for.
        settings: The settings in force.
        choice: The default model and why it is the one.
        options: What else the run is given.

    Attributes:
        engine: Carries out runs.
    """

    def __init__(
        self,
        store: ProjectStore,
        brief: Brief,
        settings: Settings,
        choice: ModelChoice,
        options: AppOptions,
    ) -> None:
        def url_of(name: str) -> str | None:
            return resolved(name, choice, settings).url

        asks_models, shared = options.backend is None, options.shared_calls
        session = call_session(
            settings, store, url_of, asks_models=asks_models, shared=options.rates
        )
        events = RunEvents(uuid4().hex[:8], session.budget)
        session.outbox = events if shared is None else shared.outbox(events)
        apart = settings.llm.response_format_in_chapters
        routed = RoutedBackend(url_of, time_limits(settings.llm), store.paths, always_apart=apart)
        sending = routed if shared is None else shared.backend(routed, url_of, session.wait)
        client = LLMClient(
            "",
            "",
            choice.model,
            backend=options.backend if options.backend is not None else sending,
            call_log=options.call_log if options.call_log is not None else store.call_log,
            session=session,
            dumps=DebugDumps(
                store.paths.dumps,
                redact=partial(redact, secrets=secrets_in(os.environ)),
                owner=store.paths.id,
            ),
        )
        base = AgentContext(
            brief=brief,
            book=Book(store, {one.writes for one in all_stages() if not one.wanted(brief)}),
            client=client,
            attempts=settings.pipeline.max_attempts,
            prompts=store.paths.root / "prompts",
            anew=store.call_log.anew,
            stop=session.stop,
            research=research_means(settings, store, session.pause, asks_models=asks_models),
        )
        agents = StageAgents(base, settings, choice, store, options)
        parts = RunParts(store, brief, agents, session, events)
        self.engine = Engine(parts, choice, routed, command=options.command)
        self._session = session

    @property
    def tally(self) -> Tally:
        """The sums of the run so far."""
        return self._session.tally


class StageAgents:
    """Makes the agent of each stage, with the model that the settings give it.

    Args:
        base: What every agent works with.
        settings: The settings in force.
        choice: The default model and why it is the one.
        store: The project.
        options: What the run is given.
    """

    def __init__(
        self,
        base: AgentContext,
        settings: Settings,
        choice: ModelChoice,
        store: ProjectStore,
        options: AppOptions,
    ) -> None:
        self._base = base
        self._settings = settings
        self._choice = choice
        self._store = store
        self._options = options

    def make(self, agent: type[AgentT]) -> AgentT:
        """The agent of a stage."""
        context = self._context(agent)
        if self._settings.revision.evaluator and is_revising(agent):
            context = replace(context, evaluator=self._revision_evaluator)
        if self._options.allows_as_recorded:
            record = self._store.manifest.files.get(agent.writes)
            allow = tuple(record.params.get("allow", ())) if record is not None else ()
            context = replace(context, brief=context.brief.model_copy(update={"allow": allow}))
        return agent(context)

    def check_models(self, stages: Sequence[AgentType]) -> None:
        """Look for the key and the server of every model that `stages` may ask.

        Raises:
            ConfigError: The address of a server is none.
            ModelError: A key is missing, or nobody serves a model of that name.
        """
        if self._options.backend is None:
            asking = with_evaluator(self._settings, self._base.brief, stages)
            root, premise = self._store.paths.root, self._base.brief.premise
            check_models(self._settings, self._choice, asking, root, premise)

    @cached_property
    def _revision_evaluator(self) -> RevisionEvaluator:
        """Decides about the revised chapters of the run."""
        return RevisionEvaluator(
            self._evaluator, self._store, trusted=self._options.trusts_evaluators
        )

    def _evaluator(self) -> PassageEvaluator:
        """Who evaluates revised chapters; without its answer the run continues."""
        return PassageEvaluator(replace(self._context(PassageEvaluator), stop=lambda: None))

    def _context(self, agent: AgentType) -> AgentContext:
        """What the agent of a stage works with, whose model is its own."""
        own = stage_model(self._settings, agent)
        first, *others = (
            resolved(name, self._choice, self._settings).model
            for name in (own.model, *own.fallbacks)
        )
        client = self._base.client.using(first, others)
        whole = self._settings.pipeline.whole_chapters
        return replace(
            self._base,
            client=client,
            temperature=own.temperature,
            whole_chapters=first == MANUAL_MODEL if whole is None else whole,
        )
