"""A new agent is one module and one prompt; nothing else changes."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.support.desk import PREMISE, Desk

import libriscribe2

MODULE = '''"""The blurb."""

from pydantic import BaseModel, Field

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_base import Unit
from libriscribe2.models.story import ConceptFile
from libriscribe2.models.excerpts import book_lines, to_json
from libriscribe2.project.paths import CONCEPT


class Blurb(BaseModel):
    """`blurb.json`."""

    text: str = Field(min_length=1)


class BlurbAgent(Agent):
    """Writes what stands on the back of the book."""

    name = "blurb"
    reads = (CONCEPT, "outline.json")
    brief_keys = ("tone",)
    writes = "blurb.json"
    shape = Blurb

    async def execute(self, unit: Unit) -> Blurb:
        """Ask for the text."""
        concept = to_json(self.book.load(CONCEPT, ConceptFile).concept)
        return await self.ask(unit, Blurb, book=book_lines(self.brief), concept=concept)
'''
PROMPT = """--- system ---
You write blurbs.
--- user ---
<book>
$book
</book>

<concept>
$concept
</concept>

Write the blurb.
"""


@pytest.fixture
def env(tmp_path: Path) -> Mapping[str, str]:
    """Variables under which the package has one agent more."""
    package = Path(libriscribe2.__file__).parent
    copy = tmp_path / "src" / "libriscribe2"
    shutil.copytree(package, copy)
    (copy / "agents" / "blurb.py").write_text(MODULE, encoding="utf-8")
    (copy / "prompts" / "blurb.md").write_text(PROMPT, encoding="utf-8")
    return {"PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": os.devnull}


@pytest.mark.slow
def test_XC_a_new_agent_is_listed_run_and_redone(desk: Desk, env: Mapping[str, str]) -> None:
    listed = desk.run_apart("agents", env=env).out.splitlines()
    assert "blurb\tBlurbAgent\tconcept.json, outline.json\tblurb.json\t" in listed
    size = ("--chapters", "2", "--words", "100", "--mock", "-p", "book")
    desk.run_apart("create", PREMISE, *size, "--until", "blurb", env=env)
    book = desk.project()
    first = book.json("blurb.json")["text"]
    assert first
    assert not book.path("scenes.json").exists()
    assert book.dumps()[-1]["agent_name"] == "BlurbAgent"
    ran = desk.run_apart("redo", "book", "blurb", env=env)
    assert "(rewritten as you asked)" in ran.err
    assert first in "".join(book.trash())
