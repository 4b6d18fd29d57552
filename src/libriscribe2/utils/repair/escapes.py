"""Escapes in damaged strings: JSON's own, those of other languages, and bare backslashes."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from libriscribe2.utils.strict_json import scan_string

_SIMPLE: Final = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "'": "'",
    "`": "`",
}
_ESCAPE: Final = re.compile(
    r"\\(?:u(?P<four>[0-9A-Fa-f]{4})|U(?P<eight>[0-9A-Fa-f]{8})|x(?P<two>[0-9A-Fa-f]{2})"
    r"|u\{(?P<braced>[0-9A-Fa-f]{1,6})\}|(?P<line>\r?\n)|(?P<one>.)|\Z)",
    re.DOTALL,
)
_PATH: Final = re.compile(
    r"(?:(?<![^\W_])[A-Za-z]:|\\|(?<!\S)\.{1,2}|%\w{1,40}%|~)(?:\\[^\s\\/:*?\"<>|]+(?: [^\s\\/:*?\"<>|]+(?=\\))*)+\\?"
)
# Folders of a path whose names begin like JSON's escapes: nobody can tell what was meant.
_DRIVE: Final = re.compile(r"(?<![^\W_])[A-Za-z]:(?:\\[bfnrt][^\s\\/:*?\"<>|]+){2}")
_COMMAND: Final = re.compile(r"\\(?:\\|[A-Za-z]{2,})")
# What a string that was cut off inside a \u escape ends with.
_TORN: Final = re.compile(r"(?<!\\)(?:\\\\)*+\\u[0-9A-Fa-f]{0,3}\Z")
_SURROGATES: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_MAX_CODE: Final = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Unescaped:
    """The text of a string, and what was unusual about its escapes.

    Attributes:
        text: The string's value.
        repair: "" or the name of the most telling repair.
        trouble: "ambiguous" when a backslash can be an escape or a character, or "".
    """

    text: str
    repair: str = ""
    trouble: str = ""


def unescape(raw: str) -> Unescaped:
    """Decode what stands between the quotes of a damaged string."""
    if "\\" not in raw:
        return Unescaped(raw)
    if '"' not in raw.replace('\\"', ""):
        try:
            return Unescaped(scan_string(raw + '"', 0)[0])
        except ValueError:  # not JSON's own escapes: read one by one below
            pass
    foreign = _has_foreign(raw)
    paths = _Paths([match.span() for match in _PATH.finditer(raw)] if foreign else [])
    parts: list[str] = []
    repair = ""
    position = 0
    for found in _ESCAPE.finditer(raw):
        start = found.start()
        parts.append(raw[position:start])
        if paths.hold(start):
            parts.append("\\")
            position, repair = start + 1, "backslash_path"
            continue
        text, name = _one(found)
        parts.append(text)
        repair = repair or name
        position = found.end()
    text = "".join([*parts, raw[position:]])
    mixed = repair and _mixes_meanings(raw, paths)
    torn = repair and not paths.hold(len(raw) - 1) and _TORN.search(raw)
    trouble = "ambiguous" if mixed or torn or (not foreign and _DRIVE.search(raw)) else ""
    return Unescaped(_SURROGATES.sub(_join, text), repair, trouble)


class _Paths:
    """Where the paths of a string stand."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self.spans = spans
        self.starts = [first for first, _ in spans]

    def hold(self, place: int) -> bool:
        """Whether a place is inside of one."""
        before = bisect_right(self.starts, place)
        return before > 0 and place < self.spans[before - 1][1]


def _mixes_meanings(raw: str, paths: _Paths) -> bool:
    """Whether commands such as LaTeX's stand beside what may be line breaks or commands too."""
    outside = [
        found.group()[1:2] for found in _COMMAND.finditer(raw) if not paths.hold(found.start())
    ]
    return any(letter not in _SIMPLE and letter not in "uUx" for letter in outside) and any(
        letter in "bfnrt" for letter in outside
    )


def _has_foreign(raw: str) -> bool:
    """Whether any escape is not JSON's own: then backslashes were not escaped here."""
    return any(
        (found["one"] or "") not in _SIMPLE and found["one"] is not None
        for found in _ESCAPE.finditer(raw)
    )


def _one(found: re.Match[str]) -> tuple[str, str]:
    """The text of one escape, and the repair that it took."""
    digits = found["four"]
    if digits:
        return chr(int(digits, 16)), ""
    digits = found["eight"] or found["two"] or found["braced"]
    if digits and int(digits, 16) <= _MAX_CODE:
        return chr(int(digits, 16)), "foreign_escape"
    if found["line"]:
        return "", "line_continuation"
    simple = found["one"]
    if simple in _SIMPLE:
        return _SIMPLE[simple], "foreign_escape" if simple in "'`" else ""
    return found.group(), "invalid_escape"


def _join(pair: re.Match[str]) -> str:
    return pair.group().encode("utf-16", "surrogatepass").decode("utf-16")
