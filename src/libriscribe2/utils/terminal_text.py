"""Text of models, users and the network, made harmless for a terminal."""

import re
from typing import Final

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
