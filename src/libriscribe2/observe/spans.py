"""A run as spans: its events folded into one for the run, one per unit, one per request.

Only names and figures of the program go into a span, never a text of the author's or a model's.

The names are those of OpenTelemetry's semantic conventions v1.41.1, GenAI part: it is still in
development and has since moved to a repository of its own (semantic-conventions-genai), so they
are kept here and change only with this comment. The names for what was asked and answered
(`gen_ai.input.messages`, `gen_ai.output.messages`) are left out: no span holds content.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Generic, Protocol, TypeVar

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
    """Turns the events of one run into spans.

    Args:
        tracing: Who keeps them.
        workflow: What the run is called.
    """

    def __init__(self, tracing: Tracing[SpanT], workflow: str) -> None:
        self._tracing = tracing
        self._workflow = workflow
        self._run: SpanT | None = None
        self._units: dict[tuple[str, int | None], SpanT] = {}

    def receive(self, event: Event) -> None:
        """Take the next event."""
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
        about = {WORKFLOW_NAME: self._workflow, CONVERSATION: event.run}
        self._run = self._begin(INVOKE_WORKFLOW, self._workflow, event.ts, about)

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
        about = {AGENT_NAME: event.stage, CONVERSATION: event.run, **_place(event)}
        unit = self._begin(INVOKE_AGENT, event.stage, event.ts, about, parent=self._run)
        self._units[event.stage, event.chapter] = unit

    def _end_unit(self, event: Event) -> None:
        unit = self._units.pop((event.stage, event.chapter), None)
        if unit is not None:
            self._tracing.end(unit, event.ts, {}, error=_error(event))

    def _call(self, event: Event) -> None:
        """A request; it is over when its event comes."""
        model = event.asked or event.model
        about: Attributes = {
            PROVIDER: provider_name(model),
            REQUEST_MODEL: model,
            CONVERSATION: event.run,
            AGENT_NAME: event.stage,
            ATTEMPT: event.attempt,
            **_place(event),
        }
        of_book = self._units.get((event.stage, None), self._run)
        parent = self._units.get((event.stage, event.chapter), of_book)
        start = event.ts - timedelta(seconds=event.seconds)
        call = self._begin(CHAT, model, start, about, parent=parent, client=True)
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
        attributes = {OPERATION: operation, **_nonempty(about)}
        name = f"{operation} {of}"
        return self._tracing.begin(name, at, attributes, parent=parent, client=client)


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
    labels: Attributes = {
        RESPONSE_MODEL: event.model,
        FINISH_REASONS: [event.finish_reason] if event.finish_reason else [],
        CACHED_TOKENS: tokens.cached,
        ISSUES: [*event.issues, *event.repairs],
    }
    counted = {INPUT_TOKENS: tokens.input, OUTPUT_TOKENS: tokens.output}
    return {**_nonempty(labels), **counted}


def _place(event: Event) -> Attributes:
    return {STAGE: event.stage, CHAPTER: event.chapter or 0}


def _nonempty(attributes: Attributes) -> dict[str, str | int | Sequence[str]]:
    """The attributes that say something."""
    return {name: value for name, value in attributes.items() if value}


OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
CONVERSATION: Final = "gen_ai.conversation.id"
WORKFLOW_NAME: Final = "gen_ai.workflow.name"
AGENT_NAME: Final = "gen_ai.agent.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
CACHED_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
ERROR_TYPE: Final = "error.type"

INVOKE_WORKFLOW: Final = "invoke_workflow"
INVOKE_AGENT: Final = "invoke_agent"
CHAT: Final = "chat"

STAGE: Final = "libriscribe.stage"
CHAPTER: Final = "libriscribe.chapter"
ATTEMPT: Final = "libriscribe.attempt"
ISSUES: Final = "libriscribe.issues"

_PROVIDERS: Final[Mapping[str, str]] = {
    "azure": "azure.ai.openai",
    "azure_ai": "azure.ai.inference",
    "bedrock": "aws.bedrock",
    "cohere_chat": "cohere",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "moonshot": "moonshot_ai",
    "vertex_ai": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
"""OpenTelemetry's name of a provider, where it differs from the first part of a model's name."""


def provider_name(model: str) -> str:
    """Who serves a model, by its name as LiteLLM spells it."""
    prefix = model.partition("/")[0]
    return _PROVIDERS.get(prefix, prefix)
