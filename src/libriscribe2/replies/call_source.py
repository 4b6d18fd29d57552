"""The seam of all notations: the text, what a notation reports of it, JSON read whole."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, TypeAlias

from libriscribe2.replies.normalise import OTHERS_TURN
from libriscribe2.replies.outcome import refusal
from libriscribe2.replies.remarks import LONGEST, asks, ends_asking, length, quotes
from libriscribe2.replies.repair import repair_json
from libriscribe2.replies.repair.patterns import PAIRS
from libriscribe2.replies.schema_fit import properties_of
from libriscribe2.replies.strict_json import Searches, strict_parse

JsonObject: TypeAlias = Mapping[str, Any]
Schemas: TypeAlias = Mapping[str, JsonObject]

LOOK: Final = 1
VERDICT: Final = 40
FAILURE: Final = 20
REPAIR: Final = 200
# What is looked for up to the end of the text costs one for each so many characters.
SEARCHED: Final = 80


@dataclass(frozen=True, slots=True)
class ReadCall:
    """One tool call as a format read it.

    Attributes:
        name: The tool's name.
        arguments: Argument names to values, complete.
        beside: Members of the call's object that are neither its name nor its arguments.
    """

    name: str
    arguments: dict[str, Any]
    beside: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """What stands behind an opener.

    Attributes:
        end: Where the region ends, in characters; the scan goes on there.
        calls: The calls of the region. A region without calls is a wrapper or a control token.
        text: What the region says to the user, or "".
        issue: What is wrong with a call that is not returned, such as a cut-off one; or "".
    """

    end: int
    calls: tuple[ReadCall, ...] = ()
    text: str = ""
    issue: str = ""


@dataclass(slots=True)
class Source(Searches):
    """A reply under scan.

    Attributes:
        schemas: JSON Schema of the parameters, by tool name.
        tools: Names of the tools that exist; empty if the caller did not say.
        effort_left: What damage and looking ahead may still cost; see `spend`.
    """

    schemas: Schemas = field(default_factory=dict)
    tools: frozenset[str] = frozenset()
    effort_left: int = 40_000

    def spend(self, cost: int) -> bool:
        """Take part of the effort that one reply is worth; false once it is used up.

        Clean replies cost nothing. The budget bounds the time of hostile ones.
        """
        self.effort_left -= cost
        return self.effort_left > 0

    def parameters(self, tool: str) -> JsonObject:
        """The JSON Schemas of a tool's parameters, as far as they are known."""
        return properties_of(self.schemas.get(tool, {}))


TAG_START: Final = r"<(?![^<>!]*+(?:<|\Z))"
"""How a tag or token in angle brackets begins: it ends before another begins."""


@dataclass(frozen=True, slots=True, eq=False)
class ToolFormat:
    """One way in which models write tool calls.

    Attributes:
        name: For logs and tests.
        opener: Pattern without capturing groups that matches where a region begins.
        read: Reads the region: `read(source, start, body)` with the places where the opener
            begins and ends; None if no call and no wrapper stands there.
        rank: Its place among the notations: where several could begin, the lowest is tried first.
        begins: Pattern of what every opener begins with; it is looked for before the openers are.
    """

    name: str
    opener: str
    read: Callable[[Source, int, int], Found | None]
    rank: int = 0
    begins: str = TAG_START


def control_token(name: str, opener: str, begins: str = TAG_START) -> ToolFormat:
    """A row for a token that says nothing by itself: what else may begin there is tried first."""
    return ToolFormat(name, opener, lambda _source, _start, body: Found(body), 900, begins)


def passed(pattern: re.Pattern[str], text: str, start: int) -> int:
    """The end of what a pattern matches at `start`; `start` if it matches nothing."""
    match = pattern.match(text, start)
    return match.end() if match else start


def after_space(text: str, start: int) -> int:
    """The first place at or after `start` that is no white space."""
    return passed(_SPACE, text, start)


_SPACE: Final = re.compile(r"\s*")


