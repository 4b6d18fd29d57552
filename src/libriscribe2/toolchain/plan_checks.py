"""Whether a plan can be carried out: everything that can be known before its first step."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final

from libriscribe2.models.tooling import Capability, Parameter, Plan, PlanStep
from libriscribe2.toolchain.templates import references_in
from libriscribe2.toolchain.type_coercion import UNFIT, canonical_type, coerce

_SHOWN: Final = 60


def plan_problems(
    plan: Plan, capabilities: Mapping[str, Capability], max_steps: int | None = None
) -> list[str]:
    """What is wrong with a plan, in sentences that a model can act on; empty for a sound one.

    Args:
        plan: The plan.
        capabilities: The tools by name.
        max_steps: The longest plan; None for any length.
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
    return problems


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
    absent = [name for name in capability.required if name not in given]
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
