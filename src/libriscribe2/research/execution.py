"""A plan carried out step by step: resolved, called, corrected, planned anew."""

import asyncio
import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from time import monotonic
from typing import Any, Final

from pydantic import JsonValue, TypeAdapter

from libriscribe2.models.tooling import (
    Binding,
    Capability,
    Correction,
    ErrorAnalysisResult,
    Plan,
    PlanStep,
    RunRecord,
    StepResult,
)
from libriscribe2.research.chain_model import ChainMetrics, ChainModel, Spent
from libriscribe2.research.diagnosis import Corrector, ErrorAnalyzer, corrected
from libriscribe2.research.planner import PlanError, plan_problems
from libriscribe2.research.recovery import ResilientCaller, ToolCallError, ToolFailure
from libriscribe2.research.resolver import HybridResolver
from libriscribe2.research.run_store import RunStore
from libriscribe2.research.templates import Bound
from libriscribe2.research.tool import ToolBox

_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)
_HALF: Final = re.compile(r"[\ud800-\udfff]")


@dataclass(slots=True)
class _Work:
    """A step under way."""

    step: PlanStep
    capability: Capability
    corrector: Corrector
    bound: Bound
    tool_calls: int = 0
    corrections: list[Correction] = field(default_factory=list)
    tried: list[dict[str, Any]] = field(default_factory=list)


class StepFailedError(Exception):
    """A step that cannot succeed; its text is the reason.

    Attributes:
        transient: Whether the very same call may succeed another time.
    """

    def __init__(self, reason: str, *, transient: bool = False) -> None:
        super().__init__(reason)
        self.transient = transient


@dataclass
class StepRunner:
    """Runs single steps.

    Attributes:
        tools: Carries out the calls.
        resolver: Binds parameters.
        caller: Repeats calls that waiting may mend.
        analyzer: Judges refused calls, or by the older rule gives them other values.
        model: Whose questions are counted; None where there is no model.
        max_corrections: How often a refused call is repeated with other parameters.
        verdict_by_rule: Whether the message of a refused call decides if it is worth a try.
        clock: Seconds, to measure how long a step takes.
    """

    tools: ToolBox
    resolver: HybridResolver
    caller: ResilientCaller
    analyzer: ErrorAnalyzer | None
    model: ChainModel | None = None
    max_corrections: int = 2
    verdict_by_rule: bool = False
    clock: Callable[[], float] = monotonic

    async def run(
        self,
        step: PlanStep,
        capability: Capability,
        responses: Mapping[str, Any],
        plan: Plan,
    ) -> StepResult:
        """What comes of a step; a failure of the step is a result, too.

        Args:
            step: The step; it is not changed.
            capability: Its tool.
            responses: Results of the steps that it depends on.
            plan: The plan that it stands in.

        Raises:
            LibriScribeError: A failure that is the run's: a budget, a stop, a disk.
        """
        began = self.clock()
        asked = plan.original_request
        ids = (one.step_id for one in plan.steps)
        bound = await self.resolver.bind(step, capability, responses, asked, ids)
        context = "\n".join(filter(None, (asked, step.instruction)))
        corrector = Corrector(
            self.analyzer,
            capability,
            step.step_id,
            context,
            responses,
            by_rule=self.verdict_by_rule,
        )
        work = _Work(step, capability, corrector, bound)
        response, failed = None, None
        try:
            response = await self._respond(work)
        except StepFailedError as error:
            failed = error
        return self._result(work, response, failed, self.clock() - began)

    async def _respond(self, work: _Work) -> JsonValue:
        """The tool's result.

        Raises:
            StepFailedError: There is none.
        """
        if work.bound.problem:
            where = f"step {work.step.step_id}: {work.step.tool} was not called"
            raise StepFailedError(f"{where}: {work.bound.problem}")
        while True:
            try:
                return _plain(work, await self._call(work))
            except ToolCallError as error:
                await self._correct(work, error.failure)

    async def _call(self, work: _Work) -> Any:
        """The tool's answer to the parameters as they are now."""

        async def send(parameters: dict[str, Any]) -> Any:
            work.tool_calls += 1
            return await self.tools.call(work.step, parameters)

        parameters = dict(work.bound.parameters)
        work.tried.append(parameters)
        return await self.caller.call(work.step.tool, parameters, send)

    async def _correct(self, work: _Work, failure: ToolFailure) -> None:
        """Change the parameters after a refusal.

        Raises:
            StepFailedError: No other parameters are worth a try.
        """
        if failure.route != "analyze":
            raise _failed(work, failure, "")
        if len(work.corrections) >= self.max_corrections:
            raise _failed(work, failure, f"after {len(work.corrections)} corrections")
        worth = await work.corrector.should_attempt_ai_correction(
            failure.status, failure.message, failure.body, work.bound.parameters
        )
        judged = work.corrector.judged
        if judged is None or not (worth or judged.is_transient_error):
            raise _failed(work, failure, judged.reason if judged is not None else "")
        changes = corrected(work.bound.parameters, judged.suggested_changes, work.capability)
        if judged.is_transient_error and not changes:
            work.corrections.append(_correction({}, judged, failure))
            await self.caller.again_later(len(work.corrections))
            return
        if not changes or {**work.bound.parameters, **changes} in work.tried:
            raise _failed(work, failure, f"{judged.reason} (but no new value was suggested)")
        work.corrections.append(_correction(changes, judged, failure))
        for name, value in changes.items():
            work.bound.parameters[name] = value
            binding = Binding(parameter=name, value=value, layer="correction")
            work.bound.bindings[name] = binding

    def _result(
        self, work: _Work, response: JsonValue, failed: StepFailedError | None, seconds: float
    ) -> StepResult:
        spent = self.model.spent(work.step.step_id) if self.model is not None else Spent()
        return StepResult(
            step_id=work.step.step_id,
            tool=work.step.tool,
            status="done" if failed is None else "failed",
            response=response,
            error="" if failed is None else str(failed),
            transient=failed is not None and failed.transient,
            parameters=work.bound.parameters,
            bindings=_in_order(work.bound, work.capability),
            corrections=tuple(work.corrections),
            tool_calls=work.tool_calls,
            llm_calls=spent.calls,
            cost_usd=spent.cost_usd,
            seconds=seconds,
        )


