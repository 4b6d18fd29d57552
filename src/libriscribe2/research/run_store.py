"""Where a run of a plan is kept, so that a killed one goes on without repeating a call."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError
from typing_extensions import override

from libriscribe2.errors import ProjectError
from libriscribe2.models.tooling import RunRecord, StepResult
from libriscribe2.project.atomic import (
    PRIVATE,
    SYSTEM,
    FileOps,
    atomic_write,
    make_folder,
    storage_errors,
    sync_folder,
    write_all,
)
from libriscribe2.project.texts import canonical_json, readable_json, utf8


class RunStore:
    """Keeps a run as long as the process lives."""

    def __init__(self, record: RunRecord | None = None) -> None:
        self.record = record

    def load(self) -> RunRecord | None:
        """What was kept last, or None."""
        return self.record

    def save(self, record: RunRecord) -> None:
        """Keep a run."""
        self.record = record

    def add(self, results: Sequence[StepResult]) -> None:
        """Keep more finished steps.

        Raises:
            ValueError: No run was kept that it could belong to.
        """
        if self.record is None:
            raise ValueError("a step was finished before its run was kept")
        self.record.results.update((result.step_id, result) for result in results)


class FileRunStore(RunStore):
    """Keeps a run in a file, and its finished steps in lines of a file beside it meanwhile.

    The whole file is written twice, at the beginning and at the end; a step costs one line, and
    those that finish together one write. A line that a crash has cut off was never acknowledged
    and counts for nothing.

    Args:
        path: The file, such as `run.json`; the lines stand in `run.jsonl`. Its folder is made.
        ops: The operating system.
        durable: Whether each step has to survive a power failure.
    """

    def __init__(self, path: Path, *, ops: FileOps = SYSTEM, durable: bool = True) -> None:
        self._path = path
        self._lines = path.with_suffix(".jsonl")
        self._ops = ops
        self._durable = durable
        self._sha = ""

    @override
    def load(self) -> RunRecord | None:
        """What was kept last, or None.

        Raises:
            ProjectError: The file holds no run.
            StorageError: It cannot be read.
        """
        with storage_errors("read", self._path):
            if not self._path.exists():
                return None
            data = self._path.read_bytes()
            lines = self._lines.read_bytes().split(b"\n") if self._lines.exists() else [b""]
        try:
            record = RunRecord.model_validate(json.loads(data))
            sha = record.plan.sha()
            added = [_step_of(line, sha) for line in lines[:-1]]
        except (ValueError, RecursionError) as error:
            raise ProjectError(
                f"{self._path} is not the record of a run.",
                why=_reason(error),
                fix="Move the file away; the chain then starts over.",
            ) from error
        results = {result.step_id: result for result in added if result is not None}
        return record.model_copy(update={"results": {**record.results, **results}})

    @override
    def save(self, record: RunRecord) -> None:
        """Keep a run.

        Raises:
            StorageError: The file cannot be written.
        """
        self._sha = record.plan.sha()
        data = _readable(record)
        with storage_errors("write", self._path):
            make_folder(self._path.parent, ops=self._ops)
            atomic_write(self._path, data, ops=self._ops, durable=self._durable)
            # Lines of an earlier plan name it, so that a crash in between does no harm.
            if self._lines.exists():
                self._ops.unlink(self._lines)

    @override
    def add(self, results: Sequence[StepResult]) -> None:
        """Keep more finished steps.

        Raises:
            StorageError: The lines cannot be written.
        """
        lines = (
            canonical_json({"plan": self._sha, "step": result.model_dump(mode="json")})
            for result in results
        )
        data = utf8("".join(f"{line}\n" for line in lines))
        with storage_errors("write", self._lines):
            new = not self._lines.exists()
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            descriptor = self._ops.open(self._lines, flags, PRIVATE)
            try:
                write_all(descriptor, data, self._ops)
                if self._durable:
                    self._ops.fsync(descriptor)
            finally:
                self._ops.close(descriptor)
            if new and self._durable:
                sync_folder(self._lines.parent, self._ops)


def _step_of(line: bytes, sha: str) -> StepResult | None:
    """The finished step of a line; None for one of another plan or one that was cut off."""
    try:
        written = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(written, dict) or written.get("plan") != sha:
        return None
    return StepResult.model_validate(written.get("step"))


def _readable(record: RunRecord) -> bytes:
    """A run as an author reads it."""
    try:
        return f"{record.model_dump_json(indent=4)}\n".encode()
    except PydanticSerializationError:
        # Pydantic's own encoder, many times as fast, refuses half a surrogate pair.
        return utf8(readable_json(record.model_dump(mode="json")))


def _reason(error: ValueError | RecursionError) -> str:
    """What is wrong with a file, on one line."""
    if isinstance(error, ValidationError):
        return str(error.errors(include_url=False)[0]["msg"])
    return str(error)
