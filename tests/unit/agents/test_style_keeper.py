"""The voice: what code takes from the samples, and what it keeps of a model's rules."""

import json
from pathlib import Path

import pytest
from tests.support.agent_desk import AgentDesk
from tests.support.source_files import docx

from libriscribe2.agents.style_keeper import StyleKeeperAgent
from libriscribe2.errors import ProjectError
from libriscribe2.models.style import StyleFile, StylePassage, StyleRule

TEXT = "The *boat* came in at noon, and nobody stood there to take the rope.\n\nNo one. Not yet.\n"


def rule(aspect: str, text: str, quote: str) -> dict[str, str]:
    return {"aspect": aspect, "rule": text, "quote": quote}


GOOD = rule("Sentences", "Ends a paragraph on fragments.", "No one. Not yet.")
MADE_UP = rule("imagery", "Compares with fire.", "like a fire in the dark")
CONTENT = rule("plot", "Sends boats to harbours.", "The boat came in at noon")
EMPHASIS = rule("diction", "Keeps to plain nouns.", "The boat came in at noon")


async def style(desk: AgentDesk, *rules: dict[str, str]) -> StyleFile:
    made = await desk.run(StyleKeeperAgent, json.dumps({"rules": rules}))
    assert isinstance(made, StyleFile)
    return made


async def test_only_rules_about_form_whose_words_stand_in_the_samples_are_kept(
    tmp_path: Path,
) -> None:
    desk = AgentDesk(tmp_path)
    desk.put("samples/a.md", f"# A heading\n\n{TEXT}")
    made = await style(desk, GOOD, MADE_UP, CONTENT, EMPHASIS, GOOD)
    assert [one.rule for one in made.rules] == [GOOD["rule"], EMPHASIS["rule"]]
    assert made.rules[0].aspect == "sentences"
    assert made.passages == [StylePassage(file="samples/a.md", text=TEXT.strip())]
    assert made.numbers.words == 18
    assert "A heading" not in desk.prompt()
    assert desk.schema()["rules"]["maxItems"] == 12


async def test_a_rule_that_is_over_budget_is_cut_and_not_refused(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path)
    desk.put("samples/a.txt", TEXT)
    made = await style(desk, rule("rhythm", "Go on and on. " * 60, "nobody stood there to take"))
    assert [len(one.rule) <= 240 for one in made.rules] == [True]
    assert StyleRule.model_validate(made.rules[0].model_dump()) == made.rules[0]


async def test_a_word_document_is_a_sample_too(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path)
    path = desk.paths.resolve("samples/b.docx")
    path.parent.mkdir(parents=True)
    path.write_bytes(
        docx([("Heading1", "Title"), ("", "The boat came in at noon. No one. Not yet.")])
    )
    made = await style(desk, GOOD)
    assert made.passages[0].text == "The boat came in at noon. No one. Not yet."


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.txt", b"\x89PNG\r\n", "not text"),
        ("a.docx", b"PK\x03\x04 not really", "ZIP"),
        ("a.md", b"# Only a heading\n", "no prose"),
    ],
)
async def test_a_sample_that_is_none_stops_before_a_model_is_asked(
    tmp_path: Path, name: str, data: bytes, told: str
) -> None:
    desk = AgentDesk(tmp_path)
    path = desk.paths.resolve(f"samples/{name}")
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    with pytest.raises(ProjectError, match=told) as caught:
        await style(desk, GOOD)
    assert caught.value.fix
    assert desk.calls == []


SHEET = {
    "person": "third person, close to Ida",
    "tense": "past",
    "voices": [{"name": "Ida", "voice": "never says please"}],
    "paragraphs": ["One.", "Two."],
}


async def test_without_samples_the_sheet_comes_from_the_plan(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path)
    desk.put("characters.json", {"characters": [{"name": "Ida", "role": "protagonist"}]})
    made = await desk.run(StyleKeeperAgent, json.dumps(SHEET))
    assert isinstance(made, StyleFile)
    assert made.sheet.voices[0].voice == "never says please"
    assert [one.text for one in made.passages] == ["One.", "Two."]
    assert "Ida" in desk.prompt()
    assert desk.schema()["paragraphs"]["minItems"] == 2
    assert "at most 20 words" in desk.schema()["person"]["description"]
    assert list(made.model_dump()) == ["sheet", "passages"]


async def test_what_the_author_settled_outranks_the_model(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path, tense="present", spelling="British")
    made = await desk.run(StyleKeeperAgent, json.dumps(SHEET))
    assert isinstance(made, StyleFile)
    assert (made.sheet.tense, made.sheet.spelling) == ("present", "British")
    assert made.sheet.person == SHEET["person"]
    assert "tense: present" in desk.prompt()


async def test_a_book_of_facts_has_a_sheet_without_voices(tmp_path: Path) -> None:
    desk = AgentDesk(tmp_path, category="Science")
    made = await desk.run(StyleKeeperAgent, json.dumps(SHEET))
    assert isinstance(made, StyleFile)
    assert made.sheet.voices == []
    assert "how the author speaks of themselves" in desk.prompt()
