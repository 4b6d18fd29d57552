import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.replies.contract import code_span_end, fence_at, unwrap_whole_fence


def _code(text: str, start: int = 0) -> str | None:
    fence = fence_at(text, start)
    return None if fence is None else text[fence.body_start : fence.body_end]


@pytest.mark.parametrize(
    ("text", "code", "language"),
    [
        ("```json\n{}\n```", "{}", "json"),
        ("```\n{}\n```\nmore", "{}", ""),
        ("~~~ Python title\nx = 1\n~~~~", "x = 1", "python"),
        ("````\n```\nin\n```\n````", "```\nin\n```", ""),
        ("```json\n{}```\n", "{}", "json"),
        ("```json\r\n{}\r\n```\r\n", "{}", "json"),
        ("```json\n{", "{", "json"),
        ("```\n```", "", ""),
        ("```json {}```", None, ""),
        ("``not``", None, ""),
    ],
)
def test_MS_02_fence_and_what_it_holds(text: str, code: str | None, language: str) -> None:
    fence = fence_at(text, 0)
    assert _code(text) == code
    if fence is not None:
        assert fence.language == language


def test_MS_02_marks_inside_known_code_close_nothing() -> None:
    text = '```json\n{"a": "\n```\n"}\n```'
    fence = fence_at(text, 0, code_until=text.rindex("}"))
    assert fence is not None
    assert text[fence.body_start : fence.body_end] == '{"a": "\n```\n"}'


@pytest.mark.parametrize(
    ("text", "end"),
    [("`a` b", 3), ("``a ` b`` c", 9), ("`a\n\nb`", 1), ("`open", 1), ("``` `", 3), ("x", 0)],
)
def test_MS_02_code_spans(text: str, end: int) -> None:
    assert code_span_end(text, 0) == end


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("```\nprose\n```", "prose"),
        ("\n```markdown\nprose\n\n```\ncode\n```\n```\n", "prose\n\n```\ncode\n```"),
        ("```md\na\n```python\nb\n```\nc\n```", "a\n```python\nb\n```\nc"),
        ("```md\n```python\n```js\n```\n```", "```python\n```js\n```"),
        ("~~~\nprose\n~~~~", "prose"),
    ],
)
def test_MS_02_whole_fence_is_unwrapped(text: str, inner: str) -> None:
    assert unwrap_whole_fence(text) == inner


@pytest.mark.parametrize(
    "text",
    [
        "prose",
        "```\ncut off",
        "```\none\n```\nand\n```\ntwo\n```",
        "```python\none\n```\nand\n```python\ntwo\n```",
        "```md\na\n```python\nb\n```",
        "```\ncode\n```\nprose behind",
        "````\nlonger\n```",
        "```",
    ],
)
def test_MS_02_other_texts_stay(text: str) -> None:
    assert unwrap_whole_fence(text) == text


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet="`~ab \n", max_size=40), st.integers(0, 45))
def test_MS_02_places_lie_in_the_text(text: str, start: int) -> None:
    fence = fence_at(text, start)
    if fence is not None:
        assert start <= fence.start < fence.body_start <= fence.body_end <= fence.end <= len(text)
    assert code_span_end(text, start) >= start
    assert unwrap_whole_fence(text) in text
