"""Bar 27: whatever is imported is read as clean text or refused in one line.

Again: .venv/bin/pytest -m "slow or not slow" tests/reliability/test_bar_27_import_corpus.py
The large files and all doors: -m soak.
"""

import re
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from tests.support.bars import Bar
from tests.support.desk import Desk
from tests.support.hostile_corpus import SECRET, Around, Case, corpus
from tests.support.hostile_packages import MB, TEXT
from tests.support.measured import Measured, Scales
from tests.support.openai_server import OpenAIServer

BAR: Final = Bar(27, 27, "test_bar_27_import_corpus.py")
MORE_MEMORY: Final = 512 * MB
"""More than a run with a plain file."""

LONGEST: Final = 30
"""Seconds of CPU; by the clock four times that, since the machine may be busy."""

USER_CODES: Final = (0, 2, 3, 5, 6, 8)
READ: Final = (0, 8)
ROWS: Final = 4
"""A refusal says what, why and what to do, and may follow a warning."""

LONGEST_ROW: Final = 1500
UNCLEAN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\ufffe\uffff]")
"""What no chapter holds: control characters, and marks of an encoding."""

MOCK: Final = ("--mock", "--no-input")
DOORS: Final = {
    "import": ("import", "{file}", *MOCK, "--project-name", "book", "--max-calls", "9"),
    "samples": ("create", "A coast", "--samples", "{file}", *MOCK, "--until", "concept"),
    "sources": ("research", "ask", "book", "At what degrees does salt melt?", "--mock"),
}


@dataclass(frozen=True)
class Outcome:
    """What came of one file at one door.

    Attributes:
        case: The file.
        ran: The run.
        wrong: What was not as it has to be.
    """

    case: Case
    ran: Measured
    wrong: list[str]


class Gauntlet:
    """A place where each file is made, taken to a door, and thrown away.

    Args:
        root: A folder of its own.
        url: Where a witness listens.
        scales: Runs the commands.
    """

    def __init__(self, root: Path, url: str, scales: Scales) -> None:
        self._root = root
        self._scales = scales
        secret = root / "outside" / "secret.md"
        secret.parent.mkdir()
        secret.write_text(f"# S\n\nSalt: {SECRET}. {SECRET}.\n", encoding="utf-8")
        self.around = Around(secret, url, root / "outside" / "ran")
        self._book = Desk(root / "book")
        self._book.folder.mkdir()
        self._book.create("--until", "concept")
        self.cases = corpus(self.around)
        self.empty = {door: self._empty(door) for door in DOORS}

    def outcome(self, case: Case, door: str) -> Outcome:
        """Take a file to a door."""
        desk = Desk(self._root / f"{door}-{case.name}")
        ran, unusual = self._through(case, door, desk)
        wrong = [*_wrong_words(ran), *self._wrong_figures(ran, door), *unusual]
        if case.reads and door != "samples" and ran.code not in READ:
            wrong.append("it was not read")
        if SECRET in ran.out + ran.err:
            wrong.append("the secret was shown")
        if door != "sources" and case.name == "f-link-out":
            # Whoever names a link on the command line means the file behind it.
            wrong = [one for one in wrong if "the secret" not in one]
        return Outcome(case, ran, wrong)

    def _empty(self, door: str) -> Measured:
        plain = Case("plain", "book.md", lambda path: path.write_text(f"# A\n\n{TEXT}\n"))
        ran, _ = self._through(plain, door, Desk(self._root / f"{door}-plain"))
        assert ran.code == 0, ran
        return ran

    def _through(self, case: Case, door: str, desk: Desk) -> tuple[Measured, list[str]]:
        given = self._root / f"given-{desk.folder.name}"
        desk.folder.mkdir()
        if door == "sources":
            shutil.copytree(self._book.folder, desk.folder, dirs_exist_ok=True)
            given = desk.folder / "projects/book/research/sources"
        given.mkdir(parents=True)
        try:
            case.make(given / case.file)
            words = [word.format(file=given / case.file) for word in DOORS[door]]
            with _Growing(given / case.file, case.grows):
                ran = self._scales.run(
                    words,
                    folder=desk.folder,
                    environment=desk.whole_environment(),
                    longest=4 * LONGEST,
                )
            return ran, [*_wrong_files(desk.folder, given), *self._wrong_outside()]
        finally:
            shutil.rmtree(desk.folder)
            shutil.rmtree(given, ignore_errors=True)

    def _wrong_figures(self, ran: Measured, door: str) -> Iterator[str]:
        more = ran.memory - self.empty[door].memory
        if more > MORE_MEMORY:
            yield f"{more // MB} MB more"
        if ran.cpu > LONGEST or ran.code is None:
            yield f"{ran.cpu:.0f} s of CPU in {ran.seconds:.0f} s"

    def _wrong_outside(self) -> Iterator[str]:
        left = [path for path in self.around.secret.parent.iterdir() if path != self.around.secret]
        left += list(self._root.rglob("escape*"))
        yield from (f"{path} was written" for path in left)


