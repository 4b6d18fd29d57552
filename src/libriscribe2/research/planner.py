"""Plans of tool calls: asked of a model, read, and checked against the catalog."""

import hashlib
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from graphlib import CycleError, TopologicalSorter
from time import monotonic
from typing import Any, Final

from pydantic import ValidationError

from libriscribe2.errors import IncompleteError
from libriscribe2.llm.backend import Completion
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.session import Reply
from libriscribe2.models.tooling import Capability, Parameter, Plan, PlanStep, StepMetadata
from libriscribe2.replies.cleanup import extract_with_report, field_errors
from libriscribe2.replies.contract import failure, split_leading_reasoning, success
from libriscribe2.replies.formatting import strip_value_emphasis
from libriscribe2.replies.tool_calls import (
    LLMToolCallResponse,
    ToolCall,
    parse_llm_response,
    parse_native_tool_calls,
)
from libriscribe2.research import chain_model as names
from libriscribe2.research.chain_model import ChainModel
from libriscribe2.research.plan_prompt import Messages, PlanPromptBuilder
from libriscribe2.research.templates import OrchestratorConfig, references_in
from libriscribe2.research.wiring import UNFIT, canonical_type, coerce

_SHOWN: Final = 60


def plan_problems(
    plan: Plan,
    capabilities: Mapping[str, Capability],
    max_steps: int | None = None,
    goal: str = "",
) -> list[str]:
    """What is wrong with a plan, in sentences that a model can act on; empty for a sound one.

    Args:
        plan: The plan.
        capabilities: The tools by name.
        max_steps: The longest plan; None for any length.
        goal: The tool without which a plan comes to nothing; "" where any tool may be the last.
    """
    if not plan.steps:
        return ["the plan has no steps"]
    if max_steps is not None and len(plan.steps) > max_steps:
        return [f"the plan has {len(plan.steps)} steps; at most {max_steps} are allowed"]
    ids = [step.step_id for step in plan.steps]
    problems = list(_id_problems(ids))
    problems += _dependency_problems(plan.steps, set(ids))
    for step in plan.steps:
        problems += _template_problems(step, ids)
        capability = capabilities.get(step.tool)
        if capability is None:
            problems.append(_unknown_tool(step, list(capabilities)))
        else:
            problems += _parameter_problems(step, capability, ids)
    return [*problems, *_goal_problems(plan.steps, goal)]


def _goal_problems(steps: Sequence[PlanStep], goal: str) -> Iterator[str]:
    """A plan has to come to its goal."""
    if goal and all(step.tool != goal for step in steps):
        yield (
            f"no step calls {goal}, so that nothing would be kept; give all steps as one JSON "
            f"plan that goes on to {goal}"
        )


def _id_problems(ids: Sequence[str]) -> Iterator[str]:
    """References ignore case, so ids must differ in more than that."""
    counts = Counter(one.casefold() for one in ids)
    yield from (f"duplicate step id {one}" for one in ids if counts.pop(one.casefold(), 0) > 1)


def _dependency_problems(steps: Sequence[PlanStep], ids: set[str]) -> list[str]:
    missing = [
        f"dependency {needed} not found for step {step.step_id}"
        for step in steps
        for needed in step.depends_on
        if needed not in ids
    ]
    selves = [
        f"step {step.step_id} depends on itself: a circular dependency"
        for step in steps
        if step.step_id in step.depends_on
    ]
    return missing + (selves or _cycles(steps))


def _cycles(steps: Sequence[PlanStep]) -> list[str]:
    graph: TopologicalSorter[str] = TopologicalSorter({s.step_id: s.depends_on for s in steps})
    try:
        graph.prepare()
    except CycleError as error:
        return [f"circular dependency: {' -> '.join(error.args[1])}"]
    return []


def _template_problems(step: PlanStep, ids: Sequence[str]) -> Iterator[str]:
    for reference in references_in(dict(step.parameters), ids):
        if not reference.known:
            yield f"step {step.step_id}: {reference.text} names a step that does not exist"
        elif reference.step not in step.depends_on:
            yield (
                f"step {step.step_id}: {reference.text} names {reference.step}, which is not in "
                "its depends_on"
            )


