"""From a request to results and notes: plan, bind, call, correct, keep."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from pydantic import ValidationError

from libriscribe2.llm.backend import Completion
from libriscribe2.llm.limits.retries import Sleep
from libriscribe2.models.notes import AnsweredQuestion, Note
from libriscribe2.models.tooling import Capability, Plan, PlanStep, RunRecord
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import RESEARCH_PLAN, RESEARCH_RUN, ProjectPaths
from libriscribe2.project.research_files import ResearchFolder, chain_file
from libriscribe2.project.texts import readable_json
from libriscribe2.research.access import ResearchMeans
from libriscribe2.research.catalog import AnyTool, available_tools
from libriscribe2.research.chain_model import ChainModel
from libriscribe2.research.diagnosis import ErrorAnalyzer
from libriscribe2.research.execution import Executor, StepRunner
from libriscribe2.research.mcp_tools import McpServer, mcp_tools
from libriscribe2.research.planner import CallsInsteadError, Planner, plan_problems
from libriscribe2.research.recovery import ResilientCaller
from libriscribe2.research.resolver import HybridResolver
from libriscribe2.research.run_store import FileRunStore, RunStore
from libriscribe2.research.templates import Layers, OrchestratorConfig
from libriscribe2.research.tool import Ask, InProcessTools, ToolBox, ToolContext, capabilities_of
from libriscribe2.research.tool_loop import ToolLoop
from libriscribe2.research.web.addresses import Gate
from libriscribe2.research.web.engines import SearchEngine, Web
from libriscribe2.research.web.fetching import Fetcher


@dataclass
class Orchestrator:
    """Answers requests with chains of tools.

    Attributes:
        capabilities: The tools that plans may use.
        tools: Carries out their calls.
        model: Plans, binds and corrects.
        store: Keeps the run.
        sleep: Waits so many seconds before a tool is called again.
        config: Switches and bounds.
    """

    capabilities: Sequence[Capability]
    tools: ToolBox
    model: ChainModel
    store: RunStore
    sleep: Sleep
    config: OrchestratorConfig = field(default_factory=OrchestratorConfig)

    async def run(self, request: str) -> RunRecord:
        """Plan a request, unless a kept plan still answers it, and run what is not done.

        Raises:
            PlanError: No plan could be made; nothing was done.
            LibriScribeError: The run was stopped; what is done is kept.
        """
        return await self.executor().execute(await self.plan(request))

    async def plan(self, request: str) -> Plan:
        """The kept plan of the same request if the tools can still carry it out, or a new one."""
        kept = self.store.load()
        if kept is not None and kept.plan.original_request == request:
            known = {one.name: one for one in self.capabilities}
            if not plan_problems(kept.plan, known, self.config.max_steps, self.config.goal):
                return kept.plan
        planner = Planner(self.model, self.capabilities, self.config)
        return await planner.generate_execution_plan(request)

    async def loop(self, request: str, first: Completion) -> RunRecord:
        """The run of a request whose model calls tools one after the other.

        Raises:
            PlanError: Not one call could be carried out.
            LibriScribeError: The run was stopped.
        """
        # The model sees why a call failed and makes the next one: nobody judges it besides.
        without = replace(self.config, error_analysis=False)
        executor = replace(self, store=RunStore(), config=without).executor()
        loop = ToolLoop(self.model, self.capabilities, executor, self.config)
        record = await loop.run(request, first)
        self.store.save(record)
        return record

    def executor(self) -> Executor:
        """What runs plans with these parts."""
        config = self.config
        resolver = HybridResolver(
            self.model, layers=config.layers, function_calling=config.function_calling
        )
        analyzer = ErrorAnalyzer(self.model, enabled=config.error_analysis)
        runner = StepRunner(
            self.tools,
            resolver,
            ResilientCaller(sleep=self.sleep, metrics=self.model.metrics),
            analyzer,
            model=self.model,
            max_corrections=config.max_corrections,
            verdict_by_rule=not config.error_verdict,
        )
        return Executor(
            self.capabilities,
            runner,
            store=self.store,
            model=self.model,
            metrics=self.model.metrics,
            max_concurrency=config.max_concurrency,
        )


MAX_STEPS: Final = 40
GOAL: Final = "save_note"

_URL: Final = re.compile(r"https?://[^\s<>\"'\])}]+")
_TRAILING: Final = ".,;:!?"


@dataclass(frozen=True, slots=True)
class ChainRequest:
    """What one chain is asked.

    Attributes:
        name: The chain's name: that of its file, and of the steps of its notes.
        text: The request, as the planner sees it.
        said: What the author said of it; the addresses in it may be fetched.
        path: Where its calls stand in the journal.
        is_planned: Whether the book is planned already.
    """

    name: str
    text: str
    said: str
    path: str
    is_planned: bool = True


@dataclass(frozen=True)
class Findings:
    """What came of a chain.

    Attributes:
        record: The run.
        notes: The notes that its steps saved, each once, in the order of the plan.
        unusable: One line for every MCP server or tool that cannot be used.
        answers: What the notes say to the questions, where that was asked.
    """

    record: RunRecord
    notes: tuple[Note, ...]
    unusable: tuple[str, ...] = ()
    answers: tuple[AnsweredQuestion, ...] = ()

    @property
    def failures(self) -> tuple[str, ...]:
        """Why steps failed; those that were only skipped are left out."""
        results = self.record.results.values()
        return tuple(result.error for result in results if result.status == "failed")


@dataclass(frozen=True)
class ResearchChain:
    """Runs chains of research.

    Attributes:
        means: What may be used; its `paths` are given.
        book: The artifacts of the book.
        model: Plans, binds and corrects.
        ask_for: The way in which the tool of a step asks a model.
        today: The date that a source gets which is read for the first time.
    """

    means: ResearchMeans
    paths: ProjectPaths
    book: Book
    model: ChainModel
    ask_for: Callable[[str], Ask]
    today: str

    async def run(self, request: ChainRequest) -> Findings:
        """Plan and run what of a request is not done yet, and keep plan and run for the author.

        Raises:
            PlanError: No plan could be made.
            LibriScribeError: The run was stopped; what is done is kept.
        """
        generation = self.means.generation(request.path)
        store = FileRunStore(chain_file(self.paths, request.name, generation))
        web = self._web(request)
        _allow_again(web, store.load())
        context = ToolContext(
            self.book,
            ResearchFolder(self.paths),
            self.ask_for(""),
            web,
            today=self.today,
            is_planned=request.is_planned,
            longest_quote=self.means.longest_quote,
        )
        servers = [McpServer(name=name, **given) for name, given in self.means.servers.items()]
        async with mcp_tools(servers) as found:
            tools = available_tools(context, found.tools)
            orchestrator = self._orchestrator(request, tools, context, store)
            try:
                plan = await orchestrator.plan(request.text)
            except CallsInsteadError as called:
                record = await orchestrator.loop(request.text, called.completion)
                self._keep(RESEARCH_PLAN, record.plan)
                self._keep(RESEARCH_RUN, record)
            else:
                self._keep(RESEARCH_PLAN, plan)
                record = await self._executed(orchestrator, plan, store)
        return Findings(record, tuple(_notes(record)), tuple(found.failures))

    def _orchestrator(
        self,
        request: ChainRequest,
        tools: tuple[AnyTool, ...],
        context: ToolContext,
        store: FileRunStore,
    ) -> Orchestrator:
        """What plans and runs, with a context of its own for every step."""

        def of_step(step: PlanStep) -> ToolContext:
            named = f"{request.name}/{step.step_id}"
            return replace(context, ask=self.ask_for(step.step_id), step=named)

        return Orchestrator(
            capabilities_of(tools),
            InProcessTools(tools, of_step),
            self.model,
            store,
            self.means.sleep,
            self._config(),
        )

    async def _executed(
        self, orchestrator: Orchestrator, plan: Plan, store: FileRunStore
    ) -> RunRecord:
        """The run of a plan; what is done of one that is cut off is kept for the author too."""
        try:
            return await orchestrator.executor().execute(plan)
        finally:
            kept = store.load()
            if kept is not None:
                self._keep(RESEARCH_RUN, kept)

    def _keep(self, name: str, value: Plan | RunRecord) -> None:
        self.means.record(name, readable_json(value.model_dump(mode="json")))

    def _config(self) -> OrchestratorConfig:
        means = self.means
        names = [one.name for one in fields(Layers)]
        config = OrchestratorConfig(
            max_steps=MAX_STEPS,
            goal=GOAL,
            layers=Layers(**{name: name not in means.without for name in names}),
            error_analysis="error_analysis" not in means.without,
            error_verdict="error_verdict" not in means.without,
        )
        return config.with_plan_parse_retry(means.plan_retry_enabled, means.plan_retry_max)

    def _web(self, request: ChainRequest) -> Web | None:
        """The web of the chain; None where nothing of it could be fetched."""
        means, urls = self.means, urls_in(request.said)
        if not means.fetch or not (means.search_url or urls):
            return None
        engine = SearchEngine(means.search_url, means.search_kind) if means.search_url else None
        gate = Gate(loopback_ports=means.loopback_ports)
        fetcher = Fetcher(gate, most_bytes=means.most_bytes, seconds=means.page_seconds)
        return Web(fetcher, engine, urls)


def urls_in(text: str) -> tuple[str, ...]:
    """The addresses of pages that an author wrote into a text."""
    return tuple(dict.fromkeys(url.rstrip(_TRAILING) for url in _URL.findall(text)))


def _allow_again(web: Web | None, kept: RunRecord | None) -> None:
    """Let a resumed chain fetch what its finished searches have found."""
    if web is None or kept is None:
        return
    for result in kept.results.values():
        if result.tool == "web_search" and result.success and isinstance(result.response, dict):
            for found in _dicts(result.response.get("results")):
                web.allow(str(found.get("url", "")))


def _notes(record: RunRecord) -> Iterator[Note]:
    """The notes in the results of the steps, each once."""
    known: set[str] = set()
    for step in record.plan.steps:
        result = record.results.get(step.step_id)
        if result is None or result.tool != "save_note" or not isinstance(result.response, dict):
            continue
        for kept in _dicts(result.response.get("notes")):
            note = _note(kept)
            if note is not None and note.id not in known:
                known.add(note.id)
                yield note


def _note(kept: dict[str, Any]) -> Note | None:
    try:
        return Note.model_validate(kept)
    except ValidationError:
        return None


def _dicts(value: Any) -> Iterable[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
