"""Calls that stand on lines of their own, with no mark around them.

- a line with the tool's name and a line with a JSON object: ReAct's `Action:` and `Action Input:`,
  Qwen-Agent's `✿FUNCTION✿:` and `✿ARGS✿:`
- a list of calls in Python's spelling
"""

import ast
import json
import re
import warnings
from dataclasses import replace
from typing import Any, Final

from libriscribe2.replies.call_elements import Grammar, read_parameters
from libriscribe2.replies.call_objects import (
    BESIDE_TEXT,
    CUT_OFF,
    add_argument,
    clean_name,
    read_named_json,
)
from libriscribe2.replies.call_source import FAILURE, SEARCHED, Found, ReadCall, Source, ToolFormat
from libriscribe2.replies.normalise import REASONING_CLOSER

_MAX_CODE: Final = 100_000
_JSON_NAMES: Final = {"true": "True", "false": "False", "null": "None"}
_TOKEN: Final = re.compile(
    r"""(?P<triple>'''|\"\"\")(?:\\.|(?!(?P=triple))[^\\])*+(?P=triple)
    | \\(?P<escaped>.) | (?P<text>'(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*") | (?P<open>[(\[{]) | (?P<close>[)\]}])
    | \b(?:true|false|null)\b(?!\s*=)""",
    re.VERBOSE | re.DOTALL,
)
_RAW_BREAK: Final = re.compile(r"(\\(?:\r?\n|.))|\r?\n")
_NEXT_CALL: Final = re.compile(r"[\s;,]*(?=[A-Za-z_][\w.]*\()")


class NotACallError(ValueError):
    """Code that is something else than calls with literal arguments."""


def read_python_calls(source: Source, code: str) -> tuple[ReadCall, ...]:
    """The calls of a piece of code, or () if it holds anything else.

    Args:
        source: The reply, for the schemas: they name positional arguments.
        code: Calls on lines of their own, or one list of calls.
    """
    try:
        nodes = [node for statement in _parsed(code) for node in _call_nodes(statement)]
        return tuple(_read_call(source, node) for node in nodes)
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return ()


def code_end(text: str, start: int) -> int:
    """Where the calls end that begin at `start`; -1 if a bracket is never closed.

    Brackets inside string literals do not count.
    """
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token["escaped"] in ("'", '"'):  # outside a string: where one begins is a guess
            break
        depth += bool(token["open"]) - bool(token["close"])
        if token["close"] and depth <= 0 and _NEXT_CALL.match(text, token.end()) is None:
            return token.end()
    return -1


def _parsed(code: str) -> list[ast.stmt]:
    """The statements of a piece of code; what Python's parser raises tells that it is none."""
    if len(code) > _MAX_CODE:
        raise NotACallError
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(_TOKEN.sub(_as_python, code.strip())).body


def _as_python(token: re.Match[str]) -> str:
    """JSON's words, and string literals, in which models leave line breaks, as Python wants them."""
    if token["text"] is None:
        return _JSON_NAMES.get(token[0], token[0])
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
    first, *others = _parsed(node.value)
    return first.value if isinstance(first, ast.Expr) and not others else node


def _unprinted(node: ast.expr) -> ast.Call:
    if not isinstance(node, ast.Call):
        raise NotACallError
    shows = isinstance(node.func, ast.Name) and node.func.id in ("print", "display")
    if shows and len(node.args) == 1 and isinstance(node.args[0], ast.Call):
        return node.args[0]
    return node


def _read_call(source: Source, node: ast.Call) -> ReadCall:
    name = clean_name(ast.unparse(node.func).removesuffix(".call"))
    if name is None:
        raise NotACallError
    arguments = _positional(source, name, node.args)
    for keyword in node.keywords:
        value = _literal(keyword.value)
        given = {keyword.arg: value} if keyword.arg is not None else value
        if not isinstance(given, dict) or not all(
            add_argument(arguments, *pair) for pair in given.items()
        ):
            raise NotACallError
    return ReadCall(name, arguments)


def _positional(source: Source, name: str, nodes: list[ast.expr]) -> dict[str, Any]:
    """Positional arguments by the schema's order; one dict of parameters holds all of them."""
    values = [_literal(node) for node in nodes]
    properties = list(source.parameters(name))
    whole = values[0] if len(values) == 1 and isinstance(values[0], dict) else None
    if whole is not None and (not properties or whole.keys() <= set(properties)):
        return whole
    if len(values) <= len(properties):
        return dict(zip(properties, values, strict=False))
    raise NotACallError


def _literal(node: ast.expr) -> Any:
    """The value of a literal that JSON can hold."""
    keys = [key for one in ast.walk(node) if isinstance(one, ast.Dict) for key in one.keys]
    if not all(isinstance(getattr(key, "value", None), str) for key in keys):
        raise NotACallError
    return json.loads(json.dumps(ast.literal_eval(node)))


