"""Texts and lists as blocks of a prompt."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from libriscribe2.packs.part import Rendered
from libriscribe2.prose import shorten, weigh


def block(name: str, body: str, *, remark: str = "") -> str:
    """A block after a blank line; nothing where there is nothing to show.

    Args:
        name: The block's tag.
        body: What it holds.
        remark: What the model is told of it, on its first line.
    """
    if not body:
        return ""
    told = f"{remark}\n{body}" if remark else body
    return f"\n\n<{name}>\n{told}\n</{name}>"


def frame(name: str, *, remark: str = "") -> int:
    """What a block takes besides its body."""
    return weigh(block(name, ".", remark=remark)) - 1


def text_block(name: str, text: str, budget: int, *, remark: str = "") -> Rendered:
    """The beginning of a text as a block within a budget."""
    room = budget - frame(name, remark=remark)
    shown = shorten(text, room) if room > 0 else ""
    return Rendered(block(name, shown, remark=remark), cut=shown != text)


def lines_within(lines: Iterable[str], budget: int) -> list[str]:
    """The first lines that fit a budget, joined by line breaks; no more are asked for."""
    kept: list[str] = []
    for line in lines:
        budget -= weigh(line) + 1
        if budget < 0:
            break
        kept.append(line)
    return kept


def lines_block(name: str, lines: Sequence[str], budget: int, *, remark: str = "") -> Rendered:
    """The first lines that fit, as a block."""
    kept = lines_within(lines, budget - frame(name, remark=remark))
    return Rendered(block(name, "\n".join(kept), remark=remark), cut=len(kept) < len(lines))


def fields_within(fields: Mapping[str, Any], budget: int) -> tuple[str, bool]:
    """Fields as JSON within a budget, and whether any had to go.

    Args:
        fields: The most important first; the last ones go first, then the end of a text.
        budget: Most that the JSON takes; within less than a few characters it is empty.
    """
    names = list(fields)
    for shown in range(len(names), 0, -1):
        text = json.dumps({name: fields[name] for name in names[:shown]}, ensure_ascii=False)
        if weigh(text) <= budget:
            return text, shown < len(names)
    return "", bool(names)
