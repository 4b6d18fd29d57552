"""The seam to a model: what is asked, what comes back, and who keeps the record.

A `Backend` answers one request; it neither retries nor remembers. A `CallLog` remembers; the
project's journal is one. Both are protocols, so that a test or another provider is a small class.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Protocol, runtime_checkable

from typing_extensions import override

# A part of every request's key: another spelling would make all of them unknown to old journals.
_CANONICAL: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False)

DEFAULT_SIZE_CAP: Final = 4_000_000
"""Longest reply in characters where the request sets no `max_tokens`."""

BYTES_PER_TOKEN: Final = 4
"""About what a token takes in UTF-8, where nobody counts; text that is not English takes more or less."""

WHOLE_CHAPTER: Final = "whole"
"""What the request for a chapter at once is called within the chapter's step."""

Message = Mapping[str, Any]
"""One turn of a conversation: `{"role": "system" | "user" | "assistant", "content": str}`."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    Attributes:
        step: Path of the work that asks, such as `chapters/ch03/scene02`.
        model: The model's name as LiteLLM spells it, or `demo`.
        messages: The conversation, oldest first.
        temperature: Sampling temperature; None leaves it to the provider.
        max_tokens: Longest reply in tokens; None leaves it to the provider.
        schema: The JSON Schema that the reply should follow, for providers that enforce one.
        tools: Tool definitions in OpenAI's form.
        attempt: 1 for the first request of a think-with-retry conversation.
        generation: How often the step was asked to be written again; 0 at first.
        in_text: Whether the schema is to stand in the text alone, because many requests begin alike
            and a provider's cache begins with what it is given apart.
        picture: Pixels of the picture that is wanted in place of text, such as `1024x1536`.
    """

    step: str
    model: str
    messages: tuple[Message, ...]
    temperature: float | None = None
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    tools: tuple[Mapping[str, Any], ...] = ()
    attempt: int = 1
    generation: int = 0
    in_text: bool = False
    picture: str = ""
    _key: list[str] = field(default_factory=list, init=False, repr=False, compare=False)

    def key(self) -> str:
        """The request's identity: 64 hex digits that hold no time, header or secret.

        It is asked for several times on the way, so it is worked out once; nobody may change a
        message afterwards.
        """
        if not self._key:
            said = {name: getattr(self, name) for name in _IDENTITY}
            said |= {"picture": self.picture} if self.picture else {}
            data = _CANONICAL.encode(said).encode("utf-8", "surrogatepass")
            self._key.append(hashlib.sha256(data).hexdigest())
        return self._key[0]


_NO_IDENTITY: Final = frozenset({"in_text", "picture"})
_IDENTITY: Final = tuple(
    one.name for one in fields(Request) if one.init and one.name not in _NO_IDENTITY
)
"""What a request's key is made of: not how it is sent. A question for text knows of no picture."""

SCHEMA_BEFORE: Final = "\n\nAnswer by this schema.\n\n<json_schema>"
SCHEMA_AFTER: Final = "</json_schema>"


def schema_text(schema: Mapping[str, Any]) -> str:
    """A schema as it stands at the end of a question."""
    told = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"{SCHEMA_BEFORE}{told}{SCHEMA_AFTER}"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call; `known` is False where the provider did not say."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    known: bool = False


@dataclass(frozen=True, slots=True)
class Completion:
    """One reply.

    Attributes:
        reply: The text of the answer.
        reasoning: The model's thoughts where the provider gives them apart, else None.
        finish_reason: `stop`, `length`, `content_filter`, `tool_calls`; None if nobody said.
        usage: Tokens.
        cost_usd: The price in US dollars; None where it is unknown, never a made-up 0.
        model: The model that answered.
        tool_calls: Native tool calls in OpenAI's form.
        seconds: Wall time of the request.
    """

    reply: str
    reasoning: str | None = None
    finish_reason: str | None = "stop"
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    model: str = ""
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    seconds: float = 0.0

    def as_record(self) -> dict[str, Any]:
        """The completion as plain JSON, for a call log."""
        # Not `asdict`: it copies every value in depth, twice for every call.
        usage = {name: getattr(self.usage, name) for name in _COUNTED}
        return {name: getattr(self, name) for name in _ANSWERED} | {"usage": usage}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Completion":
        """The completion that `as_record` wrote."""
        counted = record.get("usage") or {}
        usage = Usage(**{name: counted[name] for name in _COUNTED if name in counted})
        fields = {name: record[name] for name in _ANSWERED if name in record}
        calls = tuple(record.get("tool_calls", ()))
        return cls(**{**fields, "usage": usage, "tool_calls": calls})


