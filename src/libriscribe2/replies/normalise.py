"""The text of a reply before it is read: normalised, reasoning taken out, other views of it."""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from libriscribe2.replies.contract import only_fence
from libriscribe2.replies.repair.patterns import MEMBER
from libriscribe2.replies.strict_json import strict_parse

# Zero-width spaces and joiners, marks of direction, word joiner, byte-order mark (the last).
ZERO_WIDTH: Final = (
    "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2066\u2067\u2068\u2069\ufeff"
)
_EDGE: Final = f" \t\r\n\f\v\u00a0\u3000{ZERO_WIDTH}"
# The marks of reasoning and of asides, for values and calls alike.
REASONING_NAME: Final = (
    r"(?:seed:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis)"
)
_TOKEN: Final = r"_(?:of_)?(?:thought|thinking)\|>"
REASONING_OPENER: Final = (
    rf"(?i:<{REASONING_NAME}(?:\s[^<>]{{0,200}})?>|◁think▷|\[think\]|<\|(?:begin|start){_TOKEN}"
    r"|<\|inner_prefix\|>|<\|channel>thought\b)"
)
REASONING_CLOSER: Final = rf"(?i:</{REASONING_NAME}\s*>|◁/think▷|\[/think\]|<\|end{_TOKEN}|<\|inner_suffix\|>|<channel\|>)"
_REASONING_EDGE: Final = re.compile(rf"(?P<open>{REASONING_OPENER})|{REASONING_CLOSER}")
ASIDE_NAME: Final = (
    r"(?:tool_response|tool_results?|function_results?|function_response|tools|examples?"
    r"|available_tools|tool_definitions?|system|documentation)"
)
_TAG_NAME: Final = re.compile(r"</?(?:seed:)?(\w+)[\s>]")
# The turn of another than the assistant, between the tokens of chat templates.
OTHERS_TURN: Final = (
    r"(?:<\|(?:im_start\|>|start_header_id\|>)?(?:user|system|ipython)\b|<start_of_turn>user\b|<｜User｜>|\[INST\])(?s:.*?)"
    r"(?:<\|(?:im_end|eot_id|end|assistant)\|>|<end_of_turn>|<｜Assistant｜>|\[/INST\]|\Z)"
)
_REPEATED: Final = re.compile(
    r"(?:(?m:^)(?:</?s>)?|(?<=<\|end\|>)|(?<=<\|im_end\|>)|(?<=<\|eot_id\|>)|(?<=<end_of_turn>))"
    + OTHERS_TURN
)
_ESCAPED_KEY: Final = re.compile(r'"\w*(?:\\_\w*+)++"(?=\s*:)')
_HARMONY: Final = re.compile(r"<\|channel\|>\s*(?P<name>\w++)[^<]{0,80}<\|message\|>")
_VALUE_START: Final = re.compile(
    r"""\{[\s,>\u200b-\u200f\u2060\ufeff]*(?:["'“‘`}/#\\]|\w+["']?\s*:)|\[\s*[\["'“{\]\d-]"""
)


@dataclass(frozen=True, slots=True)
class Normalised:
    """A reply without its surroundings.

    Attributes:
        text: What is left to read.
        labels: What was found: "byte_order_mark", "zero_width_characters", "reasoning_block".
        unclosed_reasoning: A reasoning block that never ends: there is no answer behind it.
    """

    text: str
    labels: tuple[str, ...] = ()
    unclosed_reasoning: bool = False


def plain_keys(text: str) -> str:
    """A text whose keys have no underscores escaped as in Markdown."""
    return _ESCAPED_KEY.sub(lambda found: found[0].replace("\\", ""), text)


def normalise(reply: str) -> Normalised:
    """Strip the edges and take reasoning blocks out."""
    text = _REPEATED.sub("", reply).strip(_EDGE)
    labels = _edge_labels(reply, text)
    text, before = _final_channel(text)
    kept, unclosed = _without_reasoning(text)
    if before or unclosed or len(kept) < len(text):
        labels = (*labels, "reasoning_block")
    return Normalised(kept.strip(_EDGE), labels, unclosed or bool(before and not text))


