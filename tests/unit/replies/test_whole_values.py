"""A value is whole by its structure: its schema, its places, what is said behind it."""

import json
import subprocess
import sys

import pytest
from pydantic import BaseModel, Field

from libriscribe2.replies import calls, read, sections
from libriscribe2.replies.cleanup import extract_with_report


class Chapter(BaseModel):
    number: int
    title: str


class Outline(BaseModel):
    title: str
    chapters: list[Chapter] = Field(min_length=2)


OUTLINE = (
    '{"title": "Brackwater", "chapters": '
    '[{"number": 1, "title": "Ebb"}, {"number": 2, "title": "Flood"}]}'
)
KEYWORDS = {
    "type": "object",
    "properties": {"words": {"type": "array", "items": {"type": "string"}}},
    "required": ["words"],
}


def test_OV_51_a_whole_value_is_an_instance() -> None:
    answer = read(f"Voilà :\n```json\n{OUTLINE}\n```\nBonne lecture !", Outline)
    assert answer.ok
    assert answer.value == Outline.model_validate_json(OUTLINE)
    assert (answer.report.before, answer.report.after) == ("Voilà :", "Bonne lecture !")


@pytest.mark.parametrize(
    "remark",
    [
        "Soll ich fortfahren?",
        "¿Continúo con el resto?",
        "続けますか？",
        "Korekta: Ebb powinno brzmieć inaczej.",
        "(1/4)",
        "Последние главы пришлю позже, потому что здесь они уже не помещаются, увы.",
    ],
)
def test_OV_29_what_is_said_behind_a_value_is_asked_about(remark: str) -> None:
    answer = read(f"{OUTLINE}\n\n{remark}", Outline)
    assert answer.refusal is not None
    assert answer.refusal.kind == "remark"
    assert remark.strip("()") in answer.report.after


@pytest.mark.parametrize(
    "text",
    [
        '{"title": "Brackwater"}',
        '{"title": "Brackwater", "chapters": [{"number": 1, "title": "Ebb"}]}',
        '{"title": "Brackwater", "chapters": [{"number": 1}, {"number": 2, "title": "Flood"}]}',
    ],
)
def test_OV_29_a_part_of_the_shape_is_no_answer(text: str) -> None:
    answer = read(text, Outline)
    assert not answer.ok
    assert answer.refusal is not None
    assert "chapters" in answer.refusal.feedback


@pytest.mark.parametrize(
    "items",
    [
        '{"number": 1, "title": "A"},\n// Kapitel 2-6 wie gehabt\n{"number": 7, "title": "B"}',
        '{"number": 1, "title": "A"},\n# tutaj dalsze\n',
        '{"number": 1, "title": "A"}, /* 以下略 */',
        '{"number": 1, "title": "A"},\n/* и так далее */\n',
    ],
)
def test_OV_29_a_comment_in_the_place_of_items_is_an_omission(items: str) -> None:
    report = extract_with_report(f'{{"title": "T", "chapters": [{items}]}}', Outline)
    assert report.refusal is not None
    assert report.refusal.kind == "ellipsis"


@pytest.mark.parametrize(
    "remark",
    ["the other brother", "add rain here later", "placeholder name", "TODO: Datum", "再見"],
)
def test_OV_51_a_comment_behind_a_member_is_a_remark(remark: str) -> None:
    text = OUTLINE.replace('"Ebb"', f'"Ebb" // {remark}\n')
    assert read(text, Outline).ok


@pytest.mark.parametrize(
    ("words", "read_as"),
    [
        ("fog, salt, iron", ["fog", "salt", "iron"]),
        ("- fog\n- salt", ["fog", "salt"]),
        ("He never lies, except to himself.", None),
        ("1. counts stairs 2. hums", None),
        ("3. Platz im Wettbewerb", None),
    ],
)
def test_OV_51_a_text_becomes_a_list_only_where_nothing_is_lost(
    words: str, read_as: list[str] | None
) -> None:
    answer = read(json.dumps({"words": words}), KEYWORDS)
    assert answer.value == (None if read_as is None else {"words": read_as})


def test_OV_51_numbered_members_become_their_values() -> None:
    text = (
        '{"title": "T", "chapters": {"1": {"number": 1, "title": "A"}, '
        '"2": {"number": 2, "title": "B"}}}'
    )
    value = read(text, Outline).value
    assert value is not None
    assert [one.title for one in value.chapters] == ["A", "B"]


def test_the_other_doors() -> None:
    tools = {"find": {"type": "object", "properties": {"q": {"type": "string"}}}}
    found = calls('<tool_call>{"name": "find", "arguments": {"q": "a"}}</tool_call>', tools)
    assert [call.name for call in found.tool_calls or ()] == ["find"]
    assert sections("[Plan]\nGo.\n[Risk]\nNone.", ["[Plan]", "[Risk]"]) == {
        "[Plan]": "Go.",
        "[Risk]": "None.",
    }
    with pytest.raises(ValueError, match="Risk"):
        sections("[Plan]\nGo.", ["[Plan]", "[Risk]"])


