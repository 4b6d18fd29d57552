"""Secrets out of text that people will read: keys that are known, and what looks like one."""

import re
from collections.abc import Iterable, Mapping

MASK = "[redacted]"

_SHORTEST_SECRET = 6
_SECRET_NAME = re.compile(r"(?:_API_KEY|_KEY|_TOKEN|_SECRET)$")
_LOOKS_SECRET = re.compile(
    r"""(?ix)
    \bbearer\s+(?=\S*[\d_-])[\w.~+/=-]{8,}             # a token, not the word after "bearer"
    | (?<=authorization:\ )basic\s+[\w+/=]+
    | \b(?:sk|pk|rk|gsk|xai|hf|r8|tgp|csk|nvapi)[-_][\w*.-]{6,}  # providers' key prefixes
    | \bAIza[\w-]{10,}                                  # Google
    | (?<=[?&;\s])(?:api[_-]?key|key|token)=[^&\s"']{6,}
    | (?:x-api-key|api-key)["']?\s*[:=]\s*["']?[^\s"',}]{6,}
    """
)

# Scanning for the pattern costs milliseconds on a long prompt; none of it matches without these.
_HINTS = (
    *("bearer", "authorization", "aiza", "key=", "token=", "api-key", "api_key", "apikey"),
    *(f"{name}{mark}" for name in ("sk", "pk", "rk", "xai", "hf", "r8", "tgp") for mark in "-_"),
    *("nvapi-", "nvapi_"),
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text with every known secret and everything that looks like one masked."""
    for secret in sorted((s for s in secrets if len(s) >= _SHORTEST_SECRET), key=len, reverse=True):
        text = text.replace(secret, MASK)
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return text
    return _LOOKS_SECRET.sub(MASK, text)


def secrets_in(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values of all variables whose names end as secrets' names do."""
    return tuple(value for name, value in environ.items() if _SECRET_NAME.search(name) and value)
