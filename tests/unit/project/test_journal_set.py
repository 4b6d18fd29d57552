"""A journal is a set of records: merged, doubled, in any order, with a loss that can be seen."""

import json
import zlib
from datetime import UTC, datetime
from inspect import getmembers, isfunction
from pathlib import Path
from typing import Any, Final, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.project_faults import QuickOps

from libriscribe2.project import records
from libriscribe2.project.journal import Journal, read_journal
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.records import (
    Record,
    again,
    decode_line,
    done,
    encode_line,
    fail,
    scan_journal,
    sent,
    write,
)

NOON: Final = datetime(2025, 1, 12, 12, tzinfo=UTC)


def calls(*names: str) -> list[Record]:
    """A call and a write for each name."""
    found: list[Record] = []
    for name in names:
        completion = {"reply": name, "cost_usd": 0.5, "usage": {"input_tokens": 3, "known": True}}
        found += [sent(name, step=name, model="m", est_usd=1.0), done(name, completion)]
        found.append(
            write(f"{name}.md", name, step=name, inputs={}, params={"models": ["m"]}, keys=[name])
        )
    return found


def append(path: Path, *records: Record) -> bytes:
    journal = Journal.open(path, ops=QuickOps(), clock=lambda: NOON)
    for record in records:
        journal.append(record)
    journal.close()
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def two_copies(path: Path) -> tuple[bytes, bytes, bytes]:
    """A journal, and what two machines made of it that both went on."""
    base = append(path, *calls("a", "b"), again("b"))
    other = path.parent / "other" / path.name
    other.parent.mkdir()
    other.write_bytes(base)
    return base, append(path, *calls("c", "d")), append(other, *calls("e"), fail("x", **FAILED))


FAILED: Final[dict[str, Any]] = {"kind": "timeout", "status": None, "usd": 0.25}


def sums(data: bytes) -> tuple[object, ...]:
    found = scan_journal(data)
    manifest = Manifest(found.records)
    ledger = manifest.ledger
    return (
        len(found.records),
        found.missing,
        dict(found.damaged),
        manifest.totals,
        ledger.sent,
        ledger.possible_usd(),
        ledger.open,
        manifest.files,
        manifest.generation("b"),
    )


def test_two_halves_of_a_merge_are_one_set_in_whatever_form_git_leaves_them(path: Path) -> None:
    base, ours, theirs = two_copies(path)
    left, right = ours[len(base) :], theirs[len(base) :]
    union = sums(base + left + right)
    assert union[:4] == (17, 0, {}, Manifest(scan_journal(base + left + right).records).totals)
    marked = b"<<<<<<< HEAD\n%s=======\n%s>>>>>>> theirs\n"
    with_base = b"<<<<<<< ours\n%s||||||| 1234abc\n%s=======\n%s>>>>>>> b1\n"
    last = base.splitlines(keepends=True)[-1]
    assert sums(base + marked % (left, right)) == union
    assert sums(base + marked % (right, left)) == union
    assert sums(base + with_base % (left, last, right)) == union
    assert sums((base + marked % (left, right)).replace(b"\n", b"\r\n")) == union
    assert sums(base + right + left + base) == union


def test_a_merged_journal_goes_on_from_both_halves(path: Path) -> None:
    base, ours, theirs = two_copies(path)
    path.write_bytes(ours + theirs[len(base) :])
    whole = append(path, again("c"))
    record = decode_line(whole.splitlines()[-1])
    assert record is not None
    assert len(record["after"]) == 2
    assert read_journal(path).missing == 0
    lines = whole.splitlines(keepends=True)
    assert scan_journal(b"".join(lines[:9] + lines[10:])).missing == 1


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_order_and_doubles_change_nothing(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    base, ours, theirs = two_copies(tmp_path_factory.mktemp("journal") / "journal.jsonl")
    lines = (ours + theirs[len(base) :]).splitlines(keepends=True)
    doubled = data.draw(st.permutations([*lines, *data.draw(st.lists(st.sampled_from(lines)))]))
    assert sums(b"".join(doubled)) == sums(b"".join(lines))


@pytest.mark.parametrize("lost", range(1, 7))
def test_the_loss_of_the_end_can_be_seen(path: Path, lost: int) -> None:
    lines = append(path, *calls("a", "b")).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-lost]))
    assert read_journal(path).missing == lost
    append(path, again("a"))
    assert read_journal(path).missing == lost
    path.write_bytes(path.read_bytes() + b"".join(lines))
    assert read_journal(path).missing == 0, "put back, in whatever order"


