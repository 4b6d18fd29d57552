"""Elements in angle brackets: tags, attributes, contents."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.replies.call_objects import CUT_OFF, TWICE, UNBALANCED, add_argument, typed_value
from libriscribe2.replies.call_source import LOOK, Found, ReadCall, Source, after_space
from libriscribe2.replies.normalise import begins_line

NAMESPACE: Final = r"(?:[A-Za-z][\w-]{0,40}:|[|｜‖]{1,2}DSML[|｜‖]{1,2}|ifm\||longcat_|__)?"
_CALL_WORDS: Final = r"(?:invoke|function_call|function|tool_call|tool_use|tool)"
PARAMETER_WORDS: Final = r"(?:parameter|param|argument|arg)"
_NAMED: Final = r"(?:\s*=\s*[^<>\s=]|\s[^<>]*?\bname\s*=)"
# A tag that lacks its last bracket.
_LINE_OF_NAME: Final = r"=[\w.-]{1,60}[ \t]*\n"
TAG_OPENER: Final = rf"(?i:<{NAMESPACE}{_CALL_WORDS}(?={_NAMED})[^<>]*>)"
_WORD: Final = re.compile(rf"<{NAMESPACE}({_CALL_WORDS})", re.IGNORECASE)
_SHORT_CLOSER: Final = r"</[|｜‖]{1,2}DSML[|｜‖]{1,2}inv>"
_ANY_CALL: Final = re.compile(TAG_OPENER)
_WRAPPER: Final = re.compile(
    rf"</?{NAMESPACE}(?:function_calls|tool_calls?)\s*>"
    r"|<\|(?:im_end|eot_id|eom_id|end|call|return)|<｜(?:tool|end)▁",
    re.IGNORECASE,
)
_BEFORE_MENTION: Final = frozenset(" `\"'(“‘")


@dataclass(frozen=True, slots=True)
class Grammar:
    """The tags that belong to one call word, such as `invoke`.

    Attributes:
        closer: Closes the call.
        parameter: Opens a parameter.
        edge: Any tag of the call or of a parameter, opening or closing (`slash`, `call`).
    """

    closer: re.Pattern[str]
    parameter: re.Pattern[str]
    edge: re.Pattern[str]


@dataclass(slots=True)
class _Depth:
    """Tags that a value has opened itself."""

    calls: int = 0
    parameters: int = 0

    def pass_over(self, edge: re.Match[str]) -> None:
        step = 1 if edge["slash"] is None else -1
        if edge["call"] is not None:
            self.calls = max(0, self.calls + step)
        else:
            self.parameters = max(0, self.parameters + step)


def grammar_of(tag: str) -> Grammar:
    """The grammar of an opening tag."""
    found = _WORD.match(tag)
    word = found[1].casefold() if found else "invoke"
    return Grammar(
        closer=re.compile(
            rf"</{NAMESPACE}(?:{PARAMETER_WORDS}_)?{word}\s*(?:=[^<>]*)?>|{_SHORT_CLOSER}",
            re.IGNORECASE,
        ),
        parameter=re.compile(
            rf"<{NAMESPACE}{PARAMETER_WORDS}(?:(?={_NAMED})[^<>]*>|{_LINE_OF_NAME})", re.IGNORECASE
        ),
        edge=re.compile(
            rf"<(?P<slash>/\s*)?{NAMESPACE}(?:(?P<call>(?:{PARAMETER_WORDS}_)?{word})|{PARAMETER_WORDS}s?)"
            rf"(?![^\W\d])(?:[^<>]*>|\s*(?=</)|{_LINE_OF_NAME})",
            re.IGNORECASE,
        ),
    )


def value_end(source: Source, grammar: Grammar, start: int) -> tuple[int, int] | None:
    """Where a parameter's value ends and where its closing tag ends.

    A value may itself show tags: the closer is the first that stands before another tag and
    balances what the value opened. A value that mentions an opener in a sentence, or whose closer
    the model forgot, ends with the call.

    Returns:
        The two places (equal when the closer is missing), or None if the value is cut off.
    """
    depth = _Depth()
    mention: tuple[int, int] | None = None
    forgotten: int | None = None
    stray = False
    for edge in grammar.edge.finditer(source.text, start):
        closes, is_call = edge["slash"] is not None, edge["call"] is not None
        if closes and not is_call and not depth.calls:
            twice = grammar.edge.match(source.text, after_space(source.text, edge.end()))
            again = twice is not None and twice["slash"] is not None and twice["call"] is None
            end = twice.end() if twice is not None and again else edge.end()
            fits = _stands_before_tag(source.text, grammar, end)
            if fits and not depth.parameters:
                return edge.start(), end
            mention = mention or (edge.span() if fits else None)
            stray = stray or not (fits or depth.parameters)
        if closes and is_call and not depth.calls and _ends_region(source.text, edge.end()):
            # The call closes although its parameters do not balance.
            last = edge.start() if forgotten is None else forgotten
            return None if stray else ((forgotten is None and mention) or (last, last))
        if not closes and not is_call and not depth.parameters and not depth.calls:
            # A parameter that begins a line: the one before it lacks its closer.
            if forgotten is None and begins_line(source.text, edge.start()):
                forgotten = edge.start()
            mention = mention if source.text[edge.start() - 1] in _BEFORE_MENTION else None
        depth.pass_over(edge)
        if not source.spend(LOOK):
            break
    return None


def _stands_before_tag(text: str, grammar: Grammar, end: int) -> bool:
    place = after_space(text, end)
    patterns = (grammar.parameter, grammar.closer, _WRAPPER, _ANY_CALL)
    return place == len(text) or any(pattern.match(text, place) for pattern in patterns)


def _ends_region(text: str, end: int) -> bool:
    """Whether a closing tag is followed by what may follow a call, not by its own sentence."""
    place = after_space(text, end)
    on_new_line = "\n" in text[end:place]
    return place == len(text) or on_new_line or next_begins(text, place)


def next_begins(text: str, place: int) -> bool:
    """Whether the next call begins here, or the wrapper of the calls ends."""
    return bool(_ANY_CALL.match(text, place) or _WRAPPER.match(text, place))


_ELEMENT: Final = re.compile(r"<([A-Za-z_][\w.-]{0,80})>")
_NO_NAME: Final = re.compile(PARAMETER_WORDS)
_REGION_END: Final = re.compile(r"[ \t]*(?:\r?\n|<|\Z)")


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the elements of a call.

    Attributes:
        opener: Matches the tag before them.
        closer: Matches what ends the call.
    """

    opener: re.Pattern[str]
    closer: re.Pattern[str]


