"""Counters and durations of a run of tools, by the names of the parameter-binding design."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

PARSE_ERRORS: Final = "plan_generation.parse_errors"
PLAN_RETRIES: Final = "plan_generation.retries"
PLAN_TOTAL: Final = "plan_generation.total"
PLAN_DURATION_MS: Final = "plan_generation.duration_ms"
MICRO_REQUEST: Final = "llm.micro_resolution.request"
MICRO_RESPONSE: Final = "llm.micro_resolution.response"
MICRO_ERROR: Final = "llm.micro_resolution.error"
HYBRID_SUCCESS: Final = "orchestration.hybrid_resolution.success"
CALLS_AVOIDED: Final = "orchestration.hybrid_resolution.llm_calls_avoided"
TYPE_COERCION: Final = "orchestration.type_coercion.applied"
SEMANTIC_SUCCESS: Final = "orchestration.semantic_resolution.success"
ANALYSIS_RETRY: Final = "orchestration.error_analysis.retry"
ANALYSIS_NO_RETRY: Final = "orchestration.error_analysis.no_retry"
ANALYZER_LATENCY_MS: Final = "orchestration.error_analyzer.llm_latency_ms"
ANALYZER_ERRORS: Final = "orchestration.error_analyzer.llm_errors"
TOOL_CALLS: Final = "orchestration.tool_calls.total"
TOOL_RETRIES: Final = "orchestration.tool_calls.same_payload_retries"


class ChainMetrics:
    """What was counted and measured; a label stands in braces after the name."""

    def __init__(self) -> None:
        self._sums: Counter[str] = Counter()
        self._durations: dict[str, float] = {}

    def count(self, name: str, times: int = 1, **labels: str) -> None:
        """Count something that happened, labelled as in `plan_generation.total{status=success}`."""
        said = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
        self._sums[f"{name}{{{said}}}" if said else name] += times

    def took(self, name: str, seconds: float) -> None:
        """Add a duration, in milliseconds, and count it under `NAME.count`."""
        self._durations[name] = self._durations.get(name, 0.0) + 1000 * seconds
        self._sums[f"{name}.count"] += 1

    def snapshot(self) -> dict[str, float]:
        """All values by name."""
        return dict(sorted({**self._sums, **self._durations}.items()))

    def restore(self, values: Iterable[tuple[str, float]]) -> None:
        """Go on from the values of a run that was cut off."""
        for name, value in values:
            if name.endswith("_ms"):
                self._durations[name] = value
            else:
                self._sums[name] = int(value)
