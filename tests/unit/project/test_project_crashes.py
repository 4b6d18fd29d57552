"""What a project survives: refusals of the system, a dead process, a power failure, SIGKILL."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.project_book import FILES, BookMaker
from tests.support.project_faults import Crash, DyingOps, FailingOps, QuickOps

from libriscribe2.errors import StorageError
from libriscribe2.project.store import ProjectStore

FRESH = ["fresh"] * len(FILES)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], int, int]:
    """The finished book, the number of its calls, and that of the system calls for it."""
    maker, ops = BookMaker(tmp_path_factory.mktemp("whole")), QuickOps()
    maker.run(ops)
    return maker.contents(), sum(maker.model.paid.values()), len(ops.calls)


def test_XC_04_a_second_run_makes_nothing_and_pays_nothing(maker: BookMaker) -> None:
    maker.run(QuickOps())
    paid = sum(maker.model.paid.values())
    assert maker.resume(QuickOps()) == FRESH
    assert sum(maker.model.paid.values()) == paid


def test_XC_04_deleted_files_are_made_again_from_the_journal_alone(
    maker: BookMaker, whole: tuple[dict[str, bytes], int, int]
) -> None:
    maker.run(QuickOps())
    paid = sum(maker.model.paid.values())
    for name in FILES:
        (maker.paths.root / name).unlink()
    maker.resume(QuickOps())
    assert maker.contents() == whole[0]
    assert sum(maker.model.paid.values()) == paid


@pytest.mark.slow
def test_XC_04_a_process_that_dies_at_any_call_loses_at_most_the_call_in_flight(
    tmp_path: Path, whole: tuple[dict[str, bytes], int, int]
) -> None:
    contents, calls, steps = whole
    for step in range(1, steps + 1):
        maker = BookMaker(tmp_path / str(step))
        (tmp_path / str(step)).mkdir()
        with pytest.raises(Crash):
            maker.run(DyingOps(step))
        maker.resume(QuickOps())
        assert maker.resume(QuickOps()) == FRESH, step
        assert maker.contents() == contents, step
        assert calls <= sum(maker.model.paid.values()) <= calls + 1, step


@pytest.mark.slow
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EMFILE])
def test_XC_05_a_refusal_at_any_call_is_a_told_error_and_the_next_run_goes_on(
    tmp_path: Path, whole: tuple[dict[str, bytes], int, int], code: int
) -> None:
    contents, calls, steps = whole
    for step in range(1, steps + 1):
        maker = BookMaker(tmp_path / str(step))
        (tmp_path / str(step)).mkdir()
        with pytest.raises(StorageError) as caught:
            maker.run(FailingOps(step, code=code))
        assert "\n" not in caught.value.what
        maker.resume(QuickOps())
        assert maker.resume(QuickOps()) == FRESH, step
        assert maker.contents() == contents, step
        assert sum(maker.model.paid.values()) == calls, f"a paid reply was lost at {step}"


RUN = """
import sys
from pathlib import Path
from tests.support.project_book import BookMaker
from libriscribe2.project.atomic import SYSTEM
from tests.support.project_faults import QuickOps

class Told(QuickOps):
    def _before(self, name, tear=None):
        print(name, flush=True)
        sys.stdin.readline()

BookMaker(Path(sys.argv[1])).run(Told())
"""


@pytest.mark.parametrize("step", [9, 23, 40, 61])
def test_XC_04_a_killed_process_loses_at_most_the_call_in_flight(
    tmp_path: Path, whole: tuple[dict[str, bytes], int, int], step: int
) -> None:
    contents, calls, _ = whole
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for _ in range(step):
        assert process.stdout.readline()
        process.stdin.write(b"\n")
        process.stdin.flush()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    maker = BookMaker(tmp_path)
    before = len(ProjectStore.peek(maker.paths).manifest.files)
    maker.resume(QuickOps())
    after = ProjectStore.peek(maker.paths).manifest
    assert maker.resume(QuickOps()) == FRESH
    assert maker.contents() == contents
    assert before < len(FILES) == len(after.files)
    assert after.totals.calls == calls
