"""Prose replies: the text is the value, and nothing inside it is touched."""

from collections.abc import Callable
from typing import Final

from libriscribe2.parsing.contract import EMPTY_REPLY, ParserResult, failure, has_text, success
from libriscribe2.utils.fences import unwrap_whole_fence

_EDGE: Final = " \t\r\n\ufeff\u200b\u2060"  # not U+3000: it indents Chinese and Japanese prose
_REASONING: Final = ("think", "thinking", "reasoning")
_LONGEST_TAG: Final = 12


def prose_parser(min_words: int = 1) -> Callable[[str], ParserResult]:
    """A parser for chapters, scenes and other prose.

    Args:
        min_words: The least number of words of a usable text, counted at white space.

    Returns:
        A parser whose `data` is the text. A leading reasoning block and a fence around the whole
        reply are taken off; fences, italics and all other marks inside stay byte for byte.
    """

    def parse(raw_reply: str) -> ParserResult:
        text = plain_reply(raw_reply) if has_text(raw_reply) else ""
        if not text:
            return failure(EMPTY_REPLY)
        words = len(text.split())
        if words < min_words:
            return failure(
                f"The text has {words} words; at least {min_words} are wanted. "
                "Please write the whole text again, at the wanted length."
            )
        return success(text)

    return parse


def plain_reply(raw_reply: str) -> str:
    """The answer of a reply: without leading reasoning, without a fence around all of it, stripped.

    A reply whose reasoning never ends has no answer; "" is returned for it.
    """
    return unwrap_whole_fence(split_leading_reasoning(raw_reply)[1].strip(_EDGE)).strip(_EDGE)


def split_leading_reasoning(text: str) -> tuple[str | None, str]:
    """The reasoning block at the start of a text, or None, and the text behind it.

    The template may hold the opening tag, so a closing one alone ends a block too. Tags further
    inside belong to the text: a novel may well think aloud.
    """
    start = text.lstrip(_EDGE)
    lowered = start[:_LONGEST_TAG].casefold()
    for name in _REASONING:
        before, closing, answer = start.partition(f"</{name}>")
        opened = lowered.startswith(f"<{name}>")
        if opened and not closing:
            return before[len(name) + 2 :], ""
        if opened or (closing and f"<{name}>" not in before):
            return before[len(name) + 2 if opened else 0 :].strip(), answer
    return None, text
