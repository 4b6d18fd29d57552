"""Every program that is started: with Python's safe path, and with an environment that is named."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import libriscribe2

SOURCE = Path(libriscribe2.__file__).parent
STARTERS = {
    *("Popen", "check_call", "check_output", "create_subprocess_exec", "create_subprocess_shell"),
    *("run_bounded", "StdioServerParameters"),
}
SHELLS = {"system", "popen", "execv", "execve", "execvp", "spawnv", "posix_spawn"}


WORDS = (*STARTERS, *(f"os.{name}" for name in SHELLS), "subprocess", "executable", "shell=")
"""A file without any of these starts nothing, and need not be parsed."""


@pytest.fixture(scope="module")
def nodes() -> list[tuple[str, ast.AST]]:
    """Every node of the source that may have to do with a program, with its file."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    return [
        (str(path.relative_to(SOURCE)), node)
        for path, text in texts.items()
        if any(word in text for word in WORDS)
        for node in ast.walk(ast.parse(text))
    ]


def calls(nodes: list[tuple[str, ast.AST]]) -> Iterator[tuple[str, ast.Call]]:
    for file, node in nodes:
        if isinstance(node, ast.Call):
            yield f"{file}:{node.lineno}", node


def name_of(call: ast.Call) -> str:
    return ast.unparse(call.func)


def starts_a_program(call: ast.Call) -> bool:
    name = name_of(call)
    return name.rpartition(".")[2] in STARTERS or name == "subprocess.run"


def test_every_python_that_is_started_has_a_safe_path(nodes: list[tuple[str, ast.AST]]) -> None:
    found = 0
    for file, node in nodes:
        words = node.args if isinstance(node, ast.Call) else getattr(node, "elts", [])
        for number, word in enumerate(words):
            if isinstance(word, ast.Attribute) and word.attr == "executable":
                if isinstance(node, ast.Call) and name_of(node) == "Path":
                    continue  # named in an error
                after = words[number + 1] if len(words) > number + 1 else None
                assert isinstance(after, ast.Constant), file
                assert after.value in {"-P", "-I"}, file
                found += 1
    assert found >= 1


def test_every_program_gets_variables_that_are_named(nodes: list[tuple[str, ast.AST]]) -> None:
    found = 0
    for place, call in calls(nodes):
        if not starts_a_program(call):
            continue
        given = [one.value for one in call.keywords if one.arg == "env"]
        assert given, f"{place}: {name_of(call)} without env"
        if not re.search(
            r"batch/processes\.py|mcp_server\.py", place
        ):  # this program needs the keys
            assert "os.environ" not in ast.unparse(given[0]), place
        found += 1
    assert found >= 6


def test_no_shell_is_asked(nodes: list[tuple[str, ast.AST]]) -> None:
    for place, call in calls(nodes):
        assert name_of(call) not in {f"os.{name}" for name in SHELLS}, place
        assert not any(
            one.arg == "shell" and getattr(one.value, "value", True) for one in call.keywords
        ), place