def whole_json(text: str, *, was_closed: bool = False) -> tuple[Any, str]:
    """Read a text that should be one JSON object or list, and nothing else.

    Args:
        text: The text.
        was_closed: Whether a mark behind the text shows that its author had finished; brackets
            that are missing at its end are then forgotten ones, not cut off.

    Returns:
        The value and ""; or None and what is wrong, said to the model.
    """
    plain = text.strip()
    parsed = strict_parse(plain)
    if parsed.end == len(plain):
        return parsed.value, ""
    if plain[:1] not in {"{", "["}:
        return None, "It is not JSON."
    outcome = repair_json(plain)
    trouble = outcome.trouble
    if trouble is not None:
        sure = all(one.lossless or one.name == "missing_closer" for one in outcome.repairs)
        if not (was_closed and sure and trouble.kind == "cut_off"):
            return None, refusal(trouble.kind, plain, trouble.position, trouble.detail).feedback
    if plain[outcome.end :].strip() or outcome.value is None:
        return None, "There is other text behind the JSON value."
    return outcome.value, ""


_REACH: Final = 600
_QUOTES: Final = {**PAIRS, "~": "~", "*": "*"}
_BLOCK_QUOTE: Final = re.compile(r"[ \t]*>[ \t>]*")
# A comment, struck through, a box to tick, or a line of a diff.
_OUT_OF_USE: Final = re.compile(r"[ \t]*(?://|#[ \t]|~~(?!~)|[-*+][ \t]+\[[ xX]\])|[-+]\Z")
_CELL_END: Final = re.compile(r"[^\n|]*\|")
# A line of a template that stands for others.
_DOTS: Final = re.compile(r"^[ \t]*(?:\.{3}|…)[ \t]*$", re.MULTILINE)
# What may stand beside a call on its line: marks, tokens, tags, the number of a point, ReAct's word.
_NO_TEXT: Final = re.compile(
    r"(?:[^\w\n<\[]|<\|\w+\|>\w+|</?[^<>\n]*>|\[/?[A-Z_]+\]|\d{1,3}[.)][ \t]|Action:|[<\[])*+"
)
_ENDS_SENTENCE: Final = re.compile(r"[.!…。！؟।>}\]]['\"”’)*_]*\s*\Z")
# Two words or more that the next line completes: they end with a letter or a comma.
_UNFINISHED: Final = re.compile(r"\w[ \t]+[\w'’]*(?:[^\W\d_]['\"”’)]*|,)[ \t]*\n\Z")
# What is said last on the line above a call, in parentheses, says how it is meant.
_QUALIFIED: Final = re.compile(r"\w[^\n]*[(（][^()（）\n]{2,80}[)）][.:：!。]?\s*\Z")
# Headings and tables: the parts of a page. The heading of one stands right above what it shows.
_HEADING: Final = r"(?m:^)[ \t]{0,3}(?:#{1,6}[ ][^\n]{1,99}|\*\*[^*\n]{1,99}\*\*:?|\w[^\n]{0,99}\n(?:-{3,}|={3,}))[ \t]*"
_HEADED: Final = re.compile(rf"{_HEADING}\n\s*\Z")
_PART_OF_A_PAGE: Final = re.compile(rf"{_HEADING}$|^[ \t]*\|[ \t]*:?--", re.MULTILINE)
_ELEMENT: Final = re.compile(r"<(?!\w*(?:call|func|tool|action|invoke))([a-zA-Z]\w*)[^<>]*>")


_MOST_BEHIND: Final = 30
_COMMA: Final = re.compile("[,，、،]")


def is_shown(text: str, start: int, end: int, *, marked: bool = False) -> bool:
    """Whether the region from `start` to `end` is shown to a reader rather than meant.

    Args:
        text: The reply.
        start: Where the call, or the fence around it, begins.
        end: Where it ends.
        marked: Whether tags or tokens say that it is a call: a whole sentence may stand before it
            on its line.
    """
    lead = text[max(0, start - _REACH) : start]
    line = lead[lead.rfind("\n") + 1 :]
    if _is_quoted(text, start, end) or _BLOCK_QUOTE.fullmatch(line) or _OUT_OF_USE.match(line):
        return True
    if line.lstrip()[:1] == "|" and _CELL_END.match(text, end, end + _REACH):
        return True
    if _NO_TEXT.fullmatch(line) is None and not (marked and _ENDS_SENTENCE.search(line)):
        return True
    if line.count('"') % 2 or _is_inside_element(text, lead, end):
        return True
    above = lead.removesuffix(line)
    heading = _HEADED.search(above)
    if heading is not None and any(
        map(_PART_OF_A_PAGE.search, (above[: heading.start()], text[end : end + _REACH]))
    ):
        return True
    if _DOTS.search(above):
        return True
    names_format = text.startswith(("Action", "✿"), start)
    if not names_format and _UNFINISHED.search(above) is not None:
        return True
    nearest = above[:-1].rpartition("\n")[2].rpartition(">")[2]
    return asks(nearest) or _QUALIFIED.search(nearest) is not None or ends_asking(lead)


