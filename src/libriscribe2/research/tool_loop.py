"""A chain that its model goes through call by call, in place of a plan made at the beginning."""

from collections.abc import Iterator, Sequence
from typing import Final

from libriscribe2.llm.backend import Completion, Message
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.models.tooling import Capability, Plan, PlanStep, RunRecord, StepResult
from libriscribe2.project.texts import canonical_json
from libriscribe2.prompts.loader import load_prompt
from libriscribe2.replies.contract import success
from libriscribe2.replies.tool_calls import LLMToolCallResponse
from libriscribe2.research.chain_model import ChainModel, clipped, function, shown
from libriscribe2.research.execution import Executor
from libriscribe2.research.plan_prompt import catalog_text
from libriscribe2.research.planner import (
    PlanError,
    plan_id_of,
    plan_problems,
    read_calls,
    steps_of_calls,
)
from libriscribe2.research.templates import OrchestratorConfig

STEP: Final = "turn"
"""Where the questions of a loop are below the chain's path."""

MOST_TURNS: Final = 24
RESULT_BUDGET: Final = 6_000
"""Most characters of what one turn's calls returned, in the conversation."""

_MAX_REPLY: Final = 2_000
_RESULTS: Final = "<results>\n{results}\n</results>\n\nCall what comes next."
_NUDGE: Final = (
    "You called no tool. Where something is still to be read or saved, call the next tool; else "
    'answer {"needsMoreWork": false}.'
)


class ToolLoop:
    """Carries out a model's calls as it makes them, until it says that it is done.

    Args:
        model: Who calls.
        capabilities: The tools.
        executor: Runs the calls of one turn.
        config: The bounds.
    """

    def __init__(
        self,
        model: ChainModel,
        capabilities: Sequence[Capability],
        executor: Executor,
        config: OrchestratorConfig,
    ) -> None:
        self._model = model
        self._capabilities = {one.name: one for one in capabilities}
        self._executor = executor
        self._config = config
        self._steps: list[PlanStep] = []
        self._results: dict[str, StepResult] = {}

    async def run(self, request: str, first: Completion) -> RunRecord:
        """The chain of a request, as one plan with its results.

        `needsMoreWork: false` ends it after the calls of the same reply. A reply without calls
        that does not say so is asked once whether that was all.

        Args:
            request: What is asked.
            first: The reply whose calls are the first ones.

        Raises:
            PlanError: Not one call could be carried out.
            LibriScribeError: The run was stopped, or the model could not be asked.
        """
        conversation: tuple[Message, ...] = self._prompt(request)
        completion, said, nudged = first, self._read(first), False
        for turn in range(1, MOST_TURNS + 1):
            told = await self._carry_out(said, request)
            if said.needs_more_work is False or len(self._steps) >= self._config.max_steps:
                break
            if not told:
                if nudged:
                    break
                nudged, told = True, _NUDGE
            conversation = (
                *conversation,
                {"role": "assistant", "content": _as_text(completion, said)},
                {"role": "user", "content": told},
            )
            completion, said = await self._ask(turn, conversation)
        if not self._steps:
            raise PlanError("No tool was called that could be carried out.")
        return RunRecord(plan=self._plan(request, self._steps), results=self._results)

    async def _carry_out(self, said: LLMToolCallResponse, request: str) -> str:
        """Run the calls of a reply; what its model has to know of them, "" for no call at all."""
        calls = steps_of_calls(said.tool_calls or (), first=len(self._steps) + 1)
        problems = {step.step_id: list(self._problems(step, request)) for step in calls}
        room = self._config.max_steps - len(self._steps)
        sound = [step for step in calls if not problems[step.step_id]][:room]
        if sound:
            record = await self._executor.execute(self._plan(request, sound))
            self._steps += sound
            self._results.update(record.results)
        refused = [*said.issues, *(one for found in problems.values() for one in found)]
        returned = {step.step_id: _returned(self._results[step.step_id]) for step in sound}
        if not (returned or refused):
            return ""
        results = {**returned, **({"not carried out": refused} if refused else {})}
        return _RESULTS.format(results=shown(results, RESULT_BUDGET))

    def _problems(self, step: PlanStep, request: str) -> Iterator[str]:
        yield from plan_problems(self._plan(request, [step]), self._capabilities)

    def _plan(self, request: str, steps: Sequence[PlanStep]) -> Plan:
        return Plan(plan_id=plan_id_of(request), original_request=request, steps=tuple(steps))

    def _prompt(self, request: str) -> tuple[Message, ...]:
        return load_prompt("tool_loop").render(
            request=request,
            catalog=catalog_text(self._capabilities.values()),
            goal=self._config.goal,
        )

    def _read(self, completion: Completion) -> LLMToolCallResponse:
        return read_calls(completion, tuple(self._capabilities.values()))

    async def _ask(
        self, turn: int, messages: tuple[Message, ...]
    ) -> tuple[Completion, LLMToolCallResponse]:
        """The next reply, and the calls in it."""
        tools = tuple(
            function(one.name, one.description, _schema(one)) for one in self._capabilities.values()
        )
        offered = tools if self._config.function_calling else ()
        options = CallOptions(temperature=0.0, tools=offered)
        reply = await self._model.ask(STEP, str(turn), messages, options)
        said = self._read(reply.completion)
        self._model.record(reply, success([one.model_dump() for one in said.tool_calls or ()]))
        return reply.completion, said


def _schema(capability: Capability) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {one.name: one.as_schema() for one in capability.parameters},
        "required": list(capability.required),
    }


def _returned(result: StepResult) -> object:
    return result.response if result.success else {"error": result.error}


def _as_text(completion: Completion, said: LLMToolCallResponse) -> str:
    """A reply as the model's own turn, native calls written out."""
    if completion.reply.strip():
        return clipped(completion.reply, _MAX_REPLY)
    calls = [one.model_dump() for one in said.tool_calls or ()]
    return clipped(canonical_json({"tool_calls": calls}), _MAX_REPLY)
