"""Values that structure alone tells: what is read in odd dress, and what leaves something out."""

import json
from typing import Any

import pytest

from libriscribe2.replies import read

TEXT = {"type": "string"}
COUNT = {"type": "integer"}
TEXTS = {"type": "array", "items": TEXT}


def schema(required: list[str], **properties: Any) -> dict[str, Any]:
    """An object of these properties."""
    return {"type": "object", "properties": properties, "required": required}


BOOK = schema(["title", "premise"], title=TEXT, premise=TEXT, tags=TEXTS)
TAGS = schema(["tags"], tags=TEXTS)
PART = schema(["number", "title"], number=COUNT, title=TEXT, summary=TEXT)
PARTS = schema(["parts"], parts={"type": "array", "items": PART})
TWO = {"parts": [{"number": 1, "title": "Sel"}, {"number": 2, "title": "Gel"}]}
GRADE = schema(
    ["score"],
    score={"type": "number", "maximum": 10},
    share={"type": "number", "maximum": 1},
    level={"type": "string", "enum": ["low", "very_high", "A+"]},
    ok={"type": "boolean"},
    words=COUNT,
    code=TEXT,
    dies={"type": ["integer", "null"]},
)
PATCHES = schema(
    ["patches"],
    patches={"type": "array", "items": schema(["find", "replace"], find=TEXT, replace=TEXT)},
)
SEL = {"title": "Sel", "premise": "Lumi."}


@pytest.mark.parametrize(
    "fields",
    [
        {"tags": ["meri", "jää", "jne."]},
        {"tags": ["meri", "jää", "(loput jätetty pois)"]},
        {"tags": ["meri", "jää", "ja niin edelleen..."]},
        {"premise": "Ovi aukesi. <!-- ... entinen kappale ... --> Hän itki."},
        {"premise": "Ovi aukesi. …（ここは省略）… Hän itki."},
    ],
)
def test_OV_29_what_stands_for_more_is_no_content(fields: dict[str, Any]) -> None:
    reply = json.dumps({**SEL, **fields}, ensure_ascii=False)
    answer = read(reply, BOOK)
    assert answer.refusal is not None
    assert answer.refusal.kind == "placeholder"


@pytest.mark.parametrize(
    "fields",
    [
        {"tags": ["meri", "St. Petersburg", "Dr. Aho Jr."]},
        {"tags": ["a.m.", "p.m."]},
        {"premise": "Hän kirjoitti sen näin [sic]."},
        {"premise": "Ks. luettelo [12]"},
        {"tags": ["Hän lähti.", "Hän palasi."]},
    ],
)
def test_OV_29_what_only_looks_so_is_content(fields: dict[str, Any]) -> None:
    whole = {**SEL, **fields}
    assert read(json.dumps(whole), BOOK).value == whole


@pytest.mark.parametrize(
    "remark", ["(Loput samaan tapaan.)", "（以下同様です）", "점수는 5점입니다.", "Να συνεχίσω;"]
)
def test_OV_29_a_remark_in_parentheses_with_a_number_or_a_question_is_asked_about(
    remark: str,
) -> None:
    answer = read(f"{json.dumps(SEL)}\n\n{remark}", BOOK)
    assert answer.refusal is not None
    assert answer.refusal.kind == "remark"


@pytest.mark.parametrize(
    "reply",
    [
        f'```json\n{json.dumps(SEL)}\n```\nKorjattu otsikko:\n```json\n{{"title": "Gel"}}\n```',
    ],
)
def test_OV_29_another_value_for_a_member_is_a_rival(reply: str) -> None:
    assert not read(reply, BOOK).ok


def test_an_item_of_a_row_that_is_damaged_leaves_the_row_unread() -> None:
    reply = '```json\n{"parts": [{"number": 1, "title": "Se\n```\n```json\nl"}, {"number": 2, "title": "Gel"}]}\n```'
    assert not read(reply, PARTS).ok


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("1. meri\n2. jää\n3. tuuli", ["meri", "jää", "tuuli"]),
        ("1. meri\n2. jää\n5. tuuli", None),
    ],
)
def test_OV_29_lines_that_count_skip_no_number(reply: str, value: list[str] | None) -> None:
    assert read(reply, TEXTS).value == value


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ('"code": 0470', {"code": "0470"}),
        ('"words": 007', {"words": 7}),
        ('"score": "7,5"', {"score": 7.5}),
        ('"score": "7,5 h"', {"score": 7.5}),
        ('"score": "€ 7,50"', {"score": 7.5}),
        ('"score": 7/10', {"score": 7}),
        ('"score": 7/20', None),
        ('"share": 85%', {"share": 0.85}),
        ('"share": "85 %"', {"share": 0.85}),
        ('"words": "1_988"', {"words": 1988}),
        ('"words": ٨٥٬٠٠٠', {"words": 85_000}),
        ('"words": "9만 단어"', {"words": 90_000}),
        ('"words": "第１２章"', {"words": 12}),
        ('"words": "7,5"', None),
        ('"level": "Very High"', {"level": "very_high"}),
        ('"level": "Low."', {"level": "low"}),
        ('"level": "✅ LOW"', {"level": "low"}),
        ('"level": "A"', None),
        ('"ok": "❌ false"', {"ok": False}),
        ('"dies": "null"', {"dies": None}),
        ('"level": ["low"]', {"level": "low"}),
        ('"words": {"type": "integer", "value": 5}', {"words": 5}),
    ],
)
def test_OV_54_an_amount_or_a_word_is_read_by_its_schema(member: str, value: object) -> None:
    whole = read(f'{{"score": 1, {member}}}' if "score" not in member else f"{{{member}}}", GRADE)
    wanted = value if value is None or "score" in member else {"score": 1, **dict(value)}  # type: ignore[call-overload]
    assert whole.value == wanted


