"""An OTLP/HTTP collector on loopback: what arrives is kept, as OpenTelemetry's own messages."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from tests.support.loopback import LoopbackServer, QuietHandler


@dataclass(frozen=True)
class Kept:
    """A span as it arrived; times in nanoseconds."""

    name: str
    id: bytes
    parent: bytes
    trace: bytes
    kind: int
    start: int
    end: int
    failed: bool
    attributes: dict[str, Any]


class Collector(LoopbackServer):
    """The server, as a context manager.

    Args:
        status: What it answers with.
        door: It answers nothing before this is open.
    """

    def __init__(self, status: int = 200, door: threading.Event | None = None) -> None:
        self.status = status
        self.door = door
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.metrics: list[bytes] = []
        super().__init__(_Handler)

    @property
    def resource(self) -> dict[str, Any]:
        """The attributes of the program."""
        return _plain(self._messages[0].resource_spans[0].resource.attributes)

    @property
    def spans(self) -> list[Kept]:
        """All that arrived, in the order of their beginnings."""
        found = [
            Kept(
                span.name,
                span.span_id,
                span.parent_span_id,
                span.trace_id,
                span.kind,
                span.start_time_unix_nano,
                span.end_time_unix_nano,
                span.status.code == 2,
                _plain(span.attributes),
            )
            for message in self._messages
            for resource in message.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]
        return sorted(found, key=lambda one: (one.start, one.end))

    def figures(self, name: str) -> list[tuple[float, dict[str, Any]]]:
        """The latest values of a metric, each with its attributes."""
        message = ExportMetricsServiceRequest.FromString(self.metrics[-1])
        return [
            (getattr(point, str(point.WhichOneof("value"))), _plain(point.attributes))
            for resource in message.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in (*metric.gauge.data_points, *metric.sum.data_points)
        ]

    @property
    def _messages(self) -> list[ExportTraceServiceRequest]:
        return [ExportTraceServiceRequest.FromString(body) for body in self.bodies]


class _Handler(QuietHandler):
    owner: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.owner.door is not None:
            self.owner.door.wait(30)
        if self.path == "/v1/traces":
            self.owner.bodies.append(body)
            self.owner.headers.append(dict(self.headers))
        if self.path == "/v1/metrics":
            self.owner.metrics.append(body)
        self.send_response(self.owner.status)
        self.send_header("Content-Length", "0")
        self.end_headers()


def _plain(attributes: Sequence[KeyValue]) -> dict[str, Any]:
    return {one.key: _value(one.value) for one in attributes}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, str(kind))
