"""The log of a batch: several hands, torn ends, failing disks."""

import errno
import json
import os
from pathlib import Path

import pytest
from typing_extensions import Buffer

from libriscribe2.batch.folders import BatchLog, BatchPaths
from libriscribe2.errors import StorageError
from libriscribe2.project.atomic import UnsyncedOps


class FullDisk(UnsyncedOps):
    """A disk that takes ten bytes and no more."""

    def __init__(self) -> None:
        self._left = 10

    def write(self, descriptor: int, data: Buffer, /) -> int:
        if not self._left:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = os.write(descriptor, memoryview(data)[: self._left])
        self._left -= written
        return written


def paths(folder: Path) -> BatchPaths:
    return BatchPaths(folder / "batch")


def test_two_hands_add_and_each_reads_on(tmp_path: Path) -> None:
    one, two = BatchLog(paths(tmp_path)), BatchLog(paths(tmp_path))
    one.append([{"t": "a"}, {"t": "b"}])
    assert [record["t"] for record in two.news()] == ["a", "b"]
    two.append([{"t": "c"}])
    assert [record["t"] for record in two.news()] == ["c"]
    assert [record["t"] for record in one.news()] == ["a", "b", "c"]
    assert one.news() == ()


@pytest.mark.parametrize("torn", [b"0", b"00000000 {", b'deadbeef {"t": "x"'])
def test_a_torn_end_is_cut_off_and_never_joined_to_what_follows(
    tmp_path: Path, torn: bytes
) -> None:
    BatchLog(paths(tmp_path)).append([{"t": "a"}])
    with paths(tmp_path).log.open("ab") as file:
        file.write(torn)
    log = BatchLog(paths(tmp_path))
    assert [record["t"] for record in log.news()] == ["a"]
    log.append([{"t": "b"}])
    assert [record["t"] for record in log.news()] == ["b"]
    assert log.damaged == 0


def test_a_flipped_bit_costs_one_record_and_is_counted(tmp_path: Path) -> None:
    BatchLog(paths(tmp_path)).append([{"t": "a"}, {"t": "b"}])
    data = paths(tmp_path).log.read_bytes()
    paths(tmp_path).log.write_bytes(data.replace(b'"a"', b'"e"'))
    log = BatchLog(paths(tmp_path))
    assert [record["t"] for record in log.news()] == ["b"]
    assert log.damaged == 1


def test_a_full_disk_leaves_the_log_as_it_was(tmp_path: Path) -> None:
    BatchLog(paths(tmp_path)).append([{"t": "a"}])
    before = paths(tmp_path).log.read_bytes()
    with pytest.raises(StorageError, match="Cannot write"):
        BatchLog(paths(tmp_path), ops=FullDisk()).append([{"t": "b"}])
    assert paths(tmp_path).log.read_bytes() == before
    assert json.loads(before.partition(b" ")[2])["t"] == "a"
