"""What the reliability bars share: processes that start at once, their provider, and the telling."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from tests.support.conditions import Conditions
from tests.support.desk import PREMISE, SMALL, Desk, ProjectFolder, Ran

from libriscribe2.project.records import scan

LONGEST_SECONDS: Final = 60
"""A process that takes longer is killed, and its test fails."""


@dataclass(frozen=True)
class Bar:
    """A reliability bar.

    Attributes:
        number: Its number in the table.
        seed: What chance begins with.
        file: The name of its script, without folder.
    """

    number: int
    seed: int
    file: str

    def rng(self, trial: object = "") -> random.Random:
        """Chance of one trial, the same in every run."""
        return random.Random(f"{self.seed} {trial}")  # noqa: S311 - has to be repeatable

    def tell(
        self, capsys: "pytest.CaptureFixture[str]", figure: str, *, soak: bool = False
    ) -> None:
        """Print the figure, the seed and the command that does it again.

        It goes to stderr, because the workers of a parallel run have no stdout.
        """
        marks = "soak" if soak else "'not soak'"
        again = f".venv/bin/pytest -m {marks} tests/reliability/{self.file}"
        with capsys.disabled():
            sys.stderr.write(f"\nbar {self.number}: {figure} (seed {self.seed}; again: {again})\n")


class Launched:
    """A process of the command line.

    Attributes:
        pid: Its id.
    """

    def __init__(self, nursery: "Nursery", pid: int, out: Path, err: Path) -> None:
        self.pid = pid
        self._nursery = nursery
        self._out, self._err = out, err

    def signal(self, number: signal.Signals) -> None:
        """Send a signal; a process that is gone is none to send it to."""
        os.kill(self.pid, number)

    def is_over(self) -> bool:
        """Whether it has ended; `wait` tells how."""
        return bool(self._nursery.order({"look": self.pid})["over"])

    def first_line(self) -> str:
        """The first line that it says, as soon as it is whole."""
        for _ in range(100 * LONGEST_SECONDS):
            line, end, _ = self._out.read_text(encoding="utf-8").partition("\n")
            if end or self.is_over():
                return line
            pause(0.01)
        return ""

    def wait(self) -> Ran:
        """What came of it, once it is over."""
        watchdog = threading.Timer(LONGEST_SECONDS, self.signal, [signal.SIGKILL])
        watchdog.start()
        try:
            code = self._nursery.order({"wait": self.pid})["code"]
        finally:
            watchdog.cancel()
        out, err = (path.read_text(encoding="utf-8") for path in (self._out, self._err))
        return Ran(code, out, err)


class Nursery:
    """Where processes of the command line are forked (`forked_cli`).

    Args:
        folder: Where what they say goes.
        ahead: What is imported ahead besides the program: `litellm`.
    """

    def __init__(self, folder: Path, *ahead: str) -> None:
        self._folder = folder
        self._count = 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.forked_cli", *ahead],
            env=Desk(folder).whole_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def order(self, order: dict[str, Any]) -> dict[str, Any]:
        """Have an order carried out."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def start(self, desk: Desk, *arguments: str, conditions: Conditions) -> Launched:
        """Begin a command at a desk."""
        variables = desk.whole_environment()
        return self.begin(desk.folder, variables, *arguments, conditions=conditions)

    def begin(
        self,
        folder: Path,
        variables: Mapping[str, str],
        *arguments: str,
        conditions: Conditions = Conditions(),  # noqa: B008 - never changed
    ) -> Launched:
        """Begin a command in a folder, with just these variables."""
        self._count += 1
        out, err = (self._folder / f"{self._count}.{name}" for name in ("out", "err"))
        out.touch()  # the process opens it a moment later
        order = {
            "arguments": arguments,
            "cwd": str(folder),
            "env": dict(variables),
            "out": str(out),
            "err": str(err),
            "conditions": asdict(conditions),
        }
        return Launched(self, self.order({"start": order})["pid"], out, err)

    def close(self) -> None:
        """Let the forking process end."""
        self._process.communicate()


class Trial:
    """One book that is written under bad conditions, and its provider's own ledger.

    Args:
        nursery: Where its processes come from.
        folder: A folder of its own.
        size: Options of `create`.

    Attributes:
        desk: Where its commands are run.
        ledger: The file of the ledger.
    """

    def __init__(self, nursery: Nursery, folder: Path, size: Sequence[str]) -> None:
        folder.mkdir(parents=True)
        self.size = size
        self.desk = Desk(folder)
        self.ledger = folder.parent / f"{folder.name}.ledger"
        self._nursery = nursery
        self._create = ("create", PREMISE, "--mock", "-p", "book", *size)

    @property
    def book(self) -> ProjectFolder:
        """The project."""
        return self.desk.project()

    def start(self, *arguments: str, **conditions: Any) -> Launched:
        """Begin a command; `create` stands for the whole command that begins the book."""
        command = (*self._create, *arguments[1:]) if arguments[0] == "create" else arguments
        known = Conditions(ledger=str(self.ledger), **conditions)
        return self._nursery.start(self.desk, *command, conditions=known)

    def run(self, *arguments: str, expect: int = 0, **conditions: Any) -> Ran:
        """Run a command to its end."""
        ran = self.start(*arguments, **conditions).wait()
        assert ran.code == expect, f"{arguments}: {ran}"
        return ran

    def go_on(self) -> Ran:
        """What a user does after a mishap; before the first file of the book it is `create`."""
        begun = self.book.path("book.toml").exists()
        return self.run(*(("resume", "book") if begun else ("create",)))

    def answered(self) -> Counter[str]:
        """How often the provider answered each request."""
        lines = self.ledger.read_text(encoding="utf-8") if self.ledger.exists() else ""
        return Counter(lines.split())

    def recorded(self) -> set[str]:
        """Keys of the replies that the journal holds."""
        journal = self.book.path(".libriscribe/journal.jsonl")
        found = scan(journal.read_bytes() if journal.exists() else b"").records
        return {record["k"] for record in found if record["t"] == "done"}

    def repaid(self) -> int:
        """How many replies were paid for more than once."""
        return sum(self.answered().values()) - len(self.answered())

    def clear(self) -> None:
        """Throw its files away: a test of many trials would fill the memory."""
        shutil.rmtree(self.desk.folder)


class Trials:
    """The trials of one test, each in a folder of its own."""

    def __init__(self, nursery: Nursery, folder: Path) -> None:
        self._nursery = nursery
        self._folder = folder / "trials"
        self._count = 0

    def new(self, size: Sequence[str] = SMALL) -> Trial:
        """The next trial, for a book of `size` (options of `create`)."""
        self._count += 1
        return Trial(self._nursery, self._folder / str(self._count), size)

    def like(self, other: Trial) -> Trial:
        """The next trial, with the files of another as they are now."""
        trial = self.new(other.size)
        shutil.copytree(other.desk.folder, trial.desk.folder, dirs_exist_ok=True)
        return trial

    def clear(self) -> None:
        """Throw all away."""
        shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def workplace() -> Iterator[tuple[Nursery, Path]]:
    """Processes, and a folder for their books: in memory where the system has such a place."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as made:
        nursery = Nursery(Path(made))
        try:
            yield nursery, Path(made)
        finally:
            nursery.close()


def pause(seconds: float) -> None:
    """Let other processes run for a while: chance decides how far they come."""
    threading.Event().wait(seconds)
