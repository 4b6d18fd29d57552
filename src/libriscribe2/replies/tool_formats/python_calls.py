"""Calls in Python notation."""

import ast
import re
import warnings
from typing import Any, Final

from libriscribe2.replies.tool_formats.call_objects import clean_name
from libriscribe2.replies.tool_formats.reading import ReadCall, Source

_MAX_CODE: Final = 100_000
_JSON_NAMES: Final = {"true": True, "false": False, "null": None}
_TOKEN: Final = re.compile(
    r"""(?P<triple>'''|\"\"\")(?:\\.|(?!(?P=triple))[^\\])*+(?P=triple)
    | \\(?P<escaped>.) | (?P<text>'(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*") | (?P<open>[(\[{]) | (?P<close>[)\]}])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED_QUOTES: Final = ("'", '"')
_RAW_BREAK: Final = re.compile(r"(\\(?:\r?\n|.))|\r?\n")
_NEXT_CALL: Final = re.compile(r"[\s;,]*(?=[A-Za-z_][\w.]*\()")
_SHOWING: Final = frozenset({"print", "display"})


class NotACallError(ValueError):
    """Code that is something else than calls with literal arguments."""


def read_python_calls(source: Source, code: str) -> tuple[ReadCall, ...]:
    """The calls of a piece of code, or () if it holds anything else.

    Args:
        source: The reply, for the schemas: they name positional arguments.
        code: Calls on lines of their own, or one list of calls.
    """
    tree = _parsed(code.strip())
    if tree is None:
        return ()
    try:
        nodes = [node for statement in tree.body for node in _call_nodes(statement)]
        return tuple(_read_call(source, node) for node in nodes)
    except NotACallError:
        return ()


def code_end(text: str, start: int) -> int:
    """Where the calls end that begin at `start`; -1 if a bracket is never closed.

    Brackets inside string literals do not count.
    """
    end = -1
    place: int | None = start
    while place is not None:
        expression_end = _expression_end(text, place)
        if expression_end < 0:
            return -1
        end = expression_end
        following = _NEXT_CALL.match(text, end)
        place = following.end() if following else None
    return end


def _expression_end(text: str, start: int) -> int:
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth -= 1
            if depth <= 0:
                return token.end()
        elif token["escaped"] in _ESCAPED_QUOTES:  # outside a string: where one begins is a guess
            return -1
    return -1


def _parsed(code: str) -> ast.Module | None:
    if len(code) > _MAX_CODE:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(_TOKEN.sub(_with_escaped_breaks, code))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _with_escaped_breaks(token: re.Match[str]) -> str:
    """A string literal as Python wants it: models leave line breaks in it as they are."""
    if token["text"] is None:
        return token[0]
    return _RAW_BREAK.sub(lambda found: found[0] if found[1] else "\\n", token[0])


def _call_nodes(statement: ast.stmt) -> list[ast.Call]:
    """The calls of a statement: alone, in a list, printed or assigned."""
    if not isinstance(statement, (ast.Expr, ast.Assign)):
        raise NotACallError
    value = statement.value
    items = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
    return [_unprinted(_written(item)) for item in items]


def _written(node: ast.expr) -> ast.expr:
    """The call that a text in a list of calls is."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return node
    tree = _parsed(node.value.strip())
    single = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    return single.value if isinstance(single, ast.Expr) else node


def _unprinted(node: ast.expr) -> ast.Call:
    if not isinstance(node, ast.Call):
        raise NotACallError
    shows = isinstance(node.func, ast.Name) and node.func.id in _SHOWING
    if shows and len(node.args) == 1 and isinstance(node.args[0], ast.Call):
        return node.args[0]
    return node


def _read_call(source: Source, node: ast.Call) -> ReadCall:
    name = clean_name(_dotted(node.func).removesuffix(".call"))
    if name is None:
        raise NotACallError
    arguments = _positional(source, name, node.args)
    for keyword in node.keywords:
        value = _literal(keyword.value)
        if keyword.arg is not None:
            arguments[keyword.arg] = value
        elif isinstance(value, dict):
            arguments.update(value)
        else:
            raise NotACallError
    return ReadCall(name, arguments)


def _dotted(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise NotACallError
    return ".".join([node.id, *reversed(parts)])


def _positional(source: Source, name: str, nodes: list[ast.expr]) -> dict[str, Any]:
    """Positional arguments by the schema's order; one dict of parameters holds all of them."""
    values = [_literal(node) for node in nodes]
    properties = list(source.schemas.get(name, {}).get("properties", {}))
    whole = values[0] if len(values) == 1 and isinstance(values[0], dict) else None
    if whole is not None and (not properties or whole.keys() <= set(properties)):
        return whole
    if len(values) <= len(properties):
        return dict(zip(properties, values, strict=False))
    raise NotACallError


def _literal(node: ast.expr) -> Any:
    """The value of a literal, JSON's words for true, false and null included."""
    if isinstance(node, ast.Name) and node.id in _JSON_NAMES:
        return _JSON_NAMES[node.id]
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_literal(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        return _literal_dict(node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _negative(node.operand)
    if isinstance(node, ast.Constant) and isinstance(
        node.value, (str, int, float, bool, type(None))
    ):
        return node.value
    raise NotACallError


def _negative(node: ast.expr) -> int | float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return -node.value
    raise NotACallError


def _literal_dict(node: ast.Dict) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            raise NotACallError
        members[key.value] = _literal(value)
    return members
