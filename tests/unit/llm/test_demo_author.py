"""The stand-in author: whatever is asked gets a reply that the program can use."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from libriscribe2.llm.backend import Completion, Request
from libriscribe2.llm.backends.demo import DemoAuthor, answer, wrapped
from libriscribe2.llm.backends.demo_values import Dice, sentences
from libriscribe2.utils.json_utils import JSONProcessor

PREMISE = "<premise>\nA keeper finds tomorrow's logbook\n</premise>"
SCENE = {
    "summary": "Ottoline Frost lifts the boards and finds a live whale under the stair.",
    "characters": ["Ottoline Frost", "Sister Oda"],
}
CHAPTER_TEXT = (
    "# The Quay\n\nAda Quell stood on the quay before anybody else was up. “Who goes there?” Ivo "
    "asked.\n\nIvo Brandt carried the lamp down to the water and back. The boats lay where they "
    "had lain all week. Nobody had asked Ada to leave the harbour before noon."
)
CAST = '<characters>\n[{"name": "Ada Quell"}, {"name": "Ivo Brandt"}]\n</characters>'
TEXT = {"type": "string"}


def asked(text: str, schema: dict[str, Any] | None = None, **more: Any) -> Request:
    return Request("s", "demo", ({"role": "user", "content": text},), schema=schema, **more)


def value(text: str, schema: dict[str, Any]) -> Any:
    """What is answered, read as the program reads it, and checked against the schema."""
    report = JSONProcessor.extract_with_report(answer(asked(text, schema)))
    assert report.ok
    assert not report.lossy
    jsonschema.Draft202012Validator(schema).validate(report.value)
    return report.value


def objects(**fields: Any) -> dict[str, Any]:
    """The schema of an object that has all its fields."""
    return {"type": "object", "properties": fields, "required": list(fields)}


def listed(**fields: Any) -> dict[str, Any]:
    return {"type": "array", "items": objects(**fields)}


def scene(words: int, kind: str = "fiction", plan: dict[str, Any] = SCENE) -> str:
    book = f"<book>\nkind: {kind}\n</book>\n<scene>\n{json.dumps(plan)}\n</scene>"
    return answer(asked(f"{book}\n\nWrite this scene in about {words:,} words."))


async def test_XC_03_a_completion_is_free_whole_and_counted() -> None:
    done = await DemoAuthor().complete(asked(f"{PREMISE} Write about 200 words."))
    assert (done.cost_usd, done.finish_reason, done.model) == (0.0, "stop", "demo")
    assert done.usage.known
    assert done.usage.output_tokens == pytest.approx(200 * 4 / 3, rel=0.05)


async def test_XC_03_the_pieces_of_a_stream_join_to_the_completion() -> None:
    *pieces, whole = [one async for one in DemoAuthor().stream(asked("Write about 90 words."))]
    assert isinstance(whole, Completion)
    assert len(pieces) > 10
    assert "".join(map(str, pieces)) == whole.reply


def test_XC_03_replies_do_not_depend_on_the_process() -> None:
    script = (
        "from libriscribe2.llm.backend import Request\n"
        "from libriscribe2.llm.backends.demo import answer\n"
        f"text = {PREMISE!r} + ' Write about 300 words.'\n"
        "print(answer(Request('s', 'demo', ({'role': 'user', 'content': text},))))\n"
    )
    ran = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
            encoding="utf-8",
        ).stdout
        for seed in ("1", "2")
    ]
    assert ran[0] == ran[1] == answer(asked(f"{PREMISE} Write about 300 words.")) + "\n"


def test_another_generation_is_another_text() -> None:
    texts = {answer(asked("Write about 80 words.", generation=n)) for n in range(3)}
    assert len(texts) == 3


@pytest.mark.parametrize("kind", ["fiction", "non-fiction"])
@pytest.mark.parametrize("words", [20, 57, 400, 3000])
def test_XC_03_a_text_has_the_asked_length_and_repeats_nothing(words: int, kind: str) -> None:
    text = scene(words, kind)
    assert len(text.split()) == pytest.approx(words, abs=2)
    assert text[-1] in ".”"
    said = [one for one in sentences(text) if len(one.split()) > 3]
    assert len(said) == len(set(said))


def test_a_range_and_a_length_inside_the_data_are_told_apart() -> None:
    text = "<text_before>\nIt had 9,000 words.\n</text_before>\nWrite 100-140 words."
    assert len(answer(asked(text)).split()) == pytest.approx(120, abs=2)


def test_XC_04_a_scene_tells_of_its_people_and_its_plan_in_short_runs() -> None:
    text = scene(300)
    assert all(name in text for name in SCENE["characters"])
    assert "whale" in text
    words = re.findall(r"\w+", text.lower())
    plan = re.findall(r"\w+", str(SCENE["summary"]).lower())
    runs = {tuple(words[at : at + 13]) for at in range(len(words))}
    assert tuple(plan[:13]) not in runs


def test_a_text_that_is_cut_goes_on_without_the_plan() -> None:
    written = "<written>\nThe lamp went out.\n</written>"
    text = answer(asked(f"{written}<scene>{json.dumps(SCENE)}</scene> Go on for about 60 words."))
    assert len(text.split()) == pytest.approx(60, abs=2)
    assert "whale" not in text


def test_an_opening_keeps_all_but_its_first_sentence() -> None:
    opening = "The lamp burned all night long. Nobody came. It was cold."
    blocks = f"<opening>\n{opening}\n</opening> Write the opening again in about 11 words."
    text = answer(asked(blocks))
    assert text.endswith(" Nobody came. It was cold.")
    assert not text.startswith("The lamp burned")
    marked = "It is so [@n-0123456789ab]. Nobody came."
    assert answer(asked(f"<opening>\n{marked}\n</opening> In about 7 words.")) == marked


def test_XC_07_notes_are_cited_behind_what_they_state() -> None:
    note = '[@n-0123456789ab] Salt melts at 801 degrees. (quote: "Salt melts at 801 degrees.")'
    text = answer(asked(f"<notes>\n{note}\n</notes> Write this section in about 80 words."))
    assert "Salt melts at 801 degrees [@n-0123456789ab]." in text


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "minLength": 80, "maxLength": 90},
        {"type": "string", "maxLength": 5},
        {"enum": ["", "a", "b"]},
        {"const": {"a": [1]}},
        {"type": "integer", "minimum": 3, "maximum": 4},
        {"type": ["number", "null"], "minimum": 0},
        {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 1}]},
        {"type": "array", "items": TEXT, "minItems": 7, "maxItems": 7},
        {"type": "array", "items": TEXT, "maxItems": 2},
        {"type": "array"},
        {"type": "object", "required": ["x"], "additionalProperties": {"type": "integer"}},
        listed(title=TEXT, number={"type": "integer"}) | {"minItems": 2},
    ],
)
def test_any_value_fits_its_schema(schema: dict[str, Any]) -> None:
    value(PREMISE, objects(thing=schema))


def test_a_schema_that_holds_itself_comes_to_an_end() -> None:
    nodes = {"type": "array", "items": {"$ref": "#/$defs/N"}}
    node = objects(name=TEXT, children=nodes) | {"required": ["name"]}
    assert value(PREMISE, {"$defs": {"N": node}, **objects(top={"$ref": "#/$defs/N"})})["top"]


def test_a_schema_that_cannot_be_read_is_answered_in_json() -> None:
    assert json.loads(answer(asked("<json_schema>{oops</json_schema>"))) is not None


def test_replies_are_wrapped_now_and_then_and_read_without_loss() -> None:
    made = {"title": "A", "list": [1, 2], "none": {}}
    replies = [wrapped(made, Dice("wrap", n)) for n in range(400)]
    reports = [JSONProcessor.extract_with_report(reply) for reply in replies]
    assert all(one.ok and one.value == made and not one.lossy for one in reports)
    bare = sum(reply[0] == "{" and reply[-1] == "}" for reply in replies)
    assert 260 < bare < 360
    assert {wrapped([], Dice(n)).count(",") for n in range(100)} <= {0, 1}


def test_names_and_titles_that_are_given_stay() -> None:
    fields = listed(name=TEXT, role=TEXT) | {"minItems": 4, "maxItems": 4}
    schema = objects(characters=fields)
    concept = '{"title": "The Log", "description": "There the pilot Zoe Quint waits."}'
    told = f"{PREMISE}<concept>{concept}</concept>"
    names = [one["name"] for one in value(told, schema)["characters"]]
    assert names[0] == "Zoe Quint"
    assert len({name[0] for name in names}) == 4
    given = f'{told}<given>[{{"name": "Ada Quell"}}]\n{{"rules": []}}</given>'
    assert value(given, schema)["characters"][0]["name"] == "Ada Quell"
    book = objects(title=TEXT, description=TEXT)
    assert value("<book>\ntitle: My Own\n</book>", book)["title"] == "My Own"
    assert value(told, book)["title"] == "The Log"


def test_later_chapters_of_a_plan_go_on_where_the_others_end() -> None:
    chapter = listed(title=TEXT, story_time=TEXT) | {"minItems": 2, "maxItems": 2}
    so_far = "<outline>\n1. A: b\n2. C: d\n3. E: f\n</outline>\nOutline the next 2 chapters"
    found = value(f"{PREMISE}{so_far} of a book of 9 chapters.", objects(chapters=chapter))
    assert [one["story_time"] for one in found["chapters"]] == ["day 7", "day 9"]


QUOTED = [
    ("facts", {"entity": TEXT, "attribute": TEXT, "value": TEXT, "quote": TEXT}),
    ("events", {"what": TEXT, "quote": TEXT}),
    ("issues", {"quote": TEXT, "why": TEXT, "severity": {"enum": ["info", "warning"]}}),
    ("rules", {"aspect": TEXT, "rule": TEXT, "quote": TEXT}),
]


@pytest.mark.parametrize(("name", "fields"), QUOTED)
def test_every_quote_stands_in_the_text_that_is_shown(name: str, fields: dict[str, Any]) -> None:
    found = value(f"{CAST}<text>\n{CHAPTER_TEXT}\n</text>", objects(**{name: listed(**fields)}))
    assert found[name]
    assert all(one["quote"] in CHAPTER_TEXT and one["quote"] for one in found[name])


def test_of_a_manuscript_only_names_that_stand_there_are_told() -> None:
    schema = objects(people=listed(name=TEXT, about=TEXT), exit_state=TEXT)
    text = f"{CHAPTER_TEXT} There Ada slept, and then Ada rose."
    found = value(f"<text>\n{text}\n</text>", schema)
    assert [one["name"] for one in found["people"]] == ["Ada"]
    assert found["exit_state"] in text


def test_a_patch_finds_what_stands_once_and_puts_another_sentence_there() -> None:
    issues = json.dumps({"issue": 1, "quote": "The boats lay where they had"})
    text = f"<issues>\n{issues}\n</issues><excerpts>\n{CHAPTER_TEXT}\n</excerpts>"
    patch = listed(issue={"type": "integer"}, find=TEXT, replace=TEXT)
    (found,) = value(text, objects(patches=patch))["patches"]
    assert found["issue"] == 1
    assert CHAPTER_TEXT.count(found["find"]) == 1
    assert found["replace"] not in CHAPTER_TEXT


def test_it_judges_nothing() -> None:
    labels = {"enum": ["contradiction", "development", "unclear"]}
    judged = listed(number={"type": "integer"}, verdict=labels, reason=TEXT) | {"minItems": 2}
    found = value("Judge.", objects(verdicts=judged))["verdicts"]
    assert [(one["number"], one["verdict"]) for one in found][:2] == [
        (1, "unclear"),
        (2, "unclear"),
    ]
    better = listed(better={"enum": ["A", "B", "tie"]}, quote=TEXT)
    assert value("Compare.", objects(answers=better))["answers"][0]["better"] == "tie"
    assert value("Read.", objects(doubts=listed(why=TEXT)))["doubts"] == []


TOOLS = '<tools>{"agent_name": "read_source"} {"agent_name": "save_note"}</tools> step_id'
ANY = {"type": "object"}


def test_XC_07_its_plans_open_every_place_and_keep_what_it_says() -> None:
    request = (
        "<request>\n1. What is salt?\n\nThe author's own files:\n- salt.md\n- sea.md\n</request>"
    )
    steps = value(f"{request}{TOOLS}", ANY)["steps"]
    tools = [step["agent_name"] for step in steps]
    one = ["read_source", "extract_facts", "save_note"]
    assert tools == ["search_sources", *one, *one]
    known = {step["step_id"] for step in steps}
    assert all(set(step["depends_on"]) <= known for step in steps)
    web = value(
        f"<request>\nWhat is {{{{x}}}}?\n</request>{TOOLS.replace('read_source', 'fetch_page')}",
        ANY,
    )
    assert web["steps"][1]["metadata"]["parameters"]["url"].startswith("{{step-1.response.")
    assert "{{" not in web["steps"][0]["metadata"]["parameters"]["query"]


def test_XC_07_it_binds_what_the_data_hold_and_nothing_else() -> None:
    data = json.dumps({"step-1": {"items": [{"URL": "x", "n": 0}]}, "step-2": {"n": 2}})
    text = f"Call `provide_parameters`. <data>\n{data}\n</data>"
    schema = {"type": "object", "properties": {"url": {}, "n": {}, "other": {}}}
    assert value(text, schema) == {"url": "x", "n": 2, "other": None}


def test_XC_07_it_knows_no_better_parameters() -> None:
    changes = {"anyOf": [{"type": "object"}, {"type": "null"}]}
    schema = objects(should_retry={"type": "boolean"}, reason=TEXT, suggested_changes=changes)
    found = value("A call was refused.", schema)
    assert (found["should_retry"], found["suggested_changes"]) == (False, None)


def test_XC_07_facts_of_a_source_are_those_that_the_question_is_about() -> None:
    source = "Gold is heavy and soft and dear. Salt melts at about 801 degrees."
    text = f"<question>\nWhen does salt melt?\n</question><source_text>\n{source}\n</source_text>"
    found = value(text, objects(facts=listed(claim=TEXT, quote=TEXT)))["facts"]
    assert found[0] == {"claim": sentences(source)[1], "quote": sentences(source)[1]}


def test_it_knows_requests_and_nothing_else_of_the_program() -> None:
    folder = Path(sys.modules[DemoAuthor.__module__].__file__ or "").parent
    told = "".join(path.read_text(encoding="utf-8") for path in folder.glob("demo*.py"))
    rooms = set(re.findall(r"libriscribe2\.([a-z]+\.[a-z]+)", told))
    assert rooms == {"llm.backend", "llm.backends"}
