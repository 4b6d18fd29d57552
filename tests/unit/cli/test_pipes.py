"""A reader that goes away."""

import sys
from pathlib import Path

import pytest

from libriscribe2.cli.process import open_closed, reader_gone, stop_writing


def exit_after(error: Exception) -> SystemExit:
    """The exit that a library makes of an error."""
    try:
        try:
            raise error
        except OSError:
            sys.exit(1)
    except SystemExit as ended:
        return ended


def test_XC_08_a_broken_pipe_is_known_bare_and_as_the_cause_of_an_exit() -> None:
    assert reader_gone(BrokenPipeError(32, "Broken pipe"))
    assert reader_gone(exit_after(BrokenPipeError(32, "Broken pipe")))


@pytest.mark.parametrize("error", [SystemExit(1), exit_after(PermissionError()), ValueError()])
def test_XC_08_any_other_end_is_no_broken_pipe(error: BaseException) -> None:
    assert not reader_gone(error)


def test_XC_08_what_comes_after_goes_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "out").open("w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.setattr(sys, "stderr", stream)
        stream.write("before")
        stream.flush()
        stop_writing()
        stream.write("after")
        stream.flush()
    assert (tmp_path / "out").read_text(encoding="utf-8") == "before"


def test_XC_08_streams_that_are_not_there_lead_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    there = sys.stdout
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(sys, "stderr", None)
    open_closed()
    with sys.stdin as typed, sys.stderr as talk:
        assert typed.read() == ""
        assert talk.write("lost") == 4
    assert sys.stdout is there
