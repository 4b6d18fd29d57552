"""The same request with less in it, for a model that withheld its reply.

The rule: of the messages that asked, the blocks of story context that the answer can do without
(`OPTIONAL_BLOCKS`) are left out, and a sentence from `prompts/simplified.txt` is added to the
instructions. Instructions, wanted length, schema and all other blocks stay. Turns that the model
left empty go, with the feedback on them. It is a pure function of the request, so a run that is
resumed simplifies in the same way and finds what it paid for.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from libriscribe2.llm.backend import Message, Request
from libriscribe2.prompts.loader import load_text

OPTIONAL_BLOCKS: Final = (
    *("story_so_far", "ahead", "passages", "habits", "text_before", "text_after", "next"),
    *("outline", "world", "places"),
)
"""Names of `<name>...</name>` blocks of a prompt that hold context and not the task."""


def simplified(request: Request) -> Request:
    """The request with less context and the sentence about the filter; twice is as once."""
    return replace(request, messages=_simplified(request.messages))


def is_simplified(messages: Iterable[Message]) -> bool:
    """Whether a conversation carries the sentence already."""
    sentence = _sentence()
    return any(turn.get("role") == "system" and sentence in _text_of(turn) for turn in messages)


def _simplified(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The conversation by the rule; it keeps its order."""
    kept = [_shortened(turn) for turn in _without_empty_turns(messages)]
    if is_simplified(kept):
        return tuple(kept)
    sentence = _sentence()
    if kept and kept[0].get("role") == "system":
        kept[0] = {**kept[0], "content": f"{kept[0]['content']}\n\n{sentence}"}
    else:
        kept.insert(0, {"role": "system", "content": sentence})
    return tuple(kept)


def _shortened(turn: Message) -> dict[str, Any]:
    """A turn of ours without its optional blocks; the model's own turns stay as they are."""
    content = turn.get("content")
    if turn.get("role") != "user" or not isinstance(content, str):
        return dict(turn)
    for name in OPTIONAL_BLOCKS:
        content = _without_block(content, name)
    return {**turn, "content": content}


def _without_block(text: str, name: str) -> str:
    """The text without the blocks of a name, whose tags stand at the beginnings of lines."""
    opening, closing = f"<{name}>\n", f"\n</{name}>"
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start + len(opening) - 1)
        if end >= 0 and (start == 0 or text[start - 1] == "\n"):
            text = text[:start] + text[end + len(closing) :].lstrip("\n")
        else:
            start += 1
        start = text.find(opening, start)
    return text


def _without_empty_turns(messages: tuple[Message, ...]) -> list[Mapping[str, Any]]:
    """The conversation without the model's empty turns and what was said about each."""
    kept: list[Mapping[str, Any]] = []
    silent = False
    for turn in messages:
        empty = turn.get("role") == "assistant" and not (turn.get("tool_calls") or _text_of(turn))
        if not empty and not silent:
            kept.append(turn)
        silent = empty
    return kept


def _sentence() -> str:
    """What is added to the instructions."""
    return load_text("simplified.txt").strip()


def _text_of(turn: Message) -> str:
    """The text of a turn, without white space around it."""
    return str(turn.get("content") or "").strip()
