"""Tuples of Python literals, written as JSON lists."""

import re
from typing import Final

_HINT: Final = re.compile(r"""[:,\[({]\s*\(\s*["'({\[\d]""")
_PIECE: Final = re.compile(r"""'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+"|[()\[\]{},]""")


def without_tuples(text: str) -> str:
    """The text with `(...)` outside strings as `[...]`; "" when there is no tuple.

    Parentheses without a comma only group in Python, and are dropped.
    """
    if _HINT.search(text) is None:
        return ""
    parts: list[str] = []
    stack: list[list[int]] = []  # per open bracket: its part's index, 1 after a comma
    position = 0
    for piece in _PIECE.finditer(text):
        parts += [text[position : piece.start()], piece.group()]
        position = piece.end()
        mark = piece.group()
        if mark in ("(", "[", "{"):
            stack.append([len(parts) - 1, 0])
        elif mark == "," and stack:
            stack[-1][1] = 1
        elif mark in (")", "]", "}") and stack:
            opened, commas = stack.pop()
            if mark == ")" and parts[opened] == "(":
                parts[opened], parts[-1] = ("[", "]") if commas else ("", "")
    return "".join([*parts, text[position:]])
