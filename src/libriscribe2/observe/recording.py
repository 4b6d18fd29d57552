"""Who records a run: the file of its events, and a collector of spans if a variable names one."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from libriscribe2.observe.event_file import EventFile
from libriscribe2.observe.events import EventConsumer
from libriscribe2.observe.spans import SpanFold
from libriscribe2.project.paths import ProjectPaths

if TYPE_CHECKING:
    from libriscribe2.observe.otel import OtelTracing

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
    tracing = _tracing(environ, warn)
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


def _tracing(environ: Mapping[str, str], warn: Callable[[str], None]) -> "OtelTracing | None":
    """Who keeps the spans, or None."""
    if not environ.get(ENDPOINT) or environ.get(DISABLED, "").strip().lower() == "true":
        return None
    try:
        from libriscribe2.observe.otel import OtelTracing  # noqa: PLC0415 -- only who traces pays
    except ImportError:
        warn(
            f"{ENDPOINT} is set and the extra [otel] is not installed, so no spans are sent: "
            "`uv tool install 'libriscribe2[otel]'` or `pip install 'libriscribe2[otel]'`."
        )
        return None
    try:
        return OtelTracing()
    except (ValueError, OSError) as error:
        # Not its text: the value of such a variable may be a secret.
        kind = type(error).__name__
        warn(f"No spans are sent: a variable OTEL_... cannot be used ({kind}).")
        return None


@contextmanager
def recorders(
    paths: ProjectPaths, environ: Mapping[str, str], warn: Callable[[str], None]
) -> Iterator[tuple[EventConsumer, ...]]:
    """The project's file of events, and the collector of spans that the environment names."""
    with EventFile(paths.events) as file, traced(paths.root.name, environ, warn) as spans:
        yield (file, *spans)
