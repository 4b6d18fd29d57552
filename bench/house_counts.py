"""What can be counted in the sources without running them: sizes, names, caches, imports."""

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

PACKAGE: Final = "libriscribe2"
LONGEST_FUNCTION: Final = 50
LONGEST_FILE: Final = 500

_EMPTY: Final = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    }
)
_CACHES: Final = frozenset({"cache", "lru_cache"})
_CONTAINERS: Final = frozenset(
    [
        "dict",
        "list",
        "set",
        "defaultdict",
        "deque",
        "Counter",
        "OrderedDict",
        "WeakKeyDictionary",
        "WeakValueDictionary",
        "WeakSet",
        "ChainMap",
        "local",
    ]
)
_CHANGES: Final = frozenset(
    [
        "append",
        "appendleft",
        "add",
        "insert",
        "extend",
        "update",
        "setdefault",
        "pop",
        "popleft",
        "popitem",
        "remove",
        "discard",
        "clear",
        "move_to_end",
        "subtract",
    ]
)
_RULE: Final = re.compile(r"^\d+\. ", re.MULTILINE)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """A file of ours.

    Attributes:
        name: Its path below the package, with `/`.
        text: What it holds.
    """

    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    @property
    def module(self) -> str:
        parts = self.name.removesuffix(".py").removesuffix("/__init__").split("/")
        return ".".join((PACKAGE, *parts))

    @property
    def room(self) -> str:
        """The folder directly below the package; "" of the files beside those."""
        return self.name.partition("/")[0] if "/" in self.name else ""


def sources(root: Path) -> list[Source]:
    """The files of the package in the folder `root` of a checkout."""
    package = root / "src" / PACKAGE
    return [
        Source(path.relative_to(package).as_posix(), path.read_text(encoding="utf-8"))
        for path in sorted(package.rglob("*.py"))
    ]


def code_lines(source: Source) -> int:
    """Lines that hold code: no blanks, no comments, no docstrings. Tables of data are code."""
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type not in _EMPTY:
            held.update(range(token.start[0], token.end[0] + 1))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(source.tree):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            held.difference_update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(held)


def function_lines(files: Sequence[Source]) -> list[int]:
    """Lines of every function, the shortest first; decorators are left out, docstrings are not."""
    return sorted(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for source in files
        for node in ast.walk(source.tree)
        if isinstance(node, Function)
    )


def shared_names(files: Sequence[Source]) -> dict[str, list[str]]:
    """File names that stand in more than one room, with their rooms; `__init__` apart."""
    rooms: defaultdict[str, set[str]] = defaultdict(set)
    for source in files:
        name = source.name.rpartition("/")[2]
        if name != "__init__.py":
            rooms[name].add(source.room)
    return {name: sorted(where) for name, where in sorted(rooms.items()) if len(where) > 1}


def long_files(files: Sequence[Source]) -> list[str]:
    """Files of more than 500 lines."""
    return [f"{one.name} ({one.lines})" for one in files if one.lines > LONGEST_FILE]


def caches(files: Sequence[Source]) -> list[str]:
    """Functions behind `cache` or `lru_cache`, and variables of a module or class that remember.

    A variable remembers if it is a container that some function changes, in its own module or in
    one that imports it, or if a function gives it another value by `global`. What is filled while
    the module is imported, such as a registry or a table, does not count.
    """
    held = {(one.module, name) for one in files for name in _containers(one.tree.body)}
    found = [f"{one.name}:{name}" for one in files for name in _decorated(one.tree)]
    return found + [f"{one.name}:{name}" for one in files for name in _remembering(one, held)]


def _decorated(tree: ast.Module) -> Iterator[str]:
    """Functions with a cache, by a decorator or by a call of one that a value is made from."""
    decorators: set[ast.expr] = set()
    for node in ast.walk(tree):
        if isinstance(node, Function):
            for decorator in node.decorator_list:
                decorators.add(decorator)
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if _last_name(called) in _CACHES:
                    yield node.name
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node not in decorators:
            inner = node.func.func if isinstance(node.func, ast.Call) else node.func
            if _last_name(inner) in _CACHES and node.args:
                yield f"{ast.unparse(node)[:40]}, line {node.lineno}"


def _remembering(source: Source, held: set[tuple[str, str]]) -> list[str]:
    """Containers of any module, or of a class in this one, that a function of this one changes."""
    nodes = list(ast.walk(source.tree))
    ours = {name for module, name in held if module == source.module}
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            ours |= {
                one.asname or one.name for one in node.names if (node.module, one.name) in held
            }
    inside = {
        name for node in nodes if isinstance(node, ast.ClassDef) for name in _containers(node.body)
    }
    changed: set[str] = set()
    for node in nodes:
        if isinstance(node, Function | ast.Lambda):
            open_names = ours - _own_names(node)
            for part in ast.walk(node):
                changed.update(_changes(part, open_names, inside))
    return sorted(changed)


def _containers(body: Sequence[ast.stmt]) -> set[str]:
    """Variables of a module or class that can be added to."""
    return {name for name, value in _assigned(body) if _is_container(value)}


def _changes(node: ast.AST, held: set[str], inside: set[str]) -> Iterator[str]:
    """The containers that a statement or expression changes."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = [one.value for one in node.targets if isinstance(one, ast.Subscript)]
    elif isinstance(node, ast.AugAssign):
        targets = [node.target.value if isinstance(node.target, ast.Subscript) else node.target]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        targets = [node.func.value] if node.func.attr in _CHANGES else []
    elif isinstance(node, ast.Global):
        yield from node.names
    for target in targets:
        if isinstance(target, ast.Name) and target.id in held:
            yield target.id
        elif isinstance(target, ast.Attribute) and target.attr in inside:
            yield target.attr


def _assigned(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Names and values of the assignments of a module or class."""
    for statement in body:
        if isinstance(statement, ast.Assign):
            yield from (
                (target.id, statement.value)
                for target in statement.targets
                if isinstance(target, ast.Name)
            )
        elif (
            isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and statement.value is not None
        ):
            yield statement.target.id, statement.value


def _is_container(value: ast.expr) -> bool:
    """Whether a value can be added to."""
    if isinstance(value, ast.Call):
        called = value.func.value if isinstance(value.func, ast.Subscript) else value.func
        return _last_name(called) in _CONTAINERS
    kinds = ast.Dict | ast.List | ast.Set | ast.DictComp | ast.ListComp | ast.SetComp
    return isinstance(value, kinds)


def _own_names(function: Function | ast.Lambda) -> set[str]:
    """Arguments and variables of a function, which hide those of the module."""
    arguments = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    stored = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    shared = {
        name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names
    }
    return (arguments | stored) - shared


def _last_name(node: ast.expr) -> str:
    """`lru_cache` of `functools.lru_cache`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def words_and_rules(guide: Path) -> tuple[int, int]:
    """Words of a guide such as AGENTS.md, and its numbered rules."""
    text = guide.read_text(encoding="utf-8")
    return len(text.split()), len(_RULE.findall(text))
