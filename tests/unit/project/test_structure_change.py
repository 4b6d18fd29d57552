"""A change of several files: whole or, after a crash, finished by the next opening."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.project_book import FILES, BookMaker
from tests.support.project_faults import Crash, DyingOps, FailingOps, QuickOps

from libriscribe2.errors import ProjectError, StorageError
from libriscribe2.project import records
from libriscribe2.project.manifest import FileRecord, Manifest
from libriscribe2.project.paths import OUTLINE, ProjectPaths, chapter_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.records import encode_line, scan
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import Change, Replacement, digest, peek, read_pending
from libriscribe2.project.texts import content_sha

ONE, TWO, THREE = (chapter_file(number) for number in (1, 2, 3))
NEW_OUTLINE = '{"text": "another order"}\n'


def swapped(view: ProjectView, what: str = "chapter move 1 2", change_id: str = "c1") -> Change:
    """Both chapters in the other order, a third one, and another outline."""
    first, second = (view.read_bytes(name) for name in (ONE, TWO))
    assert first is not None
    assert second is not None
    texts = {ONE: second.decode(), TWO: first.decode(), THREE: "New.\n", OUTLINE: NEW_OUTLINE}
    files = tuple(
        Replacement(name, digest(view.read_bytes(name)), text) for name, text in texts.items()
    )
    outline = content_sha(OUTLINE, NEW_OUTLINE.encode())
    known = view.manifest.files[OUTLINE]
    made = {"sha": outline, "step": OUTLINE, "in": known.inputs, "params": {}, "k": []}
    inputs = {OUTLINE: outline}
    record = records.reshaped(
        change_id,
        files={
            ONE: {"from": TWO, "step": ONE, "in": inputs},
            TWO: {"from": ONE, "step": TWO, "in": inputs},
            OUTLINE: made,
        },
        steps={ONE: TWO, TWO: ONE},
    )
    return Change(change_id, what, files, record)


def picture(book: BookMaker) -> tuple[dict[str, bytes], list[str]]:
    """Every file, and the state of those that the program made."""
    root = book.paths.root
    files = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in (*root.glob("*.json"), *root.glob("chapters/*"))
    }
    view = peek(book.paths)
    states: list[str] = [view.state(name, inputs_of(view, name)).kind for name in (*FILES, THREE)]
    return files, states


def inputs_of(view: ProjectView, name: str) -> dict[str, str | None]:
    source = OUTLINE if name.startswith("chapters/") else "concept.json"
    return {} if name == "concept.json" else {source: view.sha(source)}


@pytest.fixture
def book(tmp_path: Path) -> BookMaker:
    made = BookMaker(tmp_path)
    made.run(QuickOps())
    return made


def change(book: BookMaker, ops: QuickOps) -> None:
    with ProjectStore.open(book.paths, book.machine(ops)) as store:
        store.change(swapped(store))


def test_XC_04_a_change_gives_every_file_its_content_and_its_past(book: BookMaker) -> None:
    before, _ = picture(book)
    change(book, QuickOps())
    after, states = picture(book)
    assert (after[ONE], after[TWO]) == (before[TWO], before[ONE])
    assert after[OUTLINE] == NEW_OUTLINE.encode()
    assert states == ["fresh"] * 4 + ["edited"]
    assert not book.paths.pending.exists()


def test_XC_04_only_what_is_nowhere_else_goes_to_the_trash(book: BookMaker) -> None:
    before, _ = picture(book)
    change(book, QuickOps())
    kept = [path.read_bytes() for path in book.paths.trash.iterdir()]
    assert kept == [before[OUTLINE]]


def test_XC_04_a_process_that_dies_at_any_call_leaves_the_book_before_or_after(
    tmp_path: Path,
) -> None:
    (tmp_path / "whole").mkdir()
    whole = BookMaker(tmp_path / "whole")
    whole.run(QuickOps())
    before = picture(whole)
    counted = QuickOps()
    change(whole, counted)
    after = picture(whole)
    seen = []
    for step in range(1, len(counted.calls) + 1):
        (tmp_path / str(step)).mkdir()
        book = BookMaker(tmp_path / str(step))
        book.run(QuickOps())
        with pytest.raises(Crash):
            change(book, DyingOps(step))
        looked = picture(book)
        ProjectStore.open(book.paths, book.machine(QuickOps())).close()
        assert picture(book) in (before, after), step
        assert looked[1] == picture(book)[1], f"a look at {step} saw another book"
        assert not book.paths.pending.exists(), step
        seen.append(picture(book) == after)
    assert seen == sorted(seen)
    assert True in seen
    assert False in seen


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_XC_04_a_refusal_at_any_call_is_told_and_the_next_opening_goes_on(
    tmp_path: Path, code: int
) -> None:
    (tmp_path / "whole").mkdir()
    whole = BookMaker(tmp_path / "whole")
    whole.run(QuickOps())
    before, counted = picture(whole), QuickOps()
    change(whole, counted)
    after = picture(whole)
    for step in range(1, len(counted.calls) + 1, 3):
        (tmp_path / str(step)).mkdir()
        book = BookMaker(tmp_path / str(step))
        book.run(QuickOps())
        with pytest.raises(StorageError):
            change(book, FailingOps(step, code=code))
        ProjectStore.open(book.paths, book.machine(QuickOps())).close()
        assert picture(book) in (before, after), step


def interrupted(book: BookMaker, planned: Change | None = None) -> Change:
    """A change that was written down and nothing more."""
    wanted = planned if planned is not None else swapped(peek(book.paths))
    store = ProjectStore.open(book.paths, book.machine(StopAfterPlan()))
    with pytest.raises(Crash):
        store.change(wanted)
    store.close()
    assert book.paths.pending.exists()
    return wanted


class StopAfterPlan(QuickOps):
    """Dies when the plan is on the disk."""

    def replace(self, source: Path, target: Path, /) -> None:
        super().replace(source, target)
        if target.name == "pending":
            raise Crash


def test_XC_04_an_opening_says_which_change_it_has_finished(book: BookMaker) -> None:
    planned = interrupted(book)
    with ProjectStore.open(book.paths, book.machine(QuickOps())) as store:
        assert store.finished == planned.what
    with ProjectStore.open(book.paths, book.machine(QuickOps())) as store:
        assert store.finished == ""


def test_XC_04_an_edit_after_the_crash_goes_to_the_trash_and_is_not_lost(
    book: BookMaker,
) -> None:
    interrupted(book)
    (book.paths.root / ONE).write_text("Mine, in between.\n", encoding="utf-8")
    ProjectStore.open(book.paths, book.machine(QuickOps())).close()
    kept = [path.read_text(encoding="utf-8") for path in book.paths.trash.iterdir()]
    assert "Mine, in between.\n" in kept


class SavedMeanwhile(QuickOps):
    """The author saves a chapter just before it is exchanged."""

    def exchange(self, one: Path, other: Path, /) -> None:
        if self.calls.count("exchange") == 0:
            other.write_text("Saved meanwhile.\n", encoding="utf-8")
        super().exchange(one, other)


def test_XC_05_a_save_during_a_change_goes_to_the_trash(book: BookMaker) -> None:
    change(book, SavedMeanwhile())
    kept = [path.read_text(encoding="utf-8") for path in book.paths.trash.iterdir()]
    assert "Saved meanwhile.\n" in kept
    with ProjectStore.open(book.paths, book.machine(QuickOps())) as store:
        assert store.read_text(OUTLINE) == NEW_OUTLINE


def test_XC_04_a_change_that_has_happened_is_not_carried_out_again(book: BookMaker) -> None:
    change(book, QuickOps())
    (book.paths.root / ONE).write_text("Mine, afterwards.\n", encoding="utf-8")
    planned = Change("c1", "x", (Replacement(ONE, None, "Not this.\n"),), {})
    plan = {
        "v": 1,
        "id": planned.id,
        "what": "x",
        "files": [{"name": ONE, "before": None, "text": "Not this.\n"}],
        "record": {},
    }
    book.paths.pending.write_bytes(encode_line(plan))
    assert peek(book.paths).read_text(ONE) == "Mine, afterwards.\n"
    ProjectStore.open(book.paths, book.machine(QuickOps())).close()
    assert (book.paths.root / ONE).read_text(encoding="utf-8") == "Mine, afterwards.\n"
    assert not book.paths.pending.exists()


def test_XC_04_a_look_at_an_interrupted_change_sees_it_done(book: BookMaker) -> None:
    planned = interrupted(book)
    view = peek(book.paths)
    assert view.names("chapters/*.md") == (ONE, TWO, THREE)
    assert view.exists(THREE)
    assert view.read_text(THREE) == "New.\n"
    assert view.exists("concept.json")
    assert view.read_bytes("concept.json") is not None
    assert view.state(OUTLINE, inputs_of(view, OUTLINE)).kind == "fresh"
    assert planned.id in view.manifest.changes
    assert not (book.paths.root / THREE).exists()


def test_XC_04_a_removed_file_is_gone_for_a_look_too(book: BookMaker) -> None:
    view = peek(book.paths)
    removal = Replacement(ONE, digest(view.read_bytes(ONE)), None)
    record = records.reshaped("c2", files={ONE: None}, steps={})
    planned = Change("c2", "chapter delete 1", (removal,), record)
    interrupted(book, planned)
    assert peek(book.paths).names("chapters/*.md") == (TWO,)
    assert not peek(book.paths).exists(ONE)
    ProjectStore.open(book.paths, book.machine(QuickOps())).close()
    assert not (book.paths.root / ONE).exists()


@pytest.mark.parametrize("look", ["open", "peek"])
@pytest.mark.parametrize(
    ("line", "what"),
    [(b"nonsense", "is damaged"), (encode_line({"v": 2}), "newer version"), (b"", "is damaged")],
    ids=["damaged", "newer", "empty"],
)
def test_XC_04_a_plan_that_cannot_be_read_stops_every_command(
    book: BookMaker, look: str, line: bytes, what: str
) -> None:
    before = book.contents()
    book.paths.pending.write_bytes(line)
    with pytest.raises(ProjectError, match=what) as caught:
        ProjectStore.open(book.paths) if look == "open" else peek(book.paths)
    assert caught.value.fix
    assert book.contents() == before


def test_XC_04_there_is_mostly_no_interrupted_change(paths: ProjectPaths) -> None:
    assert read_pending(paths) is None


def test_XC_04_a_record_of_a_file_that_is_not_known_leaves_it_to_the_author() -> None:
    lost = records.reshaped("c", files={ONE: {"from": TWO, "step": "s", "in": {}}}, steps={})
    assert Manifest([lost]).files == {}


def test_XC_04_steps_follow_and_those_of_a_chapter_that_is_gone_are_forgotten() -> None:
    moved = records.reshaped(
        "c", files={}, steps={"a/ch01": "a/ch02", "a/ch02": None}, asked=["scenes"]
    )
    asked = [records.again(step) for step in ("a/ch01/scene02", "a/ch02", "a/ch010", "b")]
    manifest = Manifest([*asked, moved])
    assert [manifest.generation(step) for step in ("a/ch02/scene02", "a/ch01", "a/ch010")] == [
        1,
        0,
        1,
    ]
    assert manifest.asked_again("scenes")
    assert manifest.parts_asked_again("a/ch02") == ("scene02",)  # not all of it


def test_XC_04_the_manifest_after_a_record_leaves_the_one_before_as_it_was() -> None:
    write = records.write(ONE, "sha", step="s", inputs={"i": "1"}, params={}, keys=["k"])
    before = Manifest([write, records.done("k", {"reply": "x"})])
    swap = records.reshaped(
        "c", files={TWO: {"from": ONE, "step": "t", "in": {}}, ONE: None}, steps={}
    )
    after = before.after(swap)
    assert set(before.files) == {ONE}
    assert after.files == {TWO: FileRecord("sha", "t", {}, {}, ("k",))}
    assert after.is_ours(TWO, "sha")
    assert not after.is_ours(ONE, "sha")
    assert after.reply("k") == {"reply": "x"}


RUN = """
import sys
from pathlib import Path
from tests.support.project_book import BookMaker
from tests.support.project_faults import QuickOps
from tests.unit.project.test_structure_change import change

class Told(QuickOps):
    def _before(self, name, tear=None):
        print(name, flush=True)
        sys.stdin.readline()

change(BookMaker(Path(sys.argv[1])), Told())
"""


@pytest.mark.slow
@pytest.mark.parametrize("step", [8, 14, 22, 30])
def test_XC_04_a_killed_process_leaves_the_book_before_or_after(
    book: BookMaker, tmp_path: Path, step: int
) -> None:
    before = picture(book)
    (tmp_path / "whole").mkdir()
    whole = BookMaker(tmp_path / "whole")
    whole.run(QuickOps())
    change(whole, QuickOps())
    after = picture(whole)
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(Path.cwd())])},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for _ in range(step):
        assert process.stdout.readline()
        process.stdin.write(b"\n")
        process.stdin.flush()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    ProjectStore.open(book.paths, book.machine(QuickOps())).close()
    assert picture(book) in (before, after)
    found = scan(book.paths.journal.read_bytes())
    assert not found.damaged
