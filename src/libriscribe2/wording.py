"""Words for people: numbers with units, terminal-safe text, validation errors in plain words.

Secrets are taken out of what people will read: keys that are known, and what looks like one.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

_SHORTEST_WHOLE: Final = 0.95
_MINUTE: Final = 60
_HOUR: Final = 3600
_SMALLEST_PRICE: Final = 0.0001


def duration(seconds: float) -> str:
    """A time: `0.4s`, `12s`, `1m 12s`, `2h 05m`."""
    if seconds < _SHORTEST_WHOLE:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole}s"
    if whole < _HOUR:
        return f"{whole // _MINUTE}m {whole % _MINUTE:02d}s"
    return f"{whole // _HOUR}h {whole % _HOUR // _MINUTE:02d}m"


def local_time(iso: str) -> str:
    """A moment in ISO 8601 by the clock on the wall: `2025-01-12 11:30`."""
    return f"{datetime.fromisoformat(iso).astimezone():%Y-%m-%d %H:%M}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """A count with its noun: `1 word`, `2,550 words`."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def first_of(names: Sequence[object], most: int) -> str:
    """The first names of several, and how many more there are: `a, b and 3 more`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(str, names[:most])) + more


def tokens_in(sent: int, cached: int, noun: str = "in") -> str:
    """Tokens sent, and those of them that a provider's cache held: `12,000 in (8,000 cached)`."""
    told = f"{sent:,} {noun}".rstrip()
    return f"{told} ({cached:,} cached)" if cached else told


def cost(usd: float | None) -> str:
    """A price in US dollars: `$0.00`, `$0.0042`, `$1.25`, or `cost unknown`, never a made-up 0."""
    return "cost unknown" if usd is None else price(usd)


def price(usd: float) -> str:
    """A known price in US dollars."""
    if 0 < usd < _SMALLEST_PRICE:
        return f"under ${_SMALLEST_PRICE}"
    return f"${usd:.4f}" if 0 < usd < 1 else f"${usd:,.2f}"


_BIDI_CONTROLS: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_UNSAFE: Final = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{_BIDI_CONTROLS}]")
_SURROGATES: Final = re.compile(r"[\ud800-\udfff]")
_ESCAPED_IN_JSON: Final = re.compile(rf"[\x7f-\x9f{_BIDI_CONTROLS}\ud800-\udfff]")
_WHITE_SPACE: Final = re.compile(r"\s+")


def clean(text: str) -> str:
    r"""The text without anything that steers a terminal.

    Drops C0 controls but `\n` and `\t`, DEL, C1 controls and the bidi controls of Unicode; a lone
    surrogate, which no UTF-8 stream can carry, becomes U+FFFD. What an escape sequence leaves
    behind, such as `[31m`, stays visible as the plain text that it is.
    """
    return _SURROGATES.sub("\ufffd", _UNSAFE.sub("", text))


def one_line(text: str) -> str:
    """The cleaned text with every run of white space as one space, for a cell or a list line."""
    return _WHITE_SPACE.sub(" ", clean(_WHITE_SPACE.sub(" ", text))).strip()


def clean_json(text: str) -> str:
    r"""Serialised JSON with the unsafe characters that JSON lets through written as `\uXXXX`.

    The value stays the same: such characters can only stand inside strings.
    """
    return _ESCAPED_IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def json_line(value: Any) -> str:
    """A value as one line of JSON that does nothing to a terminal."""
    return clean_json(json.dumps(value, ensure_ascii=False))


_BOUNDS: Final = {
    "greater_than": "more than {gt:,.15g}",
    "greater_than_equal": "{ge:,.15g} or more",
    "less_than": "less than {lt:,.15g}",
    "less_than_equal": "{le:,.15g} or less",
}
_WORDS: Final = {
    "missing": "it is missing",
    "extra_forbidden": "nothing is called so",
    "string_type": "it has to be a text in quotes",
    "int_from_float": "it has to be a whole number",
    "int_parsing": "it has to be a whole number",
    "int_type": "it has to be a whole number",
    "float_parsing": "it has to be a number",
    "float_type": "it has to be a number",
    "finite_number": "it has to be a finite number",
    "string_too_short": "it is empty",
    "blank": "it is empty",
    "string_unicode": "it holds bytes that are not UTF-8",
    "path_type": "it has to be a path in quotes",
    "list_type": "it has to be a list in square brackets",
    "tuple_type": "it has to be a list in square brackets",
    "dict_type": "it has to be a table of keys and values",
    "model_type": "it has to be a table of keys and values",
    "bool_parsing": "it has to be true or false",
    "bool_type": "it has to be true or false",
}
_EMPTY: Final = "'', "
"""The value that stands for none: nobody types it."""


def plain_fault(detail: Mapping[str, Any]) -> str:
    """What is wrong with a value, without a full stop.

    Args:
        detail: One of `ValidationError.errors()`, with its context.
    """
    kind, context = str(detail["type"]), detail.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    if kind == "literal_error":
        return f"it has to be {str(context['expected']).removeprefix(_EMPTY)}"
    if kind in _BOUNDS:
        return f"it has to be {_BOUNDS[kind].format(**context)}"
    return _WORDS.get(kind, str(detail["msg"]))


def state_in_words(state: str) -> str:
    """The state of a file for people; its name in records stays."""
    return _STATES.get(state, state)


def stage_name(stage: str) -> str:
    """The name of a stage for people, as commands also take it; its name in records stays."""
    return _STAGES.get(stage, stage)


def unit_in_words(stage: str, chapter: int | None) -> str:
    """What a stage makes, as people call it: `Outline`, `Chapter 3`, `Summary of chapter 3`."""
    name = stage_name(stage).replace("_", " ")
    if chapter is not None:
        name = f"{_OF_A_CHAPTER.get(stage, f'{name}, chapter')} {chapter}"
    return name[:1].upper() + name[1:]


_OF_A_CHAPTER: Final[Mapping[str, str]] = {
    "chapters": "chapter",
    "drafts": "draft of chapter",
    "summaries": "summary of chapter",
}
_STATES: Final[Mapping[str, str]] = {
    "fresh": "up to date",
    "stale": "out of date",
    "missing": "not made yet",
}
_STAGES: Final[Mapping[str, str]] = {"canon": "story_bible", "judge": "evaluator"}


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

_PREFIXES: Final = ("sk", "pk", "rk", "hf", "r8", "xai", "tgp", "nvapi")
_HINTS: Final = (
    *(prefix + joint for prefix in _PREFIXES for joint in "-_"),
    *("bearer", "basic", "aiza", "key=", "token=", "api-key"),
    *(
        "\u0307",
        "\u0131",
        "\u017f",
    ),  # what a capital I with a dot leaves, and what else reads as i, s
)
"""Whatever looks like a secret holds one of these in lower case; most texts hold none."""


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text with every known secret and everything that looks like one masked."""
    for secret in sorted((s for s in secrets if len(s) >= _SHORTEST_SECRET), key=len, reverse=True):
        text = text.replace(secret, MASK)
    small = text.lower()
    return _LOOKS_SECRET.sub(MASK, text) if any(hint in small for hint in _HINTS) else text


def secrets_in(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values of all variables whose names end as secrets' names do."""
    return tuple(value for name, value in environ.items() if _SECRET_NAME.search(name) and value)


def without_sources(called: str) -> str:
    """What to tell of a book of facts that rests on no source."""
    return (
        f"{called} states facts and has no source: nothing in it is looked up, and what a model says "
        "from memory may be wrong. Put files into research/sources/ "
        f"(`libriscribe2 create --sources` does), then `libriscribe2 redo {called} research`."
    )
