"""Spans through OpenTelemetry; importing this module takes the extra `[otel]`."""

import logging
from collections.abc import Sequence
from datetime import datetime
from threading import Thread
from typing import Final

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import (
    SERVICE_NAME,
    SERVICE_VERSION,
    OTELResourceDetector,
    Resource,
)
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Span, SpanKind, StatusCode, set_span_in_context
from typing_extensions import override

from libriscribe2 import __version__
from libriscribe2.observe.spans import ERROR_TYPE, Attributes

_PROGRAM: Final = "libriscribe2"
_MICROSECONDS: Final = 1_000_000


class _Counting(SpanExporter):
    """An exporter that counts what has reached the collector."""

    def __init__(self, inner: SpanExporter) -> None:
        self._inner = inner
        self.sent = 0

    @override
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._inner.export(spans)
        if result is SpanExportResult.SUCCESS:
            self.sent += len(spans)
        return result

    @override
    def shutdown(self) -> None:
        self._inner.shutdown()


class OtelTracing:
    """Keeps spans (`spans.Tracing`) and sends them over OTLP/HTTP, by OpenTelemetry's variables.

    Attributes:
        made: Spans that were made.

    Raises:
        ValueError: A variable of OpenTelemetry cannot be used.
        OSError: A file that one of them names cannot be read.
    """

    def __init__(self) -> None:
        # It tells of every failed request; one line at the end says what is lost.
        logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
        self.made = 0
        self._exporter = _Counting(OTLPSpanExporter())
        about = Resource.create({SERVICE_NAME: _PROGRAM, SERVICE_VERSION: __version__})
        named = about.merge(OTELResourceDetector().detect())
        self._provider = TracerProvider(resource=named, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))
        self._tracer = self._provider.get_tracer(_PROGRAM, __version__)

    def begin(
        self, name: str, at: datetime, attributes: Attributes, *, parent: Span | None, client: bool
    ) -> Span:
        """Begin a span."""
        return self._tracer.start_span(
            _whole(name),
            context=Context() if parent is None else set_span_in_context(parent, Context()),
            kind=SpanKind.CLIENT if client else SpanKind.INTERNAL,
            attributes=_clean(attributes),
            start_time=_nanoseconds(at),
        )

    def end(self, span: Span, at: datetime, attributes: Attributes, *, error: str) -> None:
        """End a span; from here on it is sent as soon as there are enough of them."""
        span.set_attributes(_clean(attributes))
        if error:
            span.set_attribute(ERROR_TYPE, error)
            span.set_status(StatusCode.ERROR)
        span.end(_nanoseconds(at))
        self.made += span.get_span_context().trace_flags.sampled

    def close(self, seconds: float) -> int:
        """Send what is left, and return how many spans did not arrive.

        Args:
            seconds: The longest that this takes, however long the collector does.
        """
        # The SDK's own limit on a flush is not kept while a request is under way.
        sending = Thread(target=self._provider.shutdown, daemon=True)
        sending.start()
        sending.join(seconds)
        if sending.is_alive():
            # Ends the tries that are still to come; the program may go on to other work.
            self._exporter.shutdown()
        return self.made - self._exporter.sent


def _clean(attributes: Attributes) -> dict[str, str | int | Sequence[str]]:
    """The attributes with texts that can be sent."""

    def clean(value: str | int | Sequence[str]) -> str | int | Sequence[str]:
        if isinstance(value, int):
            return value
        return _whole(value) if isinstance(value, str) else [_whole(one) for one in value]

    return {name: clean(value) for name, value in attributes.items()}


def _whole(text: str) -> str:
    """The text without halves of surrogate pairs, which a folder's name may hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _nanoseconds(at: datetime) -> int:
    """A time since 1970."""
    return round(at.timestamp() * _MICROSECONDS) * 1_000
