"""The program's last line of defence: every end has its exit code and its one line."""

import errno
import os
import subprocess
import sys

import pytest

from libriscribe2 import cli
from libriscribe2.cli import root
from libriscribe2.cli.root import LazyCommand
from libriscribe2.cli.table import COMMANDS, Entry


class Left(BaseException):
    """The process has ended."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@pytest.fixture(autouse=True)
def stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process tells its exit code instead of ending."""

    def leave(code: int) -> None:
        raise Left(code)

    monkeypatch.setattr(cli, "leave", leave)


def end_of(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["libriscribe2", *arguments])
    with pytest.raises(Left) as caught:
        cli.main()
    return caught.value.code


def test_XC_08_a_command_that_succeeds_ends_with_0(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert end_of(monkeypatch, "agents") == 0
    assert "concept.json" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nonsense",), ("No such command 'nonsense'", "libriscribe2 --help")),
        (("redo", "x"), ("PART", "libriscribe2 redo --help")),
        (("create", "x", "--words", "0"), ("--words", "libriscribe2 create --help")),
        (("status", "x", "--colour"), ("--colour", "libriscribe2 status --help")),
    ],
)
def test_XC_08_what_cannot_be_typed_is_one_line_and_exit_2(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    words: tuple[str, ...],
) -> None:
    assert end_of(monkeypatch, *arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert all(word in line for word in words)


def test_XC_08_an_error_of_the_tree_ends_with_its_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert end_of(monkeypatch, "status", "nobody") == 3
    assert "no project 'nobody'" in capsys.readouterr().err


@pytest.mark.parametrize("debug", [False, True])
def test_XC_08_a_bug_is_told_in_one_line_with_a_traceback_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], debug: bool
) -> None:
    def broken(_entry: LazyCommand) -> None:
        secret = "in a local variable"
        raise RuntimeError(f"boom {len(secret)}")

    monkeypatch.setattr(LazyCommand, "load", broken)
    assert end_of(monkeypatch, *(["--debug"] if debug else []), "agents") == 1
    err = capsys.readouterr().err
    assert "this is a bug in LibriScribe2: RuntimeError: boom" in err
    assert ("Traceback (most recent call last)" in err) is debug
    assert "in a local variable" not in err.replace('secret = "in a local variable"', "")


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_XC_09_every_entry_of_the_table_leads_to_a_command(entry: Entry) -> None:
    command = LazyCommand(entry).load()
    assert command.name == entry.name
    assert command.help


CTRL_C_WHILE_IMPORTING = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "libriscribe2.cli.root":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from libriscribe2.cli import main
main()
"""


def test_ctrl_c_while_the_program_is_being_imported_ends_it_without_a_word() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", CTRL_C_WHILE_IMPORTING], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


@pytest.mark.parametrize(("code", "ends"), [(errno.EIO, 6), (errno.ENOSPC, 6), (errno.ENOENT, 1)])
def test_bar_05_an_output_that_takes_no_more_is_the_disk_and_not_a_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: int, ends: int
) -> None:
    def refuse(*_arguments: object, **_named: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(root, "app", refuse)
    assert end_of(monkeypatch, "agents") == ends
    told = capsys.readouterr().err
    assert ("the output" in told) is (ends == 6)
    assert os.strerror(code) in told