def _edge_labels(reply: str, text: str) -> tuple[str, ...]:
    if len(reply) == len(text) or reply.isascii():
        return ()
    start = reply.find(text)
    marks = {*reply[:start], *reply[start + len(text) :]}.intersection(ZERO_WIDTH)
    found = {"byte_order_mark" if mark == "\ufeff" else "zero_width_characters" for mark in marks}
    return tuple(sorted(found))


def _final_channel(text: str) -> tuple[str, str]:
    """The text of the last `final` channel of a harmony reply, and what stood before it."""
    channels = list(_HARMONY.finditer(text)) if text.startswith("<|") else []
    for channel in reversed(channels):
        if channel["name"] == "final":
            return text[channel.end() :], text[: channel.start()]
    return ("", text) if channels and "analysis" in channels[-1][0] else (text, "")


def _without_reasoning(text: str) -> tuple[str, bool]:
    """The text without reasoning blocks outside JSON values, and whether one of them never ends."""
    kept: list[str] = []
    values = _Values(text)
    position = kept_from = 0
    while (tag := _REASONING_EDGE.search(text, position)) is not None:
        position = values.around(kept_from, tag.start())
        if position:
            continue
        if tag["open"]:
            kept.append(text[kept_from : tag.start()])
        else:
            # An orphan: the template opened the block, so all of it up to here is reasoning.
            kept.clear()
        position = kept_from = _block_end(text, tag) if tag["open"] else tag.end()
        if position < 0:
            return "".join(kept), True
    return "".join([*kept, text[kept_from:]]), False


def _block_end(text: str, opening: re.Match[str]) -> int:
    """Where the block ends, blocks of its name inside it counted; -1 if it never does."""
    depth = 1
    for tag in _REASONING_EDGE.finditer(text, opening.end()):
        if _name_of(tag) == _name_of(opening):
            depth += 1 if tag["open"] else -1
        if not depth:
            return tag.end()
    return -1


def _name_of(tag: re.Match[str]) -> str:
    """The name of an element of reasoning; "" of a token."""
    named = _TAG_NAME.match(tag[0])
    return named[1].lower() if named else ""


