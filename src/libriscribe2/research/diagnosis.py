"""Why a step failed, asked of the model, and the correction that may make it work."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from libriscribe2.errors import IncompleteError, LibriScribeError, ModelError, ProviderError
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.models.tooling import Capability, ErrorAnalysisResult
from libriscribe2.project.texts import canonical_json
from libriscribe2.prompts.loader import load_prompt
from libriscribe2.replies.parsers import pydantic_parser
from libriscribe2.research import chain_model as names
from libriscribe2.research.chain_model import DATA_BUDGET, ChainModel, clipped, shown
from libriscribe2.research.recovery import REFUSED, route_of
from libriscribe2.research.wiring import UNFIT, coerce
from libriscribe2.telemetry import ATTEMPTING_CORRECTION

logger = logging.getLogger(__name__)

_ATTEMPTS: Final = 2
_MAX_BODY: Final = 4_000
_MAX_CONTEXT: Final = 2_000
_MAX_PARAMETERS: Final = 6_000

_REASONS: Final = {
    401: "Auth/permission error: the credentials were not accepted",
    403: "Auth/permission error: the access is not allowed",
    405: "Method not allowed: the tool is set up wrongly",
}
_DATA: Final = """\


<data>
{data}
</data>

The data are what the steps before have returned: a value that the call needs may stand there."""
_READ: Final = pydantic_parser(ErrorAnalysisResult, strict=True)
_NO_CAPABILITY: Final = Capability("the tool")


class AnalysisError(LibriScribeError):
    """No judgement of a refused call could be had; the call is not repeated."""

    slug = "analysis"


@dataclass(eq=False)
class ErrorAnalyzer:
    """Judges refused tool calls.

    Args:
        model: Who is asked; None asks nobody.
        enabled: Whether it is asked at all.
        clock: Seconds, to measure how long the model takes.
    """

    _model: ChainModel | None
    enabled: bool = True
    clock: Callable[[], float] = monotonic

    def enable(self, on: bool = True) -> None:  # noqa: FBT001, FBT002 - the design's own signature
        """Switch the model's part on or off."""
        self.enabled = on

    def is_enabled(self) -> bool:
        """Whether a model would be asked."""
        return self.enabled and self._model is not None and not self._model.unusable

    async def analyze_error(  # noqa: PLR0913 - the design's own signature, and the data
        self,
        http_status: int,
        error_response: str,
        original_request: Mapping[str, Any],
        user_context: str = "",
        *,
        capability: Capability = _NO_CAPABILITY,
        step: str = "",
        data: Mapping[str, Any] | None = None,
    ) -> ErrorAnalysisResult | None:
        """What to do about a refused call.

        Args:
            http_status: The status; 0 where no server was reached.
            error_response: The tool's words: JSON, plain text, HTML or "".
            original_request: The parameters of the call.
            user_context: What the user asked for, and what the step is for.
            capability: The tool.
            step: The step that called it.
            data: Results of the steps that it depends on, by step.

        Returns:
            The judgement; None where the same call is to be repeated by `resilience`.

        Raises:
            AnalysisError: The model gave no judgement.
            BudgetError: A cap does not allow the question.
        """
        if http_status in REFUSED:
            return ErrorAnalysisResult(should_retry=False, reason=_REASONS[http_status])
        match route_of(http_status, error_response):
            case "retry":
                return None
            case "fail":
                reason = f"HTTP {http_status} is not mended by other parameters"
                return ErrorAnalysisResult(should_retry=False, reason=reason)
            case "analyze":
                pass
        if self._model is None or not self.is_enabled():
            return ErrorAnalysisResult(should_retry=False, reason="Error analysis is switched off")
        messages = load_prompt("error_analysis").render(
            capability=capability.name,
            about=_about(capability),
            context=clipped(user_context, _MAX_CONTEXT),
            parameters=shown(dict(original_request), _MAX_PARAMETERS),
            status=str(http_status),
            error=clipped(error_response, _MAX_BODY).replace("</", "<\\/"),
            data=_DATA.format(data=shown(dict(data), DATA_BUDGET)) if data else "",
            schema=canonical_json(_SCHEMA),
        )
        return await self._judged(self._model, step, messages)

    async def _judged(
        self, model: ChainModel, step: str, messages: tuple[dict[str, str], ...]
    ) -> ErrorAnalysisResult:
        """The model's judgement, asked for once more where it cannot be read."""
        logger.info("%s: %s", ATTEMPTING_CORRECTION, step)
        began = self.clock()
        try:
            judged = await self._asked(model, step, messages)
        except AnalysisError:
            model.metrics.count(names.ANALYZER_ERRORS)
            raise
        except (ModelError, ProviderError, IncompleteError) as error:
            model.metrics.count(names.ANALYZER_ERRORS)
            raise AnalysisError("The error could not be analysed", error.what) from error
        finally:
            model.metrics.took(names.ANALYZER_LATENCY_MS, self.clock() - began)
        model.metrics.count(
            names.ANALYSIS_RETRY if judged.should_retry else names.ANALYSIS_NO_RETRY
        )
        return judged

    async def _asked(
        self, model: ChainModel, step: str, messages: tuple[dict[str, str], ...]
    ) -> ErrorAnalysisResult:
        conversation: tuple[Mapping[str, Any], ...] = messages
        feedback = ""
        for attempt in range(1, _ATTEMPTS + 1):
            part = "analyze" if attempt == 1 else "analyze-again"
            options = CallOptions(temperature=0.0, schema=_SCHEMA)
            call = await model.ask(step, part, conversation, options)
            result = _READ(call.completion.reply)
            model.record(call, result)
            if result["status"] == "success":
                judged: ErrorAnalysisResult = result["data"]
                return judged
            feedback = result["feedback"]
            said = {"role": "assistant", "content": call.completion.reply or "(no text)"}
            conversation = (*conversation, said, {"role": "user", "content": feedback})
        raise AnalysisError("The model's judgement cannot be read", feedback)


