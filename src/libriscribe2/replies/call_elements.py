"""Elements in angle brackets: tags, attributes, contents."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.replies.call_objects import (
    CUT_OFF,
    TWICE,
    UNBALANCED,
    add_argument,
    read_arguments,
    typed_value,
)
from libriscribe2.replies.call_source import FAILURE, LOOK, Found, ReadCall, Source, after_space
from libriscribe2.replies.normalise import begins_line, with_characters

NAMESPACE: Final = r"(?:[A-Za-z][\w-]{0,40}:|[|｜‖]{1,2}DSML[|｜‖]{1,2}|ifm\||longcat_|__)?"
CALL_WORDS: Final = r"(?:invoke|function_call|function|tool_call|tool_use|tool)"
PARAMETER_WORDS: Final = r"(?:parameter|param|argument|arg)"
_NAMED: Final = r"(?:\s*=\s*[^<>\s=]|\s[^<>]*?\bname\s*=)"
# A tag that lacks its last bracket.
_LINE_OF_NAME: Final = r"=[\w.-]{1,60}[ \t]*\n"
TAG_OPENER: Final = rf"(?i:<{NAMESPACE}{CALL_WORDS}(?={_NAMED})[^<>]*>)"
_WORD: Final = re.compile(rf"<{NAMESPACE}({CALL_WORDS})", re.IGNORECASE)
_SHORT_CLOSER: Final = r"</[|｜‖]{1,2}DSML[|｜‖]{1,2}inv>"
_NEXT: Final = re.compile(
    rf"{TAG_OPENER}|(?i:</?{NAMESPACE}(?:function_calls|tool_calls?)\s*>)"
    r"|(?i:<\|(?:im_end|eot_id|eom_id|end|call|return))|<｜(?:tool|end)▁"
)
_BEFORE_MENTION: Final = frozenset(" `\"'(“‘")
_ATTRIBUTE: Final = re.compile(
    r"""\b(?:name|key)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s<>"'/]+))|^<[^\s=<>]+\s*=\s*["']?([^<>"']+)""",
    re.IGNORECASE,
)
_STATED: Final = re.compile(r"""\b(?:type\s*=\s*["']|(?=string\s*=\s*["']true["']))(\w+)""")
_TORN_TAG: Final = re.compile(r"(?:</\w*)?")
_ELEMENT: Final = re.compile(r"<([A-Za-z_][\w.-]{0,80})>")


_ATTRIBUTES: Final = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')""")


def attributes_of(tag: str) -> dict[str, str]:
    """The attributes of an element's tag."""
    return {name: with_characters(one or other) for name, one, other in _ATTRIBUTES.findall(tag)}


@dataclass(frozen=True, slots=True)
class Grammar:
    """The tags of a call.

    Attributes:
        closer: Closes the call.
        parameter: Opens a parameter, whose key is its group, or an attribute where it has none.
        edge: Any tag of the call or of a parameter, opening or closing (`slash`, `call`); `KEY`
            stands for the parameter's key.
    """

    closer: re.Pattern[str]
    parameter: re.Pattern[str]
    edge: str


def grammar_of(tag: str) -> Grammar:
    """The grammar of an opening tag with a call word, such as `invoke`."""
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
        edge=rf"(?i)<(?P<slash>/\s*)?{NAMESPACE}(?:(?P<call>(?:{PARAMETER_WORDS}_)?{word})"
        rf"|{PARAMETER_WORDS}s?)(?![^\W\d])(?:[^<>]*>|\s*(?=</)|{_LINE_OF_NAME})",
    )


def elements_in(call: str, closer: re.Pattern[str]) -> Grammar:
    """The grammar of elements that bear their parameters' names, in tags of these words."""
    return Grammar(closer, _ELEMENT, rf"<(?P<slash>/)?(?:KEY|(?P<call>{call}))>")


def attribute_name(tag: str) -> str:
    """The value of a tag's `name` attribute, or what follows `=` in `<function=f>`, or ""."""
    match = _ATTRIBUTE.search(tag)
    groups = match.groups() if match else ()
    return next((group.strip() for group in groups if group is not None), "")


