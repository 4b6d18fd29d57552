"""JSON text as a list of tokens, so that damage strikes structure and never the content."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from bench.corpus.case import Rng

OPENERS: Final = ("{", "[")
CLOSERS: Final = ("}", "]")


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of JSON text.

    Attributes:
        kind: One of `{ } [ ] : ,`, "key", "string", "number", "literal" or "space".
        text: How it is written.
        value: The Python value of keys and scalars.
        inside: The container it stands in: "{", "[" or "" at the top.
    """

    kind: str
    text: str
    value: Any = None
    inside: str = ""


Tokens = tuple[Token, ...]
Mutator = Callable[[Tokens, Rng], Tokens]


@dataclass(frozen=True, slots=True)
class Style:
    """How JSON is laid out: `indent` 0 writes one line with `gap` after commas and colons."""

    indent: int = 2
    gap: str = " "


PRETTY: Final = Style()
WIDE: Final = Style(indent=4)
LINE: Final = Style(indent=0)
TIGHT: Final = Style(indent=0, gap="")
STYLES: Final = (PRETTY, PRETTY, WIDE, LINE, TIGHT)
LINED: Final = (PRETTY, WIDE)


def tokenize(value: Any, style: Style = PRETTY) -> Tokens:
    """The tokens of `value`, laid out in `style`."""
    return tuple(_walk(value, style, 0, ""))


def render(tokens: Sequence[Token]) -> str:
    """The text of `tokens`."""
    return "".join(token.text for token in tokens)


def text_of(value: Any, style: Style = PRETTY) -> str:
    """`value` as clean JSON in `style`."""
    return render(tokenize(value, style))


def dump(value: Any) -> str:
    """One scalar as JSON, other languages unescaped."""
    return json.dumps(value, ensure_ascii=False)


def _walk(value: Any, style: Style, depth: int, inside: str) -> Iterator[Token]:
    if isinstance(value, Mapping):
        yield from _container("{", list(value.items()), style, depth, inside)
    elif isinstance(value, list):
        yield from _container("[", [(None, item) for item in value], style, depth, inside)
    else:
        yield Token(_scalar_kind(value), dump(value), value, inside)


def _scalar_kind(value: Any) -> str:
    if isinstance(value, str):
        return "string"
    return "literal" if value is None or isinstance(value, bool) else "number"


def _container(
    opener: str, items: list[tuple[str | None, Any]], style: Style, depth: int, inside: str
) -> Iterator[Token]:
    yield Token(opener, opener, inside=inside)
    for position, (key, item) in enumerate(items):
        if position:
            yield Token(",", ",", inside=opener)
        yield _break(style, depth + 1, opener, first=position == 0)
        if key is not None:
            yield Token("key", dump(key), key, opener)
            yield Token(":", ":", inside=opener)
            yield Token("space", style.gap, inside=opener)
        yield from _walk(item, style, depth + 1, opener)
    if items:
        yield _break(style, depth, opener, first=True)
    closer = CLOSERS[OPENERS.index(opener)]
    yield Token(closer, closer, inside=inside)


def _break(style: Style, depth: int, inside: str, *, first: bool) -> Token:
    if style.indent:
        return Token("space", "\n" + " " * (style.indent * depth), inside=inside)
    return Token("space", "" if first else style.gap, inside=inside)


def places(tokens: Tokens, wanted: Callable[[Token], bool]) -> list[int]:
    """Positions of the tokens that `wanted` picks."""
    return [position for position, token in enumerate(tokens) if wanted(token)]


def rewrite(tokens: Tokens, texts: Mapping[int, str]) -> Tokens:
    """`tokens` with other text at some positions; an empty text drops the token."""
    return tuple(
        replace(token, text=texts[position]) if position in texts else token
        for position, token in enumerate(tokens)
    )


def some(rng: Rng, positions: Sequence[int], most: int = 3) -> list[int]:
    """One to `most` of `positions`, in order; empty only when there are none."""
    if not positions:
        return []
    return sorted(rng.sample(list(positions), min(len(positions), rng.randint(1, most))))


def solid_before(tokens: Tokens, position: int) -> Token | None:
    """The token before `position` that is not blank."""
    for token in reversed(tokens[:position]):
        if token.kind != "space" and token.text:
            return token
    return None


def solid_after(tokens: Tokens, position: int) -> Token | None:
    """The token after `position` that is not blank."""
    for token in tokens[position + 1 :]:
        if token.kind != "space" and token.text:
            return token
    return None
