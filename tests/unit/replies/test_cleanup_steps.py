"""What `clean` says besides the value: method, issues, repairs and refusal of each of its steps."""

import json
from typing import Any

import pytest

from libriscribe2.replies.cleanup import MAX_REPLY, extract_with_report

BOOK: dict[str, Any] = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "pages": {"type": "integer"}},
    "required": ["title", "pages"],
}
VALUE = {"title": "Fog", "pages": 3}
TEXT = json.dumps(VALUE)
LONG = {"title": "Fog", "text": "The tide brings back what the town has drowned. " * 10}


@pytest.mark.parametrize("value", [VALUE, LONG, [1, 2], {"title": "Zoë " * 100}])
@pytest.mark.parametrize("tail", ["", "\n", "  \n\n"])
def test_OV_20_a_bare_reply_is_parsed_directly(value: Any, tail: str) -> None:
    report = extract_with_report(json.dumps(value, ensure_ascii=False) + tail)
    assert (report.value, report.method) == (value, "direct_parse")
    assert (report.issues, report.repairs, report.refusal) == ((), (), None)
    assert report.ok


@pytest.mark.parametrize("value", [VALUE, LONG, {"title": "Zoë " * 100}])
@pytest.mark.parametrize("language", ["", "json", "JSON ", "j" * 36])
@pytest.mark.parametrize("closing", ["\n```", "```", "\n```\n\n", ""])
def test_OV_20_a_fenced_reply_says_so(value: Any, language: str, closing: str) -> None:
    report = extract_with_report(f"```{language}\n{json.dumps(value, ensure_ascii=False)}{closing}")
    assert (report.value, report.method) == (value, "markdown_block_extraction")
    assert report.issues == ("markdown_code_blocks",)
    assert (report.repairs, report.refusal) == ((), None)


def test_MS_02_a_fence_line_of_forty_characters_and_more_is_still_a_fence() -> None:
    report = extract_with_report(f"```{'j' * 60}\n{TEXT}\n```")
    assert report.value == VALUE
    assert (report.method, report.issues) == (
        "markdown_block_extraction",
        ("markdown_code_blocks",),
    )


def test_MS_02_ticks_around_a_bare_value_are_no_part_of_it() -> None:
    assert extract_with_report(f"{TEXT}\n```").issues == ("markdown_code_blocks",)
    assert extract_with_report(f"```json\n{TEXT}\n``````").issues == ("markdown_code_blocks",)
    after = extract_with_report(f"```json\n{TEXT}\n``` I hope this helps.")
    assert (after.value, after.issues) == (VALUE, ("markdown_code_blocks", "surrounding_text"))


@pytest.mark.parametrize("reply", [None, 5, b"{}"])
def test_OV_29_what_is_no_text_is_empty(reply: Any) -> None:
    report = extract_with_report(reply)
    assert (report.value, report.lossy, report.method) == (None, False, "failed")
    assert report.refusal is not None
    assert report.refusal.kind == "empty"


@pytest.mark.parametrize("blank", ["", " \n", "\ufeff", "\u200b\u200b"])
def test_OV_29_blank_text_is_empty(blank: str) -> None:
    report = extract_with_report(blank)
    assert report.refusal is not None
    assert report.refusal.kind == "empty"


@pytest.mark.slow
def test_OV_47_only_what_is_not_clean_is_too_large() -> None:
    clean_list = f'["{"a" * MAX_REPLY}"]'
    assert extract_with_report(clean_list).ok
    report = extract_with_report(f"So: {clean_list}")
    assert report.refusal is not None
    assert (report.refusal.kind, report.value) == ("too_large", None)
    limit = f'So: ["{"a" * (MAX_REPLY - 8)}"]'
    assert len(limit) == MAX_REPLY
    assert extract_with_report(limit).ok


def test_B_30_reasoning_is_named_and_unclosed_reasoning_refused() -> None:
    report = extract_with_report(f"<think>Hm.</think>\n{TEXT}")
    assert (report.value, report.issues) == (VALUE, ("reasoning_block",))
    open_only = extract_with_report(f"<think>Hm. {TEXT}")
    assert open_only.issues == ("reasoning_block",)
    assert open_only.refusal is not None
    assert open_only.refusal.kind == "unclosed_reasoning"