def test_the_library_needs_no_other_package_than_its_page_names() -> None:
    code = (
        "import sys; from libriscribe2.replies import calls, read, sections; "
        "print(*{name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    named = {"libriscribe2", "pydantic", "regex", "jsonschema"}
    theirs = {
        *("idna", "jsonpointer"),  # jsonschema looks for them
        *("annotated_types", "attr", "attrs", "jsonschema_specifications", "pydantic_core"),
        *("referencing", "rpds", "typing_extensions", "typing_inspection"),
    }
    loaded = {name for name in done.stdout.split() if not name.startswith("_")}
    assert loaded <= named | theirs


def test_a_comma_before_a_comment_is_none_of_a_bare_text() -> None:
    for mark in ("# uwaga", "// uwaga", "/* uwaga */"):
        report = extract_with_report(f'{{"tool": Doc_Search_Tool, {mark}\n "n": 1}}')
        assert report.value == {"tool": "Doc_Search_Tool", "n": 1}


def test_a_draft_in_a_channel_that_never_ends_is_no_answer() -> None:
    draft = f"<|channel|>analysis<|message|>{OUTLINE}"
    answer = read(draft, Outline)
    assert answer.refusal is not None
    assert answer.refusal.kind == "unclosed_reasoning"
    final = f"{draft}<|end|><|start|>assistant<|channel|>final<|message|>{OUTLINE}"
    assert read(final, Outline).ok


def test_a_header_within_a_fence_opens_no_section_where_one_stands_outside() -> None:
    reply = "[Plan]\n```\n[Timeline]\nkode\n```\nslutt\n[Timeline]\nMandag."
    headers = ["[Plan]", "[Timeline]"]
    assert sections(reply, headers) == {
        "[Plan]": "```\n[Timeline]\nkode\n```\nslutt",
        "[Timeline]": "Mandag.",
    }


@pytest.mark.parametrize(
    "question",
    ["Skal jeg gjøre dette?", "Μπορώ να το εκτελέσω;؟", "Bunu çalıştırayım mı?", "Ndiyendelee？"],
)
def test_RP_34_a_call_beside_a_question_waits_for_the_answer(question: str) -> None:
    tools = {"look": {"type": "object", "properties": {"at": {"type": "string"}}}}
    call = '{"name": "look", "arguments": {"at": "a.md"}}'
    for text in (f"{question}\n{call}", f"{call}\n{question}", f"```json\n{call}\n```\n{question}"):
        assert not calls(text, tools).tool_calls


ITEM: dict[str, object] = {
    "type": "object",
    "properties": {"tytuł": {"type": "string"}, "numer": {"type": "integer"}},
    "required": ["tytuł", "numer"],
}
ROW: dict[str, object] = {
    "type": "object",
    "properties": {
        "rozdziały": {"type": "array", "items": ITEM},
        "cechy": {"type": "array", "items": {"type": "string"}},
    },
}


def test_each_part_of_a_reply_stands_in_one_part_of_the_report() -> None:
    text = (
        '<think>namysł</think>Wstęp:\n```json\n{"tytuł": "Sól", "numer": 3}\n```\n'
        'Osobno [1]:\n{"inne": "reszta"}\nKoniec.'
    )
    report = extract_with_report(text)
    assert report.value == {"tytuł": "Sól", "numer": 3}
    assert (report.before, report.unread[-1]) == ("Wstęp:", '{"inne": "reszta"}')
    for word in ("Osobno", "[1]", "Koniec"):
        assert report.after.count(word) == 1
    assert not any(word in report.after for word in ("reszta", "Sól", "namysł"))


@pytest.mark.parametrize("name", ["example", "tool_response", "document"])
def test_a_value_in_an_element_of_examples_or_results_is_none_beside_another(name: str) -> None:
    shown, meant = ('{"tytuł": "Wzór", "numer": 1}', '{"tytuł": "Sól", "numer": 3}')
    assert read(f"<{name}>{shown}</{name}>\n{meant}", ITEM).value == {"tytuł": "Sól", "numer": 3}
    assert read(f"<{name}>{meant}</{name}>", ITEM).value == {"tytuł": "Sól", "numer": 3}


def test_a_list_with_a_gap_is_whole_only_without_a_remark() -> None:
    value = json.dumps({"rozdziały": [{"numer": n, "tytuł": f"{n}. rok"} for n in (1, 2, 5)]})
    for reply in (value, f"```json\n{value}\n```"):
        answer = read(reply, ROW)
        assert answer.ok
        assert "counting_gap" in answer.report.issues
    for remark in ("Proszę.", "Parancsolj."):
        refused = read(f"{value}\n{remark}", ROW).refusal
        assert refused is not None
        assert refused.kind == "remark"


@pytest.mark.parametrize("comment", ["// 2-11 podobnie", "/* a többi így */", "# 其余相同"])
def test_a_comment_between_items_that_jump_leaves_items_out(comment: str) -> None:
    first, *others = (f'{{"numer": {n}, "tytuł": "Rok {n}"}}' for n in (1, 12, 13))
    text = f'{{"rozdziały": [{first}, {comment}\n {", ".join(others)}]}}'
    refused = read(text, ROW).refusal
    assert refused is not None
    assert refused.kind == "ellipsis"
    whole = text.replace("12", "2").replace("13", "3")
    assert read(whole, ROW).ok


def test_a_comma_within_a_number_separates_nothing() -> None:
    assert read('{"cechy": "kocha 1,000 rzeczy"}', ROW).value is None
    assert read('{"cechy": "upór, wiara"}', ROW).value == {"cechy": ["upór", "wiara"]}


def test_a_fence_alone_is_no_text_of_a_section() -> None:
    with pytest.raises(ValueError, match="Plan"):
        sections("[Plan]\n```py\n[Timeline]\nkod\n```\n", ["[Plan]", "[Timeline]"])
