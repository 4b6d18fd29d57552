"""Bar 26, at random: a folder is versioned, synced, copied and merged while runs go on and are killed.

Again: .venv/bin/pytest tests/reliability/test_bar_26_travel_histories.py -k SEED
All of it: .venv/bin/pytest -m soak tests/reliability/test_bar_26_travel_histories.py
"""

import os
import random
import re
import shutil
import signal
import subprocess
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Final

import pytest
from tests.support.bars import Bar, Nursery, pause
from tests.support.desk import PREMISE, Desk
from tests.support.marking_server import MarkingServer
from tests.support.travelling import (
    CONCURRENCY,
    JOURNAL,
    STATE,
    Place,
    Run,
    ViolationError,
    files,
    marks,
)

BAR: Final = Bar(26, 26, "test_bar_26_travel_histories.py")
FEW: Final = (1, 2, 4, 7)
SOAK: Final = range(1_000, 1_200)
STEPS: Final = 5
MOST_PLACES: Final = 3
CUT_BYTES: Final = 40
SIZE: Final = ("--chapters", "2", "--scenes-per-chapter", "2", "--words", "200")
PLENTY: Final = 1_000
MODEL: Final = ("-m", "openai/x")
CLOCK_SECONDS: Final = 3.0
ARCHIVES: Final = sorted((Path(__file__).parents[1] / "travel").glob("*.tar.xz"))
BY_HAND: Final = (
    "chapters/01.md",
    "chapters/02.md",
    "concept.json",
    "world.json",
    "outline.json",
    "manuscript.md",
    f"{STATE}/summaries/01.md",
)
MARKERS: Final = re.compile(rb"(?m)^(?:<<<<<<< .*|=======\r?|>>>>>>> .*)\n")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


