"""A model's reply as a plan: strictly, because a plan is carried out.

Fences, words around the JSON and emphasis in its texts are cleaned away; damaged JSON is never
repaired, arithmetic never computed. A reply that calls the tools instead is a plan of these calls.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from libriscribe2.llm.backend import Completion
from libriscribe2.models.tooling import Capability, Plan, PlanStep, StepMetadata
from libriscribe2.replies.cleanup import extract_with_report, field_errors
from libriscribe2.replies.formatting import strip_value_emphasis
from libriscribe2.replies.parsers import split_leading_reasoning
from libriscribe2.replies.tool_calls import ToolCall, parse_llm_response, parse_native_tool_calls
from libriscribe2.toolchain.templates import references_in

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
    calls = _calls(completion, capabilities)
    if calls:
        return _plan_of_calls(calls, request)
    raise PlanParseError(report.refusal.reason if report.refusal is not None else "no JSON found")


def _plan(value: Mapping[str, Any], request: str) -> Plan:
    try:
        plan = Plan.model_validate(value)
    except ValidationError as error:
        raise PlanParseError("; ".join(field_errors(error)[:_MOST_ERRORS])) from error
    known = {"original_request": request, "plan_id": plan.plan_id or plan_id_of(request)}
    return plan.model_copy(update=known)


def _calls(completion: Completion, capabilities: Sequence[Capability]) -> list[ToolCall]:
    """The tool calls of a reply, whatever its format."""
    if completion.tool_calls:
        native = parse_native_tool_calls(completion.reply, completion.tool_calls)
        return native.tool_calls or []
    schemas = {
        one.name: {"properties": {p.name: p.as_schema() for p in one.parameters}}
        for one in capabilities
    }
    return parse_llm_response(completion.reply, set(schemas), schemas).tool_calls or []


def _plan_of_calls(calls: Sequence[ToolCall], request: str) -> Plan:
    """Calls as steps in their order; a step needs those that its templates name."""
    ids = [f"step-{number}" for number in range(1, len(calls) + 1)]
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
    return Plan(plan_id=plan_id_of(request), original_request=request, steps=tuple(steps))


def plan_id_of(request: str) -> str:
    """The name of a plan that its model did not name: it follows from the request."""
    return f"plan-{hashlib.sha256(request.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
