"""Secrets out of text that people will read: keys that are known, and what looks like one."""

import re
from collections.abc import Iterable, Mapping

MASK = "[redacted]"

_SHORTEST_SECRET = 6
_SECRET_NAME = re.compile(r"(?:_KEY|_APIKEY|_TOKEN|_SECRET)$")
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

# Scanning for the pattern costs milliseconds on a long prompt; none of it matches without these
# words, or without one of these names before the mark. Marks are rare in prose, letters are not.
_WORDS = ("bearer", "authorization", "aiza", "apikey")
_PREFIXES = ("sk", "pk", "rk", "xai", "hf", "r8", "tgp", "nvapi", "api")
_BEFORE = (("-", _PREFIXES), ("_", _PREFIXES), ("=", ("key", "token")))


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text with every known secret and everything that looks like one masked."""
    for secret in sorted((s for s in secrets if len(s) >= _SHORTEST_SECRET), key=len, reverse=True):
        text = text.replace(secret, MASK)
    return _LOOKS_SECRET.sub(MASK, text) if _is_suspect(text.lower()) else text


def _is_suspect(lowered: str) -> bool:
    """Whether there may be something in a text that looks like a secret."""
    if any(map(lowered.__contains__, _WORDS)):
        return True
    return any(
        said.endswith(names)
        for mark, names in _BEFORE
        if mark in lowered
        for said in lowered.split(mark)[:-1]
    )


def secrets_in(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values of all variables whose names end as secrets' names do."""
    return tuple(value for name, value in environ.items() if _SECRET_NAME.search(name) and value)
