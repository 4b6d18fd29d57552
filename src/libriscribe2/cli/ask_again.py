"""Asking one recorded prompt again of another model; nothing of it is kept."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.llm.backend import Completion
from libriscribe2.llm.backends.routed import RoutedBackend
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.providers import ModelChoice, check_choice
from libriscribe2.project.dumps import DebugDumps
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings import Settings
from libriscribe2.settings.parts import time_limits


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A prompt and its reply, as a debug dump has them.

    Attributes:
        number: The number of the dump.
        step: Path of the work that asked.
        model: Who answered.
        reply: The raw reply.
        prompt: The conversation.
    """

    number: int
    step: str
    model: str
    reply: str
    prompt: tuple[Mapping[str, Any], ...]


def recorded_call(paths: ProjectPaths, number: int) -> RecordedCall:
    """The call of a dump.

    Raises:
        UsageError: There is no dump of that number.
        ProjectError: The file is not a whole dump.
        StorageError: The folder cannot be read.
    """
    dumps = DebugDumps(paths.debug)
    numbered = {_number(path): path for path in dumps.list()}
    if number not in numbered:
        last = max(numbered, default=0)
        known = f"they are numbered from 1 to {last}" if numbered else "there are none"
        raise UsageError(f"There is no dump {number} in {paths.debug}", why=known)
    info = dumps.load(numbered[number])
    prompt = info.get("prompt")
    if not isinstance(prompt, Sequence) or not prompt or not isinstance(prompt[0], Mapping):
        raise ProjectError(f"{numbered[number]} holds no prompt", why="it was changed by hand")
    step, model, reply = (str(info.get(name, "")) for name in ("step", "model", "raw_response"))
    return RecordedCall(number, step, model, reply, tuple(prompt))


async def ask_again(call: RecordedCall, settings: Settings, choice: ModelChoice) -> Completion:
    """The reply of another model to a recorded prompt.

    Raises:
        ConfigError: The server's address is none.
        ModelError: The key or the model's name is wrong.
        ProviderError: The network or the provider failed.
        ContentFilteredError: The provider withheld the reply.
    """
    url = settings.llm.base_url or choice.url or ""
    check_choice(replace(choice, url=url or None), os.environ)
    routed = RoutedBackend(lambda _model: url or None, time_limits(settings.llm))
    client = LLMClient(url, "", choice.model, backend=routed)
    try:
        answer = await client.with_options(CallOptions(step=call.step)).ask(call.prompt)
    finally:
        await routed.aclose()
    return answer.completion


def both_replies(call: RecordedCall, answer: Completion) -> dict[str, Any]:
    """The recorded reply and the new one, as JSON."""
    return {
        "call": call.number,
        "step": call.step,
        "recorded": {"model": call.model, "reply": call.reply},
        "asked_again": {
            "model": answer.model,
            "reply": answer.reply,
            "usage": asdict(answer.usage),
            "cost_usd": answer.cost_usd,
        },
    }


def _number(path: Path) -> int:
    return int(path.name.partition("-")[0])
