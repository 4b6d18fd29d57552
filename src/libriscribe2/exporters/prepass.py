"""What is taken out of a chapter before pandoc reads it.

Two things harm and cannot be caught later: characters that XML forbids or that turn the direction
of all that follows, and references inside the text of footnotes. A footnote that cites itself, at
once or by way of others, keeps pandoc 3.9 busy until its memory is full.
"""

import re
from typing import Final

_NONCHARACTERS: Final = "".join(
    chr(plane * 0x10000 + last) for plane in range(17) for last in (0xFFFE, 0xFFFF)
)
_FORBIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb"
    f"\ufdd0-\ufdef{_NONCHARACTERS}]"
)
_LINE_ENDS: Final = re.compile("\r\n?|[\x85\u2028\u2029]")
_HALVES: Final = re.compile("[\ud800-\udfff]")
_NOTE: Final = re.compile(r"[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*)*\[\^[^\]\s]+\]:")
_REFERENCE: Final = re.compile(r"\[\^[^\]\s]*\](\^?)")
_CONTINUED: Final = re.compile(r"[ \t>]")


def harmless(text: str) -> str:
    """The text without forbidden characters; half a surrogate pair becomes U+FFFD.

    Lines end in line feeds, whatever they ended in.
    """
    return _HALVES.sub("\ufffd", _FORBIDDEN.sub("", _LINE_ENDS.sub("\n", text)))


def without_nested_notes(text: str) -> str:
    """The text with no reference to a footnote inside the text of one; linear in its length."""
    if "[^" not in text:
        return text
    lines = text.split("\n")
    inside, after_blank = False, False
    for number, line in enumerate(lines):
        label = _NOTE.match(line)
        if label is not None:
            lines[number] = line[: label.end()] + _cited_nothing(line[label.end() :])
            inside = True
        elif inside and after_blank and line.strip() and not _CONTINUED.match(line):
            inside = False
        elif inside:
            lines[number] = _cited_nothing(line)
        after_blank = not line.strip()
    return "\n".join(lines)


def _cited_nothing(line: str) -> str:
    """A line without references; what stood around one in `[[^a]^1]` does not become another."""
    return _REFERENCE.sub(lambda found: " ^" if found[1] else "", line)


def prepared(text: str) -> str:
    """A chapter as pandoc may read it."""
    return without_nested_notes(harmless(text))
