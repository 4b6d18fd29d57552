"""Parameters of a step: written out, wired from results, or asked of the model."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final

from libriscribe2.errors import IncompleteError, ModelError, ProviderError
from libriscribe2.llm.backend import BackendError, Message
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.session import Reply
from libriscribe2.models.tooling import Capability, Parameter, PlanStep
from libriscribe2.project.texts import canonical_json
from libriscribe2.prompts.loader import load_prompt
from libriscribe2.replies.cleanup import extract_json_from_llm_response, safe_json_loads
from libriscribe2.replies.contract import failure, success
from libriscribe2.replies.tool_calls import parse_llm_response, parse_native_tool_calls
from libriscribe2.research import chain_model as names
from libriscribe2.research.chain_model import (
    DATA_BUDGET,
    ChainMetrics,
    ChainModel,
    clipped,
    function,
    outline,
    shown,
)
from libriscribe2.research.templates import (
    Bound,
    Draft,
    Filled,
    Layers,
    Reference,
    TemplateFiller,
    references_in,
)
from libriscribe2.research.wiring import UNFIT, AutoWirer, changed_type, coerce
from libriscribe2.telemetry import (
    ALL_AUTO_WIRED,
    SEMANTIC_FALLBACK,
    TYPE_COERCION_APPLIED,
    UNREADABLE_RESPONSE,
    USING_MICRO_RESOLUTION,
)

logger = logging.getLogger(__name__)

FUNCTION: Final = "provide_parameters"
_MAX_INSTRUCTION: Final = 2_000
_AGAIN: Final = (
    "No parameters could be read from your answer. Reply with nothing but one JSON object by the "
    "schema above; give null for what the data do not settle."
)


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked to find.

    Attributes:
        step: The step that needs the values.
        capability: The tool that they are for.
        wanted: The parameters without a value.
        data: Results by step: all that the step may see.
        instruction: What the step is for, and what the user asked for.
        hint: What the plan said of the values, such as a reference that leads nowhere.
        part: Name of the question within the step.
    """

    step: str
    capability: Capability
    wanted: Sequence[Parameter]
    data: Mapping[str, Any] = field(default_factory=dict)
    instruction: str = ""
    hint: str = ""
    part: str = "bind"


class MicroResolver:
    """Finds values whose names do not tell where they are.

    Args:
        model: Who is asked.
        function_calling: Whether functions are offered to it; without them it answers in text.
    """

    def __init__(self, model: ChainModel, *, function_calling: bool = True) -> None:
        self._model = model
        self._function_calling = function_calling

    async def resolve_parameters(self, question: Question) -> dict[str, Any]:
        """The values that the model found and that fit, by parameter.

        At most two requests: the second where the first brought nothing to read.

        Raises:
            LibriScribeError: The model could not be asked.
        """
        metrics = self._model.metrics
        metrics.count(names.MICRO_REQUEST)
        messages = _messages(question)
        for attempt in (1, 2):
            call = await self._ask(question, messages, attempt)
            answer = _arguments(call)
            if answer is not None:
                self._model.record(call, success(answer))
                metrics.count(names.MICRO_RESPONSE)
                return _fitting(answer, question.wanted)
            self._model.record(call, failure(_AGAIN))
            messages = (*messages, _said(call), {"role": "user", "content": _AGAIN})
        metrics.count(names.MICRO_ERROR)
        logger.warning("Micro-resolution of %s brought no parameters", question.step)
        return {}

    async def _ask(self, question: Question, messages: tuple[Message, ...], attempt: int) -> Reply:
        """One request, with the function where the model takes one."""
        offered = _offered(question) if self._function_calling and attempt == 1 else ()
        options = CallOptions(temperature=0.0, tools=offered)
        part = question.part if attempt == 1 else f"{question.part}-again"
        try:
            return await self._model.ask(question.step, part, messages, options)
        except ProviderError as error:
            if not (offered and _is_refused(error)):
                raise
        logger.info("The model takes no functions; it is asked for text")
        self._function_calling = False
        text_only = CallOptions(temperature=0.0)
        return await self._model.ask(question.step, part, messages, text_only)


