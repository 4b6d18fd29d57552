"""One step of a plan: bind its parameters, call its tool, correct what was refused."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
    StepResult,
)
from libriscribe2.toolchain.bound import Bound
from libriscribe2.toolchain.chain_model import ChainModel, Spent
from libriscribe2.toolchain.correction import Corrector, corrected
from libriscribe2.toolchain.hybrid_resolver import HybridResolver
from libriscribe2.toolchain.resilience import ResilientCaller
from libriscribe2.toolchain.tool_box import ToolBox
from libriscribe2.toolchain.tool_failure import ToolCallError, ToolFailure

_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)
_HALF: Final = re.compile(r"[\ud800-\udfff]")


@dataclass(slots=True)
class _Work:
    """A step under way."""

    step: PlanStep
    capability: Capability
    context: str
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
        corrector: Judges refused calls.
        model: Whose questions are counted; None where there is no model.
        max_corrections: How often a refused call is repeated with other parameters.
        clock: Seconds, to measure how long a step takes.
    """

    tools: ToolBox
    resolver: HybridResolver
    caller: ResilientCaller
    corrector: Corrector
    model: ChainModel | None = None
    max_corrections: int = 2
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
        work = _Work(step, capability, context, bound)
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
        judged = await self.corrector.judge(
            failure,
            work.bound.parameters,
            work.context,
            capability=work.capability,
            step=work.step.step_id,
        )
        if judged is None or not (judged.should_retry or judged.is_transient_error):
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
