"""What to do about a refused tool call, and which of a model's suggestions may be followed."""

from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from typing import Any, Final

from libriscribe2.models.tooling import Capability, ErrorAnalysisResult
from libriscribe2.toolchain.error_analyzer import AnalysisError, ErrorAnalyzer
from libriscribe2.toolchain.tool_failure import ToolFailure
from libriscribe2.toolchain.type_coercion import UNFIT, coerce

Callback = Callable[[ToolFailure, Mapping[str, Any]], Awaitable[Mapping[str, Any] | None]]
"""Gives other parameters for a refused call, or None; asked once where there is no analyzer."""

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
    "is required",
    "missing required",
    "out of range",
    "validation",
    "invalid value",
    "invalid format",
)
_NOT_FIXABLE: Final = ("connection refused", "timeout", "timed out", "not found")


class Corrector:
    """Judges refused calls.

    Args:
        analyzer: Layer 3; None leaves it to the older rule.
        callback: Corrects by the older rule; None corrects nothing.
    """

    def __init__(self, analyzer: ErrorAnalyzer | None, callback: Callback | None = None) -> None:
        self._analyzer = analyzer
        self._callback = callback

    async def judge(
        self,
        failure: ToolFailure,
        parameters: Mapping[str, Any],
        context: str,
        *,
        capability: Capability,
        step: str,
    ) -> ErrorAnalysisResult | None:
        """The judgement of a refused call; None where it is not layer 3's to judge.

        Raises:
            BudgetError: A cap does not allow the question.
        """
        if self._analyzer is None:
            return await self._by_the_older_rule(failure, parameters)
        try:
            return await self._analyzer.analyze_error(
                failure.status,
                failure.body or failure.message,
                parameters,
                context,
                capability=capability,
                step=step,
            )
        except AnalysisError as error:
            return ErrorAnalysisResult(should_retry=False, reason=f"{error.what}: {error.why}")

    async def should_attempt_ai_correction(
        self,
        http_status: int,
        error: Exception | str,
        body: str,
        request: Mapping[str, Any],
        user_context: str = "",
    ) -> bool:
        """Whether other parameters are worth a try; a thin view of `judge`."""
        if self._analyzer is None:
            return legacy_should_attempt_ai_correction(str(error), body)
        try:
            result = await self._analyzer.analyze_error(http_status, body, request, user_context)
        except AnalysisError:
            return False
        return result is not None and result.should_retry

    async def _by_the_older_rule(
        self, failure: ToolFailure, parameters: Mapping[str, Any]
    ) -> ErrorAnalysisResult | None:
        fixable = legacy_should_attempt_ai_correction(failure.message, failure.body)
        if self._callback is None or not fixable:
            return None
        changes = await self._callback(failure, deepcopy(dict(parameters)))
        if not changes:
            return None
        return ErrorAnalysisResult(should_retry=True, suggested_changes=dict(changes))


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