def is_taken_back(text: str, start: int, end: int, until: int, *, marked: bool = False) -> bool:
    """Whether what stands behind the calls shows that nobody waits for their results.

    It asks for leave, or says anything where that was asked right before; it goes on with the
    sentence of the calls, or explains them. What leads on to further calls, which begin at `until`,
    explains nothing.
    """
    behind = text[end : min(until, end + _REACH)]
    line = behind.partition("\n")[0].strip()
    words = _NO_TEXT.sub("", behind).strip()
    if not words:
        return False
    goes_on = line[:1] in (",", ";") or line[:1].islower()
    goes_on = goes_on or not (marked or not _NO_TEXT.sub("", line).strip())
    # On the line of its mark a call is announced; below it, it may be withdrawn.
    announced = bool(line) and "\n" not in behind.strip()
    one_clause = length(words) <= _MOST_BEHIND and not _COMMA.search(behind)
    short = length(words) <= LONGEST if announced else one_clause
    explains = until == len(text) and not (marked and short)
    before = text[max(0, start - _REACH) : start].rstrip().rpartition("\n\n")[2]
    # Between a question, or what somebody has to say, and a paragraph of its own a call waits.
    waits = asks(before) or (
        quotes(before) and "\n\n" in behind[: len(behind) - len(behind.lstrip())]
    )
    return goes_on or explains or asks(behind) or quotes(behind) or waits


def _is_inside_element(text: str, lead: str, end: int) -> bool:
    """Whether the call stands between the tags of an element that is no notation's."""
    behind = text[end : end + _REACH]
    closed = {tag[1] for tag in _ELEMENT.finditer(lead) if f"</{tag[1]}>" in behind}
    return any(lead.rfind(f"<{name}") > lead.rfind(f"</{name}>") for name in closed)


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Whether quotation marks stand right around the region.

    A quotation may take the comma of the sentence that goes on behind it.
    """
    closing = _QUOTES.get(text[start - 1 : start])
    behind = text[end : end + 2]
    return closing is not None and (
        behind[:1] == closing or (behind[1:] == closing and behind[0] in ",.;!?")
    )


_TURN: Final = re.compile(rf"(?<![^\n>]){OTHERS_TURN}")
# What a transcript begins others' turns with.
_SPEAKER: Final = re.compile(r"\n[ \t]*\**(?i:user|human)\**[:：]")
_MOST_TURNS: Final = 50
_LAST_OPENED: Final = re.compile(r"<(?![/|｜]|end_of_turn|start_of_turn|s>)[a-zA-Z][^<>]*>[^<]*\Z")
_TURN_MARKS: Final = re.compile(r"<\|[^<>|]*\|>(?:assistant\b)?|</?s>")


def own_turn(reply: str) -> str:
    """A reply without the conversation that it repeats, and without what it makes others say."""
    turns = list(_TURN.finditer(reply))
    if turns and not _TURN_MARKS.sub("", reply[: turns[0].start()]).strip():
        return reply[turns[-1].end() :]
    found = (*turns[:_MOST_TURNS], *islice(_SPEAKER.finditer(reply), _MOST_TURNS))
    others = next((one for one in found if _is_outside(reply, one.start())), None)
    return reply[: others.start()] if others and reply[: others.start()].strip() else reply


def _is_outside(text: str, place: int) -> bool:
    """Whether a place is outside of elements and fences, as far as the text before it tells."""
    before = text[:place]
    return before.count("```") % 2 == 0 and _LAST_OPENED.search(before) is None
