"""Values in another notation than JSON: YAML, fields, lists and tables of Markdown, XML, a call.

They count only where the wanted schema knows their names and nothing is left over behind them, and
come back as JSON text, so that whatever holds for JSON holds for them. No text of theirs is a number or
a truth here: the schema says which it is.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from xml.etree import ElementTree

from libriscribe2.replies.contract import only_fence
from libriscribe2.replies.normalise import with_characters
from libriscribe2.replies.remarks import words_of
from libriscribe2.replies.repair import repair_json
from libriscribe2.replies.schema_fit import plain_name, properties_of, resolve

_MAX_TEXT: Final = 200_000
_MAX_DEPTH: Final = 30
_MAX_CALL: Final = 20_000
_MARKS: Final = r"(?:\*\*|__)?"
_KEY: Final = re.compile(
    rf"{_MARKS}(?P<key>[^\W\d][\w -]{{0,40}}+){_MARKS}\s*(?:[:：]|(?<= )=(?= )){_MARKS}(?:(?:\s+|(?<=：)|(?<=：\*\*))(?P<rest>.*))?"
)
_ITEM: Final = re.compile(r"(?P<mark>(?:[-*+•]|\d{1,3}[.)])\s+)(?P<rest>\S.*)")
_MEMBERS: Final = re.compile(r'"[^"\n]{1,80}"\s*:')
_CALL: Final = re.compile(r"[^\W\d]\w*(?:\s*=\s*[\w\[]|\(\s*[^\W\d]\w*\s*=)")
_BLOCK: Final = re.compile(r"[|>][+-]?")
_TICKED: Final = re.compile(r"(\*\*|\*|__|_|`)(.+)\1", re.DOTALL)
# YAML's remark on a number or a quoted text; one that asks or leaves out is no mere remark.
_REMARK: Final = re.compile(
    r"""(?P<value>[+-]?[\d.,]+|"[^"]*"|'[^']*')\s+#\s(?:(?!\.\.\.)[^?？؟…])*"""
)
# A sign of comparison in a text.
_BARE_SIGN: Final = re.compile(r"<(?![/!\w])")
_RULE: Final = re.compile(r"\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?")


