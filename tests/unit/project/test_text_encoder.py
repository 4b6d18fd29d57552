"""Long texts are written by another encoder, and nobody can tell by which."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from libriscribe2.project.texts import TextEncoder

ENCODERS = {
    "as_it_comes": json.JSONEncoder(ensure_ascii=False),
    "sorted": json.JSONEncoder(ensure_ascii=False, sort_keys=True),
    "canonical": json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")),
}
CHARACTER = st.characters(exclude_categories=[]) | st.sampled_from('"\\/\x00\x1f\x7f\u2028\ud800é')
TEXT = st.text(CHARACTER, max_size=6) | st.text(CHARACTER, min_size=1, max_size=4).map(
    lambda text: text * 1_000
)
SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT
PLAIN = st.recursive(
    SCALAR,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(TEXT, inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("encoder", ENCODERS.values(), ids=ENCODERS)
@given(PLAIN)
@example({"messages": ({"role": "user", "content": "\ud800" * 2_000},), "b": [], "a": {}})
@example({1: "x" * 2_000, 2: [{True: "y" * 2_000}]})
@example({"cost": 1e-05, "reply": "x" * 2_000, "list": [[[[["y" * 2_000]]]]]})
def test_a_value_is_written_as_the_encoder_itself_writes_it(
    encoder: json.JSONEncoder, value: Any
) -> None:
    assert TextEncoder(encoder).encode(value) == encoder.encode(value)


def test_what_is_not_plain_is_refused() -> None:
    with pytest.raises(TypeError):
        TextEncoder(ENCODERS["sorted"]).encode({"text": "x" * 2_000, "folder": object()})
