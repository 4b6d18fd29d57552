import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.project.texts import content_sha, value_sha

SAFE_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | SAFE_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(SAFE_TEXT, inner),
    max_leaves=10,
)


@pytest.mark.parametrize(
    "other",
    [
        b"\xef\xbb\xbfCaf\xc3\xa9\nnoir\n",
        b"Caf\xc3\xa9\r\nnoir\r\n",
        b"Caf\xc3\xa9\nnoir",
        b"Caf\xc3\xa9\nnoir \n\n",
        unicodedata.normalize("NFD", "Café\nnoir\n").encode("utf-8"),
    ],
)
def test_what_editors_change_is_no_edit(other: bytes) -> None:
    assert content_sha("01.md", other) == content_sha("01.md", "Café\nnoir\n".encode())


@pytest.mark.parametrize("other", [b"a\nB\n", b"a \nb\n", b"a\n\nb\n", b" a\nb\n", b"a\nb\xff\n"])
def test_what_an_author_changes_is_one(other: bytes) -> None:
    assert content_sha("01.md", other) != content_sha("01.md", b"a\nb\n")


def test_json_is_compared_by_value() -> None:
    compact = content_sha("a.json", b'{"a":"\\u00e9","b":[1,2]}')
    assert content_sha("a.json", '{\r\n  "b": [1, 2],\n  "a": "é"}\n'.encode()) == compact
    assert content_sha("a.json", b'{"a":"\\u00e9","b":[2,1]}') != compact
    assert content_sha("a.md", b'{"b":[1,2],"a":"\\u00e9"}') != compact


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "a": 2}', '{"a": 1', "[" * 100_000, '{"a": 1}}'],
    ids=["repeated key", "cut", "deep", "trailing"],
)
def test_json_that_hides_something_is_compared_as_text(text: str) -> None:
    assert content_sha("a.json", text.encode()) == content_sha("a.json", f"{text}\n".encode())
    assert content_sha("a.json", text.encode()) != content_sha("a.json", b'{"a": 2}')


def test_half_a_surrogate_pair_has_a_hash() -> None:
    assert content_sha("a.json", b'"\\ud800"') != content_sha("a.json", b'"\\ud801"')
    assert value_sha("\ud800") != value_sha("\ud801")


@settings(max_examples=100, deadline=None)
@given(JSON, JSON)
def test_equal_values_and_only_they_have_equal_hashes(one: Any, two: Any) -> None:
    layouts = [
        json.dumps(one, indent=indent, ensure_ascii=ascii)
        for indent, ascii in ((None, True), (4, False))
    ]
    assert len({content_sha("a.json", text.encode()) for text in layouts}) == 1
    same = unicodedata.normalize("NFC", json.dumps(one, sort_keys=True, ensure_ascii=False)) == (
        unicodedata.normalize("NFC", json.dumps(two, sort_keys=True, ensure_ascii=False))
    )
    assert (value_sha(one) == value_sha(two)) is same


def test_a_value_that_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError):
        value_sha({1, 2})
