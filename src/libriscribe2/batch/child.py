"""One run of a book as a process of its own.

A process per book keeps the books apart: memory, environment, a crash. The process tells its
events as JSON lines; where nobody reads them any more, because the batch was killed, it ends.
"""

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from libriscribe2.batch.figures import ModelTime, RunTimes
from libriscribe2.observe.events import Event
from libriscribe2.project.storage_errors import storage_errors

_LONGEST_LINE: Final = 4 * 2**20
_KEPT_TALK: Final = 16_384
_GRACE_SECONDS: Final = 5.0
"""How long a process may take to end after it was told to."""


@dataclass(slots=True)
class Digest:
    """What is kept of a run's events.

    Attributes:
        words: Words of the finished book; 0 where it was not finished.
    """

    words: int = 0
    _seconds: float = 0.0
    _waited: float = 0.0
    _stages: dict[str, float] = field(default_factory=dict)
    _models: dict[str, ModelTime] = field(default_factory=dict)

    def hear(self, line: bytes) -> None:
        """Take in a line of stdout; one that is no event is left out."""
        with suppress(ValueError, ValidationError):
            self._take(Event.model_validate(json.loads(line)))

    def times(self) -> RunTimes:
        """The times so far."""
        return RunTimes(
            seconds=self._seconds, waited=self._waited, stages=self._stages, models=self._models
        )

    def _take(self, event: Event) -> None:
        if event.event == "stage.end":
            self._stages[event.stage] = self._stages.get(event.stage, 0.0) + event.seconds
        elif event.event == "llm.call" and event.calls:
            before = self._models.get(event.model, ModelTime())
            self._models[event.model] = before.plus(ModelTime(calls=1, seconds=event.seconds))
        elif event.event == "llm.wait":
            self._waited += event.seconds
        elif event.event.startswith("run.") and event.event != "run.start":
            self._seconds, self.words = event.seconds, event.words


@dataclass(frozen=True, slots=True)
class ChildEnd:
    """How a process ended.

    Attributes:
        code: Its exit code; negative is the signal that killed it.
        digest: What its events told.
        error: The error that it told, or nothing.
        talk: The last line that it said on stderr.
    """

    code: int
    digest: Digest
    error: dict[str, Any]
    talk: str


async def run_child(arguments: Sequence[str], environment: Mapping[str, str]) -> ChildEnd:
    """Run a command of this program to its end; cancelled, the process is ended first.

    Args:
        arguments: The words after `libriscribe2`.
        environment: Variables that the process has beside those of this one.

    Raises:
        StorageError: The process cannot be started.
    """
    pipe = asyncio.subprocess.PIPE
    with storage_errors("start", Path(sys.executable)):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "libriscribe2",
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            env={**os.environ, **environment},
            limit=_LONGEST_LINE,
            # Ctrl-C is for the batch, which then ends its books.
            start_new_session=os.name == "posix",
        )
    digest = Digest()
    hearing = asyncio.gather(_hear(process, digest), _last_words(process), process.wait())
    try:
        _, talk, code = await asyncio.shield(hearing)
    except asyncio.CancelledError:
        await _end(process, hearing)
        raise
    line = talk.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return ChildEnd(code, digest, _error(line), line)


async def _hear(process: asyncio.subprocess.Process, digest: Digest) -> None:
    """Follow stdout to its end."""
    out = _stream(process.stdout)
    while True:
        try:
            line = await out.readline()
        except ValueError:  # a line that is too long; what was read of it is gone
            continue
        if not line:
            return
        digest.hear(line)


async def _last_words(process: asyncio.subprocess.Process) -> bytes:
    """The end of what it says on stderr."""
    talk = b""
    while piece := await _stream(process.stderr).read(_KEPT_TALK):
        talk = (talk + piece)[-_KEPT_TALK:]
    return talk


async def _end(process: asyncio.subprocess.Process, hearing: "asyncio.Future[Any]") -> None:
    """End a process and wait until it is gone."""
    with suppress(ProcessLookupError):
        process.terminate()
    done, _ = await asyncio.wait({hearing}, timeout=_GRACE_SECONDS)
    if not done:
        with suppress(ProcessLookupError):
            process.kill()
        await asyncio.wait({hearing})


def _stream(stream: asyncio.StreamReader | None) -> asyncio.StreamReader:
    assert stream is not None  # both were asked for as pipes
    return stream


def _error(line: str) -> dict[str, Any]:
    """The error record in a line of stderr, if it is one."""
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) and "error" in record else {}