def _plain(work: _Work, response: Any) -> JsonValue:
    """A result as plain JSON; half a surrogate pair, which no file holds, becomes U+FFFD."""
    try:
        result = _JSON.validate_python(response)
        text = json.dumps(result, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        where = f"step {work.step.step_id}: {work.step.tool}"
        raise StepFailedError(f"{where} returned something that is not JSON") from error
    kept: JsonValue = json.loads(_HALF.sub("\ufffd", text)) if _HALF.search(text) else result
    return kept


def _correction(
    changes: dict[str, Any], judged: ErrorAnalysisResult, failure: ToolFailure
) -> Correction:
    return Correction(changes=changes, reason=judged.reason, error=failure.summary)


def _failed(work: _Work, failure: ToolFailure, reason: str) -> StepFailedError:
    """The failure with all that a person needs: step, tool, status, calls, reason."""
    calls = f"{work.tool_calls} call{'' if work.tool_calls == 1 else 's'}"
    told = f"step {work.step.step_id}: {work.step.tool} failed after {calls}: {failure.summary}"
    transient = failure.route == "retry"
    return StepFailedError(f"{told} ({reason})" if reason else told, transient=transient)


def _in_order(bound: Bound, capability: Capability) -> tuple[Binding, ...]:
    """The bindings in the order of the tool's parameters."""
    names: Sequence[str] = [one.name for one in capability.parameters]
    known = [bound.bindings[name] for name in names if name in bound.bindings]
    return (*known, *(b for name, b in bound.bindings.items() if name not in names))


logger = logging.getLogger(__name__)

SKIPPED: Final = "skipped due to failed dependency"


@dataclass(eq=False)
class Executor:
    """Runs plans.

    Args:
        capabilities: The tools.
        runner: Runs a step.
        store: Keeps the run; memory where none is given.
        model: Whose replies a failed step's next run must not replay; None where there is none.
        metrics: Counters that are kept with the run.
        max_concurrency: Most steps under way at once; at least 1.
    """

    capabilities: Iterable[Capability]
    runner: StepRunner
    _: KW_ONLY
    store: RunStore = field(default_factory=RunStore)
    model: ChainModel | None = None
    metrics: ChainMetrics = field(default_factory=ChainMetrics)
    max_concurrency: int = 5

    def __post_init__(self) -> None:
        if self.max_concurrency < 1:
            raise ValueError(f"max_concurrency must be at least 1, not {self.max_concurrency}")
        self._tools = {one.name: one for one in self.capabilities}

    async def execute(self, plan: Plan) -> RunRecord:
        """Run what of a plan has not succeeded yet.

        Raises:
            PlanError: The plan cannot be carried out; nothing was done.
            LibriScribeError: A failure that is the run's. What was under way is waited for, and
                what is done is kept.
        """
        problems = plan_problems(plan, self._tools)
        if problems:
            raise PlanError(f"The plan cannot be carried out: {'; '.join(problems)}")
        run = _Run(plan, self._kept(plan))
        self._save(run)
        try:
            await self._work(run)
        finally:
            try:
                self._finished(run, await run.ended())
            finally:
                record = self._save(run)
        return record

    def _kept(self, plan: Plan) -> dict[str, StepResult]:
        """The results of an earlier run of the same plan that need not be had again."""
        record = self.store.load()
        if record is None or record.plan.sha() != plan.sha():
            return {}
        self.metrics.restore(record.metrics.items())
        return {step: result for step, result in record.results.items() if result.success}

    async def _work(self, run: "_Run") -> None:
        """Start what is ready, take in what is done, until nothing is left."""
        failure: BaseException | None = None
        while True:
            if failure is None:
                self._start(run)
            if not run.running:
                break
            done, _ = await asyncio.wait(run.running, return_when=asyncio.FIRST_COMPLETED)
            failures = [error for task in done if (error := _failure_of(task)) is not None]
            failure = failure or next(iter(failures), None)
            self._finished(run, run.taken(done))
        if failure is not None:
            raise failure

    def _start(self, run: "_Run") -> None:
        """Start what is ready, as many at once as may be, in the plan's order."""
        for step in list(run.ready())[: self.max_concurrency - len(run.running)]:
            run.begin(step, self.runner, self._tools[step.tool])

    def _finished(self, run: "_Run", results: Sequence[StepResult]) -> None:
        """Keep results, and the steps that are skipped because of them, before anything else."""
        settled = [one for result in results for one in (result, *run.skipped_after(result))]
        try:
            if settled:
                self.store.add(settled)
        finally:
            # What the disk refuses now, the record at the end may still hold.
            run.results.update((result.step_id, result) for result in settled)
        for result in settled:
            if result.status == "failed":
                logger.warning("%s", result.error)
                # Replies that led to a call which a server was not fit to answer are good ones.
                if self.model is not None and not result.transient:
                    self.model.anew(self.model.step_path(result.step_id))

    def _save(self, run: "_Run") -> RunRecord:
        in_order = (step.step_id for step in run.plan.steps)
        results = {one: run.results[one] for one in in_order if one in run.results}
        metrics = self.metrics.snapshot()
        record = RunRecord.model_construct(plan=run.plan, results=results, metrics=metrics)
        self.store.save(record)
        return record


class _Run:
    """The state of one run.

    Attributes:
        results: What is finished, by step.
        running: What is under way.
    """

    def __init__(self, plan: Plan, results: dict[str, StepResult]) -> None:
        self.plan = plan
        self.results = results
        self.running: dict[asyncio.Task[StepResult], PlanStep] = {}
        self._begun = set(results)

    def ready(self) -> Iterator[PlanStep]:
        """The steps that can start, in the plan's order."""
        done = {name for name, result in self.results.items() if result.success}
        return (
            step
            for step in self.plan.steps
            if step.step_id not in self._begun and done.issuperset(step.depends_on)
        )

    def begin(self, step: PlanStep, runner: StepRunner, capability: Capability) -> None:
        """Start a step."""
        responses = {needed: self.results[needed].response for needed in step.depends_on}
        task = asyncio.ensure_future(runner.run(step, capability, responses, self.plan))
        self.running[task] = step
        self._begun.add(step.step_id)

    def skipped_after(self, result: StepResult) -> Iterator[StepResult]:
        """The steps that cannot run because a step did not succeed, the nearest first."""
        pending = [] if result.success else [result]
        for broken in pending:
            for step in self.plan.steps:
                if broken.step_id in step.depends_on and step.step_id not in self._begun:
                    self._begun.add(step.step_id)
                    pending.append(_skipped(step, broken))
                    yield pending[-1]

    def taken(self, done: "Iterable[asyncio.Task[StepResult]]") -> list[StepResult]:
        """The results of tasks that have ended, in the plan's order; those without one go."""
        in_order = sorted(done, key=lambda task: self.plan.steps.index(self.running[task]))
        for task in in_order:
            del self.running[task]
        return [task.result() for task in in_order if _failure_of(task) is None]

    async def ended(self) -> list[StepResult]:
        """End what is still under way when the run was cut off; what had a result keeps it."""
        for task in self.running:
            task.cancel()
        await asyncio.gather(*self.running, return_exceptions=True)
        return self.taken(list(self.running))


def _failure_of(task: "asyncio.Task[StepResult]") -> BaseException | None:
    """Why an ended task has no result, or None."""
    return asyncio.CancelledError() if task.cancelled() else task.exception()


def _skipped(step: PlanStep, broken: StepResult) -> StepResult:
    reason = f"{SKIPPED}: {broken.step_id}"
    if broken.status == "failed":
        reason = f"{reason} ({broken.error})"
    return StepResult(step_id=step.step_id, tool=step.tool, status="skipped", error=reason)
