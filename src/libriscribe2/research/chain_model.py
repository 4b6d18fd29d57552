"""Every question of a chain to a model, with its metrics and excerpts of long values."""

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from libriscribe2.errors import ModelError
from libriscribe2.llm.attempt import Attempt
from libriscribe2.llm.backend import Message
from libriscribe2.llm.call_records import CallOptions, CallRecord
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.session import Reply
from libriscribe2.replies.contract import ParserResult, split_leading_reasoning

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


logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Spent:
    """What questions came to.

    Attributes:
        calls: How many there were.
        cost_usd: Their price; None where one is unknown.
    """

    calls: int = 0
    cost_usd: float | None = 0.0

    def add(self, call: CallRecord) -> None:
        """Count a call; one out of the journal counts what it cost when it was made."""
        self.calls += 1
        price = call.completion.cost_usd
        known = self.cost_usd is not None and price is not None
        self.cost_usd = (self.cost_usd or 0.0) + (price or 0.0) if known else None


@dataclass
class ChainModel:
    """A model for one chain.

    Attributes:
        client: Asks it.
        path: Where the chain's calls stand in the journal, such as `research/ch03`.
        metrics: Counts what happens.
        stage: Name of the stage that the chain works for, for the dumps.
        anew: Told a path whose replies must not be replayed by the next run, because nothing
            could be made of them.
        unusable: Why the model is not asked any more; "" while it is.
        attempts: The questions of the chain and of its tools with their replies, in order.
    """

    client: LLMClient
    path: str = "research"
    metrics: ChainMetrics = field(default_factory=ChainMetrics)
    stage: str = "research"
    anew: Callable[[str], None] = field(default=lambda _step: None)
    unusable: str = ""
    attempts: list[Attempt] = field(default_factory=list)
    _spent: dict[str, Spent] = field(default_factory=dict)

    def step_path(self, step: str, part: str = "") -> str:
        """Path of a step's calls, or of one question of it."""
        return "/".join(filter(None, (self.path, step, part)))

    def spent(self, step: str) -> Spent:
        """What a step's questions came to since the last look; counting starts anew."""
        return self._spent.pop(step, Spent())

    async def ask(
        self, step: str, part: str, messages: Iterable[Message], options: CallOptions
    ) -> Reply:
        """Ask once.

        Args:
            step: The step that asks.
            part: Name of the question within the step.
            messages: The conversation.
            options: Temperature, schema and tools.

        Raises:
            LibriScribeError: As for `LLMClient.think`.
        """
        named = replace(options, step=self.step_path(step, part), agent="Toolchain")
        try:
            call = await self.client.with_options(named).ask(tuple(messages))
        except ModelError as error:
            self.give_up(error)
            raise
        self._spent.setdefault(step, Spent()).add(call)
        return call

    def add(self, attempt: Attempt) -> None:
        """Count a question of a step's own tool among those of the step."""
        step = attempt.call.request.step.removeprefix(f"{self.path}/").partition("/")[0]
        self._spent.setdefault(step, Spent()).add(attempt.call)
        self.attempts.append(attempt)

    def give_up(self, error: ModelError) -> None:
        """Ask no more in this run, and say so once."""
        if not self.unusable:
            self.unusable = f"{error.what}: {error.fix or error.why}"
            logger.warning("Chains of tools go on without a model: %s", self.unusable)

    def record(self, reply: Reply, result: ParserResult) -> None:
        """Keep what was made of a reply."""
        attempt = Attempt(reply, result, split_leading_reasoning(reply.completion.reply)[0])
        self.client.with_options(CallOptions(stage=self.stage)).record(attempt)
        self.attempts.append(attempt)


def function(name: str, description: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """A function that a model may call, in OpenAI's form."""
    said = {"name": name, "description": description, "parameters": dict(parameters)}
    return {"type": "function", "function": said}


DATA_BUDGET: Final = 12_000
"""Most characters of data in one prompt."""

_LONGEST_TEXTS: Final = (4_000, 1_000, 250, 60)
_LONGEST_LISTS: Final = (50, 20, 8, 3)


def shown(value: Any, budget: int = DATA_BUDGET) -> str:
    r"""A value as JSON text within a budget, with its long texts and lists cut where they must be.

    `</` is written `<\/`, which JSON reads as the same, so that no text can close a tag.
    """
    text = _dumped(value)
    for longest, most in zip(_LONGEST_TEXTS, _LONGEST_LISTS, strict=True):
        if len(text) <= budget:
            break
        text = _dumped(_cut(value, longest, most))
    return text if len(text) <= budget else f"{text[:budget]} ... (cut)"


def clipped(text: str, budget: int) -> str:
    """The beginning of a text, with the number of characters that are left out."""
    if len(text) <= budget:
        return text
    return f"{text[:budget]} ... ({len(text) - budget} more characters)"


def outline(responses: Mapping[str, Any]) -> str:
    """What results hold, by step, for a message to a person: names, no values."""
    told = (f"{step}: {_names(value)}" for step, value in responses.items())
    return "; ".join(told) or "nothing"


def _names(value: Any) -> str:
    if isinstance(value, Mapping):
        names = list(value)
        more = ", ..." if len(names) > 20 else ""
        return ", ".join(names[:20]) + more if names else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "a text" if isinstance(value, str) else json.dumps(value)


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1).replace("</", "<\\/")


def _cut(value: Any, longest: int, most: int) -> Any:
    if isinstance(value, str):
        return clipped(value, longest)
    if isinstance(value, Mapping):
        return {key: _cut(item, longest, most) for key, item in value.items()}
    if isinstance(value, list):
        left_out = [f"... ({len(value) - most} more)"] if len(value) > most else []
        return [*(_cut(item, longest, most) for item in value[:most]), *left_out]
    return value
