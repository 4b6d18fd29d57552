"""The first step: what surrounds a reply and is not its content.

Byte-order marks and zero-width characters at the edges go; reasoning blocks move out. Nothing
inside a JSON value is touched, so a story that quotes `<think>` keeps it.
"""

import re
from dataclasses import dataclass
from typing import Final

from libriscribe2.utils.strict_json import strict_parse

# Zero-width spaces and joiners, direction marks, word joiner, byte-order mark (the last).
ZERO_WIDTH: Final = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_EDGE: Final = f" \t\r\n\f\v\u00a0\u3000{ZERO_WIDTH}"
_NAMES: Final = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis"
_REASONING_TAG: Final = re.compile(
    rf"""
    <(?P<close>/?)(?:seed:)?(?P<name>{_NAMES})(?:\s[^<>]{{0,200}})?>
    | ◁(?P<far>/?)think▷
    | \[(?P<square>/?)think\]
    | <\|(?:begin|start|(?P<end>end))_(?:of_)?(?:thought|thinking)\|>
    | <\|inner_(?:prefix|(?P<suffix>suffix))\|>
    """,
    re.IGNORECASE | re.VERBOSE,
)
_HARMONY_FINAL: Final = re.compile(r"<\|channel\|>\s*final\b[^<]{0,80}<\|message\|>")
_HARMONY_ANY: Final = re.compile(r"<\|channel\|>\s*\w++[^<]{0,80}<\|message\|>")
_VALUE_START: Final = re.compile(
    r"""\{[\s,>\u200b-\u200f\u2060\ufeff]*(?:["'“‘`}/#\\]|\w+["']?\s*:)|\[\s*[\["'“{\]\d-]"""
)
_MARGIN: Final = 200


@dataclass(frozen=True, slots=True)
class Normalised:
    """A reply without its surroundings.

    Attributes:
        text: What is left to read.
        reasoning: The reasoning that was moved out, joined by newlines.
        labels: What was found: "byte_order_mark", "zero_width_characters", "reasoning_block".
        unclosed_reasoning: A reasoning block that never ends: there is no answer behind it.
    """

    text: str
    reasoning: str = ""
    labels: tuple[str, ...] = ()
    unclosed_reasoning: bool = False


def normalise(reply: str) -> Normalised:
    """Strip the edges and move reasoning blocks out."""
    text = reply.strip(_EDGE)
    labels = _edge_labels(reply, text)
    if "<" not in text and "◁" not in text and "THINK]" not in text:
        return Normalised(text, "", labels)
    text, channel = _final_channel(text)
    parts = _split_reasoning(text)
    if channel or parts.reasoning or parts.unclosed:
        labels = (*labels, "reasoning_block")
    return Normalised(
        parts.answer.strip(_EDGE),
        "\n".join(filter(None, [channel, parts.reasoning])),
        labels,
        parts.unclosed,
    )


def _edge_labels(reply: str, text: str) -> tuple[str, ...]:
    if len(reply) == len(text) or reply.isascii():
        return ()
    start = reply.find(text)
    edges = reply[:start] + reply[start + len(text) :]
    found = []
    if "\ufeff" in edges:
        found.append("byte_order_mark")
    if any(mark in edges for mark in ZERO_WIDTH[:-1]):
        found.append("zero_width_characters")
    return tuple(found)


def _final_channel(text: str) -> tuple[str, str]:
    """The text of the last `final` channel of a harmony reply, and what stood before it."""
    if not text.startswith("<|") or _HARMONY_ANY.search(text) is None:
        return text, ""
    finals = list(_HARMONY_FINAL.finditer(text))
    if not finals:
        return text, ""
    return text[finals[-1].end() :], text[: finals[-1].start()]


@dataclass(slots=True)
class _Split:
    answer: str
    reasoning: str = ""
    unclosed: bool = False


def _split_reasoning(text: str) -> _Split:
    """Move every reasoning block that stands outside JSON values out of the text."""
    kept: list[str] = []
    moved: list[str] = []
    values = _Values(text)
    position = kept_from = 0
    while (tag := _REASONING_TAG.search(text, position)) is not None:
        inside_until = values.around(kept_from, tag.start())
        if inside_until:
            position = inside_until
            continue
        if _is_closing(tag):
            # An orphan: the template opened the block, so all of it up to here is reasoning.
            moved += [*kept, text[kept_from : tag.start()]]
            kept.clear()
            position = kept_from = tag.end()
            continue
        kept.append(text[kept_from : tag.start()])
        block_end = _block_end(text, tag)
        if block_end is None:
            moved.append(text[tag.end() :])
            return _Split("".join(kept), "\n".join(moved), unclosed=True)
        moved.append(text[tag.end() : block_end[0]])
        position = kept_from = block_end[1]
    kept.append(text[kept_from:])
    return _Split("".join(kept), "\n".join(moved))


def _is_closing(tag: re.Match[str]) -> bool:
    return any(tag[group] for group in ("close", "far", "square", "end", "suffix"))


def _block_end(text: str, opening: re.Match[str]) -> tuple[int, int] | None:
    """Start and end of the closing tag that matches, nested blocks counted."""
    depth = 1
    name = (opening["name"] or "").lower()
    for tag in _REASONING_TAG.finditer(text, opening.end()):
        if (tag["name"] or "").lower() != name:
            continue
        depth += -1 if _is_closing(tag) else 1
        if depth == 0:
            return tag.start(), tag.end()
    return None


class _Values:
    """The JSON values of a text, walked over once from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._passed = 0
        self._ends: dict[int, int] = {}

    def around(self, start: int, position: int) -> int:
        """Where the JSON value ends that begins after `start` and holds `position`, or 0.

        A damaged value has no certain end: a tag in the middle of one of its lines is its content.
        """
        start = max(start, self._passed)
        while (opening := _VALUE_START.search(self._text, start, position)) is not None:
            self._passed = opening.start()
            end = self._end(opening.start())
            if end > position:
                return end
            if end < 0:
                return self._line_around(position)
            self._passed = start = end
        return 0

    def _end(self, start: int) -> int:
        """Where the value that begins here ends, -1 if it is damaged; each is read once."""
        if start not in self._ends:
            self._ends[start] = strict_parse(self._text, start).end
        return self._ends[start]

    def _line_around(self, position: int) -> int:
        """Behind the place if text stands before it on its line, else 0."""
        near = max(0, position - _MARGIN)
        line = max(near, self._text.rfind("\n", near, position))
        return 0 if not self._text[line:position].strip() else position + 1
