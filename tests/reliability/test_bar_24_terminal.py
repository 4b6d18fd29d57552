"""Bar 24, threat 5: whatever models, pages, files and errors say, no terminal is steered by it.

Again: .venv/bin/pytest tests/reliability/test_bar_24_terminal.py
"""

import io
import json
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import pexpect
import pytest
from tests.support.authors import Author
from tests.support.bars import Bar
from tests.support.desk import PREMISE, Desk, Ran
from tests.support.hand_made import HandMade
from tests.support.hostile import MARKED, evil_strings, steering_in
from typer.core import TyperArgument, TyperGroup

from libriscribe2.cli.root import LazyCommand
from libriscribe2.cli.table import COMMANDS
from libriscribe2.llm.backend import BackendError, Completion, Request

BAR: Final = Bar(24, 24, "test_bar_24_terminal.py")
COUNT: Final = 200
EVIL: Final = evil_strings(COUNT, BAR.rng())
SERVES: Final = frozenset({"view", "demo", "doctor"})
"""Commands that do not end, or that say nothing of a project."""

RICHS_OWN: Final = re.compile(r"\x1b\[(?:0|1|2|33|32|1;3[13]|3[123])?m|\x1b\[\?25[hl]")
WORDS: Final = {"project": "book", "number": "1", "chapter": "1", "stage": "outline"}


