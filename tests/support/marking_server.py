"""An OpenAI-compatible server that answers the same to the same request, and marks each reply."""

import hashlib
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.support.bars import pause
from tests.support.openai_replies import Fault
from tests.support.openai_server import Handler, OpenAIServer
from typing_extensions import override

MARK: Final = re.compile(r"\bm[0-9a-f]{12}\b")
_ANSWER_SECONDS: Final = 0.01


@dataclass
class Call:
    """A request as the server saw it, with its times of arrival and answer.

    Attributes:
        process: The key that came with it; each process has one of its own.
        mark: What its reply holds, and no other request's does.
    """

    process: str
    mark: str
    came: float
    answered: float | None = None


class MarkingServer(OpenAIServer):
    """Answers the same to the same request, and keeps a log."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []

    @override
    def handler(self) -> type[Handler]:
        return _MarkingHandler

    @override
    def answer(self, body: Mapping[str, Any], fault: Fault) -> str:
        text, mark = super().answer(body, fault), mark_of(body)
        return f"Entry {mark} of the log:\n\n{text}" if "{" in text else f"{text}\n\nEntry {mark}."

    def of(self, process: str) -> list[Call]:
        """The requests of a process, in order."""
        return [call for call in tuple(self.calls) if call.process == process]


class _MarkingHandler(Handler):
    @override
    def _reply(self, body: Mapping[str, Any], fault: Fault) -> None:
        key = self.headers["Authorization"].removeprefix("Bearer ")
        call = Call(key, mark_of(body), time.monotonic())
        server = self.owner
        assert isinstance(server, MarkingServer)
        server.calls.append(call)
        pause(_ANSWER_SECONDS)
        super()._reply(body, fault)
        if not self.close_connection:
            call.answered = time.monotonic()


def mark_of(body: Mapping[str, Any]) -> str:
    """The mark of a request."""
    return f"m{hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:12]}"
