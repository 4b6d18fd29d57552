import errno
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libriscribe2.errors import ProjectError, StorageError
from libriscribe2.project.atomic import storage_error, storage_errors
from libriscribe2.project.paths import CONCEPT, chapter_file
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.texts import MAX_JSON_BYTES


def put(store: ProjectStore, name: str, data: bytes) -> Path:
    path = store.paths.root / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def test_text_comes_without_mark_and_with_line_feeds_only(store: ProjectStore) -> None:
    put(store, "a.md", b"\xef\xbb\xbfCaf\xc3\xa9\r\nnoir\n")
    assert store.read_text("a.md") == "Café\nnoir\n"


def test_json_of_an_author_is_read(store: ProjectStore) -> None:
    put(store, CONCEPT, b'\xef\xbb\xbf{"a": "\\u00e9"}\r\n')
    assert store.read_json(CONCEPT) == {"a": "é"}


def test_a_missing_file_is_told_with_the_next_command(store: ProjectStore) -> None:
    assert not store.exists(CONCEPT)
    assert store.sha(CONCEPT) is None
    with pytest.raises(ProjectError, match=r"concept\.json is missing") as caught:
        store.read_text(CONCEPT)
    assert "libriscribe2 resume" in caught.value.fix


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"", "concept.json is empty"),
        (b"\xef\xbb\xbf \r\n", "concept.json is empty"),
        (b'{"a":\n "\xff"}', "line 2, byte 8"),
        (b"\0" * 64, "line 1 has zero bytes"),
        (b'{"a":\n "b' + b"\0" * 64, "line 2 has zero bytes"),
        ('{"a": 1}'.encode("utf-16"), "line 1, byte 0"),
        (b'{"a": 1', "line 1, column 8"),
        (b'{"a": 1}\n x', "line 2, column 2"),
        (b'{"a": NaN}', "NaN"),
        (b"[-Infinity]", "-Infinity"),
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', "'c' is there twice"),
        (b"[" * 100_000, "nested too deep"),
        (b'"' + b"a" * MAX_JSON_BYTES + b'"', "longer than 10 MiB"),
        (b"1" * 5000, "digits"),
    ],
)
def test_a_damaged_file_is_told_in_one_line_with_its_place(
    store: ProjectStore, data: bytes, place: str
) -> None:
    path = put(store, CONCEPT, data)
    with pytest.raises(ProjectError) as caught:
        store.read_json(CONCEPT)
    message = f"{caught.value.what}: {caught.value.why}"
    assert CONCEPT in message
    assert place in message
    assert "\n" not in message
    assert caught.value.fix
    assert path.read_bytes() == data


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=60))
def test_any_bytes_are_a_value_or_a_told_error(store: ProjectStore, data: bytes) -> None:
    put(store, CONCEPT, data)
    with suppress(ProjectError):
        store.read_json(CONCEPT)
    assert store.state(CONCEPT, {}).kind == "edited"


def test_a_folder_in_place_of_a_file_is_no_file(store: ProjectStore) -> None:
    (store.paths.root / CONCEPT).mkdir()
    assert not store.exists(CONCEPT)
    assert store.state(CONCEPT, {}).kind == "missing"


def test_names_are_listed_in_the_order_of_their_numbers(store: ProjectStore) -> None:
    for number in (100, 2, 99, 10):
        put(store, chapter_file(number), b"text")
    put(store, "chapters/notes.txt", b"text")
    assert store.names("chapters/*.md") == tuple(chapter_file(n) for n in (2, 10, 99, 100))
    assert store.names("research/*.md") == ()


@pytest.mark.parametrize(
    ("code", "fix"),
    [
        (errno.ENOSPC, "disk space"),
        (errno.EACCES, "permission"),
        (errno.EMFILE, "ulimit"),
        (errno.EIO, "Check the disk"),
        (errno.ENOTDIR, "A file is where a folder has to be"),
        (errno.EEXIST, "A file is where a folder has to be"),
        (errno.EISDIR, "A folder is where a file has to be"),
        (errno.EROFS, "choose another place"),
        (errno.ENOENT, "choose another place"),
        (errno.ENAMETOOLONG, "shorter name"),
    ],
)
def test_a_refusal_of_the_system_says_what_why_and_fix(code: int, fix: str) -> None:
    with (
        pytest.raises(StorageError) as caught,
        storage_errors("write", Path("a.md")),
    ):
        raise OSError(code, os.strerror(code))
    assert caught.value.what == "Cannot write a.md"
    assert caught.value.why == os.strerror(code)
    assert fix in caught.value.fix


def test_a_refusal_without_a_number_is_told_too() -> None:
    error = storage_error("read", Path("a.md"), OSError("odd"))
    assert (error.why, "Check the disk" in error.fix) == ("odd", True)
