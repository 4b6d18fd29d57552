import errno
import random
import stat
import threading
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.project_faults import FailingOps, QuickOps, ShortOps

from libriscribe2.errors import StorageError
from libriscribe2.project.journal import Journal
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.records import Record, decode_line, done, encode_line, scan, sent

NOON = datetime(2025, 1, 12, 12, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def opened(path: Path, ops: QuickOps | None = None) -> Journal:
    return Journal.open(path, ops=ops if ops is not None else QuickOps(), clock=lambda: NOON)


def reply(number: int) -> Record:
    return done(f"key{number}", {"reply": f"{number} " * 500, "usage": {}, "cost_usd": None})


def written(path: Path, *records: Record) -> bytes:
    journal = opened(path)
    for record in records:
        journal.append(record)
    journal.close()
    return path.read_bytes()


def test_a_record_comes_back_with_its_time(path: Path) -> None:
    written(path, sent("k", step="concept", model="m"))
    (record,) = opened(path).found.records
    assert record == {"t": "sent", "k": "k", "step": "concept", "model": "m"} | {
        "at": "2025-01-12T12:00:00Z",
        "after": [],
    }


def test_the_file_is_private(path: Path) -> None:
    written(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_every_record_is_synced_and_so_is_the_name_of_the_file(path: Path) -> None:
    ops = QuickOps()
    journal = opened(path, ops)
    assert ops.calls == ["open", "open", "fsync"]
    journal.append(reply(1))
    assert ops.calls[3:] == ["write", "fsync"]


def test_a_record_that_may_be_lost_is_synced_with_the_next(path: Path) -> None:
    ops = QuickOps()
    journal = opened(path, ops)
    del ops.calls[:]
    journal.append(reply(1), durable=False)
    assert ops.calls == ["write"]
    assert len(opened(path).found.records) == 1
    journal.append(reply(2))
    journal.close()
    assert ops.calls == ["write", "write", "fsync"]


def test_a_record_that_may_be_lost_is_synced_by_closing(path: Path) -> None:
    ops = QuickOps()
    journal = opened(path, ops)
    del ops.calls[:]
    journal.append(reply(1), durable=False)
    journal.close()
    assert ops.calls == ["write", "fsync"]


def test_a_sync_that_fails_while_closing_is_told(path: Path) -> None:
    journal = opened(path, FailingOps(2, code=errno.EIO, names=("fsync",)))
    journal.append(reply(1), durable=False)
    with pytest.raises(StorageError, match="Cannot write"):
        journal.close()
    with pytest.raises(StorageError, match="no more records"):
        journal.append(reply(2))


def test_a_line_is_checksum_and_json_in_readable_unicode(path: Path) -> None:
    line = written(path, {"t": "again", "step": "Café"})
    body = '{"t":"again","step":"Café","at":"2025-01-12T12:00:00Z","after":[]}'.encode()
    assert line == b"%08x %s\n" % (zlib.crc32(body), body)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(st.characters()), JSON, min_size=1))
def test_any_record_survives_the_file(record: dict[str, Any]) -> None:
    line = encode_line(record)
    assert line.count(b"\n") == 1
    assert decode_line(line.rstrip(b"\n")) == record


def test_half_a_surrogate_pair_in_a_reply_survives(path: Path) -> None:
    written(path, done("k", {"reply": "a\ud83d b"}))
    assert opened(path).found.records[0]["completion"]["reply"] == "a\ud83d b"


@pytest.mark.parametrize("body", [b"[1]", b'"text"', b"{", b"\xff", b""])
def test_a_line_with_a_good_checksum_that_is_no_record_is_damaged(body: bytes) -> None:
    assert decode_line(b"%08x %s" % (zlib.crc32(body), body)) is None


def test_a_line_written_in_parts_is_whole(path: Path) -> None:
    journal = opened(path, ShortOps())
    journal.append(reply(1))
    assert [record["k"] for record in opened(path).found.records] == ["key1"]


def test_XC_04_a_torn_last_line_is_cut_off(path: Path) -> None:
    whole = written(path, reply(1))
    path.write_bytes(whole + encode_line(reply(2))[:-1])
    journal = opened(path)
    assert path.read_bytes() == whole
    assert journal.aside is None
    journal.append(reply(3))
    assert [record["k"] for record in opened(path).found.records] == ["key1", "key3"]


