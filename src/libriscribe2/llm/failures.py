"""What went wrong with a request, read from the facts and not from LiteLLM's classes.

LiteLLM gives the same upstream answer different classes and codes by provider and version (a
refused connection becomes a 500, a blocked reply a bad request) and invents the HTTP response
that its errors carry. The exception chain still holds the real response and the real network
error; `classify` walks it to them.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from libriscribe2.llm.backend import BackendError
from libriscribe2.wording import redact


@dataclass(frozen=True, slots=True)
class ProviderMessage:
    """What is known of a failure that is no network error.

    Attributes:
        message: The provider's sentence.
        codes: Its machine-readable codes and types, in lower case.
        status: The status of the real HTTP response (or of an error event), None without one.
        claimed_status: What a wrapper says the status was.
    """

    message: str
    codes: tuple[str, ...] = ()
    status: int | None = None
    claimed_status: int | None = None


_CODES = {
    "filtered": {
        "content_filter", "content_policy_violation", "responsibleaipolicyviolation",
        "moderation_blocked", "content_moderation",
    },
    "quota": {
        "insufficient_quota", "billing_hard_limit_reached", "billing_not_active",
        "insufficient_credits", "insufficient_balance", "billing_error",
    },
    "context": {
        "context_length_exceeded", "string_above_max_length", "request_too_large",
        "context_window_exceeded", "exceed_context_size_error",
    },
    "not_found": {"model_not_found", "not_found_error", "deploymentnotfound"},
    "auth": {
        "invalid_api_key", "authentication_error", "permission_error", "permission_denied",
        "unauthenticated", "invalid_authentication",
    },
    "rate": {"rate_limit_exceeded", "rate_limit_error", "resource_exhausted"},
    "server": {"server_error", "overloaded_error", "api_error", "internal_error", "unavailable"},
}  # fmt: skip

_PATTERNS = {
    "filtered": re.compile(
        r"content (?:management|filter\w*|usage) polic|content filtering|flagged (?:by|as|for)"
        r"|blocked by .{0,30}polic",
        re.IGNORECASE,
    ),
    "quota": re.compile(
        r"credit balance is too low|insufficient (?:credits?|balance|funds)", re.IGNORECASE
    ),
    "context": re.compile(
        r"maximum context length|context (?:window|length|size)|prompt is too long"
        r"|input token count.{0,40}exceeds|too many (?:input )?tokens",
        re.IGNORECASE,
    ),
    "auth": re.compile(
        r"api[_ ]key client option must be set|missing credentials|api key not valid|missing .{0,30}api key"
        r"|api_base is required"
        r"|(?:invalid|incorrect) api key|no api key",
        re.IGNORECASE,
    ),
    "not_found": re.compile(
        r"llm provider not provided|not a valid model|model .{0,80}(?:not found|not exist)"
        r"|no such model|unknown model",
        re.IGNORECASE,
    ),
}

_STATUSES = {
    401: "auth", 402: "quota", 403: "auth", 404: "not_found", 408: "timeout",
    413: "context", 429: "rate",
}  # fmt: skip


def kind_of(said: ProviderMessage) -> str:
    """The kind, as in `BackendError`.

    Codes decide before phrases and phrases before the status, because providers answer an empty
    purse with 429, a wrong key with 400 and a blocked prompt with 403. A status of 500 and more
    is the server's whatever its text says.
    """
    status = said.status if said.status is not None else said.claimed_status
    if said.status is not None and said.status >= 500:
        return "server"
    kind = _by_code(said.codes) or _by_phrase(said, status)
    return kind if kind is not None else _by_status(said, status)


def _by_code(codes: tuple[str, ...]) -> str | None:
    return next((kind for kind, known in _CODES.items() if known.intersection(codes)), None)


def _by_phrase(said: ProviderMessage, status: int | None) -> str | None:
    """By the sentence; a 429 can only be refined to an empty purse."""
    kinds = ("quota",) if status == 429 else tuple(_PATTERNS)
    return next((kind for kind in kinds if _PATTERNS[kind].search(said.message)), None)


def _by_status(said: ProviderMessage, status: int | None) -> str:
    """By the number.

    A claimed 500 without a response is how LiteLLM reports a reply that it could not read.
    """
    if status is None or (said.status is None and status == 500):
        return "malformed"
    if status >= 500:
        return "server"
    return _STATUSES.get(status, "bad_request")


_GOOGLE_DELAY = re.compile(r"\d+(?:\.\d+)?s")


def retry_after_seconds(
    headers: Mapping[str, str], body: Any, *, now: Callable[[], datetime]
) -> float | None:
    """Seconds to wait, never negative; None where the provider names none.

    Args:
        headers: Response headers, names in lower case.
        body: The parsed body, where Google puts its `retryDelay`.
        now: The present, for a header that holds an HTTP date (RFC 9110, 10.2.3).
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    if not value:
        return _google_delay(body)
    seconds = _number(value)
    return seconds if seconds is not None else _until(value, now())


