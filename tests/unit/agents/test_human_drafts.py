"""Prose by people in other languages, taken for a draft: no correct word of it is changed."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from tests.unit.agents.test_agent_reviser import NONE, agent_for, patches, revised

from libriscribe2.checks.gates.gate import GateContext
from libriscribe2.models.story import OutlineChapter

PASSAGES: Final[Mapping[str, Any]] = json.loads(
    Path(__file__).with_name("human_drafts.json").read_text("utf-8")
)
"""Passages of the public domain, by the name of their language."""

LANGUAGES: Final = ("German", "French", "Japanese")


def around(language: str) -> GateContext:
    held = PASSAGES[language]
    return GateContext(
        number=2,
        outline=OutlineChapter(title=held["draft"].split("\n")[0][2:], summary="?"),
        before=held["before"],
        earlier=[held["before"]],
        people=held["people"],
        language=language,
        drafted=True,
    )


@pytest.mark.parametrize("language", LANGUAGES)
async def test_no_patch_is_asked_for_and_the_text_stays(tmp_path: Path, language: str) -> None:
    draft = PASSAGES[language]["draft"]
    done = await revised(tmp_path, agent_for(draft, around(language)), NONE)
    assert (done.text, done.remark, done.steps) == (draft, "", ["critique1"])
    assert "Found by code" not in done.desk.prompt()


@pytest.mark.parametrize("language", LANGUAGES)
async def test_where_something_is_wrong_only_its_words_change(
    tmp_path: Path, language: str
) -> None:
    draft = f"{PASSAGES[language]['draft']}\n```markdown\n"
    agent = agent_for(draft, around(language))
    done = await revised(tmp_path, agent, NONE, patches(("```markdown", "")), NONE)
    assert done.steps[:2] == ["critique1", "patches1"]
    issues = done.desk.prompt(1).partition("<issues>\n")[2].partition("\n</issues>")[0]
    assert [json.loads(one)["quote"] for one in issues.split("\n")] == ["```markdown"]
    assert done.text.strip() == PASSAGES[language]["draft"].strip()