def _unknown_tool(step: PlanStep, names: Sequence[str]) -> str:
    close = get_close_matches(step.tool, names, n=1)
    hint = f"did you mean {close[0]}?" if close else f"the tools are {', '.join(names)}"
    return f"step {step.step_id}: there is no tool {step.tool!r}; {hint}"


def _parameter_problems(
    step: PlanStep, capability: Capability, ids: Sequence[str]
) -> Iterator[str]:
    where = f"step {step.step_id}"
    names = [one.name for one in capability.parameters]
    for name, value in step.parameters.items():
        parameter = capability.parameter(name)
        if parameter is None:
            yield f"{where}: {step.tool} has no parameter {name!r}; it has {', '.join(names)}"
        elif not any(references_in(value, ids)):
            yield from (f"{where}: {told}" for told in _literal_problems(value, parameter))
    given = {name for name, value in step.parameters.items() if value is not None}
    for group in capability.together:
        taken = [name for name in group if any(references_in(step.parameters.get(name), ids))]
        if taken and (own := [name for name in group if name in given and name not in taken]):
            yield (
                f"{where}: {', '.join(taken)} comes from a step, and {', '.join(own)} was written "
                "before anything was read; both have to come from the same result"
            )
    absent = capability.lacking(given)
    if absent and not step.depends_on:
        yield (
            f"{where}: {step.tool} needs {', '.join(absent)}, and the step depends on none that "
            "could give it"
        )


def _literal_problems(value: Any, parameter: Parameter) -> Iterator[str]:
    if value is None or coerce(value, parameter) is not UNFIT:
        return
    shown = repr(value)[:_SHOWN]
    wanted = parameter.type
    if parameter.enum:
        wanted += f", one of {', '.join(map(str, parameter.enum))}"
    hint = ""
    if isinstance(value, dict) and canonical_type(parameter.type) not in ("object", "any"):
        hint = "; expressions are not computed, use a literal value or a step"
    yield f"parameter {parameter.name!r} is {shown}, wanted is {wanted}{hint}"


_SHAPE: Final = {
    "type": "object",
    "properties": {"plan_id": {"type": "string"}, "steps": {"type": "array"}},
    "required": ["steps"],
}
_CUT_OFF: Final = "the response was truncated at the length limit; plan fewer or shorter steps"
_MOST_ERRORS: Final = 8


class PlanParseError(ValueError):
    """A reply that holds no plan; its text is the parser's message."""


def parse_plan(completion: Completion, request: str, capabilities: Sequence[Capability]) -> Plan:
    """The plan in a reply.

    Args:
        completion: The reply.
        request: What the user asked for; it stands in the plan whatever the model wrote there.
        capabilities: The tools, for replies that call them.

    Raises:
        PlanParseError: There is none.
    """
    if completion.finish_reason == "length":
        raise PlanParseError(_CUT_OFF)
    reply = split_leading_reasoning(completion.reply)[1]
    report = extract_with_report(reply, _SHAPE, strict=True)
    if report.ok and isinstance(report.value, dict):
        return _plan(strip_value_emphasis(report.value, lambda _field: True).value, request)
    said = read_calls(completion, capabilities)
    if said.tool_calls:
        return _plan_of_calls(said.tool_calls, request)
    why = report.refusal.reason if report.refusal is not None else "no JSON found"
    raise PlanParseError("; ".join(said.issues) or why)


def _plan(value: Mapping[str, Any], request: str) -> Plan:
    try:
        plan = Plan.model_validate(value)
    except ValidationError as error:
        raise PlanParseError("; ".join(field_errors(error)[:_MOST_ERRORS])) from error
    known = {"original_request": request, "plan_id": plan.plan_id or plan_id_of(request)}
    return plan.model_copy(update=known)