def _number(value: str) -> float | None:
    """A finite count that is not negative, else None."""
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(value: str, now: datetime) -> float | None:
    """Seconds from now to an HTTP date; 0 for one that has passed, None for no date at all."""
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _google_delay(body: Any) -> float | None:
    """`error.details[].retryDelay`, such as `34s` (google.rpc.RetryInfo)."""
    error = body.get("error") if isinstance(body, Mapping) else None
    details = error.get("details") if isinstance(error, Mapping) else None
    if not isinstance(details, list):
        return None
    delays = [str(part.get("retryDelay", "")) for part in details if isinstance(part, Mapping)]
    matching = (delay for delay in delays if _GOOGLE_DELAY.fullmatch(delay))
    return next((_number(delay[:-1]) for delay in matching), None)


MESSAGE_LIMIT = 300
"""Longest `BackendError.message` in characters."""

_CHAIN_LIMIT = 20
_HTML_PAGE = "an HTML page came back, which is not a reply of a model"
_TRACEBACK = "Traceback (most recent call last)"
_TOLD_BY_TRACEBACK = "the reply could not be read"
_WRAPPER_PREFIX = re.compile(
    r"^(?:(?:litellm\.)?(?:Timeout )?\w*(?:Error|Exception|Timeout)\s*[:-]\s*)+"
)
_WRAPPED = re.compile(r"[\s.]+Original exception: .*", re.DOTALL)
_NOTHING_SAID = re.compile(r"Error code: \d+(?: - (?:\{\}|None|))?")
_NO_REASON = "it gave no reason"
_WRAPPER_SUFFIX = re.compile(r"\.? Handle with `litellm\.\w+`\.$")
_CONNECTION_CLASSES = frozenset({
    "ConnectError", "ReadError", "WriteError", "RemoteProtocolError", "APIConnectionError",
    "ServerDisconnectedError", "ClientPayloadError", "ProxyError",
})  # fmt: skip
"""Network failures of httpx, openai and aiohttp that are no `OSError`."""
_UNSENT_CLASSES = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError"})
"""Failures of finding the server: the request never left."""
_TIMEOUT_CLASSES = frozenset({
    "ConnectTimeout", "ReadTimeout", "WriteTimeout", "PoolTimeout", "APITimeoutError",
})  # fmt: skip


@dataclass(slots=True)
class _Facts:
    """What the exception chain says, without any judgement."""

    status: int | None = None
    claimed_status: int | None = None
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    network: str | None = None
    unsent: bool = False
    texts: list[str] = field(default_factory=list)


