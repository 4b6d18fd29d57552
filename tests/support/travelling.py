"""A book whose folder travels while runs go on, judged from outside.

What counts is the log of a server that marks each reply, and the files on the disk; records are
read here on their own.
"""

import json
import re
import signal
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.support.bars import Launched, Nursery, pause
from tests.support.conditions import Conditions
from tests.support.desk import Desk
from tests.support.marking_server import MARK, Call, MarkingServer

STATE: Final = ".libriscribe"
JOURNAL: Final = f"{STATE}/journal.jsonl"
CONCURRENCY: Final = 2
LONGEST_SECONDS: Final = 60
"""A command that takes longer hangs."""

CODES: Final = {0, 3, 5, 8, 9}
"""Finished; a file or the plan is no good; a cap is reached; somebody else has the folder."""


def records(root: Path) -> list[dict[str, Any]]:
    """The records of a project whose checksums are right, each once."""
    try:
        lines = (root / JOURNAL).read_bytes().split(b"\n")
    except OSError:
        return []
    pairs = (line.removesuffix(b"\r").partition(b" ")[::2] for line in lines)
    good = dict.fromkeys(body for crc, body in pairs if crc == b"%08x" % zlib.crc32(body))
    return [json.loads(body) for body in good]


def marks(root: Path) -> set[str]:
    """The replies in a project's journal: their marks, or their keys where they have none."""
    found = set()
    for one in records(root):
        if one["t"] == "done":
            found.update(MARK.findall(str(one["completion"]["reply"])) or [one["k"]])
    return found


def sent(root: Path) -> int:
    """How many requests a project's journal knows."""
    return sum(one["t"] == "sent" for one in records(root))


class ViolationError(AssertionError):
    """Something that must never be."""


@dataclass
class Place:
    """A copy of the book.

    Attributes:
        desk: Its machine.
        name: Its name there.
        known: Replies that its journal has to hold.
        hands: The file of each text that the author wrote by hand and that is still to be found.
        gone: Replies that were taken out of its journal so that the program can see it.
        closed: Whether the latest run came to its own end, so that the machine knows what it left.
        run: What works on it.
    """

    desk: Desk
    name: str
    known: set[str] = field(default_factory=set)
    hands: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    closed: bool = False
    run: "Run | None" = None

    @property
    def root(self) -> Path:
        return self.desk.project(self.name).root

    def texts_by_hand(self) -> dict[str, str]:
        """Those that are in their file or in the trash."""
        there = {}
        for text, name in self.hands.items():
            trash = (self.root / STATE / "trash").rglob("*")
            if any(text in _read(path) for path in (self.root / name, *trash)):
                there[text] = name
        return there

    def write_by_hand(self, name: str, text: str) -> bool:
        """Add a text to a file, as an editor does that writes in place."""
        path, old = self.root / name, _read(self.root / name)
        if name.endswith(".json"):
            new = re.sub(r'(": "[^"\\\n]+)"', rf'\1 {text}"', old, count=1)
        else:
            new = f"{old.rstrip()}\n\n{text}\n"
        if text not in new or not old:
            return False
        path.write_text(new, encoding="utf-8")
        self.hands[text] = name
        return True

    @contextmanager
    def changing(self, *, partly: bool = False) -> Iterator[None]:
        """Somebody changes the folder: what he takes away is no longer looked for.

        Args:
            partly: Whether he leaves what stands beside the journal and names its newest records.
        """
        before, owner = marks(self.root), _read(self.root / STATE / "id")
        partly = partly and (self.root / STATE / "journal.head").exists()
        seen = partly or (self.closed and self.run is None)
        yield
        there, run = marks(self.root), self.run
        self.hands = self.texts_by_hand()
        seen = seen and owner == _read(self.root / STATE / "id")
        taken = before - there if seen and len(before - there) > CONCURRENCY else set()
        if not seen:
            self.gone = set()
        if run is not None:
            run.changed, run.floor, run.taken = time.monotonic(), there, taken
            run.unsure |= run.launched.is_over()
        if run is None or run.unsure:
            self.known &= there
            self.gone |= taken


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


