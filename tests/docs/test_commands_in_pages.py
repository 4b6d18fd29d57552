"""Every block of commands in the tutorials and how-tos runs, or says why it does not."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from tests.docs.help_page import ROOT, help_of
from tests.support.desk import Desk

from libriscribe2.cli.table import COMMANDS

DOCS: Final = ROOT / "docs"
RUN: Final = tuple(sorted((*DOCS.glob("tutorials/*.md"), *DOCS.glob("how-to/*.md"))))
BLOCK: Final = re.compile(
    r"(?:<!-- (?P<kind>not run|book): (?P<told>[^\n]*?) -->\n+)?```sh\n(?P<text>.*?)```",
    re.DOTALL,
)
BOOK: Final = re.compile(r"<!-- book: (\w+) -->")
SIZE: Final = ("--chapters", "3", "--scenes-per-chapter", "1", "--words", "450")
NAMES: Final = {entry.name for entry in COMMANDS}


@dataclass(frozen=True)
class Block:
    """Lines that a reader types, and why a test does not; "" where it does."""

    lines: tuple[str, ...]
    reason: str


def blocks(page: Path) -> list[Block]:
    return [
        Block(
            tuple(
                line.partition("   #")[0].rstrip() for line in found["text"].splitlines() if line
            ),
            found["told"] if found["kind"] == "not run" else "",
        )
        for found in BLOCK.finditer(page.read_text(encoding="utf-8"))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_DO_what_a_page_says_to_type_works(page: Path, tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk")
    desk.folder.mkdir()
    desk.environment["LIBRISCRIBE2_MODELS__DEFAULT"] = "demo"  # for every model that is paid
    for name in BOOK.findall(page.read_text(encoding="utf-8")):
        desk.written(name=name, size=SIZE)
    for block in blocks(page):
        for line in () if block.reason else block.lines:
            typed(desk, line)


def typed(desk: Desk, line: str) -> None:
    """Do what a line says: commands of the program here, anything else by a shell."""
    words = shlex.split(line)
    if words[0] != "libriscribe2":
        bash = shutil.which("bash")
        assert bash is not None
        subprocess.run([bash, "-ec", line], cwd=desk.folder, check=True)
        return
    if "--model" in words and "/" in words[words.index("--model") + 1]:
        words[words.index("--model") + 1] = "demo"
    # 5: a check found something, in a book of template sentences.
    ran = desk.run(*words[1:], expect=None)
    assert ran.code in {0, 5} if "check" in words else ran.code == 0, f"{line}: {ran}"


@pytest.mark.parametrize("page", RUN, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_DO_a_block_that_is_not_run_says_why_and_names_real_commands(page: Path) -> None:
    for block in blocks(page):
        for line in block.lines if block.reason else ():
            words = shlex.split(line)
            if words[0] != "libriscribe2":
                continue
            assert words[1] in NAMES, line
            below = [word for word in words[2:3] if words[1] in {"keys", "batch", "research"}]
            shown = help_of(words[1], *(below if words[1] in {"keys", "batch"} else ()))
            options = [word for word in words if word.startswith("--")]
            assert all(option in shown for option in options), line


def test_DO_there_are_twenty_how_tos() -> None:
    pages = (path.read_text(encoding="utf-8") for path in DOCS.glob("how-to/*.md"))
    assert sum(len(re.findall(r"^## ", page, re.MULTILINE)) for page in pages) >= 20


PAGES: Final = tuple(sorted({*DOCS.rglob("*.md")} - {*RUN, DOCS / "cli.md"}))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_DO_what_other_pages_say_to_type_exists(page: Path) -> None:
    # They are about servers, keys, other machines, and books that a test does not have.
    known = (DOCS / "cli.md").read_text(encoding="utf-8")
    fences = re.findall(r"```\w*\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for text in fences for line in text.splitlines()]
    for line in (one for one in lines if one.startswith("libriscribe2 ")):
        words = shlex.split(line, comments=True)
        assert words[1] in NAMES or words[1].startswith("-"), line
        options = [word.partition("=")[0] for word in words if word.startswith("--")]
        assert all(option in known for option in options), line


PYTHON: Final = re.compile(r"(<!-- not run: [^\n]* -->\n)?```python\n(.*?)```", re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", ["library.md", "recordings.md", "exports.md", "reference/tools.md"]
)
def test_DO_the_python_of_a_page_runs(page: str, tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk")
    desk.folder.mkdir()
    desk.run("demo")
    recording = ROOT / "tests" / "recorded" / "locked-key.json"
    shutil.copy(recording, desk.folder / "my-book.json")
    desk.run("create", "--model", "recorded:my-book.json", "-p", "book")
    (desk.folder / "my-book.md").write_text(desk.project().text("manuscript.md"), encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    around = desk.whole_environment({"LIBRISCRIBE2_MODELS__DEFAULT": "demo", "PATH": path})
    blocks = PYTHON.findall((DOCS / page).read_text(encoding="utf-8"))
    for number, code in enumerate(code for reason, code in blocks if not reason):
        file = desk.folder / f"test_{number}.py"
        file.write_text(code, encoding="utf-8")
        tool = ("-m", "pytest", "-q") if "def test_" in code else ()
        subprocess.run([sys.executable, *tool, file.name], cwd=desk.folder, env=around, check=True)
