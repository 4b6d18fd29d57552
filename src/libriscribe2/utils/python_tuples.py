"""Tuples of Python literals, written as JSON lists."""

import re
from collections.abc import Mapping
from typing import Final

_HINT: Final = re.compile(r"""[:,\[({]\s*\(\s*["'({\[\d]""")
_PIECE: Final = re.compile(r"""'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+"|\\.|[()\[\]{},]""")
_MAX_DEPTH: Final = 200
_MAX_TUPLES: Final = 10_000


def without_tuples(text: str) -> str:
    """The text with `(...)` outside strings as `[...]`; "" when there is no tuple.

    Parentheses without a comma only group in Python, and are dropped. Absurdly deep or many ones
    are no tuples.
    """
    if _HINT.search(text) is None:
        return ""
    edits: dict[int, str] = {}
    stack: list[list[int]] = []  # per open bracket: where it stands, 1 after a comma
    for piece in _PIECE.finditer(text):
        mark = piece.group()
        if mark in ("(", "[", "{"):
            stack.append([piece.start(), 0])
        elif mark == "," and stack:
            stack[-1][1] = 1
        elif mark in (")", "]", "}") and stack:
            opened, commas = stack.pop()
            if mark == ")" and text[opened] == "(":
                empty = not text[opened + 1 : piece.start()].strip()
                is_tuple = commas or empty
                edits[opened], edits[piece.start()] = ("[", "]") if is_tuple else ("", "")
        if len(stack) > _MAX_DEPTH or len(edits) > 2 * _MAX_TUPLES:
            return ""
    return _edited(text, edits)


def _edited(text: str, edits: Mapping[int, str]) -> str:
    """The text with the characters at some places replaced."""
    parts: list[str] = []
    position = 0
    for at in sorted(edits):
        parts += [text[position:at], edits[at]]
        position = at + 1
    return "".join([*parts, text[position:]])
