"""Replies that are clean JSON: read as they stand, and still looked at."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.replies.outcome import DIRECT_PARSE, MARKDOWN_BLOCK
from libriscribe2.replies.strict_json import same_json

SCALARS = st.one_of(
    st.text(alphabet="ab é\"\\\n,:{}[]'1.…<", max_size=12),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text(min_size=1, max_size=9), inner, max_size=4),
    ),
    max_leaves=20,
)
OBJECTS = st.dictionaries(st.text(min_size=1, max_size=9), VALUES, min_size=1, max_size=4)
LINES = {
    "English": 'The tide came in - slowly. "Not yet," she said: "wait." ',
    "dashes": 'The tide came in — slowly. "Not yet," she said: "wait." ',
    "German": "Die Flut kam über Nacht. „Noch nicht“, sagte sie: „Warte bis morgen.“ ",
    "Chinese": "潮水慢慢地涨了上来。“还没有，”她说，“等到天亮再走吧。”老人点了点头。",
    "emoji": 'The tide came in 🌊 slowly 🌙. "Not yet 🙂," she said: "wait ⏳ a day." ',
}
SIZES = {"short": (1, 60), "one long": (1, 120_000), "many": (400, 60)}


def _story(line: str, shape: str, **last: Any) -> str:
    """Scenes in a language, with other members in the last one."""
    count, length = SIZES[shape]
    text = (line * (length // len(line) + 1))[:length]
    scenes: list[dict[str, Any]] = [{"name": f"S{n}", "text": text} for n in range(count)]
    scenes[-1] |= last
    return json.dumps({"scenes": scenes}, ensure_ascii=False, indent=2)


in_every_language = pytest.mark.parametrize("line", LINES.values(), ids=list(LINES))
of_every_shape = pytest.mark.parametrize("shape", SIZES)


@in_every_language
@of_every_shape
def test_OV_30_a_clean_reply_comes_back_whole(line: str, shape: str) -> None:
    text = _story(line, shape)
    bare, fenced = extract_with_report(text), extract_with_report(f"```json\n{text}\n```\n")
    assert bare.value == fenced.value == json.loads(text)
    assert (bare.method, bare.issues, bare.repairs) == (DIRECT_PARSE, (), ())
    assert (fenced.method, fenced.issues) == (MARKDOWN_BLOCK, ("markdown_code_blocks",))


@in_every_language
@of_every_shape
def test_OV_31_a_key_that_stands_twice_is_seen(line: str, shape: str) -> None:
    text = _story(line, shape, place="bay", town="bay")
    same = extract_with_report(text.replace('"town"', '"place"'))
    assert same.value["scenes"][-1]["place"] == "bay"
    other = extract_with_report(text.replace('"town": "bay"', '"place": "cape"'))
    assert other.refusal is not None


@in_every_language
@of_every_shape
def test_OV_31_a_placeholder_among_content_is_refused(line: str, shape: str) -> None:
    for sign in ("...", "... ", "<name>", "${name}", "%(name)s", "…"):
        for name in (sign, [sign, 1]):
            report = extract_with_report(_story(line, shape, name=name))
            assert report.refusal is not None, name
            assert report.refusal.kind == "placeholder", name


@in_every_language
@of_every_shape
def test_what_only_begins_like_a_placeholder_is_content(line: str, shape: str) -> None:
    last = {"name": ".5 miles", "place": "<3", "price": "$5", "end": "..." + line, "list": ["."]}
    text = _story(line, shape, **last)
    assert extract_with_report(text).value == json.loads(text)


@in_every_language
@of_every_shape
def test_labels_of_a_clean_reply_beyond_ascii(line: str, shape: str) -> None:
    text = _story(line, shape, place="the *bay*", town="caf?").replace("caf?", "caf\\u00e9")
    report = extract_with_report(text)
    assert report.value == json.loads(text)
    assert report.issues == ("unicode_escapes", "markdown_emphasis")


@pytest.mark.parametrize(
    "rest",
    ["\n```\n", "\n````", "  ``` ", "\u00a0", ""],
)
def test_what_closes_a_fence_may_vary(rest: str) -> None:
    text = _story(LINES["dashes"], "many")
    assert extract_with_report(f"```json\n{text}{rest}").value == json.loads(text)


@pytest.mark.parametrize("line", [LINES["English"], LINES["German"]])
@pytest.mark.parametrize(("before", "after"), [("", "}"), ("```json\n", "}\n```"), ("", "\n```")])
def test_what_is_not_clean_is_left_to_the_other_steps(line: str, before: str, after: str) -> None:
    report = extract_with_report(before + _story(line, "one long") + after)
    assert report.method != DIRECT_PARSE
    assert report.value == json.loads(_story(line, "one long"))


def test_OV_47_a_clean_reply_nested_without_end_is_refused() -> None:
    for opener, closer in ("[]", ('{"é": ', "}")):
        report = extract_with_report(opener * 50_000 + "1" + closer * 50_000)
        assert report.refusal is not None


@settings(max_examples=150, deadline=None)
@given(OBJECTS, st.booleans(), st.sampled_from(["", "```json\n", "``` é\n"]))
def test_OV_30_a_clean_value_comes_back_as_the_decoder_reads_it(
    value: Any, is_long: bool, before: str
) -> None:
    text = json.dumps({"value": value, "text": "word — " * 60 * is_long}, ensure_ascii=False)
    report = extract_with_report(before + text + ("\n```" if before else ""))
    if report.refusal is None:
        assert same_json(report.value, json.loads(text))
    else:
        assert report.refusal.kind == "placeholder"


@pytest.mark.parametrize(
    "part",
    ['"a": 1, "a": 2', '"a": NaN', '"a": -Infinity', '"a": 01', '"a": "\t"', '"a": 1,',
     '"a": ' + "9" * 5_000, '"a": ' + "[" * 300_000 + "]" * 300_000],
)  # fmt: skip
def test_OV_31_what_is_not_plain_json_is_refused_as_a_strict_reply(part: str) -> None:
    report = extract_with_report('{"text": "' + "word " * 60 + '", ' + part + "}", strict=True)
    assert report.refusal is not None


@pytest.mark.parametrize(
    "sign", ['"..."', '"\u2026"', '"<title>"', r'"\u2026"', r'"\u003ctitle\u003e"', r'"\u002e.."']
)
@pytest.mark.parametrize(
    "rest",
    [
        "word " * 60,
        "word — of the sea, and of the fog, and of the lamp " * 60,
        "word — of the sea, and of the fog, and of the lamp " * 400,
    ],
)
def test_OV_31_a_placeholder_in_a_clean_reply_is_refused(sign: str, rest: str) -> None:
    reply = f'{{"text": {json.dumps(rest, ensure_ascii=False)}, "title": {sign}}}'
    report = extract_with_report(reply)
    assert report.refusal is not None
    assert report.refusal.kind == "placeholder"


def test_needless_escapes_of_a_clean_reply_are_named() -> None:
    for rest in ("word " * 60, "word — of the sea, and of the fog, and of the lamp " * 60):
        report = extract_with_report('{"a": "caf\\u00e9", "b": "' + rest + '"}')
        assert report.issues == ("unicode_escapes",)