class _Values:
    """The JSON values of a text, walked over once from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._passed = 0
        self._damaged = -1

    def around(self, start: int, position: int) -> int:
        """Where the JSON value ends that begins after `start` and holds `position`, or 0.

        A damaged value has no certain end: a tag in the middle of one of its lines is its content.
        """
        start = max(start, self._passed)
        while start > self._damaged:
            opening = _VALUE_START.search(self._text, start, position)
            if opening is None:
                return 0
            end = strict_parse(self._text, opening.start()).end
            if end < 0:
                self._damaged = opening.start()
                break
            self._passed = start = end
            if end > position:
                return end
        return 0 if begins_line(self._text, position) else position + 1


# More digits than Python reads as a number; no character has so many.
_NO_NUMBER: Final = re.compile(r"&(?=#[0-9]{4300})")


def with_characters(text: str) -> str:
    """The text with its character references decoded; one without an end of digits stays."""
    return html.unescape(_NO_NUMBER.sub("&amp;", text))


def begins_line(text: str, start: int) -> bool:
    """Whether only white space stands between `start` and the beginning of its line.

    It looks back no further than to the first other character, however long the line is.
    """
    while start and text[start - 1] != "\n":
        start -= 1
        if not text[start].isspace():
            return False
    return True


_HINT: Final = re.compile(r"""[:,\[({]\s*\(\s*["'({\[\d]|[:,\[]\s*\{\s*"[^"\n]*"\s*,""")
_PIECE: Final = re.compile(r"""'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+"|\\.|[()\[\]{},:]""")
_MAX_DEPTH: Final = 200
_MAX_TUPLES: Final = 10_000


def without_tuples(text: str) -> str:
    """The text with Python's tuples and sets outside strings as lists; "" when there is none.

    Absurdly deep or many ones are no tuples.
    """
    if _HINT.search(text) is None:
        return ""
    edits: dict[int, str] = {}
    stack: list[tuple[int, set[str]]] = []  # per open bracket: where it stands, marks inside
    for piece in _PIECE.finditer(text):
        mark = piece.group()
        if mark in ("(", "[", "{"):
            stack.append((piece.start(), set()))
        elif mark in (",", ":") and stack:
            stack[-1][1].add(mark)
        elif mark in (")", "]", "}") and stack:
            opened, marks = stack.pop()
            edits |= _as_list(text, opened, piece.start(), marks)
        if len(stack) > _MAX_DEPTH or len(edits) > 2 * _MAX_TUPLES:
            return ""
    characters = list(text)
    for at, mark in edits.items():
        characters[at] = mark
    return "".join(characters)


def _as_list(text: str, opened: int, closed: int, marks: set[str]) -> dict[int, str]:
    """The brackets of a list for those of a tuple or set; none for those that only group."""
    pair = text[opened] + text[closed]
    grouped = pair == "()" and "," not in marks and text[opened + 1 : closed].strip()
    if grouped:
        return {opened: "", closed: ""}
    listed = pair == "()" or (pair == "{}" and marks == {","})
    return {opened: "[", closed: "]"} if listed else {}


_QUOTED_LINE: Final = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
# Lines in a row that carry the mark of a quotation.
_QUOTED_BLOCK: Final = re.compile(r"^[ \t]*>[^\n]*+(?:\n[ \t]*>[^\n]*+)*+", re.MULTILINE)
_QUOTED_VALUE: Final = re.compile(r"^[ \t]*>[ \t>]*[{\[][^\n]*\n[ \t]*>", re.MULTILINE)
_ENTITY_START: Final = re.compile(r"[{\[]\s*&(?:quot|#34|#x22|ldquo|amp;quot);")
# The brackets before a first quote; without that quote they are passed as one.
_ESCAPED_START: Final = re.compile(r'[{\[](?:[\s{\[]|\\[nrt])*+(?P<quote>\\+")?')
_PREFILL: Final = re.compile(
    r"""(?:^|```\w*[ \t]*\n|\n[ \t]*\n|:[ \t]*\n)[ \t]*(?P<key>"[^"\n]{1,80}"\s*:)"""
)
_PLAIN_START: Final = re.compile(r"""\{\s*["'“]|\[\s*["'“{\[]""")
_ZERO_WIDTH: Final = re.compile(f"[{ZERO_WIDTH}]++")
_AT_STRUCTURE: Final = re.compile(
    rf"(?:^|(?<=[{{}}\[\],:\"]))[ \t]*+[{ZERO_WIDTH}][ \t{ZERO_WIDTH}]*+"
    rf"|(?<![ \t{ZERO_WIDTH}])[ \t]*+[{ZERO_WIDTH}][ \t{ZERO_WIDTH}]*+(?:$|(?=[{{}}\[\],:\"]))",
    re.MULTILINE,
)
_VISIBLE: Final = re.compile(rf"[^{ZERO_WIDTH}]")
_CHUNK: Final = 10_000
# Line breaks and tabs between the tokens that are written as escapes: {\n  "title": ...
_LAYOUT_START: Final = re.compile(r"""[{\[]\s*+(?:[{\[]\s*+)?\\[nrt](?:\s|\\[nrt])*+["'{\[]""")
_NEAR: Final = 100
_LAYOUT: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|\\(?P<layout>[nrt])', re.DOTALL)
_BREAKS: Final = {"n": "\n", "r": "\r", "t": "\t"}
_MAX_LAYOUT: Final = 200_000
_STRING: Final = re.compile(r'"(?:[^"\\\n]++|\\.)*+(?P<end>"?)', re.DOTALL)


def views(text: str) -> Iterator[tuple[str, str]]:
    """Name and text of each other reading of a reply, cheapest assumption first."""
    if text.startswith('"'):
        yield from _named("json_string", _decoded(text))
    if ">" in text:
        yield from _named("block_quote", _without_quote_marks(text))
    plain = _PLAIN_START.search(text)
    limit = plain.start() if plain else len(text)
    if "&" in text and _ENTITY_START.search(text, 0, limit + 1):
        yield "html_entities", with_characters(text)
    if '\\"' in text[:limit]:
        yield from _named("escaped_quotes", _unescaped(text, limit))
        yield from _named("json_string", _inner_string(text))
    elif '\\\\"' in text:
        yield "escaped_quotes", _TWICE_ESCAPED.sub(r'\\"', text)
    if _escapes_layout(text, limit):
        yield from _named("escaped_line_breaks", _with_line_breaks(text))
    yield from _named("zero_width_characters", _without_zero_width(text))
    for name, pattern, kept in _SUBSTITUTIONS:
        yield from _named(name, pattern.search(text) and pattern.sub(kept, text))
    yield from _named("doubled_braces", _with_single_braces(text))
    yield from _named("emphasised_keys", _without_marks(text))
    yield from _named("line_prefixes", _without_prefixes(text))
    yield from _named("python_tuple", without_tuples(text))
    yield from _named("missing_opening_brace", _with_brace(text, limit))


def _named(name: str, text: str | None) -> Iterator[tuple[str, str]]:
    if text:
        yield name, text


# A fence that ends and begins again, or ends too early, between two tokens.
_SPLIT: Final = re.compile(
    r"(?<=[\[{,}\]\"])\s*\n`{3}[ \t]*\n(?:\s*`{3}\w*[ \t]*\n)?(?=\s*[\[{\"}\]])"
)
# A number as people write it, with its currency or unit: `£1,240.50`.
_MEMBER_ENDS: Final = r"(?=\s*(?:,\s*[\n\"}]|[}\n]))"
_BARE_AMOUNT: Final = re.compile(
    rf"(\"\s*:\s*)(?!(?:0|[1-9]\d*)(?:\.\d+)?{_MEMBER_ENDS})((?:[A-Z]{{0,2}}[€$£¥₹] ?)?\d(?:[.,'’_]?\d)*+"
    rf"(?:/\d+| ?[%€$£¥₹]| ?[A-Za-z]{{1,4}}\b)?){_MEMBER_ENDS}"
)
_SINGLE_BRACE: Final = re.compile(r"(?<!\{)\{(?:\{\{)*+(?!\{)|(?<!\})\}(?:\}\})*+(?!\})")
_MARKDOWN: Final = re.compile(r"\\([\[\]{}])")
_SUBSTITUTIONS: Final = (
    ("split_fences", _SPLIT, "\n"),
    ("bare_amounts", _BARE_AMOUNT, r'\1"\2"'),
    ("markdown_escapes", _MARKDOWN, r"\1"),
)


def _with_single_braces(text: str) -> str:
    """The text with one brace for two, where none stands alone, as in the template of a prompt."""
    doubled = "{{" in text and _SINGLE_BRACE.search(text) is None
    return text.replace("{{", "{").replace("}}", "}") if doubled else ""


_TWICE_ESCAPED: Final = re.compile(r'(?<!\\)\\\\"')
# Marks of other notations beside strings and keys: `**"title"**:`, `title=`, `:title =>`, `u"..."`.
_MARKED: Final = re.compile(
    r"""(?P<bold>\*\*|__)(?P<token>"[^"\\\n]{1,80}")(?P=bold)(?=\s*[:,}\]\n])
    | (?P<string>"(?:[^"\\\n]++|\\.)*+"?|(?<=[=>:,\[{\s])'(?:[^'\\\n]++|\\.)*+'?)
    | (?<=[{,\s]):?(?P<key>[^\W\d]\w{0,60}+)\s?=>?\s?(?=["'\[{\d-])
    | (?<=[\s:\[,])[uUbBrR](?=["'])""",
    re.VERBOSE,
)
_NUMBERED_LINE: Final = re.compile(
    r"^[ \t]*(\d{1,5})(?:[ \t]*[|:.)│]|(?=[ \t]{2}))[ \t]?", re.MULTILINE
)
_ADDED_LINE: Final = re.compile(r"^[ \t]*(?:\+|//|#)", re.MULTILINE)


def _without_marks(text: str) -> str:
    """The text without marks of other notations beside strings and keys; "" when there are none."""
    marked = len(text) <= _MAX_LAYOUT and any(
        found["string"] is None for found in _MARKED.finditer(text)
    )
    return _MARKED.sub(_unmarked, text) if marked else ""


def _unmarked(found: re.Match[str]) -> str:
    return f'"{found["key"]}": ' if found["key"] else found["token"] or found["string"] or ""


def _without_prefixes(text: str) -> str:
    """The text without the numbers of its lines, or the marks of a diff, where each has one."""
    text = (only_fence(text) or ("", text, ""))[1].strip("\n")
    lines = text.count("\n") + 1
    numbers = _NUMBERED_LINE.findall(text)
    if lines > 1 and [int(number) for number in numbers] == list(range(1, lines + 1)):
        return _NUMBERED_LINE.sub("", text)
    added = lines > 1 and len(_ADDED_LINE.findall(text)) == lines
    return _ADDED_LINE.sub("", text) if added else ""


def _decoded(literal: str) -> str:
    """The text of a JSON string literal, raw line breaks allowed; "" when it is none."""
    try:
        decoded = json.loads(literal, strict=False)
    except ValueError:
        return ""
    return decoded.strip() if isinstance(decoded, str) else ""


def _inner_string(text: str) -> str:
    """The text of the longest JSON string in prose that holds a JSON value."""
    literals = [
        found.group() for found in _STRING.finditer(text) if found["end"] and '\\"' in found.group()
    ]
    decoded = _decoded(max(literals, key=len, default=""))
    return decoded if decoded[:1] in ("{", "[") else ""


def _without_quote_marks(text: str) -> str:
    """The text without the `>` of a quoted block, when its JSON lines all carry one."""
    is_one_block = len(_QUOTED_BLOCK.findall(text)) == 1
    return _QUOTED_LINE.sub("", text) if is_one_block else ""


def _without_zero_width(text: str) -> str:
    """The text without zero-width characters at its lines' edges and beside its structure."""
    bare = text if text.isascii() else "".join(_bare_chunks(text))
    return bare if len(bare) < len(text) else ""


def _bare_chunks(text: str) -> Iterator[str]:
    """The text in parts without those characters: replacing takes memory for each place."""
    start = 0
    while start < len(text):
        cut = _VISIBLE.search(text, start + _CHUNK)
        end = len(text) if cut is None else cut.start()
        # The character behind the cut tells what the last ones before it stand beside.
        part = _AT_STRUCTURE.sub(lambda found: _ZERO_WIDTH.sub("", found[0]), text[start : end + 1])
        yield part if cut is None else part[:-1]
        start = end


def _unescaped(text: str, limit: int) -> str:
    """The text of JSON whose quotes all carry one backslash too many."""
    starts = _ESCAPED_START.finditer(text, 0, limit)
    start = next((found for found in starts if found["quote"]), None)
    if start is None:
        return ""
    end = max(text.rfind("}"), text.rfind("]")) + 1
    return _decoded(f'"{text[start.start() : end]}"')


def _escapes_layout(text: str, limit: int) -> bool:
    """Whether the first value, which begins at `limit` at the latest, has escapes as its layout."""
    found = _LAYOUT_START.search(text, 0, limit + _NEAR)
    return found is not None and found.start() <= limit


def _with_line_breaks(text: str) -> str:
    """The text with escaped breaks and tabs between its tokens decoded; "" when it is very long."""
    if len(text) > _MAX_LAYOUT:
        return ""
    return _LAYOUT.sub(lambda found: _BREAKS.get(found["layout"], found.group()), text)


def hides_value(text: str) -> bool:
    """Whether the whole value shows only in a view, so that a value found as is would be a part.

    It is one JSON string, or all its quotes or line breaks are escaped, or its lines carry the
    marks of a quoted block, or its opening brace is missing.
    """
    if text.startswith('"') and _decoded(text)[:1] in ("{", "["):
        return True
    if ">" in text and _QUOTED_VALUE.search(text) is not None:
        return True
    plain = _PLAIN_START.search(text)
    limit = plain.start() if plain else len(text)
    if _escapes_layout(text, limit):
        return True
    return bool(_with_brace(text, limit) or ('\\"' in text[:limit] and _unescaped(text, limit)))


def _with_brace(text: str, limit: int) -> str:
    """The text from its first member on, with the brace that an assistant prefill swallowed."""
    first = _PREFILL.search(text, 0, limit + 1)
    if first is None or MEMBER.match(text, first.start("key")) is None:
        return ""
    return "{" + text[first.start("key") :]
