"""Replies that are clean JSON: read once, at the decoder's own speed, and still looked at."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.replies.formatting import value_artifacts
from libriscribe2.replies.outcome import DIRECT_PARSE, MARKDOWN_BLOCK
from libriscribe2.replies.placeholders import has_hints
from libriscribe2.replies.strict_json import (
    parse_plain,
    parse_whole,
    plain_bytes,
    same_json,
    strict_parse,
)

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
@pytest.mark.parametrize("sign", ["...", "... ", "<name>", "${name}", "%(name)s", "…"])
@pytest.mark.parametrize("is_list", [False, True])
def test_OV_31_a_placeholder_among_content_is_refused(
    line: str, shape: str, sign: str, is_list: bool
) -> None:
    report = extract_with_report(_story(line, shape, name=[sign, 1] if is_list else sign))
    assert report.refusal is not None
    assert report.refusal.kind == "placeholder"


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


@pytest.mark.parametrize("line", [LINES["English"], LINES["dashes"]])
def test_the_bytes_of_a_long_part_are_those_of_its_text(line: str) -> None:
    text = _story(line, "one long")
    assert plain_bytes(f"```é\n{text}\n```", 5, 5 + len(text)) == text.encode()


def test_OV_47_a_clean_reply_nested_without_end_is_refused() -> None:
    for opener, closer in ("[]", ('{"é": ', "}")):
        report = extract_with_report(opener * 50_000 + "1" + closer * 50_000)
        assert report.refusal is not None


@settings(max_examples=150, deadline=None)
@given(OBJECTS, st.booleans(), st.sampled_from(["", "```json\n", "``` é\n"]))
def test_a_whole_value_is_read_as_the_strict_parse_reads_it(
    value: Any, is_long: bool, before: str
) -> None:
    text = json.dumps({"value": value, "text": "word — " * 60 * is_long}, ensure_ascii=False)
    reply = before + text + ("\n```" if before else "")
    start, end = len(before), len(before) + len(text)
    raw = plain_bytes(reply, start, end)
    assert raw in {b"", text.encode("utf-8", "surrogatepass")}
    assert same_json(parse_whole(reply, start, end, raw), strict_parse(text).value)
    assert parse_whole(reply, start, end - 1, b"") is None


@settings(max_examples=150, deadline=None)
@given(OBJECTS)
def test_OV_30_both_decoders_read_the_same(value: Any) -> None:
    text = json.dumps({"value": value, "text": "word " * 60})
    plain = parse_plain(plain_bytes(text))
    assert same_json(plain if plain is not None else strict_parse(text).value, json.loads(text))
    assert plain is not None or "\\ud" in text


@pytest.mark.parametrize(
    "part",
    ['"a": 1, "a": 2', '"a": 1, "a": 1', '"a": NaN', '"a": -Infinity', '"a": "\\ud800"', '"a": 01',
     '"a": "\t"', '"a": 1,', '"a": "\ud800"', '"a": ' + "9" * 5_000, '"a": ' + "[" * 300 + "]" * 300,
     '"a": "' + "\\\\n" * 400 + '\ud800"'],
)  # fmt: skip
def test_OV_31_the_fast_decoder_takes_nothing_that_is_not_plain(part: str) -> None:
    assert parse_plain(plain_bytes('{"text": "' + "word " * 60 + '", ' + part + "}")) is None


def _is_fast(text: str) -> bool:
    return bool(parse_plain(plain_bytes(text)) == json.loads(text))


def test_the_fast_decoder_is_for_long_texts_with_more_escapes_than_foreign_letters() -> None:
    assert not _is_fast('{"a": 1}')
    for line in (
        "Прилив ",
        "The tide — slowly, as always in winter ",
        '"Прилив пришёл медленно," she said. ',
    ):
        assert not _is_fast(json.dumps({"a": line * 60}, ensure_ascii=False))
    for line in (LINES["English"], LINES["dashes"], LINES["emoji"]):
        assert _is_fast(json.dumps({"a": line * 60}, ensure_ascii=False))
    assert _is_fast('{"a": 1.5e-7, "b": 123456789012345678901234567890, "c": "' + "x" * 300 + '"}')


PARTS = st.lists(
    st.sampled_from(
        ['"', ".", "..", "<title>", "$", "%", "\u2026", "\\", "u00e9", "u001f", "é", "a"]
    ),
    max_size=12,
).map("".join)


@given(PARTS, st.booleans())
def test_signs_are_found_in_a_text_and_in_its_bytes_alike(part: str, is_long: bool) -> None:
    text = part + (" word" * 4_000 if is_long else "")
    assert has_hints(text, text.encode()) == has_hints(text)
    assert value_artifacts(text, None, text.encode()) == value_artifacts(text, None)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(PARTS, st.one_of(PARTS, st.lists(PARTS, max_size=3)), max_size=3),
    st.sampled_from(["", "é", " — "]),
)
def test_signs_are_found_in_a_text_and_in_its_value_alike(value: Any, letter: str) -> None:
    whole = {"long": f"word{letter} " * 4_000, "more": [value]}
    text = json.dumps(whole, ensure_ascii=False)
    assert has_hints(text, b"", whole) == has_hints(text)


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