def classify(
    error: BaseException,
    *,
    started: bool = False,
    secrets: Iterable[str] = (),
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> BackendError:
    """The failure as a `BackendError`.

    Args:
        error: What the request raised.
        started: Whether part of the reply had come: a lost connection then is a `cut`.
        secrets: Strings that must not appear in the message.
        now: The present, for a Retry-After that is a date.
    """
    own = next((link for link in _chain(error) if isinstance(link, BackendError)), None)
    if own is not None:
        return own
    facts = _collect(error)
    said = _provider_message(facts)
    kind = facts.network if facts.network is not None else kind_of(said)
    if started and kind == "connection":
        kind = "cut"
    return BackendError(
        kind,
        redact(said.message, secrets)[:MESSAGE_LIMIT],
        status=facts.status,
        retry_after=retry_after_seconds(facts.headers, facts.body, now=now),
        unsent=facts.unsent and facts.status is None and not started,
    )


def of_answer(status: int | None, body: Any, *, secrets: Iterable[str] = ()) -> BackendError:
    """The failure that an answer tells which no exception came with.

    Args:
        status: The HTTP status of the answer, or None.
        body: What it holds, with the error in the provider's form.
        secrets: Strings that must not appear in the message.
    """
    said = _provider_message(_Facts(status=status, body=body))
    return BackendError(kind_of(said), redact(said.message, secrets)[:MESSAGE_LIMIT], status=status)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it, newest first, each once."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen and len(seen) < _CHAIN_LIMIT:
        seen.add(id(current))
        yield current
        current = current.__cause__ if current.__cause__ is not None else current.__context__


def _collect(error: BaseException) -> _Facts:
    """The facts of the whole chain; an inner link knows better than the one that wraps it."""
    facts = _Facts()
    for link in _chain(error):
        wrapper = type(link).__module__.partition(".")[0] == "litellm"
        real_response = not wrapper or type(link).__name__.endswith("HTTPStatusError")
        if real_response:
            _note_response(getattr(link, "response", None), facts)
        if not wrapper:
            facts.network = _network_kind(link) or facts.network
            facts.unsent = facts.unsent or _never_left(link)
        _note_claims(link, facts)
        facts.texts.append(str(link))
    if facts.status is not None:
        facts.network = None
    return facts


def _network_kind(link: BaseException) -> str | None:
    """The kind of a failure that is no HTTP answer, or None."""
    name = type(link).__name__
    if name in _TIMEOUT_CLASSES or isinstance(link, TimeoutError):
        return "timeout"
    if name in _CONNECTION_CLASSES or isinstance(link, ConnectionError):
        return "connection"
    if isinstance(link, json.JSONDecodeError | UnicodeDecodeError):
        return "malformed"
    return "bad_request" if isinstance(link, ImportError) else None


def _never_left(link: BaseException) -> bool:
    """Whether no connection to the server came about."""
    return type(link).__name__ in _UNSENT_CLASSES or isinstance(link, ConnectionRefusedError)


def _note_response(response: Any, facts: _Facts) -> None:
    """Status, headers and body of a real HTTP response."""
    status = getattr(response, "status_code", None)
    if not isinstance(status, int):
        return
    facts.status = status
    facts.headers.update(_lower(response.headers))
    try:
        facts.body = response.json()
    except (ValueError, RuntimeError):  # not JSON, or a stream that nobody read
        return


def _note_claims(link: BaseException, facts: _Facts) -> None:
    """What the wrappers say: believed only where no real response says it."""
    status = getattr(link, "status_code", None)
    if facts.claimed_status is None and isinstance(status, int):
        facts.claimed_status = status
    body = getattr(link, "body", None)
    if facts.body is None and isinstance(body, Mapping) and body:
        facts.body = body
    headers = getattr(link, "litellm_response_headers", None)
    if headers is not None:
        facts.headers = {**_lower(headers), **facts.headers}


def _lower(headers: Any) -> dict[str, str]:
    return {str(name).lower(): str(value) for name, value in dict(headers).items()}


def _provider_message(facts: _Facts) -> ProviderMessage:
    """What the provider said: its body, else the text of an exception."""
    body = facts.body if facts.body is not None else _body_in_text(facts.texts)
    error = _error_object(body)
    inner = error.get("innererror")
    codes = [error.get(name) for name in ("code", "type", "status")]
    codes.append(inner.get("code") if isinstance(inner, Mapping) else None)
    number = next((code for code in codes if isinstance(code, int)), None)
    return ProviderMessage(
        message=" ".join(_sentence(error, facts).split()),
        codes=tuple(code.lower() for code in codes if isinstance(code, str)),
        status=facts.status if facts.status is not None else number,
        claimed_status=facts.claimed_status,
    )


def _sentence(error: Mapping[str, Any], facts: _Facts) -> str:
    """The error's own words; a network failure is told best by its innermost exception."""
    message = error.get("message")
    if isinstance(message, str) and message.strip():
        return message
    told = [text for text in facts.texts if text.strip()]
    if not told:
        return "no message"
    if facts.network is not None:
        return told[-1]
    words = _WRAPPER_SUFFIX.sub("", _WRAPPER_PREFIX.sub("", told[0]))
    words = _WRAPPED.sub("", words.partition(_TRACEBACK)[0].rstrip()) or _TOLD_BY_TRACEBACK
    words = _NO_REASON if _NOTHING_SAID.fullmatch(words) else words
    return _HTML_PAGE if words.startswith(("<", "b'<")) else words


def _error_object(body: Any) -> Mapping[str, Any]:
    """The part of a body that tells the error, in OpenAI's, Google's or Ollama's form."""
    first = body[0] if isinstance(body, list) and body else body
    if not isinstance(first, Mapping):
        return {}
    error = first.get("error", first)
    return error if isinstance(error, Mapping) else {"message": str(error)}


def _body_in_text(texts: list[str]) -> Any:
    """A JSON object inside an exception's text: streamed errors of some providers leave no other."""
    decoder = json.JSONDecoder()
    for text in texts:
        start = text.find('{"')
        if start >= 0:
            try:
                return decoder.raw_decode(text[start:])[0]
            except ValueError:
                continue
    return None
