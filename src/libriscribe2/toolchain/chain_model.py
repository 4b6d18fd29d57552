"""The questions that a chain asks a model: their paths in the journal, and what each step spent.

Budget, journal, retries and stop flag are the client's. A client without a valid key is given up
for the rest of the run with one message: the chain then works as far as it does without a model.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from libriscribe2.errors import ModelError
from libriscribe2.llm.attempt import Attempt
from libriscribe2.llm.backend import Message
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.options import CallOptions, CallRecord
from libriscribe2.replies.parsers import ParserResult, split_leading_reasoning
from libriscribe2.toolchain.chain_metrics import ChainMetrics

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
        on_attempt: Hears each reply after it was read, for the dumps.
        anew: Told a path whose replies must not be replayed by the next run, because nothing
            could be made of them.
        unusable: Why the model is not asked any more; "" while it is.
    """

    client: LLMClient
    path: str = "research"
    metrics: ChainMetrics = field(default_factory=ChainMetrics)
    on_attempt: Callable[[Attempt], None] = field(default=lambda _attempt: None)
    anew: Callable[[str], None] = field(default=lambda _step: None)
    unusable: str = ""
    _spent: dict[str, Spent] = field(default_factory=dict)

    def step_path(self, step: str, part: str = "") -> str:
        """Path of a step's calls, or of one question of it."""
        return "/".join(filter(None, (self.path, step, part)))

    def spent(self, step: str) -> Spent:
        """What a step's questions came to since the last look; counting starts anew."""
        return self._spent.pop(step, Spent())

    async def ask(
        self, step: str, part: str, messages: Iterable[Message], options: CallOptions
    ) -> CallRecord:
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

    def paid(self, call: CallRecord) -> None:
        """Count a question of a step's own tool among those of the step."""
        step = call.request.step.removeprefix(f"{self.path}/").partition("/")[0]
        self._spent.setdefault(step, Spent()).add(call)

    def give_up(self, error: ModelError) -> None:
        """Ask no more in this run, and say so once."""
        if not self.unusable:
            self.unusable = f"{error.what}: {error.fix or error.why}"
            logger.warning("Chains of tools go on without a model: %s", self.unusable)

    def told(self, call: CallRecord, result: ParserResult) -> None:
        """Let the dumps have a reply that was read."""
        self.on_attempt(Attempt(call, result, split_leading_reasoning(call.completion.reply)[0]))


def function(name: str, description: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """A function that a model may call, in OpenAI's form."""
    said = {"name": name, "description": description, "parameters": dict(parameters)}
    return {"type": "function", "function": said}