def test_the_loss_of_the_middle_is_seen_for_ever(path: Path) -> None:
    lines = append(path, *calls("a", "b", "c")).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2] + lines[5:]))
    assert read_journal(path).missing == 3
    append(path, again("a"))
    assert read_journal(path).missing == 3


def test_old_records_name_nobody_and_lack_nothing(path: Path) -> None:
    old = b"".join(encode_line({**one, "at": "2025-01-01T00:00:00Z"}) for one in calls("a", "b"))
    path.write_bytes(old)
    assert read_journal(path).missing == 0
    whole = append(path, again("a"))
    assert [record["t"] for record in read_journal(path).records] == [
        *["sent", "done", "write"] * 2,
        "again",
    ]
    assert read_journal(path).missing == 0
    assert scan_journal(whole[len(old) :]).missing == 6


MISFITS: Final[tuple[Record, ...]] = (
    {},
    {"t": 5},
    {"t": ["sent"]},
    {"t": "done", "k": "x"},
    {"t": "done", "k": "x", "completion": {"reply": 5}},
    {"t": "done", "k": "x", "completion": {"reply": "", "usage": {"input_tokens": "many"}}},
    {"t": "sent", "k": "x", "step": "s", "model": "m", "est_usd": "free"},
    {"t": "sent", "k": "x", "step": "s", "model": "m", "est_usd": -1},
    {"t": "sent", "k": "x", "step": "s", "model": "m", "est_usd": float("nan")},
    {"t": "fail", "k": "x"},
    {"t": "write", "p": "a.md", "sha": "s", "step": "s", "in": {}, "params": {}},
    {"t": "write", "p": "../a.md", "sha": "s", "step": "s", "in": {}, "params": {}, "k": []},
    {"t": "write", "p": "a.md", "sha": "s", "step": "s", "in": {}, "params": {"allow": 1}, "k": []},
    {"t": "reshaped", "id": "i", "files": [], "steps": {}, "again": []},
    {"t": "reshaped", "id": "i", "files": {"a": {"from": 5}}, "steps": {}, "again": []},
    {"t": "again", "step": None},
    {"t": "kind of tomorrow", "after": 5},
)


@pytest.mark.parametrize("misfit", MISFITS, ids=json.dumps)
def test_a_record_of_another_shape_is_damaged_and_the_others_are_not(
    path: Path, misfit: Record
) -> None:
    body = json.dumps(misfit).encode()
    whole = append(path, *calls("a"))
    path.write_bytes(whole + b"%08x %s\n" % (zlib.crc32(body), body) + whole)
    journal = Journal.open(path, ops=QuickOps())
    assert list(journal.found.damaged) == [4]
    assert len(journal.found.records) == 3
    assert journal.aside is not None
    assert journal.aside.read_bytes() == path.read_bytes()
    journal.close()


def test_a_kind_of_tomorrow_is_skipped(path: Path) -> None:
    append(path, {"t": "kind of tomorrow", "what": [1]}, *calls("a"))
    found = read_journal(path)
    assert not found.damaged
    assert Manifest(found.records).totals.calls == 1


KINDS_OF_FORMAT_2: Final = {
    *(
        "adopt",
        "again",
        "anew",
        "done",
        "exam",
        "fail",
        "placed",
        "reshaped",
        "run",
        "sent",
        "write",
    ),
}


def test_a_new_kind_of_record_raises_the_format() -> None:
    functions = (one for _, one in getmembers(records, isfunction))
    ours = [one for one in functions if one.__module__ == records.__name__]
    made = {one.__name__ for one in ours if get_type_hints(one).get("return") == Record}
    why = "an older program would misread a book without it: raise FORMAT and name its kinds here"
    assert (records.FORMAT, made) == (2, KINDS_OF_FORMAT_2), why
