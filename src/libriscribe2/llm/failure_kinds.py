"""Which kind of failure a provider's words mean: a table of codes, phrases and statuses."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Said:
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

_PHRASES = {
    "filtered": r"content (?:management|filter\w*|usage) polic|content filtering|flagged (?:by|as|for)"
    r"|blocked by .{0,30}polic",
    "quota": r"credit balance is too low|insufficient (?:credits?|balance|funds)",
    "context": r"maximum context length|context (?:window|length|size)|prompt is too long"
    r"|input token count.{0,40}exceeds|too many (?:input )?tokens",
    "auth": r"api[_ ]key client option must be set|missing credentials|api key not valid|missing .{0,30}api key"
    r"|api_base is required"
    r"|(?:invalid|incorrect) api key|no api key",
    "not_found": r"llm provider not provided|not a valid model|model .{0,80}(?:not found|not exist)"
    r"|no such model|unknown model",
}
_PATTERNS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _PHRASES.items()}

_STATUSES = {
    401: "auth", 402: "quota", 403: "auth", 404: "not_found", 408: "timeout",
    413: "context", 429: "rate",
}  # fmt: skip


def kind_of(said: Said) -> str:
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


def _by_phrase(said: Said, status: int | None) -> str | None:
    """By the sentence; a 429 can only be refined to an empty purse."""
    kinds = ("quota",) if status == 429 else tuple(_PATTERNS)
    return next((kind for kind in kinds if _PATTERNS[kind].search(said.message)), None)


def _by_status(said: Said, status: int | None) -> str:
    """By the number.

    A claimed 500 without a response is how LiteLLM reports a reply that it could not read.
    """
    if status is None or (said.status is None and status == 500):
        return "malformed"
    if status >= 500:
        return "server"
    return _STATUSES.get(status, "bad_request")