def test_B_30_an_answer_before_unclosed_reasoning_counts() -> None:
    report = extract_with_report(f"{TEXT}\n<think>Was that right?")
    assert (report.value, report.refusal) == (VALUE, None)
    nothing = extract_with_report("Well.\n<think>Was that right?")
    assert nothing.refusal is not None
    assert nothing.refusal.kind == "unclosed_reasoning"
    assert "reasoning" in nothing.refusal.feedback


@pytest.mark.parametrize("head", ["<!DOCTYPE html>", "<html>", "<?xml ?>", "<HEAD>", "<body>"])
def test_OV_29_a_markup_document_is_refused_unread(head: str) -> None:
    report = extract_with_report(f"\ufeff{head}{TEXT}")
    assert report.refusal is not None
    assert (report.value, report.refusal.kind) == (None, "markup_document")
    assert report.issues == ("byte_order_mark",)


def test_B_40_other_tags_are_no_document() -> None:
    assert extract_with_report(f"<answer>{TEXT}</answer>").value == VALUE


def test_OV_28_the_fast_path_takes_only_what_fits_in_full() -> None:
    assert extract_with_report(TEXT, BOOK).method == "direct_parse"
    wrapped = extract_with_report(json.dumps({"result": VALUE}), BOOK)
    assert wrapped.value == VALUE
    assert [one.name for one in wrapped.repairs] == ["unwrapped"]
    coerced = extract_with_report('{"title": "Fog", "pages": "3"}', BOOK)
    assert coerced.value == VALUE
    assert [one.name for one in coerced.repairs] == ["number_from_string"]
    partial = extract_with_report('{"title": "Fog"}', BOOK)
    assert (partial.value, partial.repairs) == ({"title": "Fog"}, ())


def test_PR_06_strict_mode_coerces_nothing_on_the_fast_path() -> None:
    report = extract_with_report('{"title": "Fog", "pages": "3"}', BOOK, strict=True)
    assert (report.value, report.repairs) == ({"title": "Fog", "pages": "3"}, ())
    assert extract_with_report(TEXT, BOOK, strict=True).value == VALUE
    assert not extract_with_report(json.dumps({"result": VALUE}), BOOK, strict=True).ok


@pytest.mark.parametrize(
    "value", [{"title": "<title>"}, {"a": "..."}, {"a": 1, "b": "[insert text here]"}]
)
def test_OV_31_a_template_is_no_clean_reply(value: Any) -> None:
    report = extract_with_report(json.dumps(value))
    assert report.refusal is not None
    assert report.refusal.kind == "placeholder"


def test_OV_05_the_labels_of_clean_json() -> None:
    assert extract_with_report('{"a": "caf\\u00e9 au lait"}').issues == ("unicode_escapes",)
    assert extract_with_report('{"a": "a **bold** word"}').issues == ("markdown_emphasis",)
    both = extract_with_report('```json\n{"a": "a **bold** caf\\u00e9"}\n```').issues
    assert both == ("markdown_code_blocks", "unicode_escapes", "markdown_emphasis")


def _string_of(text: str, layers: int) -> str:
    for _ in range(layers):
        text = json.dumps(text)
    return text


def test_B_46_a_layer_that_is_undone_is_named() -> None:
    report = extract_with_report(_string_of(TEXT, 1))
    assert (report.value, report.method) == (VALUE, "decoded_string")
    assert [(one.name, one.lossless) for one in report.repairs] == [("json_string", True)]


@pytest.mark.parametrize("layers", [2, 3, 4])
def test_B_46_several_layers_are_undone_and_named(layers: int) -> None:
    report = extract_with_report(_string_of(TEXT, layers))
    assert report.value == VALUE
    names = [one.name for one in report.repairs]
    assert names == ["json_string"] * (layers - 1) + ["escaped_delimiters"] * 3