def parameters_schema(wanted: Sequence[Parameter]) -> dict[str, Any]:
    """The schema of an answer: every parameter, each of its own type or null."""
    return {
        "type": "object",
        "properties": {one.name: _or_null(one) for one in wanted},
        "required": [one.name for one in wanted],
        "additionalProperties": False,
    }


def _or_null(parameter: Parameter) -> dict[str, Any]:
    schema = parameter.as_schema()
    described = {"description": schema.pop("description")} if "description" in schema else {}
    return {"anyOf": [schema, {"type": "null"}], **described}


def _offered(question: Question) -> tuple[Mapping[str, Any], ...]:
    about = f"Give the parameters of {question.capability.name}."
    return (function(FUNCTION, about, parameters_schema(question.wanted)),)


def _messages(question: Question) -> tuple[Message, ...]:
    return load_prompt("micro_resolution").render(
        names=" and ".join(f"'{one.name}'" for one in question.wanted),
        capability=question.capability.name,
        about=question.capability.description,
        parameters="\n".join(_line(one) for one in question.wanted),
        instruction=clipped(question.instruction, _MAX_INSTRUCTION),
        hint=question.hint,
        data=shown(dict(question.data), DATA_BUDGET),
        schema=canonical_json(parameters_schema(question.wanted)),
    )


def _line(parameter: Parameter) -> str:
    listed = f", one of {canonical_json(list(parameter.enum))}" if parameter.enum else ""
    said = f": {parameter.description}" if parameter.description else ""
    return f"- {parameter.name} ({parameter.type}{listed}){said}"


def _arguments(call: Reply) -> dict[str, Any] | None:
    """The parameters of an answer: a native call, a call written as text, or a JSON object."""
    completion = call.completion
    native = parse_native_tool_calls(completion.reply, completion.tool_calls).tool_calls or []
    written = [] if native else parse_llm_response(completion.reply, {FUNCTION}).tool_calls or []
    for one in (*native, *written):
        if one.name == FUNCTION:
            return one.arguments
    return extract_json_from_llm_response(completion.reply, strict=True)


def _fitting(answer: Mapping[str, Any], wanted: Sequence[Parameter]) -> dict[str, Any]:
    """The values that fit; what was not asked for is left out."""
    tried = {one.name: coerce(answer.get(one.name), one) for one in wanted}
    return {name: value for name, value in tried.items() if value is not UNFIT}


def _said(call: Reply) -> Message:
    """The model's turn; a provider refuses one without text."""
    return {"role": "assistant", "content": call.completion.reply or "(no text)"}


def _is_refused(error: ProviderError) -> bool:
    """Whether the provider did not take the request as it was."""
    cause = error.__cause__
    return isinstance(cause, BackendError) and cause.kind == "bad_request"