def read_calls(completion: Completion, capabilities: Sequence[Capability]) -> LLMToolCallResponse:
    """The tool calls of a reply, whatever its format; unknown tools are named in its issues."""
    schemas = {
        one.name: {"properties": {p.name: p.as_schema() for p in one.parameters}}
        for one in capabilities
    }
    if completion.tool_calls:
        return parse_native_tool_calls(completion.reply, completion.tool_calls)
    return parse_llm_response(completion.reply, set(schemas), schemas)


def _plan_of_calls(calls: Sequence[ToolCall], request: str) -> Plan:
    """Calls as a plan."""
    steps = tuple(steps_of_calls(calls))
    return Plan(plan_id=plan_id_of(request), original_request=request, steps=steps)


def steps_of_calls(calls: Sequence[ToolCall], first: int = 1) -> list[PlanStep]:
    """Calls as steps in their order; a step needs those that its templates name.

    Args:
        calls: The calls.
        first: The number of the first step.
    """
    ids = [f"step-{number}" for number in range(first, first + len(calls))]
    steps = []
    for step_id, call in zip(ids, calls, strict=True):
        arguments = strip_value_emphasis(call.arguments, lambda _field: True).value
        named = {reference.step for reference in references_in(arguments, ids)}
        step = PlanStep(
            step_id=step_id,
            agent_name=call.name,
            depends_on=tuple(one for one in ids if one in named),
            metadata=StepMetadata(parameters=arguments),
        )
        steps.append(step)
    return steps


def plan_id_of(request: str) -> str:
    """The name of a plan that its model did not name: it follows from the request."""
    return f"plan-{hashlib.sha256(request.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


logger = logging.getLogger(__name__)

STEP: Final = "plan"
"""Where the planner's questions stand below the chain's path."""

_TEMPERATURE: Final = 0.3
_RETRY_TEMPERATURE: Final = 0.2
_MOST_PROBLEMS: Final = 8


class PlanError(IncompleteError):
    """No plan that could be carried out was made; nothing was done."""

    slug = "plan"


class CallsInsteadError(Exception):
    """The model called tools where it was asked for a plan, and not to the goal.

    Attributes:
        completion: Its reply.
    """

    def __init__(self, completion: Completion) -> None:
        super().__init__("tools were called in place of a plan")
        self.completion = completion


@dataclass(frozen=True, slots=True)
class _Question:
    """One request for a plan."""

    messages: Messages
    part: str = ""
    temperature: float = _TEMPERATURE