def readings(text: str, wanted: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The notation's name and the text with the value in JSON, for each that the text may be."""
    if _MEMBERS.match(text) and not text.endswith("}"):
        yield "missing_braces", f"{{{text}}}"
    parts = only_fence(text) if len(text) <= _MAX_TEXT else None
    if parts is None or parts[1].lstrip()[:1] in ("{", "["):
        return
    before, body, behind = parts[0], parts[1].strip("\n"), parts[2]
    names = {plain_name(name) for name in _names(wanted, wanted)}
    for read in (_call, _xml, _table, _lines):
        found = read(body, names)
        if found is not None and not words_of(found[2] + behind):
            value = json.dumps(found[0], ensure_ascii=False)
            yield read.__name__[1:], f"{before}{found[1]}\n\n{value}"


def _names(node: Any, root: Mapping[str, Any]) -> Iterator[str]:
    """The properties of the wanted object, or of the items of the wanted list, and of its lists."""
    node = resolve(node, root)
    for name, part in properties_of(node).items():
        yield name
        yield from properties_of(resolve(resolve(part, root).get("items"), root))
    yield from properties_of(resolve(node.get("items"), root))


Found = tuple[Any, str, str] | None


def _call(text: str, _names: set[str]) -> Found:
    """The arguments of `Recipe(name="...")`, as Python and pydantic write objects."""
    body = text.strip()
    if len(body) > _MAX_CALL or not _CALL.match(body):
        return None
    try:
        call: Any = ast.parse(f"_({body})", mode="eval").body
        values = [_object(one) for one in (call.args if not call.keywords else [call])]
        value = json.loads(json.dumps(values[0] if len(values) == 1 else values))
    except (AttributeError, TypeError, ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value, "", ""


def _object(node: Any) -> Any:
    """The object of a call's named arguments, at any depth; else the literal."""
    if isinstance(node, ast.Call) and not node.args:
        members = {one.arg: _object(one.value) for one in node.keywords}
        if None in members or len(members) < len(node.keywords):
            raise ValueError
        return members
    return [*map(_object, node.elts)] if isinstance(node, ast.List) else ast.literal_eval(node)


def _table(text: str, names: set[str]) -> Found:
    """The rows of a table whose head, or whose first of two columns, has names of the schema."""
    lines = text.split("\n")
    for at, line in enumerate(lines[:-1]):
        if not _RULE.fullmatch(lines[at + 1].strip()):
            continue
        head, end = _cells(line), at + 2
        rows = []
        while end < len(lines) and len(cells := _cells(lines[end])) == len(head) > 1:
            rows.append(cells)
            end += 1
        value = _rows(head, rows, names)
        return None if value is None else (value, "\n".join(lines[:at]), "\n".join(lines[end:]))
    return None


def _rows(head: list[str], rows: list[list[str]], names: set[str]) -> Any:
    """Rows as objects under their head; as one object where the first cells are its members."""
    if len({plain_name(cell) for cell in head} & names) > 1 and len(set(head)) == len(head):
        return [dict(zip(head, row, strict=True)) for row in rows] or None
    pairs = [row for row in rows if len(row) == 2 and plain_name(row[0]) in names]
    return dict(pairs) if 1 < len(pairs) == len(rows) == len({row[0] for row in rows}) else None


def _cells(line: str) -> list[str]:
    line = line.strip()
    if not (line.startswith("|") and line.endswith("|")):
        return []
    cells = (cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", line[1:-1]))
    return [found[2] if (found := _TICKED.fullmatch(cell)) else cell for cell in cells]


def _xml(text: str, names: set[str]) -> Found:
    """The content of elements, where every one of them is closed."""
    if "<!--" in text or "<?" in text:  # a comment may say that something is left out
        return None
    try:  # within an element nothing can be declared; characters are decoded afterwards
        marked = _BARE_SIGN.sub("&lt;", text.replace("&", "&amp;"))
        root = ElementTree.fromstring(f"<_>{marked}</_>")
        known = any(plain_name(_tag(one)) in names or _named(one) for one in root.iter())
        value = _element(root, 0) if known else None
    except (ElementTree.ParseError, ValueError):
        return None
    return (value, root.text or "", "".join(one.tail or "" for one in root)) if value else None


def _tag(element: ElementTree.Element) -> str:
    """An element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def _named(element: ElementTree.Element) -> str:
    """The member that an element such as `<parameter name="title">` is, or ""."""
    given = element.attrib
    return given.get("name") or given.get("key", "") if len(given) == 1 else ""


def _element(element: ElementTree.Element, depth: int) -> Any:
    """An element's text, or its members as an object; as a list where all have the same name.

    Raises:
        ValueError: There is text between the members, or too many stand inside each other.
    """
    if depth > _MAX_DEPTH:
        raise ValueError(element.tag)
    given = {} if _named(element) else element.attrib
    members = [(name, with_characters(one)) for name, one in given.items()]
    members += [(_named(one) or _tag(one), _element(one, depth + 1)) for one in element]
    said = with_characters(element.text or "").strip()
    if not members:
        return said
    between = any((one.tail or "").strip() for one in element)
    if depth and (said or between):
        raise ValueError(element.tag)
    lists: dict[str, list[Any]] = {}
    for key, value in members:
        lists.setdefault(key, []).append(value)
    alike = len(members) > 1 or plain_name(_tag(element)).startswith(plain_name(members[0][0]))
    if len(lists) == 1 and alike:
        return lists[members[0][0]]
    return {key: found if len(found) > 1 else found[0] for key, found in lists.items()}


def _lines(text: str, names: set[str]) -> Found:
    """The value of lines with keys or marks of a list, as YAML and Markdown have them."""
    lines = [(len(line) - len(line.lstrip()), line.strip()) for line in text.split("\n")]
    if any(line in ("-", "*", "+", "•") for _, line in lines):  # an item was cut off
        return None
    for at, (indent, line) in enumerate(lines):
        item = _ITEM.fullmatch(line)
        key = _KEY.fullmatch(item["rest"] if item else line)
        if not (plain_name(key["key"]) in names if key else item and not names):
            continue
        block = _Block([*lines, (-1, "\0")], names, at)
        value = block.read(indent, 0)
        singles = [one for one in value if isinstance(one, dict) and len(one) == 1]
        merged = {name: one for member in singles for name, one in member.items()}
        value = merged if isinstance(value, list) and len(merged) == len(value) else value
        before, after = (
            "\n".join(line for _, line in part) for part in (lines[:at], lines[block.at :])
        )
        return value, before, after
    return None


@dataclass
class _Block:
    """Lines with their indents, read from top to bottom; the last is none of the text."""

    lines: list[tuple[int, str]]
    names: set[str]
    at: int

    def read(self, indent: int, depth: int) -> Any:
        """The list or the object that begins at the line."""
        is_list = _ITEM.fullmatch(self.lines[self.at][1])
        return self._list(indent, depth) if is_list else self._object(indent, depth)

    def _list(self, indent: int, depth: int) -> list[Any]:
        found: list[Any] = []
        numbers: list[int] = []
        while (item := self._next(indent, _ITEM)) is not None:
            numbers += [int(one) for one in re.findall(r"\d+", item["mark"])]
            if numbers[0:1] == [1] and numbers[-1] != len(numbers):
                break  # one was left out
            inner = indent + len(item["mark"])
            if _KEY.fullmatch(item["rest"]) and depth < _MAX_DEPTH:
                self.lines[self.at] = (inner, item["rest"])
                found.append(self._object(inner, depth + 1))
            else:
                self.at += 1
                found.append(_text(self._whole(item["rest"], indent)))
        return found

    def _object(self, indent: int, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (member := self._next(indent, _KEY)) is not None:
            key, rest = member["key"].strip(), (member["rest"] or "").strip()
            if key in found or (depth == 0 and plain_name(key) not in self.names):
                break
            self.at += 1
            if not rest:
                found[key] = self._inner(indent, depth)
            elif _BLOCK.fullmatch(rest):
                found[key] = self._block(rest, indent)
            else:
                found[key] = _text(self._whole(rest, indent))
        return found

    def _next(self, indent: int, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The match of the next line with words, if it has this indent."""
        while not self.lines[self.at][1]:
            self.at += 1
        deep, line = self.lines[self.at]
        return pattern.fullmatch(line) if deep == indent else None

    def _inner(self, indent: int, depth: int) -> Any:
        """What stands below a key: deeper lines with keys, or a list."""
        while not self.lines[self.at][1]:
            self.at += 1
        deeper, line = self.lines[self.at]
        nested = deeper > indent and _KEY.fullmatch(line)
        nested = nested or (deeper >= indent and _ITEM.fullmatch(line))
        if nested and depth <= _MAX_DEPTH:
            return self.read(deeper, depth + 1)
        return self._whole("", indent).strip() or None

    def _whole(self, text: str, indent: int) -> str:
        """A text with the deeper lines right behind it that are neither keys nor items."""
        parts = [text]
        while self.lines[self.at][1] and self.lines[self.at][0] > indent:
            line = self.lines[self.at][1]
            if _KEY.fullmatch(line) or _ITEM.fullmatch(line):
                break
            parts.append(line)
            self.at += 1
        return " ".join(parts)

    def _block(self, mark: str, indent: int) -> str:
        """The lines of a block, blank ones too: as they stand, or as one line a paragraph."""
        start = self.at
        while not self.lines[self.at][1] or self.lines[self.at][0] > indent:
            self.at += 1
        lines = self.lines[start : self.at]
        margin = min((deep for deep, line in lines if line), default=0)
        text = "\n".join(" " * (deep - margin) + line for deep, line in lines).strip("\n")
        return text if mark[0] == "|" else re.sub(r"(?<!\n)\n(?!\n)", " ", text)


def _text(text: str) -> Any:
    """A text without the quotes around it; a list or an object within its line."""
    remarked = _REMARK.fullmatch(text)
    text = remarked["value"] if remarked else text
    if text in ("null", "~"):
        return None
    if text[:1] in ("{", "["):
        outcome = repair_json(text)
        whole = not outcome.trouble and text[outcome.end :].strip()[:1] in ("", "#")
        return outcome.value if whole else text
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        try:
            return json.loads(text) if text[0] == '"' else text[1:-1].replace("''", "'")
        except ValueError:
            return text
    return text