_COUNTED: Final = tuple(one.name for one in fields(Usage))
_ANSWERED: Final = tuple(one.name for one in fields(Completion))


class BackendError(Exception):
    """A request that brought no usable reply, in terms that no provider's classes colour.

    Attributes:
        kind: `auth`, `quota`, `not_found`, `bad_request`, `context`, `filtered`, `rate`,
            `timeout`, `connection`, `server`, `cut`, `malformed`; `unusable`, a picture that came
            and is none, which asking again would only pay for twice; `resting` where nothing was
            sent because the model had failed too often.
        status: The HTTP status, or None.
        retry_after: Seconds that the provider asks to wait, or None.
        message: What the provider said, at most a few hundred characters, without secrets.
        unsent: Whether the request surely never reached the provider, so that nobody was paid.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        unsent: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.retry_after = retry_after
        self.message = message
        self.unsent = unsent


class Backend(Protocol):
    """Whoever answers requests."""

    async def complete(self, request: Request) -> Completion:
        """Answer at once.

        Raises:
            BackendError: No usable reply came.
        """
        ...

    def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """Answer in pieces of text, in order; the last item is the whole `Completion`.

        Raises:
            BackendError: The stream broke off or never began.
        """
        ...


@runtime_checkable
class PatientBackend(Backend, Protocol):
    """A backend some of whose replies come in another run."""

    def expect(self, request: Request) -> None:
        """Make sure that `complete` has an answer, before anything is noted of the request.

        Raises:
            LibriScribeError: There is none yet; the question is asked when the run ends.
        """
        ...


class CallLog(Protocol):
    """Whoever remembers calls, so that a paid reply is never asked for twice."""

    def generation(self, step: str) -> int:
        """How often the step, or one that holds it, was asked to be written again."""
        del step
        return 0

    def find(self, key: str, step: str) -> Mapping[str, Any] | None:
        """The record of a finished call of a step (`Completion.as_record`), or None."""

    def filtered(self, key: str) -> bool:
        """Whether a reply to the request was filtered for its content."""
        del key
        return False

    def sent(self, key: str, *, step: str, model: str, est_usd: float | None = None) -> None:
        """Note that a request is about to leave, and the most that it may cost."""
        ...

    def done(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep a raw reply before anyone reads it."""
        ...

    def failed(self, key: str, *, kind: str, status: int | None, usd: float = 0.0) -> None:
        """Note that a request brought no reply, and what it may have cost all the same."""
        ...

    def anew(self, step: str) -> None:
        """Have a step whose replies could not be used ask the model anew in the next run."""
        ...


class NoCallLog(CallLog):
    """A call log that forgets: for a client without a project."""

    @override
    def find(self, key: str, step: str) -> Mapping[str, Any] | None:
        """Always None."""

    @override
    def sent(self, key: str, *, step: str, model: str, est_usd: float | None = None) -> None:
        """Nothing is kept."""

    @override
    def done(self, key: str, record: Mapping[str, Any]) -> None:
        """Nothing is kept."""

    @override
    def failed(self, key: str, *, kind: str, status: int | None, usd: float = 0.0) -> None:
        """Nothing is kept."""

    @override
    def anew(self, step: str) -> None:
        """Nothing is kept."""


Line = str | Completion | BackendError | Callable[[Request], "str | Completion"]
"""One entry of a script: a reply, a failure, or a function of the request."""


class ScriptedBackend:
    """Answers each request with the next line of a script and keeps what it was asked.

    Args:
        script: The replies in order. A function answers from the request.
        then: What answers once the script has run out; None makes that an error.

    Attributes:
        calls: Every request so far, oldest first.
    """

    def __init__(
        self, script: Iterable[Line] = (), *, then: Callable[[Request], str] | None = None
    ) -> None:
        self._lines = iter(script)
        self._then = then
        self.calls: list[Request] = []

    async def complete(self, request: Request) -> Completion:
        """The script's next reply."""
        self.calls.append(request)
        line = next(self._lines, self._then)
        if line is None:
            raise AssertionError(f"the script has no reply left for {request.step!r}")
        if isinstance(line, BackendError):
            raise line
        answer = line(request) if callable(line) else line
        completion = answer if isinstance(answer, Completion) else Completion(answer)
        usage = completion.usage if completion.usage.known else _estimate(request, completion)
        return replace(completion, model=request.model, usage=usage)

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """The script's next reply, word by word."""
        completion = await self.complete(request)
        for word in completion.reply.split(" "):
            yield f"{word} "
        yield completion


def _estimate(request: Request, completion: Completion) -> Usage:
    asked = sum(len(str(message["content"])) for message in request.messages)
    return Usage(asked // BYTES_PER_TOKEN, len(completion.reply) // BYTES_PER_TOKEN)