def _about(capability: Capability) -> str:
    lines = [f"- {one.name}: {canonical_json(one.as_schema())}" for one in capability.parameters]
    return "\n".join((capability.description, *lines))


_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "should_retry": {"type": "boolean"},
        "reason": {"type": "string"},
        "suggested_changes": {"anyOf": [{"type": "object"}, {"type": "null"}]},
    },
    "required": ["should_retry", "reason"],
}


_FIXABLE: Final = (
    "cannot unmarshal",
    "type mismatch",
    "type error",
    "expected number",
    "expected string",
    "expected integer",
    "expected boolean",
    "invalid type",
    "must be a number",
    "must be positive",
    "input should be",
    "is required",
    "field required",
    "missing required",
    "out of range",
    "validation",
    "invalid value",
    "invalid format",
)
_NO_VALUE: Final = "The message does not tell of a wrong value"
_NOT_FIXABLE: Final = ("connection refused", "timeout", "timed out", "not found")


@dataclass
class Corrector:
    """Decides on the refused calls of one step.

    Attributes:
        analyzer: Layer 3; None leaves all to the older rule.
        capability: The tool.
        step: The step that calls it.
        context: What the user asked for, and what the step is for.
        data: Results of the steps that it depends on.
        by_rule: Whether the older rule decides, and the analyzer only gives other values.
        judged: What was said of the last refused call; None before any, and where the same call
            is to be repeated.
    """

    analyzer: ErrorAnalyzer | None
    capability: Capability = _NO_CAPABILITY
    step: str = ""
    context: str = ""
    data: Mapping[str, Any] | None = None
    by_rule: bool = False
    judged: ErrorAnalysisResult | None = None

    async def should_attempt_ai_correction(
        self, http_status: int, error: str, body: str, request: Mapping[str, Any]
    ) -> bool:
        """Whether other parameters are worth a try; which ones stands in `judged`.

        Raises:
            BudgetError: A cap does not allow the question.
        """
        by_rule = self.by_rule or self.analyzer is None
        if by_rule and not legacy_should_attempt_ai_correction(error, body):
            self.judged = ErrorAnalysisResult(should_retry=False, reason=_NO_VALUE)
            return False
        if self.analyzer is None:
            self.judged = None
            return True
        try:
            self.judged = await self.analyzer.analyze_error(
                http_status,
                body or error,
                request,
                self.context,
                capability=self.capability,
                step=self.step,
                data=self.data,
            )
        except AnalysisError as failed:
            reason = f"{failed.what}: {failed.why}"
            self.judged = ErrorAnalysisResult(should_retry=False, reason=reason)
        return by_rule or (self.judged is not None and self.judged.should_retry)


def legacy_should_attempt_ai_correction(error: str, body: str = "") -> bool:
    """The rule of the time before error analysis: the message tells of a wrong value.

    A body with `"retryable": true` counts as well.
    """
    said = f"{error}\n{body}".casefold()
    if any(words in said for words in _NOT_FIXABLE):
        return False
    compact = "".join(said.split())
    return '"retryable":true' in compact or any(words in said for words in _FIXABLE)


def corrected(
    parameters: Mapping[str, Any],
    changes: Mapping[str, Any] | None,
    capability: Capability,
) -> dict[str, Any]:
    """The suggested values that the tool knows, in its types, and that change something."""
    effective: dict[str, Any] = {}
    for name, suggested in (changes or {}).items():
        parameter = capability.parameter(name)
        value = UNFIT if parameter is None else coerce(suggested, parameter)
        if value is not UNFIT and (name not in parameters or parameters[name] != value):
            effective[name] = value
    return effective
