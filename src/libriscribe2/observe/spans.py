"""A run as spans: its events folded into one for the run, one per unit, one per request.

Only names and figures of the program go into a span, never a text of the author's or a model's.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Generic, Protocol, TypeVar

from libriscribe2.observe import span_names as names
from libriscribe2.observe.events import Event

Attributes = Mapping[str, str | int | Sequence[str]]
SpanT = TypeVar("SpanT")

_FAILURES: Final = frozenset({"run.failed", "stage.failed"})
_REFUSED: Final = "refused"
_INTERRUPTED: Final = "interrupted"
_UNNAMED: Final = "_OTHER"


class Tracing(Protocol[SpanT]):
    """Whoever keeps spans."""

    def begin(
        self, name: str, at: datetime, attributes: Attributes, *, parent: SpanT | None, client: bool
    ) -> SpanT:
        """Begin a span; `client` is one whose other end is another program."""
        ...

    def end(self, span: SpanT, at: datetime, attributes: Attributes, *, error: str) -> None:
        """End a span; `error` names the kind of its failure, or is empty."""
        ...


class SpanFold(Generic[SpanT]):
    """A listener that turns the events of one run into spans.

    Args:
        tracing: Who keeps them.
        workflow: What the run is called.
    """

    def __init__(self, tracing: Tracing[SpanT], workflow: str) -> None:
        self._tracing = tracing
        self._workflow = workflow
        self._run: SpanT | None = None
        self._units: dict[tuple[str, int | None], SpanT] = {}

    def __call__(self, event: Event) -> None:
        """Hear an event."""
        match event.event:
            case "run.start":
                self._begin_run(event)
            case "run.end" | "run.failed" | "run.interrupted":
                self._end_run(event)
            case "stage.start":
                self._begin_unit(event)
            case "stage.end" | "stage.failed":
                self._end_unit(event)
            case "llm.call" if event.calls:
                self._call(event)
            case _:
                pass

    def _begin_run(self, event: Event) -> None:
        about = {names.WORKFLOW_NAME: self._workflow, names.CONVERSATION: event.run}
        self._run = self._begin(names.INVOKE_WORKFLOW, self._workflow, event.ts, about)

    def _end_run(self, event: Event) -> None:
        """End what is open; a unit that was broken off says so."""
        error = _error(event)
        for unit in self._units.values():
            self._tracing.end(unit, event.ts, {}, error=error or _UNNAMED)
        self._units.clear()
        if self._run is not None:
            self._tracing.end(self._run, event.ts, {}, error=error)
            self._run = None

    def _begin_unit(self, event: Event) -> None:
        about = {names.AGENT_NAME: event.stage, names.CONVERSATION: event.run, **_place(event)}
        unit = self._begin(names.INVOKE_AGENT, event.stage, event.ts, about, parent=self._run)
        self._units[event.stage, event.chapter] = unit

    def _end_unit(self, event: Event) -> None:
        unit = self._units.pop((event.stage, event.chapter), None)
        if unit is not None:
            self._tracing.end(unit, event.ts, {}, error=_error(event))

    def _call(self, event: Event) -> None:
        """A request; it is over when its event comes."""
        model = event.asked or event.model
        about: Attributes = {
            names.PROVIDER: names.provider_name(model),
            names.REQUEST_MODEL: model,
            names.CONVERSATION: event.run,
            names.AGENT_NAME: event.stage,
            names.ATTEMPT: event.attempt,
            **_place(event),
        }
        of_book = self._units.get((event.stage, None), self._run)
        parent = self._units.get((event.stage, event.chapter), of_book)
        start = event.ts - timedelta(seconds=event.seconds)
        call = self._begin(names.CHAT, model, start, about, parent=parent, client=True)
        self._tracing.end(call, event.ts, _answer(event), error=_error(event))

    def _begin(
        self,
        operation: str,
        of: str,
        at: datetime,
        about: Attributes,
        *,
        parent: SpanT | None = None,
        client: bool = False,
    ) -> SpanT:
        given = {names.OPERATION: operation, **_said(about)}
        name = f"{operation} {of}"
        return self._tracing.begin(name, at, given, parent=parent, client=client)


def _error(event: Event) -> str:
    """The kind of failure that an event tells of; "" for none."""
    if event.event in _FAILURES:
        return event.status or _UNNAMED
    if event.event == "run.interrupted":
        return _INTERRUPTED
    return _REFUSED if event.status == _REFUSED else ""


def _answer(event: Event) -> Attributes:
    """What came back, in figures and labels."""
    tokens = event.tokens
    found: Attributes = {
        names.RESPONSE_MODEL: event.model,
        names.FINISH_REASONS: [event.finish_reason] if event.finish_reason else [],
        names.CACHED_TOKENS: tokens.cached,
        names.ISSUES: [*event.issues, *event.repairs],
    }
    counted = {names.INPUT_TOKENS: tokens.input, names.OUTPUT_TOKENS: tokens.output}
    return {**_said(found), **counted}


def _place(event: Event) -> Attributes:
    return {names.STAGE: event.stage, names.CHAPTER: event.chapter or 0}


def _said(attributes: Attributes) -> dict[str, str | int | Sequence[str]]:
    """The attributes that say something."""
    return {name: value for name, value in attributes.items() if value}
