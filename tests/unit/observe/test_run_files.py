"""`events.jsonl`: what is written, what is read back, and what happens to a long or damaged one."""

import os
from pathlib import Path

import pytest
from tests.support.screen import event

from libriscribe2.observe.run_files import MOST_BYTES, EventFile, last_run, older


def write(path: Path, *events: str, run: str = "r1", **fields: object) -> None:
    with EventFile(path) as file:
        for name in events:
            file.receive(event(name, **fields).model_copy(update={"run": run}))


def test_each_event_is_one_private_line(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    write(path, "run.start", "llm.call", message="a\nb \ud800")
    lines = path.read_bytes().splitlines()
    assert len(lines) == 2
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.event for one in last_run(path)] == ["run.start", "llm.call"]


def test_only_the_newest_run_is_read_and_damage_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    assert last_run(path) == []
    write(path, "run.start", "run.end", run="old")
    with path.open("ab") as file:
        file.write(b'not json\n{"v": 1}\n')
    write(path, "run.start", "stage.start", run="new")
    with path.open("ab") as file:
        file.write(b'{"v": 1, "ts"')
    told = [("new", "run.start"), ("new", "stage.start")]
    assert [(one.run, one.event) for one in last_run(path)] == told


def test_an_export_is_no_run_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    write(path, "run.start", "llm.call", run="book")
    write(path, "export.done", run="export")
    write(path, "llm.call", run="book")
    write(path, "export.done", run="export", message="x" * 500_000)
    assert [one.event for one in last_run(path)] == ["run.start", "llm.call", "llm.call"]
    assert "export.done" in path.read_text(encoding="utf-8")


def test_only_who_holds_the_project_puts_a_long_file_aside(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"x" * (MOST_BYTES + 1))
    with EventFile(path, puts_aside=False) as file:
        file.receive(event("export.done"))
    assert not older(path).exists()
    assert path.stat().st_size > MOST_BYTES + 1


def test_a_long_file_is_put_aside_when_a_run_begins(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"x" * (MOST_BYTES + 1))
    write(path, "run.start", "stage.start")
    assert older(path).stat().st_size == MOST_BYTES + 1
    assert len(last_run(path)) == 2


def test_a_very_long_run_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    write(path, *["llm.call"] * 100, run="old")
    with EventFile(path) as file:
        for number in range(1, 2_001):
            file.receive(event("llm.call").model_copy(update={"run": "new", "seq": number}))
    assert [one.seq for one in last_run(path)] == list(range(1, 2_001))


def test_a_line_that_was_torn_off_takes_no_other_with_it(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"[" * 100_000 + b'\n{"v": 1, "ts"')
    write(path, "run.start", "llm.call")
    assert [one.event for one in last_run(path)] == ["run.start", "llm.call"]


def test_no_book_stops_for_its_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path / "missing" / "events.jsonl", "run.start")
    assert "No events are written" in caplog.text

    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with EventFile(tmp_path / "events.jsonl") as file:
        monkeypatch.setattr(os, "write", full)
        file.receive(event("llm.call"))
        file.receive(event("run.end"))
    assert caplog.text.count("No more events are written") == 1