def test_a_damaged_line_is_skipped_and_the_file_kept_aside_once(path: Path) -> None:
    data = bytearray(written(path, reply(1), reply(2), reply(3)))
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    first, second = opened(path), opened(path)
    assert [record["k"] for record in first.found.records] == ["key1", "key3"]
    assert len(first.found.damaged) == 1
    assert first.aside is not None
    assert first.aside == second.aside
    assert first.aside.read_bytes() == bytes(data)
    assert list((path.parent / "trash").iterdir()) == [first.aside]
    first.append(reply(4))
    assert [record["k"] for record in opened(path).found.records] == ["key1", "key3", "key4"]


def _flip(data: bytearray, rng: random.Random) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def _zero(data: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(data) - 512)
    data[start : start + 512] = bytes(512)


@pytest.mark.parametrize(
    ("harm", "most_lost"), [(_flip, 2), (_cut, 20), (_zero, 2)], ids=["flip", "cut", "zero"]
)
def test_XC_04_damage_never_brings_a_wrong_reply(
    path: Path, harm: Callable[[bytearray, random.Random], None], most_lost: int
) -> None:
    good = written(path, *map(reply, range(20)))
    replies = {f"key{n}": reply(n)["completion"] for n in range(20)}
    rng, worst = random.Random(4), 0  # noqa: S311 - a seed that a failure can be repeated with
    for _ in range(500):
        data = bytearray(good)
        harm(data, rng)
        manifest = Manifest(scan(bytes(data)).records)
        found = {key: manifest.reply(key) for key in replies if manifest.reply(key) is not None}
        assert found.items() <= replies.items()
        worst = max(worst, len(replies) - len(found))
    assert 0 < worst <= most_lost


@settings(max_examples=100, deadline=None)
@given(st.lists(JSON, min_size=1, max_size=5), st.data())
def test_XC_04_a_cut_file_holds_exactly_the_records_before_the_cut(
    values: list[Any], data: st.DataObject
) -> None:
    lines = [encode_line({"t": "x", "value": value}) for value in values]
    whole = b"".join(lines)
    cut = data.draw(st.integers(0, len(whole)))
    found = scan(whole[:cut])
    expected = [v for n, v in enumerate(values) if sum(map(len, lines[: n + 1])) <= cut]
    assert [record["value"] for record in found.records] == expected
    assert not found.damaged


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_a_refused_write_is_undone_and_the_journal_goes_on(path: Path, code: int) -> None:
    journal = opened(path, FailingOps(2, code=code, names=("write",)))
    journal.append(reply(1))
    whole = path.read_bytes()
    with pytest.raises(StorageError) as caught:
        journal.append(reply(2))
    assert str(path) in caught.value.what
    assert path.read_bytes() == whole
    journal.append(reply(3))
    assert [record["k"] for record in opened(path).found.records] == ["key1", "key3"]


def test_a_failed_sync_stops_the_journal(path: Path) -> None:
    journal = opened(path, FailingOps(2, code=errno.EIO, names=("fsync",)))
    with pytest.raises(StorageError, match="Cannot write"):
        journal.append(reply(1))
    with pytest.raises(StorageError, match="no more records"):
        journal.append(reply(2))


def test_a_write_that_cannot_be_undone_stops_the_journal(path: Path) -> None:
    journal = opened(path, FailingOps(1, 2, code=errno.EIO, names=("write", "ftruncate")))
    with pytest.raises(StorageError, match="Cannot write"):
        journal.append(reply(1))
    with pytest.raises(StorageError, match="no more records"):
        journal.append(reply(2))
    assert opened(path).found.records == ()


def test_a_closed_journal_takes_nothing(path: Path) -> None:
    journal = opened(path)
    journal.close()
    with pytest.raises(StorageError, match="no more records"):
        journal.append(reply(1))


@pytest.mark.parametrize("call", ["open", "fsync"])
def test_a_journal_that_cannot_be_opened_is_an_error(path: Path, call: str) -> None:
    with pytest.raises(StorageError, match="Cannot open"):
        opened(path, FailingOps(1, code=errno.EACCES, names=(call,)))


def test_records_of_many_threads_are_all_there(path: Path) -> None:
    journal = opened(path)
    threads = [threading.Thread(target=journal.append, args=(reply(n),)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = opened(path).found
    assert {record["k"] for record in found.records} == {f"key{n}" for n in range(20)}
    assert not found.damaged