def read_elements(source: Source, tool: str, place: int, frame: Frame) -> Found | None:
    """The call of `tool` whose arguments begin at `place`.

    Args:
        source: The reply.
        tool: The tool's name.
        place: Where the first element is expected, white space passed over.
        frame: What stands around the elements.

    Returns:
        The call; or an issue if it is cut off or a value has no certain end; or None if something
        else than the tool's parameters stands there.
    """
    text = source.text
    arguments: dict[str, Any] = {}
    while (opening := _ELEMENT.match(text, place)) is not None:
        name = opening[1]
        if not arguments and not _is_parameter(source, tool, name):
            return None
        end = _value_end(source, name, opening.end(), frame)
        if end is None:
            return Found(len(text), issue=UNBALANCED)
        value = typed_value(text[opening.end() : end[0]], source.property_schema(tool, name))
        if not add_argument(arguments, name, value):
            return Found(len(text), issue=TWICE)
        place = after_space(text, end[1])
    closing = frame.closer.match(text, place)
    if closing is not None:
        return Found(closing.end(), (ReadCall(tool, arguments),))
    return Found(len(text), issue=CUT_OFF) if place == len(text) else None


def lacks_nothing(source: Source, call: ReadCall, place: int) -> bool:
    """Whether a call that the end of the text leaves open has every argument that its tool takes."""
    known = source.schemas.get(call.name, {}).get("properties", {})
    return place == len(source.text) and bool(known) and call.arguments.keys() == set(known)


def _is_parameter(source: Source, tool: str, name: str) -> bool:
    properties = source.schemas.get(tool, {}).get("properties", {})
    if isinstance(properties, Mapping) and properties:
        return name in properties
    return _NO_NAME.fullmatch(name) is None


def _value_end(source: Source, name: str, start: int, frame: Frame) -> tuple[int, int] | None:
    """Where a value ends and where its closing tag ends; None if that is not certain.

    The closer stands before the next element or the end of the call, and balances what the value
    opened; a value that only mentions its own tag is ended by the one that ends the call.
    """
    text = source.text
    depth = 0
    mention: tuple[int, int] | None = None
    mentionable = True
    for tag in re.compile(f"</?{re.escape(name)}>").finditer(text, start):
        edge, end = tag.span()
        if not source.spend(LOOK):
            return None
        if text[edge + 1] != "/":
            depth += 1
            continue
        place = after_space(text, end)
        closing = frame.closer.match(text, place)
        if not depth and (closing is not None or _ELEMENT.match(text, place) or place == len(text)):
            return edge, end
        ends_call = closing is not None and _REGION_END.match(text, closing.end()) is not None
        if ends_call and mentionable:
            mention = None if frame.opener.search(text, start, edge) else (edge, end)
            mentionable = False
        depth = max(0, depth - 1)
    return mention
