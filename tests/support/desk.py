"""A desk to work at: a folder in which commands are run, and the books that come of it."""

import contextlib
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from tests.support.authors import Author
from tests.support.kept_books import BOOKS, StoredBook
from typer.main import get_command
from typer.testing import CliRunner

import libriscribe2
from libriscribe2.cli.root import app
from libriscribe2.llm.backend import Backend, Request
from libriscribe2.llm.backends import demo
from libriscribe2.llm.backends.demo import DemoAuthor
from libriscribe2.llm.providers import PROVIDERS
from libriscribe2.project.records import scan
from libriscribe2.prose import count_words

PREMISE: Final = "A lighthouse keeper on a drowned coast finds a logbook of tomorrow's wrecks"
SMALL: Final = ("--chapters", "2", "--scenes-per-chapter", "1", "--words", "200")
_LONGEST_SECONDS: Final = 60
COMMAND: Final = get_command(app)
"""The command line; to make it takes as long as to run many a command."""

_MOST_SAID: Final = 8_000
_said: Final[dict[str, str]] = {}
_answer: Final = demo.answer


def _said_before(request: Request) -> str:
    """What the stand-in author replies: a pure function of a request, and many tests ask the same."""
    key = request.key()
    if key not in _said:
        if len(_said) >= _MOST_SAID:
            _said.clear()
        _said[key] = _answer(request)
    return _said[key]


_SOURCES: Final = Path(libriscribe2.__file__).parents[1]
_PATH: Final = os.pathsep.join((str(_SOURCES), str(Path(__file__).parents[2])))

_KEYS: Final = {name for one in PROVIDERS for name in (*one.keys, *one.also)}
_OTHERS: Final = ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_DEFAULT_MODEL", "NO_COLOR")