@pytest.mark.parametrize(
    "reply",
    [
        '<parts>\n<part number="1" title="Sel"/>\n<part number="2" title="Gel"/>\n</parts>',
        'parts:\n- number: 1\n  title: Sel\n- {number: 2, title: "Gel"}',
        '{"parts": [\n{"number": 1, "title": "Sel"\n{"number": 2, "title": "Gel"}\n]}',
        '```json\n{"parts": [\n{"number": 1, "title": "Sel"},\n```\n```json\n{"number": 2, "title": "Gel"}\n]}\n```',
        '{"parts": {"part": [{"number": 1, "title": "Sel"}, {"number": 2, "title": "Gel"}]}}',
    ],
)
def test_OV_54_rows_are_read_from_other_notations(reply: str) -> None:
    assert read(reply, PARTS).value == TWO


@pytest.mark.parametrize(
    "reply",
    [
        "| Kenttä | Arvo |\n|---|---|\n| title | Sel |\n| premise | Lumi. |",
        'kirja = dict(\n    title="Sel",\n    premise=("Lu"\n             "mi."),\n)',
        'Kirja(title="Sel", premise="Lumi.")',
        '{"title": "Sel", "premise": ("Lu"\n   "mi.")}',
        "title = Sel\npremise = Lumi.",
        '```diff\n+{\n+  "title": "Sel",\n+  "premise": "Lumi."\n+}\n```',
        '// {\n//   "title": "Sel",\n//   "premise": "Lumi."\n// }',
        '{"title": {"type": "string", "value": "Sel"}, "premise": {"type": "string", "value": "Lumi."}}',
        '{"tіtle": "Sel", "рremіse": "Lumi."}',
        "{title: Sel, premise: Lumi.}",
        '```json\n{\n  "title": "Sel",\n  "premise": "Lumi."\n```\n}',
    ],
)
def test_OV_54_a_value_in_odd_dress_is_read(reply: str) -> None:
    assert read(reply, BOOK).value == SEL


def test_OV_54_a_block_of_yaml_keeps_its_lines_and_indents() -> None:
    reply = 'title: Sel\npremise: |-\n  Lumi: satoi.\n    "Tule," hän sanoi.\n\n  # Ei vastausta.'
    premise = 'Lumi: satoi.\n  "Tule," hän sanoi.\n\n# Ei vastausta.'
    assert read(reply, BOOK).value == {"title": "Sel", "premise": premise}


def test_a_list_of_yaml_with_a_comment_behind_it_is_a_list() -> None:
    reply = 'tags: [meri, "jää, tuuli", kylmä] # kolme riittää'
    assert read(reply, TAGS).value == {"tags": ["meri", "jää, tuuli", "kylmä"]}


def test_a_cell_loses_only_marks_that_stand_around_all_of_it() -> None:
    reply = "| number | title |\n|---|---|\n| 1 | *Sel* ja gel |\n| 2 | **Gel** |"
    titles = ("*Sel* ja gel", "Gel")
    parts = [{"number": at, "title": title} for at, title in enumerate(titles, 1)]
    assert read(reply, PARTS).value == {"parts": parts}


def test_spaces_tell_two_texts_apart() -> None:
    value = {"patches": [{"find": " ,", "replace": ","}, {"find": "　雪。", "replace": "雪。　"}]}
    assert read(json.dumps(value)[:-2] + ",]}", PATCHES).value == value


def test_a_quotation_within_curly_quotes_swallows_no_other_item() -> None:
    answer = read("{‘tags’: [‘지수의 ‘나이’가 다르다’, ‘등대’]}", TAGS)
    assert answer.value in (None, {"tags": ["지수의 ‘나이’가 다르다", "등대"]})