@pytest.mark.parametrize(("layers", "ok"), [(3, True), (4, False)])
def test_PR_06_strict_mode_undoes_three_layers(layers: int, *, ok: bool) -> None:
    report = extract_with_report(_string_of(TEXT, layers), strict=True)
    assert report.ok is ok
    assert report.value == (VALUE if ok else None)


def test_PR_06_strict_mode_undoes_strings_and_quoted_blocks_only() -> None:
    assert extract_with_report(_string_of(TEXT, 1), strict=True).value == VALUE
    assert extract_with_report('> {\n>  "title": "Fog"\n> }', strict=True).value == {"title": "Fog"}
    entities = TEXT.replace('"', "&quot;")
    assert extract_with_report(entities).value == VALUE
    assert not extract_with_report(entities, strict=True).ok


def test_B_47_a_repaired_text_under_a_layer_says_both() -> None:
    report = extract_with_report(json.dumps('{"title": "Fog", "pages": 3,}'))
    assert (report.value, report.method) == (VALUE, "json_repair")
    assert [one.name for one in report.repairs] == ["json_string", "trailing_comma"]


def test_PB_14_half_a_quoted_block_beside_a_value_is_ambiguous() -> None:
    whole = '{"title": "a value that is longer than what follows it"}'
    report = extract_with_report(f'{whole}\n\n> {{"a":\n> 3}}\nplain words\n> the end')
    assert report.refusal is not None
    assert (report.value, report.refusal.kind) == (None, "ambiguous")
    assert "line 1, column 1" in report.refusal.feedback


# Only the fast path takes a reply of this size; what it passes on is refused as too large.
HUGE = "a" * MAX_REPLY
FAST = f'{{"title": "{HUGE}", "pages": 3}}'
WIDE = f'{{\n"title": "é{HUGE}",\n"pages": 3}}'


@pytest.mark.slow
@pytest.mark.parametrize(
    "reply",
    [
        FAST,
        f"{WIDE} \n",
        f'["{HUGE}"]',
        f"```json\n{FAST}\n```",
        f"```\n{WIDE}\n```\n\n",
        f"```json\n{WIDE}``````",
        f"```json\n{WIDE}",
    ],
    ids=["bare", "wide", "list", "fenced", "fenced wide", "more ticks", "unclosed"],
)
@pytest.mark.parametrize("schema", [None, BOOK], ids=["any", "book"])
def test_OV_47_a_clean_reply_is_read_once_whatever_its_size(reply: str, schema: Any) -> None:
    report = extract_with_report(reply, schema if "{" in reply else None)
    assert report.refusal is None
    assert report.value is not None


@pytest.mark.parametrize(
    "reply",
    [
        f"{FAST}\n```",
        f"{WIDE} X",
        f"{WIDE}`",
        f"```json\n{WIDE}\n```X",
        f"```{'j' * 60}\n{FAST}\n```",
        f"``{FAST}``",
        f"```json\nSo: {FAST}\n```",
        f"{FAST[:-1]}, }}",
    ],
    ids=["ticks", "word", "tick", "word behind", "long line", "two ticks", "prose", "damage"],
)
def test_OV_47_anything_but_a_clean_reply_is_too_large(reply: str) -> None:
    report = extract_with_report(reply)
    assert report.refusal is not None
    assert (report.value, report.refusal.kind) == (None, "too_large")


def test_OV_28_what_only_strict_mode_takes_as_it_stands_is_no_work_for_it() -> None:
    schema = {**BOOK, "properties": {**BOOK["properties"], "sub_title": {"type": "string"}}}
    reply = FAST.replace('"pages"', '"Sub Title": "x", "pages"')
    assert extract_with_report(reply, schema, strict=True).ok
    report = extract_with_report(reply, schema)
    assert report.refusal is not None
    assert report.refusal.kind == "too_large"


def test_OV_28_the_model_chooses_under_a_layer_too() -> None:
    reply = json.dumps(f'A sketch: {{"mood": "grey"}}\nThe answer: {TEXT}')
    assert extract_with_report(reply, BOOK).value == VALUE