def _wrong_words(ran: Measured) -> Iterator[str]:
    if ran.code is not None and ran.code not in USER_CODES:
        yield f"exit code {ran.code}"
    for word in ("Traceback", "is a bug", "RecursionError", "MemoryError", "Warning:", "HTTP 500"):
        if word in ran.err:
            yield f"says {word}"
    rows = ran.err.splitlines()
    if ran.code not in (0, 5, 8, None) and (len(rows) > ROWS or not rows):
        yield f"refused in {len(rows)} lines"
    if any(len(row) > LONGEST_ROW for row in rows):
        yield "a line without end"
    if UNCLEAN.search(ran.out + ran.err):
        yield "control characters on the terminal"


def _wrong_files(folder: Path, given: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_file() or path.is_relative_to(given):
            continue
        data = path.read_bytes()
        if SECRET.encode() in data:
            yield f"the secret is in {path.relative_to(folder)}"
        if path.parent.name in ("chapters", "fetched") and path.suffix in (".md", ".txt"):
            try:
                found = UNCLEAN.search(data.decode())
            except UnicodeDecodeError:
                yield f"{path.name} is no UTF-8"
            else:
                if found:
                    yield f"{path.name} holds {found[0]!r}"


@pytest.fixture(scope="module")
def witness() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="module")
def gauntlet(witness: OpenAIServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gauntlet]:
    root = tmp_path_factory.mktemp("corpus")
    with Scales(Desk(root / "scales").whole_environment()) as scales:
        yield Gauntlet(root, witness.root, scales)


OWN_DOORS: Final = {"h": "sources", "p": "sources", "f": "samples"}
"""Where files of a kind that nobody imports are taken; all others are imported."""


@pytest.mark.slow
def test_bar_27_09_hostile_files_are_read_as_clean_text_or_refused(
    gauntlet: Gauntlet, witness: OpenAIServer, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [one for one in gauntlet.cases if not one.large]
    doors = [(one, OWN_DOORS.get(one.name[0], "import")) for one in cases]
    _all_right(gauntlet, witness, doors, capsys)
    assert len(cases) >= 150


@pytest.mark.soak
@pytest.mark.parametrize("door", DOORS)
def test_bar_27_09_every_hostile_file_at_every_door(
    gauntlet: Gauntlet, witness: OpenAIServer, door: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _all_right(gauntlet, witness, [(one, door) for one in gauntlet.cases], capsys)


@pytest.mark.slow
def test_bar_27_09_the_witnesses_see_what_is_wrong(gauntlet: Gauntlet) -> None:
    told = Case("told", "book.md", lambda path: path.write_text(f"# A\n\n{SECRET}\n"))
    assert [one for one in gauntlet.outcome(told, "import").wrong if "chapters/01.md" in one]
    trace = Measured(1, "", "Traceback (most recent call last):\n\x1b[31m" + "x\n" * 9, 1, 99, 0)
    assert list(_wrong_words(trace)) == [
        "exit code 1",
        "says Traceback",
        "refused in 10 lines",
        "control characters on the terminal",
    ]


def _all_right(
    gauntlet: Gauntlet,
    witness: OpenAIServer,
    doors: list[tuple[Case, str]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every file has its outcome; the worst are told."""
    found = [(door, gauntlet.outcome(case, door)) for case, door in doors]
    wrong = {f"{one.case.name} ({door})": one.wrong for door, one in found if one.wrong}
    assert not wrong
    assert witness.requests == []
    door, most = max(found, key=lambda one: one[1].ran.memory)
    memory = (most.ran.memory - gauntlet.empty[door].memory) // MB
    _, longest = max(found, key=lambda one: one[1].ran.cpu)
    BAR.tell(
        capsys,
        f"{len(found)} hostile files: 0 wrong; worst {memory} MB more ({most.case.name}), "
        f"{longest.ran.cpu:.1f} s of CPU ({longest.case.name})",
    )


class _Growing:
    """Appends to a file while the block runs."""

    def __init__(self, path: Path, wanted: bool) -> None:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._grow, args=(path,))
        self._wanted = wanted

    def _grow(self, path: Path) -> None:
        for _ in range(400):
            if self._over.wait(0.005):
                break
            with path.open("ab") as file:
                file.write(b"salt " * 100_000)

    def __enter__(self) -> None:
        if self._wanted:
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._wanted:
            self._thread.join()