class Planner:
    """Asks a model for plans.

    Args:
        model: Who is asked.
        capabilities: The tools that a plan may use.
        config: How often a bad plan is asked for again.
        max_tokens: Longest reply; doubled after one that was cut off. None leaves it open.
        clock: Seconds, to measure how long planning takes.
    """

    def __init__(
        self,
        model: ChainModel,
        capabilities: Sequence[Capability],
        config: OrchestratorConfig | None = None,
        *,
        max_tokens: int | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._model = model
        self._capabilities = {one.name: one for one in capabilities}
        self._config = config if config is not None else OrchestratorConfig()
        self._prompts = PlanPromptBuilder(capabilities, self._config.max_steps)
        self._max_tokens = max_tokens
        self._clock = clock

    async def generate_execution_plan(self, request: str) -> Plan:
        """A plan for a request, checked as a whole.

        Args:
            request: What the user asks for.

        Raises:
            PlanError: No reply was a plan that can be carried out.
            CallsInsteadError: The reply calls tools, which do not come to the goal.
            LibriScribeError: The model could not be asked.
        """
        began = self._clock()
        metrics = self._model.metrics
        try:
            plan = await self._planned(request)
        except PlanError:
            metrics.count(names.PLAN_TOTAL, status="error")
            self._model.anew(self._model.step_path(STEP))
            raise
        finally:
            metrics.took(names.PLAN_DURATION_MS, self._clock() - began)
        metrics.count(names.PLAN_TOTAL, status="success")
        return plan

    async def regenerate_plan(self, request: str, error: str, reply: str = "") -> Plan:
        """A plan in place of one that turned out not to work, with the error as feedback.

        Raises:
            PlanError: As for `generate_execution_plan`.
        """
        messages = self._prompts.build_planning_prompt_with_validation_error(request, error, reply)
        return await self._planned(request, _Question(messages, "again", _RETRY_TEMPERATURE))

    async def _planned(self, request: str, first: _Question | None = None) -> Plan:
        """The conversation: parse errors and unusable plans are counted apart."""
        question = first or _Question(self._prompts.build_planning_prompt(request))
        parse_retries = validation_retries = 0
        max_tokens = self._max_tokens
        while True:
            call = await self._ask(question, max_tokens)
            outcome = self._read(call, request)
            if isinstance(outcome, Plan):
                return outcome
            if isinstance(outcome, PlanParseError):
                self._count_parse_error(outcome, parse_retries)
                parse_retries += 1
                question = self._after_parse_error(request, outcome, call, parse_retries)
                if call.completion.finish_reason == "length" and max_tokens is not None:
                    max_tokens *= 2
            else:
                if validation_retries >= self._config.plan_validation_retries:
                    raise _plan_error(f"plan validation failed: {outcome}")
                validation_retries += 1
                question = self._after_problems(request, outcome, call, validation_retries)

    def _read(self, call: Reply, request: str) -> Plan | PlanParseError | str:
        """The plan of a reply, or why it cannot be read, or why it cannot be carried out."""
        completion: Completion = call.completion
        try:
            plan = parse_plan(completion, request, tuple(self._capabilities.values()))
        except PlanParseError as error:
            self._model.record(call, failure(str(error)))
            return error
        config = self._config
        problems = plan_problems(plan, self._capabilities, config.max_steps, config.goal)
        if problems:
            told = "; ".join(problems[:_MOST_PROBLEMS])
            self._model.record(call, failure(told))
            if self._calls_short_of_goal(plan, completion):
                raise CallsInsteadError(completion)
            return told
        self._model.record(call, success(plan))
        return plan

    def _calls_short_of_goal(self, plan: Plan, completion: Completion) -> bool:
        """Whether a reply made calls, and no plan, and none of them reaches the goal."""
        goal = self._config.goal
        if not goal or any(step.tool == goal for step in plan.steps):
            return False
        called = read_calls(completion, tuple(self._capabilities.values())).tool_calls or []
        return [one.name for one in called] == [step.tool for step in plan.steps]

    def _count_parse_error(self, error: PlanParseError, retries: int) -> None:
        """Count it; the last one ends the planning."""
        again = retries < self._config.parse_retries
        self._model.metrics.count(names.PARSE_ERRORS, will_retry=str(again).lower())
        if not again:
            raise _plan_error(f"failed to parse plan JSON: {error}") from error
        self._model.metrics.count(names.PLAN_RETRIES)
        logger.warning("The plan cannot be parsed (%s); asking again", error)

    async def _ask(self, question: _Question, max_tokens: int | None) -> Reply:
        options = CallOptions(
            temperature=question.temperature,
            max_tokens=max_tokens,
            schema=self._prompts.plan_schema(),
        )
        return await self._model.ask(STEP, question.part, question.messages, options)

    def _after_parse_error(
        self, request: str, error: PlanParseError, call: Reply, number: int
    ) -> _Question:
        messages = self._prompts.build_planning_prompt_with_parse_error(
            request, str(error), call.completion.reply
        )
        return _Question(messages, f"parse-{number}", _RETRY_TEMPERATURE)

    def _after_problems(self, request: str, problems: str, call: Reply, number: int) -> _Question:
        logger.warning("The plan cannot be carried out (%s); asking again", problems)
        messages = self._prompts.build_planning_prompt_with_validation_error(
            request, problems, call.completion.reply
        )
        return _Question(messages, f"valid-{number}", _RETRY_TEMPERATURE)


def _plan_error(why: str) -> PlanError:
    return PlanError(
        f"failed to generate execution plan: {why}",
        fix="run the command to ask again; `libriscribe2 debug list` shows the replies",
    )
