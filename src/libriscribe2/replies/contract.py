"""The parser contract, and the parser for prose: fences unwrapped, reasoning split off.

A parser takes a raw reply and returns data, or feedback for the model.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Required, TypedDict, TypeGuard, cast

from pydantic import BaseModel

from libriscribe2.prose import SPACE, count_words
from libriscribe2.replies.outcome import ExtractionReport

FENCE_OPENER: Final = r"`{3,}|(?m:^)[ \t]*~{3,}"
_OPENING: Final = re.compile(r"[ \t]*+(?P<marks>`{3,}+|~{3,}+)[ \t]*+(?P<info>[^\n`]*+)(?:\n|\Z)")
_PROSE: Final = frozenset({"markdown", "md", "text", "txt", "plaintext", "prose"})
_LONGEST_SPAN: Final = 4_000
_TICKS: Final = re.compile(r"`+")


@dataclass(frozen=True, slots=True)
class Fence:
    """One fenced block; all places are indexes of the text.

    Attributes:
        start: Where the opening marks begin.
        body_start: Where the code begins.
        body_end: Where the code ends, without white space.
        end: Where the closing marks end; the end of the text when nothing closes the block.
        language: The first word behind the opening marks, in lower case.
    """

    start: int
    body_start: int
    body_end: int
    end: int
    language: str


def fence_at(text: str, start: int, code_until: int = 0) -> Fence | None:
    """The fenced block whose opening marks stand at `start`.

    Args:
        text: Any text.
        start: Where the marks (or the blanks before them) stand.
        code_until: A place up to which the block is known to hold code, such as the end of a JSON
            value; marks before it close nothing.

    Returns:
        The block, or None if the marks open none.
    """
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    mark, most = opening["marks"][0], len(opening["marks"])
    code = max(opening.end(), code_until)
    closers = re.compile(rf"(?m)(?<!{mark}){mark}{{{most},}}+[ \t\r]*+$")
    closing = closers.search(text, code)
    last, end = closing.span() if closing else (len(text), len(text))
    language = (opening["info"].split() or [""])[0].lower()
    body_end = code + len(text[code:last].rstrip())
    return Fence(opening.start(), opening.end(), body_end, end, language)


def code_span_end(text: str, start: int) -> int:
    """The end of the code span whose ticks begin at `start`; the end of the ticks if none closes.

    A span never crosses an empty line and holds at most 4,000 characters.
    """
    ticks = _TICKS.match(text, start)
    if ticks is None:
        return start
    paragraph = text[ticks.end() : ticks.end() + _LONGEST_SPAN].partition("\n\n")[0]
    closing = re.search(rf"(?<!`)`{{{len(ticks[0])}}}(?!`)", paragraph)
    return ticks.end() + (closing.end() if closing else 0)


def unwrap_whole_fence(text: str) -> str:
    """The text inside the fence if one fence is around all of it, else the text as it is.

    Only white space may stand outside. Fences of the same length may stand inside when they close
    each other; without a language they do so only in a fence of prose (`markdown`, `text`), since
    two plain blocks one after the other look the same.
    """
    stripped = text.strip()
    opening = _OPENING.match(stripped)
    if opening is None:
        return text
    marks = opening["marks"]
    last_line_start = stripped.rfind("\n") + 1
    last_line = stripped[last_line_start:].strip()
    if last_line_start < opening.end() or last_line.strip(marks[0]) or len(last_line) < len(marks):
        return text
    inner = stripped[opening.end() : last_line_start].removesuffix("\n")
    holds_prose = opening["info"].strip().lower() in _PROSE
    return inner if _is_balanced(inner, marks, holds_prose=holds_prose) else text


def _is_balanced(inner: str, marks: str, *, holds_prose: bool) -> bool:
    """Whether the fences inside close each other, so that the outer marks belong together."""
    opened = False
    for line in inner.split("\n"):
        plain = line.strip()
        if not plain.startswith(marks):
            continue
        is_bare = not plain.strip(marks[0])
        if not opened and is_bare and not holds_prose:
            return False
        if not opened or is_bare:
            opened = not opened
    return not opened


EMPTY_REPLY: Final = "Empty response. Please provide output."
DEFAULT_FEEDBACK: Final = (
    "Your reply could not be used. Please check the requested format and reply again in full."
)


class ParserResult(TypedDict, total=False):
    """One parser's answer about one reply.

    Attributes:
        status: "success" or "error".
        data: The parsed value; may be falsy (an empty list is a value).
        sections: Header to text, in the order that was asked for.
        feedback: What to tell the model; present whenever `status` is "error".
        report: How the value was found and repaired, for the debug dump.
    """

    status: Required[Literal["success", "error"]]
    data: Any
    sections: dict[str, str]
    feedback: str
    report: ExtractionReport


Parser = Callable[..., ParserResult]


def has_text(reply: object) -> TypeGuard[str]:
    """Whether a reply is a string with something else than white space in it."""
    return isinstance(reply, str) and bool(reply.strip())


def success(data: object) -> ParserResult:
    """A success that carries one value."""
    return {"status": "success", "data": data}


def failure(feedback: str) -> ParserResult:
    """An error that tells the model what was wrong and what is wanted."""
    return {"status": "error", "feedback": feedback}


def check_result(result: object) -> ParserResult:
    """Hold a parser's answer against the contract.

    The alias `content` is accepted for `data`. An error without feedback is completed with a
    default sentence, because a conversation turn without text is refused by providers.

    Args:
        result: Whatever a parser returned.

    Returns:
        The same answer, complete.

    Raises:
        TypeError: The answer breaks the contract; asking the model again would not mend that.
    """
    if not isinstance(result, Mapping):
        raise TypeError(f"a parser must return a dict, this one returned {result!r:.200}")
    answer = dict(result)
    status = answer.get("status")
    if status == "error":
        if not has_text(answer.get("feedback")):
            answer["feedback"] = DEFAULT_FEEDBACK
    elif status != "success":
        raise TypeError(f'a parser\'s status must be "success" or "error", not {status!r:.200}')
    elif "data" not in answer and "sections" not in answer:
        if "content" not in answer:
            raise TypeError("a parser's success must carry `data` or `sections`")
        answer["data"] = answer.pop("content")
    return cast("ParserResult", answer)


def payload(result: ParserResult) -> Any:
    """The value of a success: `data` whenever the key is there, even if falsy, else `sections`."""
    return result["data"] if "data" in result else result["sections"]


_EDGE: Final = f"{SPACE}\ufeff\u200b\u2060"
_REASONING: Final = ("think", "thinking", "reasoning")


FENCE_LINE: Final = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_MOST_OUTSIDE: Final = 40
_MUCH_MORE: Final = 5
"""A text that is nearly all in one fence has at most so many words outside, a fifth of those inside."""


def prose_parser(min_words: int = 1) -> Callable[[str], ParserResult]:
    """A parser for chapters, scenes and other prose.

    Args:
        min_words: The least number of words of a usable text, as `count_words` has them.

    Returns:
        A parser whose `data` is the text. A leading reasoning block and a fence around the whole
        reply, or around all but a line or two, are taken off; fences, italics and all other marks
        inside stay byte for byte.
    """

    def parse(raw_reply: str) -> ParserResult:
        text = _fenced_prose(plain_reply(raw_reply)) if has_text(raw_reply) else ""
        if not text:
            return failure(EMPTY_REPLY)
        words = count_words(text)
        if words < min_words:
            return failure(
                f"The text has {words} words; at least {min_words} are wanted. "
                "Please write the whole text again, at the wanted length."
            )
        return success(text)

    return parse


def _fenced_prose(text: str) -> str:
    """What stands in the only fence of a text, where next to nothing stands outside it."""
    before, inside, behind = only_fence(text) or ("", text, "")
    outside, inside = count_words(f"{before} {behind}"), inside.strip(_EDGE)
    is_all = outside <= _MOST_OUTSIDE and count_words(inside) >= _MUCH_MORE * outside
    return inside if inside and is_all else text


def only_fence(text: str) -> tuple[str, str, str] | None:
    """The text before, in and behind the one fence of a text; None if it has several or half one.

    Without a fence all of it counts as inside.
    """
    lines = list(FENCE_LINE.finditer(text))
    if len(lines) != 2:
        return None if lines else ("", text, "")
    first, last = lines
    return text[: first.start()], text[first.end() : last.start()], text[last.end() :]


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
    for name in _REASONING:
        before, closing, answer = start.partition(f"</{name}>")
        opened = start[: len(name) + 2].casefold() == f"<{name}>"
        if opened and not closing:
            return before[len(name) + 2 :], ""
        if opened or (closing and f"<{name}>" not in before):
            return before[len(name) + 2 if opened else 0 :].strip(), answer
    return None, text


def plain_value(result: ParserResult) -> Any:
    """What a parser read, as plain JSON; None where it refused the reply."""
    if result["status"] != "success":
        return None
    data = payload(result)
    return data.model_dump(mode="json") if isinstance(data, BaseModel) else data
