"""Tests of the log file of a project."""

import logging
from pathlib import Path

import pytest

from libriscribe2.observe.run_files import LogFile


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_bar_05_a_log_that_cannot_grow_says_nothing_and_stops_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    handler = LogFile("/dev/full", encoding="utf-8")
    handler.handle(logging.LogRecord("a", logging.WARNING, "a.py", 1, "something", None, None))
    handler.close()
    assert capsys.readouterr().err == ""