@dataclass
class History:
    """One history: its places, and how chance goes on.

    Attributes:
        trail: What has happened, for whoever has to understand a violation.
        counted: How often each kind of thing happened.
    """

    nursery: Nursery
    server: MarkingServer
    folder: Path
    seed: str
    places: list[Place] = field(default_factory=list)
    older: list[Path] = field(default_factory=list)
    trail: list[str] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)
    keys: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)  # noqa: S311 - has to be repeatable

    def go(self) -> None:
        """The whole history."""
        try:
            self.begin()
            for _ in range(STEPS):
                self.rng.choices((self.travel, self.rest, self.edit), (7, 3, 1))[0]()
            for place in self.places:
                self.finish(place)
        except BaseException as error:
            error.add_note(f"seed {self.seed}: " + "; ".join(self.trail))
            raise
        finally:
            for place in self.places:
                if place.run is not None:
                    place.run.kill()
                    place.run.launched.wait()

    def tell(self, what: str, place: Place) -> None:
        """Note what happens."""
        self.trail.append(f"{what} of {place.name}")
        self.counted[what.split()[0]] += 1

    def begin(self) -> None:
        """A book is begun, or comes from an earlier commit, and is put under git."""
        place = Place(self.desk("machine"), "book")
        self.places.append(place)
        if self.rng.random() < 0.2:
            archive = self.rng.choice(ARCHIVES)
            with tarfile.open(archive) as packed:
                packed.extractall(self.folder / "packed", filter="data")
            shutil.copytree(self.folder / "packed/half", place.root)
            self.tell(f"upgrade ({archive.name})", place)
        else:
            run = self.start(place, "create", PREMISE, "-p", "book", *SIZE, *MODEL)
            run.wait_for(self.rng.randrange(2, 12))
            run.kill()
            run.judge()
            self.tell("begin", place)
        if self.rng.random() < 0.7:
            ignored = f"{STATE}/lock\n{STATE}/*.log\n{STATE}/events*\n"
            (place.root / ".gitignore").write_text(ignored, encoding="utf-8")
        self.git(place, "init", "-q", "-b", "main")
        self.commit(place)

    def desk(self, name: str) -> Desk:
        """A machine of its own."""
        desk = Desk(self.folder / name)
        desk.folder.mkdir()
        clocks = ("TIMEOUT", "FIRST_TOKEN", "BETWEEN_TOKENS")
        desk.environment |= {
            "OPENAI_BASE_URL": self.server.url,
            "LIBRISCRIBE2_PIPELINE__MAX_CONCURRENCY": str(CONCURRENCY),
            **{f"LIBRISCRIBE2_LLM__{one}_SECONDS": str(CLOCK_SECONDS) for one in clocks},
        }
        return desk

    def start(self, place: Place, *arguments: str, more_calls: int | None = None) -> Run:
        """Begin a command with a key of its own."""
        self.keys += 1
        run = Run(place, self.server, self.nursery, f"{self.seed}-{self.keys}")
        run.start(*arguments, more_calls=more_calls)
        return run

    def resume(self, place: Place) -> Run:
        cap = self.rng.randrange(12) if self.rng.random() < 0.3 else PLENTY
        self.tell("resume" if cap == PLENTY else f"resume (+{cap})", place)
        return self.start(place, "resume", place.name, *MODEL, more_calls=cap)

    # What happens

    def travel(self) -> None:
        """A run goes on while the folder travels; perhaps it is killed, perhaps another one runs."""
        place = self.rng.choice(self.places)
        run = self.resume(place)
        others = [one for one in self.places if one is not place]
        other = self.resume(self.rng.choice(others)) if others and self.rng.random() < 0.4 else None
        run.wait_for(self.rng.randrange(1, 8))
        for _ in range(self.rng.randrange(1, 3)):
            self.turn(place)
            self.let_run(place)
            if self.rng.random() < 0.2:
                self.edit(place)
        if self.rng.random() < 0.5:
            self.let_run(place)
            self.tell("kill", place)
            run.kill()
        for one in (run, other):
            if one is not None:
                one.judge()
        self.look(place)

    def rest(self) -> None:
        """The folder travels while nobody works on it."""
        place = self.rng.choice(self.places)
        self.turn(place)
        self.look(place)

    def edit(self, place: Place | None = None) -> None:
        """The author writes something by hand."""
        place = place or self.rng.choice(self.places)
        name = self.rng.choice(BY_HAND)
        if place.write_by_hand(name, f"Hand{len(self.trail)} wrote this."):
            self.tell(f"edit ({name})", place)

    def turn(self, place: Place) -> None:
        turn = self.rng.choice(TURNS)
        self.tell(turn.__name__, place)
        turn(self, place)

    def let_run(self, place: Place) -> None:
        """Some more calls, where something runs."""
        if place.run is not None:
            place.run.wait_for(len(place.run.calls()) + self.rng.randrange(5))
        pause(self.rng.random() * 0.02)

    def look(self, place: Place) -> bool:
        """Whether `check` finds nothing; no record is missing without a word."""
        _, said = self.start(place, "check", place.name).judge()
        sound = "No problems found" in said
        if place.gone - marks(place.root) and sound:
            raise ViolationError(f"check: silent about {place.gone - marks(place.root)}")
        return sound

    def finish(self, place: Place) -> None:
        """Whatever happened, the book comes to its end, and then nothing is asked any more."""
        self.settle_texts(place)
        for most in (PLENTY, 0):
            run = self.start(place, "resume", place.name, *MODEL, more_calls=PLENTY)
            code, said = run.judge()
            if code != 0 or len(run.calls()) > most:
                raise ViolationError(f"end: {len(run.calls())} calls, exit {code}: {said}")
        sound = self.look(place)
        code, said = self.start(place, "replay", place.name).judge()
        self.counted["replayed" if code == 0 else "unlike"] += 1
        if sound and code:
            raise ViolationError(f"replay: exit {code}: {said}")

    # git

    def git(self, place: Place, *words: str) -> bool:
        """A git command in a place; whether it worked."""
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.autocrlf=false")
        environment = {**os.environ, "GIT_EDITOR": "true", "GIT_CONFIG_GLOBAL": os.devnull}
        ran = subprocess.run(
            ["git", *who, *words],
            cwd=place.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode:
            self.trail.append(f"git {words[0]} said {ran.stderr.strip()[:200]}")
        return ran.returncode == 0

    def commit(self, place: Place) -> None:
        self.git(place, "add", "-A")
        self.git(place, "commit", "-q", "-m", "state", "--allow-empty")

    def settle_conflicts(self, place: Place) -> None:
        """What a person does: one side of each plan; texts and records stay with their markers."""
        side = self.rng.choice(("--ours", "--theirs"))
        for name in files(place.root):
            if not re.search(r"journal|\.md$", str(name)):
                with_markers = b"<<<<<<< " in (place.root / name).read_bytes()
                if with_markers and not self.git(place, "checkout", side, "--", str(name)):
                    self.git(place, "checkout", "HEAD", "--", str(name))
        self.commit(place)

    def settle_texts(self, place: Place) -> None:
        """What a run that stops at the two halves of a merge asks for: here both stay."""
        for name in files(place.root):
            path = place.root / name
            if path.suffix == ".md" and b"<<<<<<< " in (data := path.read_bytes()):
                self.tell(f"settle ({name})", place)
                path.write_bytes(MARKERS.sub(b"", data))


def stash(history: History, place: Place) -> None:
    """`git stash -u`, perhaps some calls, and `git stash pop`."""
    with place.changing():
        history.git(place, "stash", "-u", "-q")
        stashed = (place.root / ".git/refs/stash").exists()
    history.let_run(place)
    with place.changing():
        if stashed and not history.git(place, "stash", "pop", "-q"):
            history.commit(place)
            history.git(place, "stash", "pop", "-q")
            history.settle_conflicts(place)
            history.git(place, "stash", "drop", "-q")


def there_and_back(history: History, place: Place) -> None:
    """An earlier commit, and back."""
    history.commit(place)
    with place.changing():
        history.git(place, "checkout", "-f", "-q", "HEAD~1")
    history.let_run(place)
    with place.changing():
        history.git(place, "checkout", "-f", "-q", "main")


def earlier_files(history: History, place: Place) -> None:
    """The files of an earlier commit, of all or of the records alone."""
    history.commit(place)
    what = history.rng.choice((".", JOURNAL))
    with place.changing(partly=what == JOURNAL):
        history.git(place, "checkout", "-q", "HEAD~1", "--", what)


def merge(history: History, place: Place) -> None:
    """The branch of another copy is merged, or this one is rebased on it."""
    others = [one for one in history.places if one is not place]
    if not others:
        copy(history, place)
        return
    other = history.rng.choice(others)
    how = history.rng.choice(("union", "markers", "rebase"))
    kind = "text" if how == "markers" else "union"
    attributes = place.root / ".git/info/attributes"
    attributes.write_text(f"{STATE}/journal.* merge={kind}\n", encoding="utf-8")
    history.tell(how, other)
    history.commit(other)
    history.commit(place)
    with place.changing():
        history.git(place, "fetch", "-q", str(other.root), "main")
        if how == "rebase":
            if not history.git(place, "rebase", "-q", "--autostash", "-X", "theirs", "FETCH_HEAD"):
                history.git(place, "rebase", "--abort")
        elif not history.git(place, "merge", "-q", "-m", "both", "FETCH_HEAD"):
            history.settle_conflicts(place)


def back_up(history: History, place: Place) -> None:
    """Keep a copy for later."""
    history.older.append(history.folder / f"older-{len(history.older)}")
    for name in files(place.root):
        put(place.root / name, history.older[-1] / name)


def rsync_back(history: History, place: Place) -> None:
    """An older copy, or that of another machine, is brought here by temporary files and renames."""
    source = source_for(history, place)
    what = history.rng.choice((".", STATE, JOURNAL))
    with place.changing(partly=what == JOURNAL):
        for name in files(source):
            if what == "." or str(name).startswith(what):
                put(source / name, place.root / name)


def copied_back(history: History, place: Place) -> None:
    """The same, written in place as `cp` does it; the journal alone perhaps not to its end."""
    source = source_for(history, place)
    what = history.rng.choice((".", JOURNAL))
    cut = what == JOURNAL and len(history.trail) % 2  # chance goes on as in earlier runs of a seed
    with place.changing(partly=what == JOURNAL):
        for name in files(source):
            if what == "." or str(name) == what:
                put(source / name, place.root / name, in_place=True)
        if cut and (journal := place.root / JOURNAL).exists():
            history.tell("cut", place)
            os.truncate(journal, max(0, journal.stat().st_size - CUT_BYTES))


def restore(history: History, place: Place) -> None:
    """All is deleted and comes back from an older copy."""
    source = source_for(history, place)
    with place.changing():
        for path in place.root.iterdir():
            if path.name != ".git":
                remove(path)
        for name in files(source):
            put(source / name, place.root / name)


def remove(path: Path) -> None:
    """As `rm -rf`, and again where a run writes into the folder meanwhile."""
    while path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    path.unlink(missing_ok=True)


def source_for(history: History, place: Place) -> Path:
    """An older copy or another place."""
    others = [one.root for one in history.places if one is not place]
    if not history.older and not others:
        back_up(history, place)
    return history.rng.choice((*history.older, *others))


def remove_journal(_: History, place: Place) -> None:
    """Somebody tidies up."""
    with place.changing(partly=True):
        (place.root / JOURNAL).unlink(missing_ok=True)


def copy(history: History, place: Place) -> None:
    """A copy is made, on this machine or another, and both go on."""
    if len(history.places) == MOST_PLACES:
        back_up(history, place)
        return
    number = len(history.places)
    apart = history.rng.random() < 0.5
    made = Place(history.desk(f"machine{number}") if apart else place.desk, f"copy{number}")
    shutil.copytree(place.root / ".git", made.root / ".git")
    for name in files(place.root):
        put(place.root / name, made.root / name)
    made.hands = dict(place.hands)
    made.hands = made.texts_by_hand()
    history.places.append(made)


def rename(history: History, place: Place) -> None:
    """The folder has another name; what the machine knows of it may go to a copy."""
    place.gone = set()
    root, place.name = place.root, f"{place.name}x"
    root.rename(place.root)


def stop_and_go_on(history: History, place: Place) -> None:
    """Ctrl-Z while a request is under way, longer than the clocks run, and `fg`."""
    apart = place.run is None
    run = place.run or history.start(place, "resume", place.name, *MODEL)
    if run.wait_for(len(run.calls()) + 1):
        history.tell("stop", place)
        run.launched.signal(signal.SIGSTOP)
        pause(CLOCK_SECONDS + 0.5)
        run.launched.signal(signal.SIGCONT)
    if apart:
        run.judge()


def windows(history: History, place: Place) -> None:
    """Every line ends as on Windows."""
    with place.changing():
        for name in files(place.root):
            path = place.root / name
            data = re.sub(rb"\r?\n", b"\r\n", path.read_bytes())
            path.with_name("crlf.tmp").write_bytes(data)
            path.with_name("crlf.tmp").replace(path)


TURNS: Final[tuple[Callable[[History, Place], None], ...]] = (
    stash,
    stash,
    there_and_back,
    earlier_files,
    merge,
    merge,
    back_up,
    rsync_back,
    rsync_back,
    copied_back,
    restore,
    remove_journal,
    copy,
    copy,
    rename,
    stop_and_go_on,
    windows,
)


def put(source: Path, target: Path, *, in_place: bool = False) -> None:
    """Copy a file; one that has gone meanwhile is no file to copy."""
    try:
        data = source.read_bytes()
    except FileNotFoundError:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if in_place:
        target.write_bytes(data)
    else:
        temporary = target.with_name(f".{target.name}.copying")
        temporary.write_bytes(data)
        temporary.replace(target)


@pytest.fixture(scope="module")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    """Processes that have LiteLLM."""
    made = Nursery(tmp_path_factory.mktemp("nursery"), "litellm")
    yield made
    made.close()


@pytest.mark.parametrize(
    "seed", [*FEW, *(pytest.param(one, marks=pytest.mark.soak) for one in SOAK)]
)
def test_bar_26_no_history_of_a_travelling_folder_loses_or_pays_twice(
    seed: int, nursery: Nursery, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    began = perf_counter()
    with MarkingServer() as server:
        history = History(nursery, server, tmp_path, str(seed))
        history.go()
    kinds = ", ".join(f"{count} {what}" for what, count in sorted(history.counted.items()))
    seconds = perf_counter() - began
    figure = f"seed {seed}: {len(server.calls)} calls in {seconds:.1f} s; {kinds}"
    BAR.tell(capsys, figure, soak=seed in SOAK)
