"""Values in another notation than JSON."""

import json
import time
from typing import Any

import pytest

from libriscribe2.replies import read

TEXT = {"type": "string"}
CHAPTER = {
    "type": "object",
    "properties": {
        "number": {"type": "integer"},
        "title": TEXT,
        "beats": {"type": "array", "items": TEXT},
    },
    "required": ["number", "title"],
}
OUTLINE = {
    "type": "object",
    "properties": {"title": TEXT, "premise": TEXT, "chapters": {"type": "array", "items": CHAPTER}},
    "required": ["title", "chapters"],
}
CHAPTERS = {
    "type": "object",
    "properties": {"chapters": {"type": "array", "items": CHAPTER}},
    "required": ["chapters"],
}
NOTE = {
    "type": "object",
    "properties": {"title": TEXT, "premise": TEXT},
    "required": ["title", "premise"],
}
WHOLE = {
    "title": "Mûre & sel",
    "premise": "Nobody says: why.",
    "chapters": [
        {"number": 1, "title": "Ebb", "beats": ["He waits", "It rains"]},
        {"number": 2, "title": "Flo"},
    ],
}
YAML = """title: "Mûre & sel"
premise: 'Nobody says: why.'
chapters:
  - number: 1
    title: Ebb
    beats:
      - He waits
      - It rains
  - number: 2
    title: Flo
"""
XML = """<outline><title>Mûre &amp; sel</title><premise>Nobody says: why.</premise>
<chapters><chapter number="1"><title>Ebb</title><beats><beat>He waits</beat><beat>It rains</beat></beats></chapter>
<chapter number="2"><title>Flo</title></chapter></chapters></outline>"""


@pytest.mark.parametrize(
    "reply", [YAML, f"Så här:\n\n```yaml\n{YAML}```", XML, f"```xml\n{XML}\n```"]
)
def test_OV_54_an_outline_in_yaml_or_xml_is_read(reply: str) -> None:
    assert read(reply, OUTLINE).value == WHOLE


@pytest.mark.parametrize(
    "reply",
    [
        "**title:** Is\n**premise:** Snø: alltid.",
        "- **title**: Is\n- **premise**: Snø: alltid.",
        "title: Is\npremise: >-\n  Snø:\n  alltid.",
        'dict(title="Is", premise="Snø: alltid.")',
        '<invoke name="svar"><parameter name="title">Is</parameter>'
        '<parameter name="premise">Snø: alltid.</parameter></invoke>',
        '1 | {\n2 |   "title": "Is",\n3 |   "premise": "Snø: alltid."\n4 | }',
        '+{\n+"title": "Is", "premise": "Snø: alltid."\n+}',
        '{**"title"**: "Is", **"premise"**: "Snø: alltid."}',
    ],
)
def test_OV_54_fields_in_other_notations_are_read(reply: str) -> None:
    assert read(reply, NOTE).value == {"title": "Is", "premise": "Snø: alltid."}


def test_OV_54_rows_of_a_table_are_the_list() -> None:
    reply = "Her:\n\n| Number | Title |\n|:--|---|\n| 1 | Ebb |\n| 2 | *Flo* |\n"
    wanted = {"chapters": [{"number": 1, "title": "Ebb"}, {"number": 2, "title": "Flo"}]}
    assert read(reply, CHAPTERS).value == wanted


@pytest.mark.parametrize(
    "reply",
    [
        "**title:** Is\n**premise:** Snø.\n\nTags:\n- is\n- snø",
        "title: Is\npremise: ...",
        "title: <tittel>\npremise: <to setninger>",
        "<note><title>Is</title><premise>Snø.",
        "title: Is\n\nJeg kan ikke skrive resten.",
        "premise: Snø.",
        "My title: none. The premise: unknown.",
        "| Number | Title |\n|---|---|\n| 1 | Ebb |",
    ],
)
def test_OV_29_half_a_value_in_another_notation_is_refused(reply: str) -> None:
    assert not read(reply, NOTE).ok


@pytest.mark.parametrize(
    "reply",
    [
        "<title>" * 12_000 + "</title>" * 12_000,
        '<!DOCTYPE note [<!ENTITY is "Is">]><title>&is;</title><premise>Snø.</premise>',
        "<title>Is</title><premise>Snø. <!-- resten kommer --></premise>",
        "<title>\ud800</title><premise>Snø.</premise>",
        "<![CDATA[" * 20_000,
    ],
    ids=["deep", "entity", "comment", "surrogate", "cdata"],
)
def test_OV_29_elements_that_hide_or_declare_something_are_refused(reply: str) -> None:
    assert not read(reply, NOTE).ok


def test_OV_54_characters_of_xml_are_decoded_once() -> None:
    reply = "<title>A &amp;lt; B &uuml; & C</title><premise><![CDATA[<b>&lt;</b>]]></premise>"
    assert read(reply, NOTE).value == {"title": "A &lt; B ü & C", "premise": "<b>&lt;</b>"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    ["<a>", "a:\n", "- a\n", "```\n", "|a|b|\n", "<a b='", "title: x\n ", "[... ", "title(a="],
)
def test_other_notations_are_looked_for_in_linear_time(part: str) -> None:
    started = time.process_time()
    for size in (190_000, 1_000_000):
        read("title: x\n" + part * (size // len(part)), NOTE)
        read(part * (size // len(part)), NOTE)
    assert time.process_time() - started < 8


def test_what_is_read_is_json_again() -> None:
    value: Any = read(YAML, OUTLINE).value
    assert json.loads(json.dumps(value)) == value


def test_OV_54_objects_as_pydantic_shows_them_are_read() -> None:
    person = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    cast = {
        "type": "object",
        "properties": {"cast": {"type": "array", "items": person}, "act": {"type": "integer"}},
        "required": ["cast", "act"],
    }
    for reply in (
        "cast=[Person(name='Is'), Person(name='Sel')], act=2",
        "Cast(act=2, cast=[dict(name='Is'), dict(name='Sel')])",
    ):
        assert read(reply, cast).value == {"cast": [{"name": "Is"}, {"name": "Sel"}], "act": 2}
    for reply in (
        "cast=[Person('Is')], act=2",
        "Cast(act=..., cast=[Person(name='Is')])",
        "Cast(act=2, cast=[]), Cast(act=3, cast=[])",
        "Cast(act=2, cast=[]), act=3",
        "Cast(act=2, act=3, cast=[])",
        "Cast(act=2, **{'cast': []})",
    ):
        assert read(reply, cast).value is None


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        (
            "title: Is\npremise: Snø faller\n  på kaia.",
            {"title": "Is", "premise": "Snø faller på kaia."},
        ),
        ("title:\n  Is\npremise: Snø.", {"title": "Is", "premise": "Snø."}),
        ("<title>Is</title><premise></premise>", {"title": "Is", "premise": ""}),
        (
            "<title>Is < snø</title><premise>Snø.</premise>",
            {"title": "Is < snø", "premise": "Snø."},
        ),
        (
            '<note xmlns="http://a.b/c"><title>Is</title><premise>Snø.</premise></note>',
            {"title": "Is", "premise": "Snø."},
        ),
        (
            "| title | premise |\n|---|---|\n| **Is** | Snø. |",
            {"title": "Is", "premise": "Snø."},
        ),
    ],
)
def test_OV_54_lines_elements_and_cells_are_read_whole(reply: str, value: dict[str, str]) -> None:
    assert read(reply, NOTE).value == value
