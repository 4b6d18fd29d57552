"""From a request to results: plan, bind, call, correct, keep."""

from collections.abc import Sequence
from dataclasses import dataclass

from libriscribe2.llm.limits.retries import Sleep
from libriscribe2.models.tooling import Capability, Plan, RunRecord
from libriscribe2.research.chain_model import ChainModel
from libriscribe2.research.diagnosis import Corrector, ErrorAnalyzer
from libriscribe2.research.execution import Executor, StepRunner
from libriscribe2.research.planner import Planner, plan_problems
from libriscribe2.research.recovery import ResilientCaller
from libriscribe2.research.resolver import HybridResolver
from libriscribe2.research.run_store import RunStore
from libriscribe2.research.templates import OrchestratorConfig
from libriscribe2.research.tool import ToolBox


@dataclass
class Orchestrator:
    """Answers requests with chains of tools.

    Attributes:
        capabilities: The tools that plans may use.
        tools: Carries out their calls.
        model: Plans, binds and corrects.
        store: Keeps the run.
        caller: Calls tools, again where waiting mends a failure.
        config: Switches and bounds.
    """

    capabilities: Sequence[Capability]
    tools: ToolBox
    model: ChainModel
    store: RunStore
    caller: ResilientCaller
    config: OrchestratorConfig

    @classmethod
    def of(
        cls,
        capabilities: Sequence[Capability],
        tools: ToolBox,
        model: ChainModel,
        store: RunStore,
        *,
        sleep: Sleep,
        config: OrchestratorConfig | None = None,
    ) -> "Orchestrator":
        """An orchestrator whose parts count into the model's metrics."""
        caller = ResilientCaller(sleep=sleep, metrics=model.metrics)
        chosen = config if config is not None else OrchestratorConfig()
        return cls(capabilities, tools, model, store, caller, chosen)

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
            if not plan_problems(kept.plan, known, self.config.max_steps):
                return kept.plan
        planner = Planner(self.model, self.capabilities, self.config)
        return await planner.generate_execution_plan(request)

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
            self.caller,
            Corrector(analyzer),
            model=self.model,
            max_corrections=config.max_corrections,
        )
        return Executor(
            self.capabilities,
            runner,
            store=self.store,
            model=self.model,
            metrics=self.model.metrics,
            max_concurrency=config.max_concurrency,
        )
