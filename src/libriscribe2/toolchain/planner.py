"""A request and a catalog become a plan that can be carried out, or an error that says why not."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from libriscribe2.errors import IncompleteError
from libriscribe2.llm.backend import Completion
from libriscribe2.llm.options import CallOptions, CallRecord
from libriscribe2.models.tooling import Capability, Plan
from libriscribe2.replies.parsers import failure, success
from libriscribe2.toolchain import chain_metrics as names
from libriscribe2.toolchain.chain_config import OrchestratorConfig
from libriscribe2.toolchain.chain_model import ChainModel
from libriscribe2.toolchain.plan_checks import plan_problems
from libriscribe2.toolchain.plan_parsing import PlanParseError, parse_plan
from libriscribe2.toolchain.prompt_builder import Messages, PlanPromptBuilder

logger = logging.getLogger(__name__)

STEP: Final = "plan"
"""Where the planner's questions stand below the chain's path."""

_TEMPERATURE: Final = 0.3
_RETRY_TEMPERATURE: Final = 0.2
_MOST_PROBLEMS: Final = 8


class PlanError(IncompleteError):
    """No plan that could be carried out was made; nothing was done."""

    slug = "plan"


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

    def _read(self, call: CallRecord, request: str) -> Plan | PlanParseError | str:
        """The plan of a reply, or why it cannot be read, or why it cannot be carried out."""
        completion: Completion = call.completion
        try:
            plan = parse_plan(completion, request, tuple(self._capabilities.values()))
        except PlanParseError as error:
            self._model.told(call, failure(str(error)))
            return error
        problems = plan_problems(plan, self._capabilities, self._config.max_steps)
        if problems:
            told = "; ".join(problems[:_MOST_PROBLEMS])
            self._model.told(call, failure(told))
            return told
        self._model.told(call, success(plan))
        return plan

    def _count_parse_error(self, error: PlanParseError, retries: int) -> None:
        """Count it; the last one ends the planning."""
        again = retries < self._config.parse_retries
        self._model.metrics.count(names.PARSE_ERRORS, will_retry=str(again).lower())
        if not again:
            raise _plan_error(f"failed to parse plan JSON: {error}") from error
        self._model.metrics.count(names.PLAN_RETRIES)
        logger.warning("The plan cannot be parsed (%s); asking again", error)

    async def _ask(self, question: _Question, max_tokens: int | None) -> CallRecord:
        options = CallOptions(
            temperature=question.temperature,
            max_tokens=max_tokens,
            schema=self._prompts.plan_schema(),
        )
        return await self._model.ask(STEP, question.part, question.messages, options)

    def _after_parse_error(
        self, request: str, error: PlanParseError, call: CallRecord, number: int
    ) -> _Question:
        messages = self._prompts.build_planning_prompt_with_parse_error(
            request, str(error), call.completion.reply
        )
        return _Question(messages, f"parse-{number}", _RETRY_TEMPERATURE)

    def _after_problems(
        self, request: str, problems: str, call: CallRecord, number: int
    ) -> _Question:
        logger.warning("The plan cannot be carried out (%s); asking again", problems)
        messages = self._prompts.build_planning_prompt_with_validation_error(
            request, problems, call.completion.reply
        )
        return _Question(messages, f"valid-{number}", _RETRY_TEMPERATURE)


def _plan_error(why: str) -> PlanError:
    return PlanError(
        f"failed to generate execution plan: {why}",
        fix="run the command again: it asks anew; the replies are in the dumps",
    )
