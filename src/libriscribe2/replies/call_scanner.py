"""One pass over a reply: every opener in order, each read by its notation."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from libriscribe2.replies.call_objects import (
    BESIDE_TEXT,
    CUT_OFF,
    LIST_KEYS,
    json_at,
    marked_call,
    read_arguments,
)
from libriscribe2.replies.call_source import (
    TAG_START,
    VERDICT,
    Found,
    ReadCall,
    Source,
    ToolFormat,
    after_space,
    is_shown,
    is_taken_back,
)
from libriscribe2.replies.contract import FENCE_OPENER, Fence, code_span_end, fence_at
from libriscribe2.replies.normalise import (
    ASIDE_NAME,
    REASONING_CLOSER,
    REASONING_OPENER,
    begins_line,
)
from libriscribe2.replies.notations.lines import read_python_calls
from libriscribe2.replies.remarks import asks

ASIDE_OPENER: Final = rf"(?i:<{ASIDE_NAME}\s*>|<!--|\[TOOL_RESULTS\])"
_RESULT: Final = re.compile(
    r"(?i:<(?:tool_results?|(?:tool|function)_response|function_results?)\s*>)|\[TOOL_RESULTS\]"
)
_TOOLS_END: Final = re.compile(r"\s*</tools>", re.IGNORECASE)
_REASONING_END: Final = re.compile(REASONING_CLOSER)
_COMMENT_END: Final = re.compile("-->")
_CALL_OPENED: Final = re.compile("<tool_call")
_CALL_CLOSED: Final = re.compile("</tool_call")
_EMPTY_LINE: Final = re.compile(r"\n\n")
_ASIDE_END: Final = re.compile(rf"</{ASIDE_NAME}\s*>", re.IGNORECASE)


def block_end(source: Source, start: int, body: int, closer: re.Pattern[str]) -> int:
    """Where reasoning, a made-up result, a list of tools or an example ends.

    A tag that begins a line and is never closed is cut off and reaches to the end of the text; any
    other unclosed one is only mentioned, and `body` is returned.
    """
    closing = source.search(closer, body)
    if closing is not None:
        return closing.end()
    return len(source.text) if begins_line(source.text, start) else body


def call_among_tools(source: Source, start: int, body: int) -> Found | None:
    """The call between the tags that declare the tools, where Qwen2.5-Coder writes it.

    Only a whole object of a name and arguments, with nothing beside it, is a call there.
    """
    if not source.text.startswith("<tools", start):
        return None
    value, place = json_at(source, after_space(source.text, body), repair=False)
    end = _TOOLS_END.match(source.text, place) if isinstance(value, dict) else None
    call = marked_call(value) if end and value.keys() == {"name", "arguments"} else None
    return Found(end.end(), (call,)) if end and call and call.name in source.tools else None


def _comment_end(source: Source, start: int, body: int) -> int:
    """Where an HTML comment ends; `body` where `<!--` only stands in prose or is never closed.

    A comment within a line ends in its paragraph, and none ends inside a call: the `-->` of an
    argument closes nothing.
    """
    closing = source.search(_COMMENT_END, body)
    if closing is None:
        return body
    opened = source.search(_CALL_OPENED, body)
    closed = source.search(_CALL_CLOSED, opened.end()) if opened else None
    if (
        opened
        and opened.start() < closing.start()
        and not (closed and closed.end() < closing.end())
    ):
        return body
    empty_line = source.search(_EMPTY_LINE, body)
    in_paragraph = empty_line is None or empty_line.end() > closing.start()
    return closing.end() if in_paragraph or begins_line(source.text, start) else body


_BEGINS: Final = (TAG_START, r"[`{\[◁]", "(?m:^)")
"""What fences, reasoning, asides and JSON values begin with."""

_JSON_OPENER: Final = r"""\{(?=\s*["'“}])|\{(?=\s*\w+\s*:)|\[(?=\s*[\[{"\]])"""
_CALL_WORDS: Final = ("name", "tool", "function", "action", "needsMoreWork", "needs_more_work")
_RESTART: Final = re.compile(r"\n[ \t]*\r?\n(?=[{\[<`])")
_DATA: Final = r"(?:json[c5]?|javascript|typescript|[jt]s)?"
_ACTION: Final = rf"(?:{_DATA}|invoke|(?:tool|function)[_-]?(?:calls?|code|use)?)"
_PLAIN: Final = ("xml", "text", "plaintext", "txt")
_PYTHON: Final = ("python", "py")
_PYTHON_CALL: Final = re.compile(
    r"\s*+(?:\#[^\n]*+\n\s*+)*+(?:\w++\s*+=\s*+)?(?:\[\s*+)?[A-Za-z_][\w.]*+\("
)
_NAMED_FENCE: Final = re.compile(r"[`~]{3,}[ \t]*tool[ \t]+([\w.\-]+)[ \t]*\r?\n\s*(?=\{)")
_STOPS: Final = (".", "!", "。", "！", "।")
_BETWEEN: Final = re.compile(r"[\s,;]*+(?:(?:\d{1,3}[.)]|-)\s*+)?")
_MAX_OPENERS: Final = 30_000
_TOO_MANY: Final = "The reply has too many marks; its end was not read."


@dataclass(slots=True)
class Reading:
    """What a reply holds.

    Attributes:
        calls: Calls in tags, tokens and other marks, in order.
        parts: JSON values in the open or in fences, in order, with their spans.
        removed: Spans of calls and control tokens: no text for the user.
        reasoning: Spans of reasoning: no text for the user either.
        said: Texts of marked messages for the user, with the place where they stand.
        issues: What was wrong with calls that are not in `calls`.
    """

    calls: list[ReadCall] = field(default_factory=list)
    parts: list[tuple[Any, tuple[int, int]]] = field(default_factory=list)
    removed: list[tuple[int, int]] = field(default_factory=list)
    reasoning: list[tuple[int, int]] = field(default_factory=list)
    said: list[tuple[int, str]] = field(default_factory=list)
    issues: list[str] = field(default_factory=list)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """How many calls, values, removed spans and said texts there are."""
        return len(self.calls), len(self.parts), len(self.removed), len(self.said)

    def forget(self, counts: tuple[int, int, int, int]) -> None:
        """Leave what is behind the first so many to the text of the reply."""
        del self.calls[counts[0] :], self.parts[counts[1] :]
        del self.removed[counts[2] :], self.said[counts[3] :]


def scan_reply(source: Source, formats: Sequence[ToolFormat], depth: int = 0) -> Reading:
    """Read a reply once.

    Args:
        source: The reply and the schemas.
        formats: The tool formats, most specific first; where two openers match, the first wins.
        depth: How many fences are around the text already.

    Returns:
        Everything that was found, in the order of the text.
    """
    return _Scan(source, tuple(formats), depth).run()


def _openers(formats: tuple[ToolFormat, ...]) -> re.Pattern[str]:
    named = [f"(?P<format{index}>{item.opener})" for index, item in enumerate(formats)]
    kinds = [
        f"(?P<fence>{FENCE_OPENER})",
        "(?P<code>`+)",
        f"(?P<reasoning>{REASONING_OPENER})",
        f"(?P<reasoned>{REASONING_CLOSER})",
        f"(?P<aside>{ASIDE_OPENER})",
        *named,
        f"(?P<json>{_JSON_OPENER})",
    ]
    # Without the look at the first character most of the time goes into trying thirty patterns.
    begins = dict.fromkeys((*_BEGINS, *(one.begins for one in formats)))
    return re.compile(f"(?={'|'.join(begins)})(?:{'|'.join(kinds)})")


class _Scan:
    """The state of one pass."""

    def __init__(self, source: Source, formats: tuple[ToolFormat, ...], depth: int) -> None:
        self.source = source
        self.text = source.text
        self.formats = formats
        self.depth = depth
        self.reading = Reading()
        self.chain_end = -1
        self.chain_start = (0, 0, 0, 0)
        self.chain_begins = 0
        self.chain_is_marked = False
        self.chain_is_shown = False

    def run(self) -> Reading:
        """Step from opener to opener; a reply with absurdly many is read no further."""
        openers = _openers(self.formats)
        place = 0
        for _ in range(_MAX_OPENERS):
            opener = openers.search(self.text, place)
            if opener is None:
                break
            place = max(self._step(opener), opener.start() + 1)
        else:
            self.reading.issues.append(_TOO_MANY)
        self._end_chain(len(self.text))
        return self.reading

    def _step(self, opener: re.Match[str]) -> int:
        """Read what stands at one opener; returns where to go on."""
        kind = opener.lastgroup or ""
        if kind.startswith("format"):
            return self._marked(self.formats[int(kind.removeprefix("format"))], opener)
        if kind == "json":
            return self._data(opener.start())
        if kind == "fence":
            return self._fence(opener)
        if kind == "code":
            return code_span_end(self.text, opener.start())
        if kind == "aside":
            return self._aside(opener)
        if kind == "reasoned":
            # The template opened the block: everything so far was reasoning.
            self.reading = Reading(reasoning=[(0, opener.end())])
            self.chain_end = -1
            return opener.end()
        end = block_end(self.source, opener.start(), opener.end(), _REASONING_END)
        self.reading.reasoning += [(opener.start(), end)] if end > opener.end() else []
        return end

    def _aside(self, opener: re.Match[str]) -> int:
        if _RESULT.match(self.text, opener.start()) and self._is_answered(opener.start()):
            return len(self.text)
        call = call_among_tools(self.source, opener.start(), opener.end())
        if call is None or self._is_shown(opener.start(), call.end, marked=True):
            if opener[0] == "<!--":
                return _comment_end(self.source, opener.start(), opener.end())
            return block_end(self.source, opener.start(), opener.end(), _ASIDE_END)
        self._take(opener.start(), call)
        return call.end

    def _is_answered(self, start: int) -> bool:
        """Whether calls right before a made-up result are meant: then nothing behind it is read.

        Below a colon both are shown.
        """
        calls_made = self.reading.counts[:2] != self.chain_start[:2]
        if self.chain_end < 0 or not calls_made or self.text[self.chain_end : start].strip():
            return False
        if self.text[: self.chain_begins].rstrip().endswith((":", "：")):
            self.reading.forget(self.chain_start)
            self.reading.issues.append(BESIDE_TEXT)
        else:
            self.reading.removed.append((start, len(self.text)))
        self.chain_end = -1
        return True

    def _is_shown(self, start: int, end: int, *, marked: bool = False) -> bool:
        """Whether a region is only shown; regions that follow each other share the verdict.

        Of absurdly many, those that are not judged count as shown.
        """
        if self.chain_end < 0 or not _BETWEEN.fullmatch(self.text, self.chain_end, start):
            self._end_chain(start)
            judged = self.source.spend(VERDICT)
            self.chain_is_shown = not judged or is_shown(self.text, start, end, marked=marked)
            self.reading.issues += [] if judged else [_TOO_MANY]
            self.chain_start, self.chain_begins = self.reading.counts, start
            self.chain_is_marked = marked
        self.chain_end = end
        return self.chain_is_shown

    def _end_chain(self, until: int) -> None:
        """Forget the calls of a row that the text behind it, up to the next one, takes back.

        What is said behind the last row, even one that is only shown, is said of all.
        """
        is_last = until == len(self.text)
        holds_calls = self.reading.counts[:2] != self.chain_start[:2]
        if self.chain_end < 0 or not (holds_calls or (is_last and self.chain_is_shown)):
            return
        place = self.chain_begins, self.chain_end, until
        if is_taken_back(self.text, *place, marked=self.chain_is_marked):
            self.reading.forget((0, 0, 0, 0) if is_last else self.chain_start)
            self.reading.issues.append(BESIDE_TEXT)

    def _marked(self, tool_format: ToolFormat, opener: re.Match[str]) -> int:
        found = tool_format.read(self.source, opener.start(), opener.end())
        if found is None:
            return opener.end()
        if not self._is_shown(opener.start(), found.end, marked=True):
            self._take(opener.start(), found)
        return found.end

    def _take(self, start: int, found: Found) -> None:
        self.reading.calls += found.calls
        if found.issue:
            self.reading.issues.append(found.issue)
        if found.text and self.reading.calls and asks(found.text):
            self.reading.forget((0, 0, 0, 0))
            self.reading.issues.append(BESIDE_TEXT)
        if found.text:
            self.reading.said.append((start, found.text))
        if found.calls or not found.issue:
            self.reading.removed.append((start, found.end))

    def _data(self, start: int) -> int:
        """A JSON value in the open. Nothing inside a damaged one is ever looked at."""
        value, end = json_at(self.source, start, repair=False)
        if end < 0:
            return self._unclosed(start)
        if self.text[start - 1 : start] == "=":  # an argument of Python
            return end
        words = (*_CALL_WORDS, *self.source.tools)
        if not any(self.text.find(word, start, end) >= 0 for word in words):
            return end
        if value is None:
            value, _ = json_at(self.source, start)
        marked = isinstance(value, dict) and not value.keys().isdisjoint(LIST_KEYS)
        if value is not None and not self._is_shown(start, end, marked=marked):
            self.reading.parts.append((value, (start, end)))
        return end

    def _unclosed(self, start: int) -> int:
        """A value that never ends: cut off, or a stray bracket in prose."""
        if self.text[start + 1 : start + 2].isalnum():
            return start + 1
        restart = self.source.search(_RESTART, start)
        end = restart.end() if restart is not None else len(self.text)
        if any(self.text.find(f'"{word}', start, end) >= 0 for word in _CALL_WORDS):
            self.reading.issues.append(CUT_OFF)
        return end

    def _fence(self, opener: re.Match[str]) -> int:
        """A code block: its calls are meant if its language and the prose around allow it."""
        fence = self._whole_fence(opener.start())
        if fence is None:
            return code_span_end(self.text, opener.start())
        marked = re.fullmatch(_DATA, fence.language) is None and fence.language not in _PLAIN
        inner = self._inside(fence) if self._fence_may_act(fence) else Reading()
        if not (inner.calls or inner.parts or inner.issues):
            return fence.end  # it shows a result, for one, and is part of what is said
        span = fence.start, fence.end
        if not self._is_shown(*span, marked=marked):
            self.reading.calls += inner.calls
            self.reading.issues += inner.issues
            self.reading.removed += [span] if inner.calls else []
            self.reading.parts += [(value, span) for value, _ in inner.parts]
        return fence.end

    def _inside(self, fence: Fence) -> Reading:
        """What a code block holds; the tool's name may stand behind its language."""
        body = self.text[fence.body_start : fence.body_end]
        if fence.language in ("tool_code", *_PYTHON) and _PYTHON_CALL.match(body):
            calls = list(read_python_calls(self.source, body))
            known = all(call.name in self.source.tools for call in calls)
            return Reading(calls=calls if known or fence.language == "tool_code" else [])
        if fence.language in _PYTHON and body.lstrip()[:1] not in ("<", "{", "["):
            return Reading()
        named = _NAMED_FENCE.match(self.text, fence.start)
        if named is not None and named[1] in self.source.tools:
            arguments = read_arguments(body)
            if arguments is not None and not arguments.keys() & {"arguments", "parameters"}:
                return Reading(calls=[ReadCall(named[1], arguments)])
        part = replace(self.source, text=body)
        inner = scan_reply(part, self.formats, self.depth + 1)
        self.source.effort_left = part.effort_left
        return inner

    def _whole_fence(self, start: int) -> Fence | None:
        """The fence at a place; marks inside its JSON value do not close it."""
        fence = fence_at(self.text, start)
        if fence is None:
            return None
        place = after_space(self.text, fence.body_start)
        if self.text[place : place + 1] not in ("{", "["):
            return fence
        _, end = json_at(self.source, place, repair=False)
        return fence_at(self.text, start, end) if end > fence.body_end else fence

    def _fence_may_act(self, fence: Fence) -> bool:
        if self.depth:  # a fence around a fence displays it
            return False
        if re.fullmatch(_ACTION, fence.language):
            return True
        return fence.language in (*_PLAIN, *_PYTHON) and self._is_alone(fence)

    def _is_alone(self, fence: Fence) -> bool:
        """Whether nothing but reasoning stands before a fence, and nothing behind it.

        Before tags a whole sentence may stand; a colon says that something is shown.
        """
        before = self.reading.reasoning[-1][1] if self.reading.reasoning else 0
        said = self.text[before : fence.start].rstrip()
        announced = fence.language == "xml" and said.endswith(_STOPS)
        return (not said or announced) and after_space(self.text, fence.end) == len(self.text)
