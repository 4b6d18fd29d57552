"""Bar 24, threat 12: templates in anybody's text are filled in by nobody.

Again: .venv/bin/pytest tests/reliability/test_bar_24_templates.py
"""

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import pytest
from tests.support.authors import Author
from tests.support.bars import Bar
from tests.support.desk import PREMISE, SMALL, Desk

from libriscribe2.llm.backend import Request

BAR: Final = Bar(24, 24, "test_bar_24_templates.py")

TEMPLATES: Final = (
    *("{0.__class__.__init__.__globals__}", "{premise.__class__.__mro__}", "{0!r:>9999999}", "{}"),
    *("$premise", "${schema}", "$$", "$words", "%(premise)s", "%s%n%x", "{{7*191}}", "{{ 7*191 }}"),
    *("{% for x in ''.__class__.__base__.__subclasses__() %}{{x}}{% endfor %}", "{#x#}"),
    *("${7*191}", "#{7*191}", "<%= 7*191 %>", "{7*191!r}", "{{step-1.response.secret}}"),
    *("{{cycler.__init__.__globals__.os.popen('id').read()}}", "__import__('os').getcwd()"),
    *("$(id)", "`id`", "\\input{/etc/passwd}", '#read("/etc/passwd")', "#panic()"),
)
RUN: Final = re.compile(r"1337|<class |<module |__builtins__|root:x:0|uid=\d")
"""What stands where one of them was run."""

LINE: Final = "The keeper wrote {} into the book."


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_bar_24_12_templates_in_text_stay_text(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [LINE.format(one) for one in TEMPLATES]

    def writes_templates(request: Request) -> str | None:
        return "\n\n".join(lines * 3) if request.step.startswith("chapters/") else None

    author = Author(reply=writes_templates)
    premise = "A coast. " + " ".join(TEMPLATES)
    new = ("create", premise, "--title", "T {0.__class__} {{7*191}} $words", "--genre", "${7*191}")
    desk.run(*new, "--mock", "-p", "book", *SMALL, backend=author)
    asked = ["\n".join(str(one["content"]) for one in request.messages) for request in author.asked]
    assert len([one for one in asked if premise in one]) >= 3
    book = desk.project()
    desk.run("export", "book", "--format", "md,html,epub")
    desk.run("view", "book", "--export", str(desk.folder / "out"))
    for chapter in (*book.chapters(), book.text("manuscript.md"), book.text("exports/book.md")):
        missing = [line for line in lines if line not in chapter]
        assert missing == []
    for path, text in _texts(desk.folder):
        assert not RUN.search(text), path
    assert not [one for one in asked if RUN.search(one)]
    BAR.tell(capsys, f"threat 12: {len(TEMPLATES)} templates in premise, title and chapters, 0 run")


def _texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Every text below a folder, the pages of an EPUB included."""
    for path in folder.rglob("*"):
        if path.suffix == ".epub":
            with ZipFile(path) as epub:
                for name in epub.namelist():
                    if name.endswith(("html", "opf", "ncx")):
                        yield name, epub.read(name).decode("utf-8")
        elif path.suffix in (".md", ".html", ".json", ".toml"):
            yield str(path), path.read_text(encoding="utf-8")


def test_bar_24_12_a_prompt_of_a_project_fills_in_names_and_nothing_else(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.written("--until", "concept")
    prompts = desk.project().path("prompts")
    prompts.mkdir()
    shipped = files("libriscribe2.prompts").joinpath("characters.md").read_text(encoding="utf-8")
    harmless = [one for one in TEMPLATES if "$" not in one]
    text = shipped.replace("--- user ---\n", "--- user ---\n" + "\n".join(harmless) + "\n$$HOME\n")
    (prompts / "characters.md").write_text(text, encoding="utf-8")
    author = Author()
    desk.run("resume", "book", "--until", "characters", backend=author)
    asked = str(author.asked[0].messages[-1]["content"])
    assert asked.startswith("\n".join(harmless) + "\n$HOME\n")
    assert not RUN.search(asked)
    (prompts / "world.md").write_text("--- system ---\nx\n--- user ---\n$premise.__class__\n")
    author = Author()
    desk.run("resume", "book", "--until", "world", backend=author)
    assert f"{PREMISE}.__class__" in str(author.asked[0].messages[-1]["content"])
    desk.project().path("world.json").unlink()
    for bad in ("$premises.__class__", "${brief.__init__}", "$__class__", "$HOME", "$", "${7*191}"):
        (prompts / "world.md").write_text(f"--- system ---\nx\n--- user ---\n{bad}\n", "utf-8")
        author = Author()
        ran = desk.run("resume", "book", "--until", "world", expect=3, backend=author)
        assert "world" in ran.err
        assert author.asked == [], bad
    BAR.tell(capsys, f"threat 12: {len(harmless)} templates in a prompt stay, 6 bad holes refused")