@dataclass(frozen=True)
class Ran:
    """What came of a command."""

    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """The JSON objects on stdout, one per line."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def value(self) -> Any:
        """The one JSON value on stdout."""
        return json.loads(self.out)


class Desk:
    """An empty folder, an empty home, and no key.

    Args:
        folder: The folder; `projects` and `debug` come up in it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment: dict[str, str | None] = dict.fromkeys((*_KEYS, *_OTHERS))
        home = folder.parent / f"{folder.name}-home"
        names = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
        self.environment |= dict.fromkeys(names, str(home))
        self._usual = frozenset(self.environment.items())

    def run(
        self,
        *arguments: str,
        expect: int | None = 0,
        backend: Backend | None = None,
        typed: str | bytes | None = None,
    ) -> Ran:
        """Run a command in this process.

        Args:
            *arguments: The words after `libriscribe2`.
            expect: The exit code that it has to have; None takes any.
            backend: Answers in place of the stand-in author.
            typed: What comes in on stdin.
        """
        with _own_log(), contextlib.chdir(self.folder), pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "fsync", lambda _descriptor: None)
            patch.setattr(demo, "answer", _said_before)
            if backend is not None:
                patch.setattr(DemoAuthor, "complete", lambda _, asked: backend.complete(asked))
                patch.setattr(DemoAuthor, "stream", lambda _, asked: backend.stream(asked))
            # Asked for help, a command hides options of its own for good.
            command = get_command(app) if {"-h", "--help"} & {*arguments} else COMMAND
            with CliRunner().isolation(typed, self.environment) as (out, err, _):
                try:
                    code = command.main(arguments, "libriscribe2", standalone_mode=False)
                except SystemExit as ended:
                    code = ended.code
                sys.stdout.flush()
                sys.stderr.flush()
                told = [one.getvalue().decode().replace("\r\n", "\n") for one in (out, err)]
        ran = Ran(code if isinstance(code, int) else 0, *told)
        assert expect in (ran.code, None), f"{arguments}: {ran}"
        return ran

    def copied_to(self, folder: Path) -> "Desk":
        """A desk with the same books, to be changed."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return Desk(folder)

    def create(
        self,
        *options: str,
        name: str = "book",
        expect: int = 0,
        backend: Backend | None = None,
        size: Sequence[str] = SMALL,
    ) -> Ran:
        """Make a small book with the stand-in author, or with `backend` in its place."""
        command = ("create", PREMISE, "--mock", "--project-name", name, *size, *options)
        return self.run(*command, expect=expect, backend=backend)

    def written(self, *options: str, name: str = "book", size: Sequence[str] = SMALL) -> Author:
        """Have a book here as `create` makes it, for a test that is about what comes after.

        Each book is written once per process and then copied.

        Returns:
            Who wrote it; other tests are given the same one.
        """
        changed = frozenset(self.environment.items()) - self._usual
        key = (options, name, tuple(size), changed)
        if key in BOOKS:
            BOOKS[key].put(self.folder)
        else:
            author = Author()
            self.folder.mkdir(parents=True, exist_ok=True)
            self.create(*options, name=name, backend=author, size=size)
            book = self.project(name)
            BOOKS[key] = StoredBook(self.folder, (book.root, book.debug), author)
        return BOOKS[key].author

    @contextlib.contextmanager
    def running(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        program: Sequence[str] = ("-m", "libriscribe2"),
        seconds: float = _LONGEST_SECONDS,
        under: Sequence[str] = (),
    ) -> "Iterator[subprocess.Popen[str]]":
        """Run a command in a process of its own while the block runs, so long at most.

        Args:
            *arguments: The words after `libriscribe2`.
            env: Further variables.
            program: What Python is to run.
            seconds: Then it is killed.
            under: A program that starts it, such as `strace`.
        """
        with subprocess.Popen(
            [*under, sys.executable, *program, *arguments],
            cwd=self.folder,
            env=self.whole_environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        ) as process:
            # A test that waits for a line which never comes has to end, too.
            watchdog = threading.Timer(seconds, process.kill)
            watchdog.start()
            try:
                yield process
            finally:
                watchdog.cancel()
                if under and process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)  # what was started by it, too
                process.kill()

    def run_apart(
        self,
        *arguments: str,
        expect: int = 0,
        env: Mapping[str, str] | None = None,
        program: Sequence[str] = ("-m", "libriscribe2"),
        under: Sequence[str] = (),
    ) -> Ran:
        """Run a command in a process of its own."""
        with self.running(*arguments, env=env, program=program, under=under) as process:
            out, err = process.communicate()
        ran = Ran(process.returncode, out, err)
        assert ran.code == expect, f"{arguments}: {ran}"
        return ran

    def whole_environment(self, changes: Mapping[str, str] | None = None) -> dict[str, str]:
        """The variables of a process at this desk."""
        changed = {**os.environ, **self.environment, "PYTHONPATH": _PATH, **(changes or {})}
        return {name: value for name, value in changed.items() if value is not None}

    def project(self, name: str = "book") -> "ProjectFolder":
        """A project of the desk."""
        return ProjectFolder(self.folder / "projects" / name, self.folder / "debug" / name)


@contextlib.contextmanager
def _own_log() -> Iterator[None]:
    """End the log of a run with the run: what this process does next must not go into it."""
    logger = logging.getLogger("libriscribe2")
    try:
        yield
    finally:
        for handler in list(logger.handlers):
            logger.removeHandler(handler)
            handler.close()
        logger.propagate = True
        logger.setLevel(logging.NOTSET)


class ProjectFolder:
    """The files of a project as anybody can see them.

    Args:
        root: The project's folder.
        debug: The folder of its dumps.
    """

    def __init__(self, root: Path, debug: Path) -> None:
        self.root = root
        self.debug = debug

    def path(self, name: str) -> Path:
        return self.root / name

    def text(self, name: str) -> str:
        return self.path(name).read_text(encoding="utf-8")

    def write(self, name: str, text: str) -> None:
        self.path(name).parent.mkdir(exist_ok=True)
        self.path(name).write_text(text, encoding="utf-8", newline="")

    def json(self, name: str) -> Any:
        return json.loads(self.text(name))

    def brief(self) -> dict[str, Any]:
        """The table `[book]`."""
        table: dict[str, Any] = tomllib.loads(self.text("book.toml"))["book"]
        return table

    def chapters(self) -> list[str]:
        """The texts of the chapters, in order."""
        files = sorted(self.root.glob("chapters/*.md"))
        return [path.read_text(encoding="utf-8") for path in files]

    def words(self) -> int:
        """Words of all scenes: the chapters without their titles."""
        return sum(count_words(text.partition("\n")[2]) for text in self.chapters())

    def contents(self) -> dict[str, bytes]:
        """Every file of the book by name, with the summaries, without the program's records."""
        found = [*self.root.rglob("*.md"), *self.root.rglob("*.json"), self.path("book.toml")]
        ours = (path for path in found if "trash" not in path.parts)
        return {path.relative_to(self.root).as_posix(): path.read_bytes() for path in ours}

    def dumps(self) -> list[dict[str, Any]]:
        """What the debug dumps say, oldest first."""
        files = sorted(self.debug.glob("*.json"))
        return [json.loads(path.read_text(encoding="utf-8"))["debug_info"] for path in files]

    def records(self, kind: str) -> list[dict[str, Any]]:
        """The journal's records of one kind."""
        found = scan(self.path(".libriscribe/journal.jsonl").read_bytes())
        assert not found.damaged
        return [dict(record) for record in found.records if record["t"] == kind]

    def records_there(self, kind: str) -> list[dict[str, Any]]:
        """The same, whatever else a damaged journal holds."""
        found = scan(self.path(".libriscribe/journal.jsonl").read_bytes())
        return [dict(record) for record in found.records if record["t"] == kind]

    def keys(self) -> list[str]:
        """The keys of the requests that were sent, in order of the alphabet."""
        return sorted(record["k"] for record in self.records("sent"))

    def trash(self) -> list[str]:
        """The texts in the trash."""
        files = (path for path in self.path(".libriscribe/trash").rglob("*") if path.is_file())
        return [path.read_text(encoding="utf-8") for path in files]
