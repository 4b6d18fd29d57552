import errno
import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.project_book import completion
from tests.support.project_faults import FailingOps

from libriscribe2.errors import StorageError
from libriscribe2.llm.backend import CallLog, Completion
from libriscribe2.project.lock import MIN_FREE_BYTES, Machine, Rescue, default_folder, free_bytes
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import JournalCallLog, ProjectStore

KEY = "a" * 64


def test_the_log_fits_the_clients_protocol(store: ProjectStore) -> None:
    log: CallLog = store.call_log
    answer = Completion("text", reasoning="thought", cost_usd=0.25, tool_calls=({"id": "1"},))
    log.sent(KEY, step="concept", model="m")
    log.done(KEY, answer.as_record())
    found = log.find(KEY, "concept")
    assert found is not None
    assert Completion.from_record(found) == answer


def test_XC_04_a_reply_is_found_by_the_next_run(paths: ProjectPaths, machine: Machine) -> None:
    with ProjectStore.create(paths, machine) as first:
        first.call_log.sent(KEY, step="concept", model="m")
        first.call_log.done(KEY, completion("text"))
    with ProjectStore.open(paths, machine) as second:
        assert second.call_log.find(KEY, "concept") == completion("text")
        assert second.call_log.find("b" * 64) is None


def test_OV_42_the_next_run_knows_which_replies_were_withheld(
    paths: ProjectPaths, machine: Machine
) -> None:
    with ProjectStore.create(paths, machine) as first:
        for key, kind in ((KEY, "filtered"), ("b" * 64, "timeout")):
            first.call_log.sent(key, step="concept", model="m")
            first.call_log.failed(key, kind=kind, status=None)
        assert first.call_log.filtered(KEY)
    with ProjectStore.open(paths, machine) as second:
        assert second.call_log.filtered(KEY)
        assert not second.call_log.filtered("b" * 64)


def test_a_failed_call_has_no_reply_and_is_counted(store: ProjectStore) -> None:
    store.call_log.sent(KEY, step="concept", model="m")
    store.call_log.failed(KEY, kind="timeout", status=None)
    assert store.call_log.find(KEY, "concept") is None
    assert store.manifest.totals.failed == 1
    assert store.manifest.open_calls == {}


def test_asking_again_changes_the_generation(store: ProjectStore) -> None:
    store.again("chapters")
    assert store.call_log.generation("chapters/ch01") == 1


def test_no_request_leaves_without_room_for_its_reply(
    store: ProjectStore, machine: Machine
) -> None:
    rooms = iter([MIN_FREE_BYTES, MIN_FREE_BYTES - 1])
    full = replace(machine, free_bytes=lambda _: next(rooms))
    log = JournalCallLog(store.journal, store.manifest, full)
    log.sent(KEY, step="concept", model="m")
    with pytest.raises(StorageError, match="almost full") as caught:
        log.sent("b", step="concept", model="m")
    assert "63 MiB are free" in caught.value.why
    assert "b" not in store.manifest.open_calls


def test_no_request_leaves_when_the_disk_does_not_answer(
    store: ProjectStore, machine: Machine
) -> None:
    def silent(folder: Path) -> int:
        raise OSError(errno.EIO, "Input/output error", str(folder))

    log = JournalCallLog(store.journal, store.manifest, replace(machine, free_bytes=silent))
    with pytest.raises(StorageError, match="measure"):
        log.sent(KEY, step="concept", model="m")


def test_the_real_disk_says_its_room(tmp_path: Path) -> None:
    assert free_bytes(tmp_path) > 0


def test_no_request_leaves_when_the_journal_cannot_be_written(
    paths: ProjectPaths, machine: Machine
) -> None:
    ProjectStore.create(paths, machine).close()
    broken = replace(machine, ops=FailingOps(1, code=errno.EROFS, names=("write",)))
    with (
        ProjectStore.open(paths, broken) as store,
        pytest.raises(StorageError, match="Cannot write"),
    ):
        store.call_log.sent(KEY, step="concept", model="m")


def rescued(paths: ProjectPaths, machine: Machine, reply: str = "text") -> StorageError:
    """A run whose paid reply finds a full disk."""
    full = replace(machine, ops=FailingOps(7, code=errno.ENOSPC, names=("write",)))
    with ProjectStore.create(paths, full) as store:
        store.again("one")
        store.again("two")
        store.call_log.sent(KEY, step="concept", model="m")
        with pytest.raises(StorageError) as caught:
            store.call_log.done(KEY, completion(reply))
    return caught.value


def test_a_reply_that_finds_a_full_disk_is_rescued(paths: ProjectPaths, machine: Machine) -> None:
    error = rescued(paths, machine)
    (path,) = machine.rescue.folder.iterdir()
    assert str(path) in error.why
    assert "disk space" in error.fix
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with ProjectStore.open(paths, machine) as store:
        assert store.call_log.find(KEY, "concept") == completion("text")
        assert not path.exists()
    with ProjectStore.open(paths, machine) as store:
        assert store.call_log.find(KEY, "concept") == completion("text")
        assert store.manifest.totals.calls == 1


def test_a_rescued_reply_of_another_project_is_left_alone(
    store: ProjectStore, machine: Machine
) -> None:
    path = machine.rescue.save("another", "b", completion("text"))
    store.call_log.sent("b", step="concept", model="m")
    assert store.call_log.adopt_rescued() == 0
    assert path.exists()


@pytest.mark.parametrize("harm", ["reply", "key", "cut", "list"])
def test_a_damaged_rescue_file_is_never_believed(
    paths: ProjectPaths, machine: Machine, harm: str
) -> None:
    rescued(paths, machine)
    (path,) = machine.rescue.folder.iterdir()
    text = path.read_text(encoding="utf-8")
    content = json.loads(text)
    harmed = {
        "reply": json.dumps({**content, "completion": completion("other")}),
        "key": json.dumps({**content, "key": "b"}),
        "cut": text[:-20],
        "list": "[]",
    }
    path.write_text(harmed[harm], encoding="utf-8")
    with ProjectStore.open(paths, machine) as store:
        assert store.call_log.find(KEY, "concept") is None
    assert path.exists()


def test_a_reply_that_no_place_takes_is_told(
    paths: ProjectPaths, machine: Machine, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    error = rescued(paths, replace(machine, rescue=Rescue(tmp_path / "file" / "rescue")))
    assert error.what == "A reply came and could not be stored"
    assert "cannot be written either" in error.why


def test_a_rescued_reply_that_cannot_be_read_stops_the_opening(
    paths: ProjectPaths, machine: Machine
) -> None:
    rescued(paths, machine)
    (path,) = machine.rescue.folder.iterdir()
    path.unlink()
    path.mkdir()
    with pytest.raises(StorageError, match="Cannot read"):
        ProjectStore.open(paths, machine)
    path.rmdir()
    ProjectStore.open(paths, machine).close()


def test_the_rescue_folder_is_in_the_users_state_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert default_folder() == Path("/state/libriscribe2/rescue")
    assert Rescue().folder == default_folder()


def test_what_an_earlier_version_rescued_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    older = tmp_path / "libriscribe" / "rescue"
    older.mkdir(parents=True)
    assert default_folder() == older