class EvilAuthor(Author):
    """The stand-in author, who ends every text with one of the evil strings."""

    def __init__(self) -> None:
        super().__init__()
        self._more = cycle(EVIL)

    async def complete(self, request: Request) -> Completion:
        usual = await super().complete(request)
        try:
            value = json.loads(usual.reply)
        except ValueError:
            return Completion(f"{usual.reply} {next(self._more)}\n", model=next(self._more))
        return Completion(json.dumps(self._with_evil(value)), model=next(self._more))

    def _with_evil(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._with_evil(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self._with_evil(one) for one in value]
        return f"{value} {next(self._more)}" if isinstance(value, str) and " " in value else value


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book whose every text is evil, with evil dumps, events, sources and file names."""
    desk = Desk(tmp_path_factory.mktemp("evil") / "desk")
    desk.folder.mkdir()
    more = cycle(EVIL)
    desk.create("--research", "--worldbuilding", "--until", "concept", backend=EvilAuthor())
    book, hand = desk.project(), HandMade(desk.folder)
    for name in list(map(_as_file_name, EVIL))[:20]:
        text = _utf8(f"# {next(more)}\n\nSalt {next(more)} melts.\n")
        hand.write(f"research/sources/{name}.md", text)
    desk.run("resume", "book", expect=None, backend=EvilAuthor())
    for number, text in enumerate(EVIL, 900):
        name = f"{number:04d}-{_as_file_name(text)[:40]}-try1.json"
        told = {"agent_name": text, "step": text, "model": text, "raw_response": text}
        more_told = {"feedback": text, "formatting_issues": [text], "repairs": [{"rule": text}]}
        record = json.dumps({"debug_info": {**told, **more_told, "prompt": [{"role": text}]}})
        (book.debug / name).write_text(record, encoding="utf-8")
    (book.debug / "0899-x-try1.json").write_text("{" + "".join(EVIL[:50]), "utf-8", "replace")
    return desk.folder


@pytest.fixture
def desk(made: Path, tmp_path: Path) -> Desk:
    return Desk(shutil.copytree(made, tmp_path / "desk"))


class Watch:
    """Looks at everything that commands say."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.said = 0
        self.evil = 0

    def run(self, *arguments: str, backend: Any = None) -> Ran:
        """Run a command, whatever becomes of it."""
        ran = self._desk.run(*arguments, expect=None, backend=backend)
        for text in (ran.out, ran.err):
            assert steering_in(text) == "", arguments
            assert "Traceback" not in text, arguments
            self.evil += text.count(MARKED)
        self.said += 1
        return ran


def test_bar_24_05_no_command_steers_the_terminal(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    watch = Watch(desk)
    for words, command in _project_commands():
        watch.run(*words)
        if any("--json" in one.opts for one in command.params):
            watch.run(*words, "--json")
    for words in (
        *(("check", "book", "--story"), ("check", "book", "--story", "--format", "junit")),
        *(("check", "book", "--story", "--format", "sarif"), ("status", "book", "--rates")),
        *(("research", "show", "book", "--run"), ("report", "book")),
        *(("view", "book", "--export", "out"), ("export", "book", "-f", "md,html", "--partial")),
        *(
            ("debug", kind, "book", number)
            for kind in ("show", "diff")
            for number in ("900", "950")
        ),
    ):
        watch.run(*words)
    assert watch.evil > 4 * COUNT
    BAR.tell(capsys, f"threat 5: {COUNT} strings, {watch.said} commands, shown {watch.evil} times")


def test_bar_24_05_no_mistake_and_no_failure_steers_the_terminal(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    watch, more = Watch(desk), cycle(EVIL)
    desk.environment["LIBRISCRIBE2_LLM__RETRIES"] = "0"
    for kind in ("auth", "quota", "malformed", "filtered"):
        failing = Author(range(1, 99), failure=partial(_failure, kind, more))
        watch.run("redo", "book", "outline", backend=failing)
    for text in EVIL[:40:10]:
        watch.run("status", text)
        watch.run("create", text, "--mock", "--dry-run", "-p", text)
        watch.run("create", PREMISE, "--mock", "--until", text)
        watch.run("status", "book", f"--{text}")
        watch.run(text.replace("\n", ""))
        watch.run("debug", "list", "book", "--state", text)
        watch.run("export", "book", "--format", text)
    for name, data in _evil_files(more).items():
        (desk.folder / name).write_text(data, encoding="utf-8", errors="replace")
        watch.run("batch", "add", name)
        watch.run("batch", "add", name, "--json")
    watch.run("batch", "status")
    for key in ("MODELS__DEFAULT", "RESEARCH__SEARCH_URL", "LLM__BASE_URL", "NO_SUCH"):
        desk.environment[f"LIBRISCRIBE2_{key}"] = _utf8(next(more).replace("\x00", ""))
        for words in (("config", "show"), ("status", "book"), ("config", "show", "--json")):
            watch.run(*words)
        del desk.environment[f"LIBRISCRIBE2_{key}"]
    _damage(desk, more)
    for words in (("check", "book"), ("status", "book"), ("resume", "book"), ("adopt", "book")):
        watch.run(*words)
        watch.run(*words, "--json")
    BAR.tell(capsys, f"threat 5: {watch.said} mistakes and failures, shown {watch.evil} times")


def test_bar_24_05_a_real_terminal_sees_the_escapes_of_rich_alone(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "libriscribe2", "debug", "list", "book"],
        cwd=str(desk.folder),
        env=desk.whole_environment({"TERM": "xterm-256color"}),
        encoding="utf-8",
        timeout=30,
        dimensions=(40, 120),
    )
    log = io.StringIO()
    child.logfile_read = log
    with suppress(pexpect.EOF):
        child.expect(pexpect.EOF)
    child.close()
    shown = log.getvalue().replace("\r\n", "\n")
    assert "\x1b[" in shown
    assert shown.count(MARKED) > COUNT
    assert steering_in(RICHS_OWN.sub("", shown)) == ""
    BAR.tell(capsys, "threat 5: on a real terminal nothing but rich's own escapes")


def _project_commands() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command that takes a project, with words for what it has to be told."""
    for entry in COMMANDS:
        if not entry.hidden and entry.name not in SERVES:
            yield from _leaves((entry.name,), LazyCommand(entry).load())


def _leaves(words: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(command, TyperGroup):
        for name, one in command.commands.items():
            yield from _leaves((*words, name), one)
        return
    wanted = [one for one in command.params if isinstance(one, TyperArgument)]
    if any(one.name == "project" for one in wanted):
        given = (WORDS.get(str(one.name), EVIL[len(words)]) for one in wanted)
        yield (*words, *given), command


def _failure(kind: Any, more: Iterator[str]) -> BackendError:
    return BackendError(kind, next(more))


def _as_file_name(text: str) -> str:
    return _utf8(text.replace("/", "_").replace("\x00", ""))


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _evil_files(more: Iterator[str]) -> dict[str, str]:
    """Files of rows that cannot be queued, each for other reasons."""
    rows = [
        {"name": next(more), "premise": next(more)},
        {"premise": "", next(more): 1},
        {"premise": next(more), "chapters": next(more)},
        {"premise": next(more), "kind": next(more), "model": next(more)},
    ]
    cells = ",".join(f'"{next(more)}"' for _ in range(4))
    return {
        "rows.jsonl": "\n".join(map(json.dumps, rows)),
        "none.jsonl": "".join(EVIL[:20]),
        "rows.csv": f'name,premise,"{next(more)}",chapters\n{cells}\n{cells},{cells}\n',
        "none.csv": cells,
        f"{_as_file_name(EVIL[3])}.toml": f"[book]\n{json.dumps(next(more))} = 1\n",
    }


def _damage(desk: Desk, more: Iterator[str]) -> None:
    """Files with faults whose description quotes them."""
    book = desk.project()
    key = json.dumps(next(more))
    for name in ("concept.json", "characters.json", "outline.json"):
        path = book.path(name)
        if path.exists():
            book.write(name, f"{{{key}: 1, {key}: 2}}")
    book.write("scenes.json", json.dumps({"chapters": [{next(more): next(more)}]}))
    book.write("book.toml", f"[book]\npremise = 'x'\n{json.dumps(next(more))} = 1\n")
    (book.root / "chapters").mkdir(exist_ok=True)
    for text in EVIL[20:30]:
        book.write(f"chapters/{_as_file_name(text)}.md", _utf8(text))
