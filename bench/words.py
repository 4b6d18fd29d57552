"""All words that a user sees, in one file for reading: `make words` writes words.txt.

Texts are taken where they stand: arguments of what prints, of errors and findings, of options and
commands, docstrings of commands, and the templates of the pages. A `{...}` is a value that is put in.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "src" / "libriscribe2"
TARGET: Final = ROOT / "words.txt"

_TELLING: Final = frozenset({
    *("note", "warning", "data", "panel", "table", "echo", "confirm", "prompt", "ask"),
    *("Option", "Argument", "Entry", "command_group", "CheckResult", "Finding", "remark"),
    *("finding", "found", "told", "_finding", "fault", "_fault", "problem", "counted"),
})  # fmt: skip
_ERROR: Final = re.compile(r"[A-Z]\w*(Error|Refusal|Failure)$")
_WORDY: Final = re.compile(r"[A-Za-z]{2,}.*\s.*[A-Za-z]{2,}|^[A-Z][a-z]{3,}$", re.DOTALL)
_TAG: Final = re.compile(
    r"<script.*?</script>|<style.*?</style>|<[^>]*>|{%.*?%}|{#.*?#}", re.DOTALL
)


def main() -> None:
    """Write the file, and say how much it holds."""
    lines = list(words())
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = sum(len(line.split("\t", 1)[-1].split()) for line in lines)
    print(f"{TARGET.name}: {len(lines):,} texts, {said:,} words")


def words() -> Iterator[str]:
    """Each text with its place: `file:line`, a tab, the text on one line."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = {**_of_calls(tree), **(_of_commands(tree) if path.parent.name == "cli" else {})}
        for line, texts in sorted(found.items()):
            for text in texts:
                yield f"{path.relative_to(PACKAGE)}:{line}\t{text}"
    for path in sorted((*PACKAGE.rglob("*.html"), *PACKAGE.rglob("*.j2"))):
        bare = _TAG.sub(_blank, path.read_text(encoding="utf-8"))
        for number, row in enumerate(bare.split("\n"), 1):
            text = " ".join(row.split())
            if re.search(r"[A-Za-z]{3,}", re.sub(r"{{.*?}}", "", text)):
                yield f"{path.relative_to(PACKAGE)}:{number}\t{text}"


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n") or " "


def _of_calls(tree: ast.AST) -> dict[int, list[str]]:
    """The texts that are given to something that tells them."""
    found: dict[int, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _tells(node.func):
            for argument in (*node.args, *(one.value for one in node.keywords)):
                for part, text in _texts(argument):
                    found.setdefault(part.lineno, []).append(text)
    return found


def _tells(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in _TELLING or _ERROR.search(name) is not None


def _texts(node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """The texts of an argument, choices and parts included."""
    if isinstance(node, ast.Constant | ast.JoinedStr):
        text = _text(node)
        if _WORDY.search(text):
            yield node, " ".join(text.split())
    elif isinstance(node, ast.IfExp):
        yield from (one for part in (node.body, node.orelse) for one in _texts(part))
    elif isinstance(node, ast.BinOp):
        yield from (one for part in (node.left, node.right) for one in _texts(part))
    elif isinstance(node, ast.Dict):
        yield from (one for part in (*node.keys, *node.values) if part for one in _texts(part))
    elif isinstance(node, ast.Tuple | ast.List):
        yield from (one for part in node.elts for one in _texts(part))


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    parts = (one.value if isinstance(one, ast.Constant) else "{…}" for one in node.values)
    return "".join(map(str, parts))


def _of_commands(tree: ast.AST) -> dict[int, list[str]]:
    """The docstrings of commands, which are their help."""
    return {
        node.lineno: [" ".join((ast.get_docstring(node) or "").split())]
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any(getattr(one, "id", "") == "command" for one in node.decorator_list)
    }


if __name__ == "__main__":
    main()