REACT_OPENER: Final = r"(?m:^)[ \t]*\**Action(?:[ ]\d{1,3})?:\**(?=[ \t]*[`\w\"'\[])"
_INPUT: Final = re.compile(
    r"""[ \t]*[`"'\[]?([\w.\-/:]+)[`"'\]]?[ \t]*\r?\n\s*\**Action[ ]Input(?:[ ]\d{1,3})?:\**\s*(?:`{3,}\w*\s*)?(?=\{)"""
)
_CALL: Final = re.compile(r"[ \t]*`?(?=[A-Za-z_][\w.]*\()")
_LINE_END: Final = re.compile(r"`?[ \t]*$", re.MULTILINE)
_TICKS: Final = re.compile(r"\s*`{3,}")
_FINAL: Final = re.compile(r"(?m:^)[ \t]*\**Final Answer:")
_REASONED: Final = re.compile(REASONING_CLOSER)
_OBSERVATION: Final = re.compile(r"\s*\**Observation(?: \d{1,3})?:")
_QWEN_INPUT: Final = re.compile(r"[ \t]*([\w.\-/:]+)[ \t]*\r?\n\s*✿ARGS✿:\s*(?=\{)")
_QWEN_RESULT: Final = re.compile(r"\s*✿RESULT✿")


def answers(source: Source, start: int) -> bool:
    """Whether a reply with an action at `start` has a final answer outside its reasoning."""
    final = source.search(_FINAL, 0)
    reasoned = source.search(_REASONED, final.end()) if final else None
    return final is not None and (reasoned is None or reasoned.start() > start)


def read_react(source: Source, start: int, body: int) -> Found | None:
    """The call of an action; an observation that the model made up ends the reply.

    A reply with a final answer waits for nothing: it has answered, or asks itself.
    """
    if answers(source, start):
        return Found(body, issue=BESIDE_TEXT)
    call = _CALL.match(source.text, body)
    if call is not None:
        return _written_call(source, call.end())
    return _read(source, body, _INPUT, _OBSERVATION)


def _written_call(source: Source, start: int) -> Found | None:
    """An action that is a call in Python's spelling, alone on its line."""
    text = source.text
    end = code_end(text, start) if source.effort_left > 0 else -1
    line_end = _LINE_END.match(text, end) if end >= 0 else None
    calls = read_python_calls(source, text[start:end]) if line_end else ()
    if line_end is None or not calls:
        source.spend(FAILURE + ((len(text) if end < 0 else end) - start) // SEARCHED)
        return None
    made_up = _OBSERVATION.match(text, line_end.end())
    return Found(len(text) if made_up else line_end.end(), calls)


def read_qwen_agent(source: Source, _start: int, body: int) -> Found | None:
    """The call of a Qwen-Agent function; a result that the model made up ends the reply."""
    return _read(source, body, _QWEN_INPUT, _QWEN_RESULT)


def _read(
    source: Source, body: int, lines: re.Pattern[str], result: re.Pattern[str]
) -> Found | None:
    found = read_named_json(source, lines, body, _TICKS)
    made_up = found and found.calls and result.match(source.text, found.end)
    return replace(found, end=len(source.text)) if found and made_up else found


PYTHON_LIST_OPENER: Final = (
    r"(?m:^)[ \t]*\[(?:Calling tools?:)?"
    r"""(?=\s*[A-Za-z_][\w.]*\(\s*(?:[A-Za-z_]\w*\s*=|\)|\{\s*["']))"""
)
_LIST_END: Final = re.compile(r"[ \t]*+(?:<\|\w+\|>)?[ \t]*+$", re.MULTILINE)


def read_python_list(source: Source, start: int, body: int) -> Found | None:
    """The calls of a list that ends where a line ends; None if it is anything else."""
    text = source.text
    end = code_end(text, text.index("[", start))
    if end < 0:
        return Found(len(text), issue=CUT_OFF)
    line_end = _LIST_END.match(text, end)
    calls = read_python_calls(source, f"[{text[body : end - 1]}]") if line_end else ()
    if line_end is None or not calls:
        return Found(end, issue="A list of calls could not be read; use keyword arguments.")
    return Found(line_end.end(), calls)


ARGUMENT_LINES_OPENER: Final = r"(?m:^)TOOL_NAME:[ \t]*(?=[\w.\-/]+[ \t]*\n|[\w.\-/]+[ \t]*\Z)"
_BLOCKS: Final = Grammar(
    closer=re.compile(r"(?!BEGIN_ARG|[BEGIN_AR]{1,9}\Z)"),
    parameter=re.compile(r"BEGIN_ARG:[ \t]*([\w.-]+)[ \t]*\n"),
    edge=r"(?P<call>(?!))|BEGIN_ARG:|(?P<slash>\n?END_ARG)[ \t]*\n?",
)


def read_argument_lines(source: Source, _start: int, body: int) -> Found:
    """The call of Continue's blocks: a line with the name, each argument between two lines."""
    name, _, _ = source.text[body : body + 200].partition("\n")
    return read_parameters(source, _BLOCKS, name.strip(), body + len(name) + 1)


_LINE: Final = r"(?m:^)"
NOTATIONS: Final = (
    ToolFormat("argument_lines", ARGUMENT_LINES_OPENER, read_argument_lines, 145, _LINE),
    ToolFormat("react", REACT_OPENER, read_react, 130, _LINE),
    ToolFormat("qwen_agent", "✿FUNCTION✿:", read_qwen_agent, 140, "✿"),
    ToolFormat("python_list", PYTHON_LIST_OPENER, read_python_list, 150, _LINE),
)
