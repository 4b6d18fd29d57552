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
        "import sys; from libriscribe2.replies import read; "
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"litellm", "bs4", "lxml", "typer", "rich", "httpx", "yaml"}


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
