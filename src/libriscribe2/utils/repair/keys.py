"""Keys of damaged objects: quoted, half quoted, bare, with or without their colon."""

import re
from typing import Final

from libriscribe2.utils.repair.cursor import Cursor, Halt
from libriscribe2.utils.repair.patterns import (
    COLON,
    COLONLESS_KEY,
    ELEMENT,
    ELLIPSIS,
    KEY,
    OPEN_QUOTES,
)
from libriscribe2.utils.repair.string_tokens import LOST_QUOTE, StringToken

_MAX_OPEN_KEY = 80
_KEY_INSIDE: Final = re.compile(r"[\"']\s*:")


def read_key(cursor: Cursor, char: str, depth: int) -> str:
    """Read the key here and pass it.

    Args:
        cursor: The cursor, at the key's first character.
        char: That character.
        depth: How many containers are open.

    Raises:
        Halt: What stands here is no key.
    """
    colonless = COLONLESS_KEY.match(cursor.text, cursor.at)
    if colonless is not None:
        group = colonless.lastgroup or 0
        cursor.contents.append(colonless.span(group))
        cursor.at = colonless.end()
        return colonless.group(group)
    if cursor.is_escaped_quote():
        return cursor.accept(cursor.read_string("key", depth))
    if char in OPEN_QUOTES and not cursor.is_fence():
        return _quoted_key(cursor, depth)
    return _bare_key(cursor, char)


def read_colon(cursor: Cursor) -> None:
    """Pass the colon after a key, or note that it is missing.

    Raises:
        Halt: No value can follow here.
    """
    after = cursor.skip()
    colon = COLON.match(cursor.text, cursor.at)
    if colon is not None:
        if colon.group().strip() != ":":
            cursor.note("wrong_colon", cursor.at)
        cursor.at = colon.end()
    elif not after:
        raise cursor.halt("cut_off")
    elif ELEMENT.match(cursor.text, cursor.at):
        cursor.note("missing_colon", cursor.at)
    else:
        raise cursor.halt("syntax", "a colon is missing")


def _quoted_key(cursor: Cursor, depth: int) -> str:
    """A quoted key, also one that lost its closing quote."""
    text, start = cursor.text, cursor.at
    colon = text.find(":", start, start + _MAX_OPEN_KEY)
    name = text[start + 1 : colon].strip() if colon > 0 else ""
    if name.replace("_", "").replace(" ", "").isalnum() and text[colon - 1] != text[start]:
        cursor.note("missing_quote", start)
        cursor.contents.append((start + 1, colon))
        cursor.at = colon
        return name
    token = cursor.strings.read(start, "key", depth)
    if not token.closed or (token.repairs and "\n" in token.text):
        token = _short_key(cursor, token)
    if token.repairs and _is_doubtful(token, text[start]):
        raise cursor.halt("ambiguous")
    return cursor.accept(token)


def _is_doubtful(token: StringToken, quote: str) -> bool:
    """Whether quotes in a key are no pair inside of it but its own, written twice or lost."""
    count = token.text.count(quote)
    around = token.text[:1] == quote and token.text[-1:] == quote
    lost = count > 0 and LOST_QUOTE in token.repairs
    return around or lost or count % 2 == 1 or _KEY_INSIDE.search(token.text) is not None


def _short_key(cursor: Cursor, token: StringToken) -> StringToken:
    """A key up to its first closing quote on this line, its colon missing."""
    text, start = cursor.text, cursor.at
    end = text.find(text[start], start + 1)
    if end < 0 or "\n" in text[start:end]:
        raise cursor.halt("ambiguous" if token.closed else "cut_off")
    return StringToken(text[start + 1 : end], end + 1, inner=(start + 1, end))


def _bare_key(cursor: Cursor, char: str) -> str:
    """A key without quotes, or with the closing one only."""
    found = KEY.match(cursor.text, cursor.at)
    if found is None:
        raise no_key(cursor, char)
    name = found.group().rstrip().rstrip(":：=").rstrip()
    bare = name.rstrip("\"'”’")
    cursor.note("unquoted_key" if bare == name else "missing_quote", cursor.at)
    cursor.contents.append((cursor.at, cursor.at + len(bare)))
    cursor.at += len(name)
    return bare


def no_key(cursor: Cursor, char: str) -> Halt:
    """Why the parse ends at a character that begins no key."""
    text, at = cursor.text, cursor.at
    if ELLIPSIS.match(text, at):
        return cursor.halt("ellipsis")
    if text.startswith(("{{", "{%", "${"), at) or char == "<":
        return cursor.halt("template")
    return cursor.halt("syntax", f"unexpected {char!r}")
