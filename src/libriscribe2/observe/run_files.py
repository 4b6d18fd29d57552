"""What a run leaves for whoever watches: `events.jsonl`, `run.log`, and a trace where one is wanted.

A line of `events.jsonl` is a JSON object, the same as with `--json`. Nothing depends on these files:
they may be deleted at any time.
"""

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from pydantic import ValidationError
from typing_extensions import override

from libriscribe2.observe.events import Event, EventConsumer
from libriscribe2.observe.spans import SpanFold
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.texts import utf8

MOST_BYTES: Final = 5_000_000
"""A file that is longer when a run begins is put aside as `events.1.jsonl`."""

_OF_NO_RUN: Final = frozenset({"export.done"})
"""Events of commands that may come while a run goes on, or after its end."""

_IDLE: Final = frozenset({"run.start", "stage.skipped", "run.end"})
"""Events of a run that found nothing to do; without another one they are not kept."""

_TAIL_BYTES: Final = 400_000
_PRIVATE: Final = 0o600
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)

_LOG: Final = logging.getLogger(__name__)


class EventFile:
    """Appends each event of a run to a file; use it in a `with` block.

    A file that cannot be written is told in the log once and then left alone: no book stops for
    it.

    Args:
        path: The file.
        puts_aside: Whether a long file is put aside. Only who holds the project may do that: a run
            that goes on would write into the file that was put aside.
    """

    def __init__(self, path: Path, *, puts_aside: bool = True) -> None:
        self._path = path
        self._puts_aside = puts_aside
        self._descriptor: int | None = None
        self._waiting: list[bytes] | None = []

    def __enter__(self) -> Self:
        """Open the file."""
        try:
            if self._puts_aside and self._is_long():
                self._path.replace(older(self._path))
            torn = _is_torn(self._path)
            self._descriptor = os.open(self._path, _FLAGS, _PRIVATE)
            if torn:
                os.write(self._descriptor, b"\n")
        except OSError as error:
            _LOG.warning("No events are written: %s", error)
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the file."""
        self._close()

    def receive(self, event: Event) -> None:
        """Append an event; those of a run that does nothing wait for one that tells something."""
        if self._descriptor is None:
            return
        lines = [utf8(json.dumps(event.model_dump(mode="json"), ensure_ascii=False)) + b"\n"]
        if self._waiting is not None:
            lines = self._waiting = [*self._waiting, *lines]
            if event.event in _IDLE:
                return
            self._waiting = None
        try:
            os.write(self._descriptor, b"".join(lines))
        except OSError as error:
            _LOG.warning("No more events are written: %s", error)
            self._close()

    def _is_long(self) -> bool:
        return self._path.exists() and self._path.stat().st_size > MOST_BYTES

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _is_torn(path: Path) -> bool:
    """Whether the last line has no end, because its writer was killed or the disk was full."""
    if not path.exists() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() != b"\n"


def older(path: Path) -> Path:
    """The name under which a long file is put aside."""
    return path.with_suffix(f".1{path.suffix}")


def last_run(path: Path) -> list[Event]:
    """The events of the newest run, oldest first; lines that are damaged are left out.

    The end of the file is read, and more of it where the run began before that.
    """
    size = _TAIL_BYTES
    while True:
        events, whole = _tail(path, size)
        run = [event for event in events if event.run == events[-1].run]
        if whole or (run and run[0].seq == 1):
            return run
        size *= 4


def _tail(path: Path, size: int) -> tuple[list[Event], bool]:
    """The events in the last bytes of a file, and whether these are all of it."""
    try:
        with path.open("rb") as file:
            start = max(0, file.seek(0, os.SEEK_END) - size)
            file.seek(start)
            return list(_events(file.read().split(b"\n"))), start == 0
    except FileNotFoundError:
        return [], True


def _events(lines: list[bytes]) -> Iterator[Event]:
    for line in lines:
        try:
            # `model_validate_json` refuses a lone surrogate, which a file's name may hold.
            event = Event.model_validate(json.loads(line))
        except (ValueError, ValidationError, RecursionError):
            continue
        if event.event not in _OF_NO_RUN:
            yield event


if TYPE_CHECKING:
    from libriscribe2.observe.otel import OtelMetrics

Made = TypeVar("Made")
ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
DISABLED: Final = "OTEL_SDK_DISABLED"

LONGEST_FLUSH: Final = 2.0
"""Seconds that the end of a run waits for the collector, at most."""


@contextmanager
def traced(
    workflow: str, environ: Mapping[str, str], warn: Callable[[str], None]
) -> Iterator[tuple[EventConsumer, ...]]:
    """Who makes spans of a run; none where nobody wants them.

    Nothing of this stops a run: what is in its way is told in one warning.

    Args:
        workflow: What the run is called.
        environ: The variables.
        warn: Tells the user.
    """
    tracing = _made(environ, warn, "spans", lambda otel: otel.OtelTracing())
    if tracing is None:
        yield ()
        return
    try:
        yield (SpanFold(tracing, workflow),)
    finally:
        lost = tracing.close(LONGEST_FLUSH)
        if lost:
            warn(
                f"{lost} of {tracing.made} spans did not reach the collector that {ENDPOINT} "
                "names; the book lacks nothing."
            )


def metrics(environ: Mapping[str, str], warn: Callable[[str], None]) -> "OtelMetrics | None":
    """Who sends figures to a collector; None where nobody wants them.

    Args:
        environ: The variables.
        warn: Tells the user what is in the way.
    """
    return _made(environ, warn, "figures", lambda otel: otel.OtelMetrics())


def _made(
    environ: Mapping[str, str], warn: Callable[[str], None], what: str, make: Callable[[Any], Made]
) -> Made | None:
    """What sends something to the collector, or None."""
    if not environ.get(ENDPOINT) or environ.get(DISABLED, "").strip().lower() == "true":
        return None
    try:
        otel = import_module("libriscribe2.observe.otel")  # only who traces pays
    except ImportError:
        warn(
            f"{ENDPOINT} is set and the extra [otel] is not installed, so no {what} are sent: "
            "`uv tool install 'libriscribe2[otel]'` or `pip install 'libriscribe2[otel]'`."
        )
        return None
    try:
        return make(otel)
    except (ValueError, OSError) as error:
        # Not its text: the value of such a variable may be a secret.
        kind = type(error).__name__
        warn(f"No {what} are sent: a variable OTEL_... cannot be used ({kind}).")
        return None


@contextmanager
def recorders(
    paths: ProjectPaths, environ: Mapping[str, str], warn: Callable[[str], None]
) -> Iterator[tuple[EventConsumer, ...]]:
    """The project's file of events, and the collector of spans that the environment names."""
    with EventFile(paths.events) as file, traced(paths.root.name, environ, warn) as spans:
        yield (file, *spans)


class LogFile(logging.FileHandler):
    """Appends to a file; what the system does not take is left out, and the work goes on."""

    @override
    def handleError(self, record: logging.LogRecord) -> None:
        """Nothing: the standard traceback on stderr says nothing that an author can use."""
        del record

    @override
    def close(self) -> None:
        """Close the file, whether or not the system takes the last lines."""
        with suppress(OSError):
            super().close()


def log_to(file: Path, level: str) -> None:
    """Write the package's log to a file, replacing an earlier one of this process.

    Args:
        file: The log file; its folder must be there.
        level: The least severe level that is kept.

    Raises:
        StorageError: The file cannot be written.
    """
    with storage_errors("write", file):
        handler = LogFile(file, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    _only(handler).setLevel(level)


def log_nowhere() -> None:
    """Drop the package's log: what is tried on a copy is no news of the project."""
    _only(logging.NullHandler())


def _only(handler: logging.Handler) -> logging.Logger:
    """The package's logger with this handler and no other."""
    logger = logging.getLogger("libriscribe2")
    for earlier in list(logger.handlers):
        logger.removeHandler(earlier)
        earlier.close()
    logger.addHandler(handler)
    logger.propagate = False
    return logger
