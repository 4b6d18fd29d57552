"""Spans and figures through OpenTelemetry; importing this module takes the extra `[otel]`."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from threading import Thread
from typing import Final

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
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
        self.made = 0
        self._exporter = _Counting(OTLPSpanExporter())
        self._provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
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
        if not _within(seconds, self._provider.shutdown):
            # Ends the tries that are still to come; the program may go on to other work.
            self._exporter.shutdown()
        return self.made - self._exporter.sent


class OtelMetrics:
    """Sends figures over OTLP/HTTP, as often as OpenTelemetry's variables say.

    Raises:
        ValueError: A variable of OpenTelemetry cannot be used.
        OSError: A file that one of them names cannot be read.
    """

    def __init__(self) -> None:
        reader = PeriodicExportingMetricReader(OTLPMetricExporter())
        self._provider = MeterProvider([reader], resource=_resource(), shutdown_on_exit=False)
        self._meter = self._provider.get_meter(_PROGRAM, __version__)
        self._latest: dict[str, list[Observation]] = {}

    def show(self, figures: Iterable[tuple[str, str, float, Mapping[str, str], bool]]) -> None:
        """What is sent from now on.

        Args:
            figures: Of each its name, its unit, its value, of what, and whether it only grows.
        """
        latest: dict[str, list[Observation]] = {}
        for name, unit, value, about, is_sum in figures:
            latest.setdefault(name, []).append(Observation(value, _clean(about)))
            if name not in self._latest:
                self._latest[name] = []
                meter, observe = self._meter, [partial(self._observe, name)]
                make = meter.create_observable_counter if is_sum else meter.create_observable_gauge
                make(f"{_PROGRAM}.batch.{name}", observe, unit)
        self._latest = {name: latest.get(name, []) for name in self._latest}

    def close(self, seconds: float) -> None:
        """Send what is shown a last time, so many seconds at most."""
        _within(seconds, self._provider.shutdown)

    def _observe(self, name: str, _options: CallbackOptions) -> list[Observation]:
        return self._latest[name]


def _resource() -> Resource:
    """What is sent about this program; its errors are told once, at the end."""
    # It tells of every failed request; one line at the end says what is lost.
    logging.getLogger("opentelemetry").addHandler(logging.NullHandler())
    about = Resource.create({SERVICE_NAME: _PROGRAM, SERVICE_VERSION: __version__})
    return about.merge(OTELResourceDetector().detect())


def _within(seconds: float, work: Callable[[], object]) -> bool:
    """Do something in so many seconds at most; whether it came to its end."""
    # The SDK's own limit on a flush is not kept while a request is under way.
    doing = Thread(target=work, daemon=True)
    doing.start()
    doing.join(seconds)
    return not doing.is_alive()


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