def read_parameters(source: Source, grammar: Grammar, tool: str, place: int) -> Found:
    """The call of `tool` from its parameters on, which begin at `place`.

    Returns:
        The call; or an issue if it is cut off or a value has no certain end; or both where
        something else stands behind the parameters.
    """
    text = source.text
    call = ReadCall(tool, {})
    while (opening := grammar.parameter.match(text, place)) is not None:
        key = opening[1].strip() if opening.re.groups else attribute_name(opening[0])
        end = value_end(source, grammar, opening, key)
        if end is None:
            return Found(len(text), issue=UNBALANCED)
        said = text[opening.end() : end[0]]
        own = f"</{key}>"  # which closes it where nothing of this name is opened inside
        if said.rstrip().endswith(own) and f"<{key}" not in said:
            said = said.rstrip().removesuffix(own)
        value = _value(source, tool, key, opening[0], said)
        given = {key: value} if key else read_arguments(value)
        if given is None:
            return Found(len(text), issue=f"The arguments of `{tool}` could not be read.")
        if not all(add_argument(call.arguments, *pair) for pair in given.items()):
            return Found(len(text), issue=TWICE)
        place = after_space(text, end[1])
    closer = grammar.closer.match(text, place)
    if closer is not None:
        return Found(closer.end(), (call,))
    if "KEY" not in grammar.edge and _lacks_nothing(source, call, place):
        return Found(place, (call,))
    return Found(place, () if place == len(text) else (call,), issue=CUT_OFF)


def read_elements(source: Source, grammar: Grammar, tool: str, place: int) -> Found | None:
    """The call whose parameters are elements; None if these are not the tool's parameters."""
    first, known = _ELEMENT.match(source.text, place), source.parameters(tool)
    if first and (first[1] not in known if known else re.fullmatch(PARAMETER_WORDS, first[1])):
        return None
    found = read_parameters(source, grammar, tool, place)
    return None if found.calls and found.issue else found


def _value(source: Source, tool: str, key: str, tag: str, text: str) -> Any:
    stated = _STATED.search(tag)
    known = source.parameters(tool).get(key)
    return typed_value(text, known or ({"type": stated[1]} if stated else None))


def _lacks_nothing(source: Source, call: ReadCall, place: int) -> bool:
    """Whether a call that the end of the text leaves open has every argument that its tool takes."""
    known = source.parameters(call.name)
    at_end = _TORN_TAG.fullmatch(source.text, place) is not None
    return at_end and bool(known) and call.arguments.keys() == known.keys()


def value_end(
    source: Source, grammar: Grammar, opening: re.Match[str], key: str
) -> tuple[int, int] | None:
    """Where a parameter's value ends and where its closing tag ends.

    A value may itself show tags: the closer balances what the value opened. A value that mentions
    an opener in a sentence, or whose closer the model forgot, ends with the call.

    Returns:
        The two places (equal when the closer is missing), or None if the value is cut off.
    """
    opened: Counter[bool] = Counter()  # by the value itself: calls, and parameters
    mention: tuple[int, int] | None = None
    forgotten: int | None = None
    if "KEY" in grammar.edge and not source.spend(FAILURE):  # a pattern more
        return None
    edges = re.compile(grammar.edge.replace("KEY", re.escape(key)))
    for edge in edges.finditer(source.text, opening.end()):
        if not source.spend(LOOK):
            return None
        closes, is_call = edge["slash"] is not None, edge["call"] is not None
        if closes and not is_call and not opened[True]:
            twice = edges.match(source.text, after_space(source.text, edge.end()))
            last_edge = twice if twice and twice["slash"] and twice["call"] is None else edge
            span = edge.start(), last_edge.end()
            if not opened[False]:
                return span
            mention = mention or span
        if closes and is_call and not opened[True] and _ends_region(source.text, edge.end()):
            # The call closes although its parameters do not balance.
            last = edge.start() if forgotten is None else forgotten
            ends = None if "KEY" in grammar.edge else (last, last)
            return (forgotten is None and mention) or ends
        if not closes and not is_call and not opened[False] and not opened[True]:
            # A parameter that begins a line: the one before it lacks its closer.
            is_first = forgotten is None and begins_line(source.text, edge.start())
            forgotten = edge.start() if is_first else forgotten
            mention = mention if source.text[edge.start() - 1] in _BEFORE_MENTION else None
        opened[is_call] = max(0, opened[is_call] + (-1 if closes else 1))
    return None


def _ends_region(text: str, end: int) -> bool:
    """Whether a closing tag is followed by what may follow a call, not by its own sentence."""
    place = after_space(text, end)
    return place == len(text) or "\n" in text[end:place] or next_begins(text, place)


def next_begins(text: str, place: int) -> bool:
    """Whether the next call begins here, or the wrapper of the calls ends."""
    return _NEXT.match(text, place) is not None
