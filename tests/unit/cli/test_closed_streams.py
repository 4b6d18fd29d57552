"""Streams that a process was started without, or that take nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = f"{sys.executable} -m libriscribe2 create"
ALL_CLOSED = "<&- >&- 2>&-"
BEGUN = "'A keeper' --mock --until concept -p book"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the shell of POSIX systems")


def shell(folder: Path, line: str) -> tuple[int, str, str]:
    """The exit code, stdout and stderr of a shell's line in a folder that is also the home."""
    ran = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=folder,
        env={"HOME": str(folder), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.parametrize(
    "closed",
    [*(pytest.param(one, marks=pytest.mark.slow) for one in ("<&-", ">&-", "2>&-")), ALL_CLOSED],
)
def test_XC_08_a_run_needs_none_of_them(tmp_path: Path, closed: str) -> None:
    code, _, err = shell(tmp_path, f"{COMMAND} {BEGUN} {closed}")
    assert (code, "Traceback" in err) == (0, False)
    assert (tmp_path / "projects" / "book" / "concept.json").read_bytes().startswith(b"{")


@pytest.mark.slow
def test_XC_08_who_cannot_be_asked_is_told_so(tmp_path: Path) -> None:
    for words in ("--mock", "- --mock"):
        code, _, err = shell(tmp_path, f"{COMMAND} {words} <&-")
        assert (code, err.count("\n")) == (2, 1)
        assert "no premise" in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("option", [pytest.param("", marks=pytest.mark.slow), "--json"])
def test_XC_08_output_that_cannot_be_written_is_told(tmp_path: Path, option: str) -> None:
    code, _, err = shell(tmp_path, f"{COMMAND} {BEGUN} {option} >/dev/full")
    assert code == 6
    last = err.splitlines()[-1]
    assert last.startswith("error: Cannot write the output.")
    assert " fix: " in last
