"""Layer 2 of parameter binding: one small question to a model, answered by a function call.

The answer is held against the parameters' schemas: other keys are dropped, null and values that do
not fit leave the parameter unresolved.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from libriscribe2.errors import ProviderError
from libriscribe2.llm.backend import BackendError, Message
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.session import Reply
from libriscribe2.models.tooling import Capability, Parameter
from libriscribe2.project.texts import canonical_json
from libriscribe2.prompts.loader import load_prompt
from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.replies.contract import failure, success
from libriscribe2.replies.tool_calls import parse_llm_response, parse_native_tool_calls
from libriscribe2.research import chain_model as names
from libriscribe2.research.chain_model import DATA_BUDGET, ChainModel, clipped, function, shown
from libriscribe2.research.wiring import UNFIT, coerce

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
    report = extract_with_report(completion.reply, {"type": "object"}, strict=True)
    return report.value if report.ok and isinstance(report.value, dict) else None


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
