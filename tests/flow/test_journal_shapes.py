"""A record with a sound checksum and any shape locks no book: it counts as damaged, or does no harm."""

import json
import zlib
from copy import deepcopy
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.desk import Desk

from libriscribe2.project.records import decode_line

JOURNAL: Final = ".libriscribe/journal.jsonl"
VALUES: Final = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        ["..", "chapters/01.md", "chapters", "concept", "\ud800", "2025-13-45", "a/b"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["from", "step", "sha", "in", "k", "a.md"]), inner)
    ),
    max_leaves=4,
)
GOOD: Final = {0, 3, 5}
"""Exit codes: done, a file or setting that is named, an incomplete book."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.written()
    desk.run("chapter", "move", "book", "1", "2")
    desk.run("adopt", "book", "chapters/01.md", expect=None)
    return desk


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value inside a record."""
    inside: list[tuple[Any, ...]] = []
    if isinstance(value, dict):
        inside = [one for key in value for one in places(value[key], (*way, key))]
    if isinstance(value, list):
        inside = [one for key, part in enumerate(value) for one in places(part, (*way, key))]
    return [*([way] if way else []), *inside]


def changed(record: dict[str, Any], way: tuple[Any, ...], value: object) -> dict[str, Any]:
    """A record with another value at one place."""
    copy = deepcopy(record)
    inner: Any = copy
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = value
    return copy


@pytest.mark.slow
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_no_record_of_any_shape_locks_a_book(desk: Desk, data: st.DataObject) -> None:
    book = desk.project()
    whole = book.path(JOURNAL).read_bytes()
    try:
        added = b""
        real = [one for line in whole.splitlines() if (one := decode_line(line)) is not None]
        for kind in data.draw(st.sets(st.sampled_from(sorted({one["t"] for one in real})))):
            record = data.draw(st.sampled_from([one for one in real if one["t"] == kind]))
            way = data.draw(st.sampled_from(places(record)))
            body = json.dumps(changed(record, way, data.draw(VALUES))).encode()
            added += b"%08x %s\n" % (zlib.crc32(body), body)
        book.path(JOURNAL).write_bytes(whole + added)
        for command in (("status", "book"), ("check", "book"), ("resume", "book")):
            ran = desk.run(*command, expect=None)
            assert ran.code in GOOD, ran
            assert "this is a bug" not in ran.err
    finally:
        book.path(JOURNAL).write_bytes(whole)