class Run:
    """A command that works on a place, and the judgement of it.

    Attributes:
        changed: When the folder was last changed by somebody else; None if never.
        floor: Replies that the journal held after that.
        taken: Replies that were taken out of it so that the program can see it.
        unsure: The folder was changed when it was perhaps over.
    """

    def __init__(self, place: Place, server: MarkingServer, nursery: Nursery, key: str) -> None:
        self.place, self.key = place, key
        self.changed: float | None = None
        self.unsure = self.killed = False
        self.floor: set[str] = set()
        self.taken: set[str] = set()
        self._server, self._nursery = server, nursery
        self._known, self._sent = marks(place.root), sent(place.root)
        place.known |= self._known
        self._cap: int | None = None
        place.run = self

    def start(self, *arguments: str, more_calls: int | None = None) -> None:
        """Begin the command; `more_calls` caps it."""
        self.words = arguments
        if more_calls is not None:
            self._cap = more_calls
            arguments = (*arguments, "--max-calls", str(self._sent + more_calls))
        desk = self.place.desk
        desk.environment |= {"OPENAI_API_KEY": self.key}
        self.launched: Launched = self._nursery.start(desk, *arguments, conditions=Conditions())
        self.began = time.monotonic()

    def calls(self) -> list[Call]:
        return self._server.of(self.key)

    def answered(self) -> set[str]:
        return {call.mark for call in self.calls() if call.answered is not None}

    def wait_for(self, calls: int) -> bool:
        """Let it make so many requests; False if it was over before."""
        while len(self.calls()) < calls:
            if self.launched.is_over():
                return False
            if time.monotonic() - self.began > LONGEST_SECONDS:
                self.launched.signal(signal.SIGKILL)
                raise ViolationError(f"hangs: {self.words} after {len(self.calls())} calls")
            pause(0.003)
        return True

    def kill(self) -> None:
        """End it in the middle of what it does."""
        if not self.launched.is_over():
            self.killed = True
            self.launched.signal(signal.SIGKILL)

    def judge(self) -> tuple[int, str]:
        """Wait for its end, and see whether anything was lost or paid twice; return what it said."""
        self.wait_for(10**9)
        ran = self.launched.wait()
        place, place.run = self.place, None
        said = f"{ran.out}\n{ran.err}"
        if "this is a bug" in said or "Traceback" in said:
            raise ViolationError(f"bug: {self.words} said {said}")
        if ran.code not in (CODES if not self.killed else {*CODES, -signal.SIGKILL}):
            raise ViolationError(f"code: {self.words} ended with {ran.code}: {said}")
        if self.words[0] != "check":
            place.closed = not self.killed
        self._judge_payments()
        self._judge_records()
        if place.texts_by_hand() != place.hands:
            raise ViolationError(
                f"author: {place.hands.keys() - place.texts_by_hand().keys()} gone"
            )
        return ran.code, said

    def _judge_payments(self) -> None:
        calls = self.calls()
        paid = set(self._known)
        for call in calls:
            if call.mark in paid:
                raise ViolationError(f"paid twice: {call}")
            paid |= {
                one.mark for one in calls if one.answered is not None and one.answered < call.came
            }
        if self._cap is not None and len(calls) > self._cap:
            raise ViolationError(f"cap: {len(calls)} calls where {self._cap} were allowed")

    def _judge_records(self) -> None:
        place, calls, there = self.place, self.calls(), marks(self.place.root)
        in_flight = CONCURRENCY if self.killed else 0
        must = self.floor if self.changed else self._known & place.known
        if lost := must - there:
            raise ViolationError(f"lost: {lost} were in the journal")
        lost = (place.known | self.answered()) - there
        if self._had_to_see_the_change():
            if len(lost) > in_flight or lost & self._known & place.known:
                raise ViolationError(f"lost: {lost}, {in_flight} in flight, killed: {self.killed}")
            if (known := sent(place.root)) < self._sent + len(calls) and not self.changed:
                raise ViolationError(f"sent: {known} where {self._sent} + {len(calls)} left")
        else:
            place.gone |= self.taken
        place.known = there

    def _had_to_see_the_change(self) -> bool:
        """Whether it did something after the change before which it had to look at the journal."""
        if self.unsure:
            return False
        if self.changed is None:
            return True
        if self.killed:
            return sum(call.came > self.changed for call in self.calls()) > CONCURRENCY
        return any(call.answered and call.answered > self.changed for call in self.calls())


def files(root: Path) -> Iterator[Path]:
    """The files of a project, without those of git."""
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if name.parts[0] != ".git" and not path.name.endswith(".tmp") and path.is_file():
            yield name
