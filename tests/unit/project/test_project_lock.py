import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from libriscribe2.errors import ProjectInUseError, StorageError
from libriscribe2.project.lock import Machine, ProjectLock, holder_may_live
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore

HOLD = """
import sys
from pathlib import Path
from libriscribe2.errors import ProjectInUseError
from libriscribe2.project.lock import ProjectLock, holder_may_live
from libriscribe2.project.paths import ProjectPaths

root = Path(sys.argv[1])
try:
    held = ProjectLock.acquire(ProjectPaths(root, root))
except ProjectInUseError as error:
    print("refused", error.why, flush=True)
else:
    print("held", flush=True)
    sys.stdin.read()
"""


def other_process(paths: ProjectPaths) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, str(paths.root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


@pytest.fixture
def root(paths: ProjectPaths) -> ProjectPaths:
    paths.state.mkdir(parents=True)
    return paths


def test_one_of_three_processes_works_and_the_others_are_told_who(root: ProjectPaths) -> None:
    processes = [other_process(root) for _ in range(3)]
    try:
        lines = sorted((first_line(process), process.pid) for process in processes)
        (_, holder), *refused = lines
        assert [line.split()[0] for line, _ in lines] == ["held", "refused", "refused"]
        assert all(
            f"pid {holder} host " in line or "the process is unknown" in line for line, _ in refused
        )
    finally:
        for process in processes:
            process.communicate("")


def test_a_held_project_is_refused_at_once_naming_the_holder(root: ProjectPaths) -> None:
    process = other_process(root)
    try:
        assert first_line(process) == "held\n"
        with pytest.raises(ProjectInUseError) as caught:
            ProjectLock.acquire(root)
        assert caught.value.why.startswith(f"pid {process.pid} host ")
        assert " since 20" in caught.value.why
        process.kill()
        process.wait()
        ProjectLock.acquire(root).release()
    finally:
        process.communicate()


def test_a_file_of_a_dead_process_never_blocks(root: ProjectPaths) -> None:
    root.lock.write_text("pid 1 host elsewhere since 2001-01-01T00:00:00Z\n", encoding="utf-8")
    held = ProjectLock.acquire(root)
    assert f"pid {os.getpid()} host " in root.lock.read_text(encoding="utf-8")
    held.release()
    held.release()


def test_a_holder_who_does_not_say_who_he_is(root: ProjectPaths) -> None:
    held = ProjectLock.acquire(root)
    root.lock.write_text("", encoding="utf-8")
    with pytest.raises(ProjectInUseError) as caught:
        ProjectLock.acquire(root)
    assert caught.value.why == "the process is unknown"
    held.release()


def test_a_lock_that_cannot_be_opened_is_an_error(root: ProjectPaths) -> None:
    root.lock.mkdir()
    with pytest.raises(StorageError, match="Cannot lock"):
        ProjectLock.acquire(root)


def test_a_store_holds_its_project_until_it_is_closed(
    paths: ProjectPaths, machine: Machine
) -> None:
    with ProjectStore.create(paths, machine) as store:
        with pytest.raises(ProjectInUseError):
            ProjectStore.open(paths, machine)
        store.close()
        ProjectStore.open(paths, machine).close()


def test_a_failed_opening_lets_go(paths: ProjectPaths, machine: Machine) -> None:
    ProjectStore.create(paths, machine).close()
    paths.journal.unlink()
    paths.journal.mkdir()
    with pytest.raises(StorageError):
        ProjectStore.open(paths, machine)
    paths.journal.rmdir()
    ProjectStore.open(paths, machine).close()


def test_a_holder_that_is_gone_is_known_to_be_gone(tmp_path: Path) -> None:
    paths = ProjectPaths(tmp_path, tmp_path)
    paths.state.mkdir()
    assert holder_may_live(paths)  # nobody said who it is
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    host = socket.gethostname()
    for holder, lives in (
        (f"pid {os.getpid()} host {host} since now", True),
        (f"pid {ended.pid} host {host} since now", False),
        (f"pid {ended.pid} host another since now", True),
        ("nonsense", True),
    ):
        paths.lock.write_text(holder, encoding="utf-8")
        assert holder_may_live(paths) == lives


def test_a_checksum_that_is_no_ascii_any_more_breaks_no_later_opening(
    paths: ProjectPaths, machine: Machine
) -> None:
    with ProjectStore.create(paths, machine) as store:
        store.note_run("r1", version="1", command="create")
    data = bytearray(paths.journal.read_bytes())
    data[1] ^= 0x80
    paths.journal.write_bytes(data)
    for _ in range(2):
        with ProjectStore.open(paths, machine) as store:
            assert store.damaged == 1