def as_sources(responses: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The results that are objects, by step; a text that holds one counts, others are left out."""
    found = {step: _as_object(step, response) for step, response in responses.items()}
    return {step: source for step, source in found.items() if source is not None}


def _as_object(step: str, response: Any) -> Mapping[str, Any] | None:
    if isinstance(response, str):
        response = safe_json_loads(response)
        if response is None:
            logger.warning("%s: %s is not JSON", UNREADABLE_RESPONSE, step)
    return response if isinstance(response, Mapping) else None


_ANSWERLESS: Final = (ModelError, ProviderError, IncompleteError)
"""Failures of a question that a step may survive; a budget or a stop is for the run."""


class HybridResolver:
    """Binds the parameters of steps.

    Args:
        model: Who is asked in layer 2; None asks nobody.
        micro_resolution: Whether layer 2 is on.
        layers: All switches at once; `micro_resolution` only switches off.
        function_calling: Whether the model is offered a function to answer with.
    """

    def __init__(
        self,
        model: ChainModel | None,
        *,
        micro_resolution: bool = True,
        layers: Layers | None = None,
        function_calling: bool = True,
    ) -> None:
        self.layers = layers if layers is not None else Layers()
        self._wirer = AutoWirer()
        self._model = model if micro_resolution and self.layers.micro_resolution else None
        self._micro = (
            MicroResolver(self._model, function_calling=function_calling)
            if self._model is not None
            else None
        )
        self._metrics = model.metrics if model is not None else ChainMetrics()

    async def resolve_parameters(
        self,
        dependency_results: Mapping[str, Any],
        capability: Capability,
        step_id: str,
        instruction: str = "",
    ) -> dict[str, Any] | None:
        """The parameters that layers 1 and 2 find in the results of other steps.

        Args:
            dependency_results: Responses by step.
            capability: The tool.
            step_id: The step that calls it.
            instruction: What the step is for.

        Returns:
            Values by name, perhaps not all; None where there is no result to look at.
        """
        if not dependency_results:
            return None
        step = PlanStep(step_id=step_id, agent_name=capability.name, instruction=instruction)
        return (await self.bind(step, capability, dependency_results)).parameters

    async def bind(
        self,
        step: PlanStep,
        capability: Capability,
        responses: Mapping[str, Any],
        request: str = "",
        steps: Iterable[str] = (),
    ) -> Bound:
        """Settle what a step's tool is given.

        Args:
            step: The step; it is not changed.
            capability: Its tool.
            responses: Results of the steps that it depends on, in that order.
            request: What the user asked for.
            steps: The ids of all steps of the plan.

        Raises:
            BudgetError: A cap does not allow a question.
            RunStoppedError: The run is being stopped.
        """
        bound = Bound()
        # Only references need the ids, and a long plan has many.
        known = frozenset((*responses, *step.depends_on, *steps) if step.parameters else ())
        sources = as_sources(responses)
        draft = Draft(step, capability, responses, sources, request, known, bound)
        self._given(draft)
        self._wire(draft)
        await self._resolve(draft)
        await self._fall_back(draft)
        bound.missing = list(capability.lacking(bound.parameters))
        bound.unresolved = [ref.text for held in draft.dangling.values() for ref in held.unresolved]
        if bound.missing or bound.unresolved:
            bound.available = outline(responses)
        else:
            self._metrics.count(names.HYBRID_SUCCESS)
        return bound

    def _given(self, draft: Draft) -> None:
        """Literals of the plan, and references that resolve."""
        filler = TemplateFiller(draft.responses if self.layers.templates else {}, draft.known)
        for name, written in draft.step.parameters.items():
            filled = filler.fill(deepcopy(written))
            if filled.is_literal:
                self._literal(draft, name, filled.value)
            elif filled.unresolved:
                draft.dangling[name] = filled
            else:
                self._from_template(draft, name, filled)

    def _literal(self, draft: Draft, name: str, written: Any) -> None:
        """A value of the plan; the tool itself refuses one that does not fit."""
        parameter = draft.capability.parameter(name)
        if written is None and parameter is not None:
            return
        value = UNFIT if parameter is None else self._coerced(draft, written, parameter)
        draft.settle(name, written if value is UNFIT else value, "literal")

    def _from_template(self, draft: Draft, name: str, filled: Filled) -> None:
        """A reference's value in the parameter's type; one that does not fit leads nowhere."""
        parameter = draft.capability.parameter(name)
        value = filled.value
        if parameter is not None:
            fitted = self._coerced(draft, value, parameter)
            value = fitted if fitted is not UNFIT else _as_text(value, parameter)
        if value is UNFIT and filled.is_reference:
            filled.unresolved = list(references_in(draft.step.parameters[name], draft.known))
            draft.dangling[name] = filled
        else:
            kept = filled.value if value is UNFIT else value
            draft.settle(name, deepcopy(kept), "template", _joined(filled.steps))

    def _wire(self, draft: Draft) -> None:
        """Layer 1."""
        wanted, needed = draft.open(), draft.needed()
        if not (self.layers.auto_wiring and draft.sources and wanted):
            return
        for name, held in list(draft.dangling.items()):
            # A reference names its step, so the same name in another step is something else.
            named = {ref.step for ref in held.unresolved}
            sources = {step: s for step, s in draft.sources.items() if step in named}
            self._wire_from(draft, sources, [one for one in wanted if one.name == name])
        free = [one for one in draft.open() if one.name not in draft.dangling]
        self._wire_from(draft, draft.sources, free)
        if not draft.needed():
            logger.debug("%s: %s", ALL_AUTO_WIRED, draft.step.step_id)
            if needed:
                self._metrics.count(names.CALLS_AVOIDED)

    def _wire_from(
        self, draft: Draft, sources: Mapping[str, Mapping[str, Any]], wanted: Sequence[Parameter]
    ) -> None:
        """Wire some parameters from some steps."""
        wiring = self._wirer.wire(sources, wanted)
        for name, value in wiring.values.items():
            draft.settle(name, deepcopy(value), "auto_wire", wiring.steps[name])
        if wiring.coerced:
            self._told_coercion(draft, wiring.coerced)

    async def _resolve(self, draft: Draft) -> None:
        """Layer 2, where a parameter that the call needs is still open."""
        wanted = draft.needed()
        if not wanted or not draft.responses:
            return
        hints = [
            f"The plan says {ref.text} for '{name}'; the data have no such value there."
            for name, held in draft.dangling.items()
            for ref in held.unresolved
            if held.is_reference
        ]
        question = _question(draft, wanted, "\n".join(hints), "bind")
        for name, value in (await self._asked(question, USING_MICRO_RESOLUTION)).items():
            draft.settle(name, value, "micro_resolution", _joined(draft.responses))

    async def _fall_back(self, draft: Draft) -> None:
        """A model's answer for each reference that is still unresolved."""
        if not self.layers.semantic_fallback or not draft.responses:
            return
        for name, held in list(draft.dangling.items()):
            parameter = draft.capability.parameter(name) or Parameter(name, "any")
            answers: dict[str, Any] = {}
            for reference in {one.text: one for one in held.unresolved}.values():
                found = await self._value_of(draft, parameter, reference, whole=held.is_reference)
                answers.update((reference.text, value) for value in found)
            if all(reference.text in answers for reference in held.unresolved):
                value = _completed(draft, name, held, answers)
                draft.settle(name, value, "semantic_fallback", _joined(draft.responses))

    async def _value_of(
        self, draft: Draft, parameter: Parameter, reference: Reference, *, whole: bool
    ) -> list[Any]:
        """What one reference means: a value, or none."""
        wanted = parameter if whole else Parameter(parameter.name, "string")
        hint = f"Find the value that the plan means by {reference.text}."
        question = _question(draft, [wanted], hint, f"template-{parameter.name}")
        found = list((await self._asked(question, SEMANTIC_FALLBACK)).values())
        if found:
            self._metrics.count(names.SEMANTIC_SUCCESS)
        return found

    async def _asked(self, question: Question, message: str) -> dict[str, Any]:
        """The model's answer; nothing where there is no model or it cannot answer."""
        if self._micro is None or self._model is None or self._model.unusable:
            return {}
        wanted = [one.name for one in question.wanted]
        logger.info("%s: %s needs %s", message, question.step, wanted)
        try:
            return await self._micro.resolve_parameters(question)
        except _ANSWERLESS as error:
            self._metrics.count(names.MICRO_ERROR)
            logger.warning("Micro-resolution of %s failed: %s", question.step, error.what)
            return {}

    def _coerced(self, draft: Draft, value: Any, parameter: Parameter) -> Any:
        """A value in the parameter's type, or `UNFIT`."""
        fitted = coerce(value, parameter)
        if fitted is not UNFIT and changed_type(value, fitted):
            self._told_coercion(draft, [parameter.name])
        return fitted

    def _told_coercion(self, draft: Draft, changed: list[str]) -> None:
        self._metrics.count(names.TYPE_COERCION, len(changed))
        logger.debug("%s: %s: %s", TYPE_COERCION_APPLIED, draft.step.step_id, changed)


def _completed(draft: Draft, name: str, held: Filled, answers: Mapping[str, Any]) -> Any:
    """A parameter with the model's answers in place of its references."""
    if held.is_reference:
        return answers[held.unresolved[0].text]
    filler = TemplateFiller(draft.responses, draft.known, answers)
    return filler.fill(draft.step.parameters[name]).value


def _question(draft: Draft, wanted: Sequence[Parameter], hint: str, part: str) -> Question:
    return Question(
        step=draft.step.step_id,
        capability=draft.capability,
        wanted=wanted,
        data=draft.responses,
        instruction=draft.purpose,
        hint=hint,
        part=part,
    )


def _as_text(value: Any, parameter: Parameter) -> Any:
    """A whole object or list where a text is wanted: its JSON text."""
    return coerce(canonical_json(value), parameter) if isinstance(value, dict | list) else UNFIT


def _joined(steps: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(steps))
