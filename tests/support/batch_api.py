"""A provider's batch API without a network: what is uploaded is answered when a test says so."""

import json
from collections.abc import Callable
from typing import Any

from libriscribe2.llm.backend import BackendError
from libriscribe2.llm.backends.provider_batches import Progress, ProviderBatches


class BatchApi(ProviderBatches):
    """An account at a provider that answers each line with its own id.

    Attributes:
        files: What was uploaded, by id.
        submitted: The names and files of batches, by id.
        status: What every look at a batch says.
        unseen: At how many looks after the end of a batch its answers are in no file.
        left_out: Ids of lines that have no answer when a batch ends.
        more_files: Files of a batch that has ended, besides that of its answers.
        missing: What fetching a file raises, by its id.
        failing: What each method raises the next times, by its name.
        after: Called when a method has done its work, with its name: a test may "kill" there.
        steps: The methods that were called, in order.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.submitted: dict[str, tuple[str, str]] = {}
        self.status = "completed"
        self.unseen = 0
        self.left_out: set[str] = set()
        self.more_files: tuple[str, ...] = ()
        self.missing: dict[str, BackendError] = {}
        self.failing: dict[str, list[BackendError]] = {}
        self.after: Callable[[str], None] = lambda _step: None
        self.steps: list[str] = []

    async def upload(self, name: str, data: bytes) -> str:
        self._step("upload")
        self.files[f"file-{len(self.files)}"] = data
        self.after("upload")
        return f"file-{len(self.files) - 1}"

    async def submit(self, name: str, file: str) -> str:
        self._step("submit")
        self.submitted[f"batch-{len(self.submitted)}"] = (name, file)
        self.after("submit")
        return f"batch-{len(self.submitted) - 1}"

    async def find(self, name: str, file: str) -> str | None:
        self._step("find")
        known = {named: batch for batch, (named, _) in self.submitted.items()}
        return known.get(name)

    async def look(self, batch: str) -> Progress:
        self._step("look")
        ended = self.status in {"completed", "failed", "expired", "cancelled"}
        if ended and self.unseen:
            self.unseen -= 1
            return Progress(self.status, ended, self.more_files, unseen=True)
        return Progress(self.status, ended, (batch, *self.more_files) if ended else ())

    async def cancel(self, batch: str) -> None:
        self._step("cancel")
        self.status = "cancelled"

    async def content(self, file: str) -> bytes:
        self._step("content")
        if file in self.missing:
            raise self.missing[file]
        if file in self.more_files:
            return b""
        lines = self.files[self.submitted[file][1]].splitlines()
        return b"".join(self._answer(json.loads(line)["custom_id"]) for line in lines)

    def _answer(self, ident: str) -> bytes:
        if ident in self.left_out:
            record: dict[str, Any] = {"response": None, "error": {"code": "batch_expired"}}
        else:
            record = {"response": {"status_code": 200, "body": {"for": ident}}, "error": None}
        return json.dumps({"custom_id": ident, **record}).encode() + b"\n"

    def _step(self, name: str) -> None:
        self.steps.append(name)
        if self.failing.get(name):
            raise self.failing[name].pop(0)
