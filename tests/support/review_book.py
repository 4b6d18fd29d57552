"""A small book whose models answered well and badly, to be looked at."""

import json
import re
import shutil
from pathlib import Path
from typing import Final

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk

from libriscribe2.desk.snapshot import ProjectSource, Snapshot, take
from libriscribe2.engine.stages import all_stages
from libriscribe2.llm.backend import Request
from libriscribe2.project.dumps import DebugDumps
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.records import DumpRecord

NAME: Final = "book"
KEYWORDS: Final = (
    "Here are the keywords:\n\n```json\n"
    '{"primary_keywords": ["lamp", "sea",], "secondary_keywords": ["**debt**"], '
    '"genre_keywords": ["gothic"]}\n```\nEnjoy!'
)
REFUSED: Final = "I would rather talk about the weather."
HOSTILE: Final = '<script>alert("reply")</script><img src=x onerror=alert(1)>'


def troubled(request: Request) -> str | None:
    """One reply without JSON, one with a field too few, one that needs to be cleaned."""
    if request.step == "concept/draft" and request.attempt == 1:
        return REFUSED
    if request.step == "outline" and request.attempt == 1:
        return '{"summary": "A coast."}'
    shown = "\n".join(str(message["content"]) for message in request.messages)
    if request.step == "chapters/ch01/critique1":
        text = re.findall(r"<text>\n(.*?)\n</text>", shown, re.DOTALL)[-1]
        found = {"kind": "stock", "severity": "error", "quote": _sentence(text), "why": "W"}
        return json.dumps({"issues": [found]})
    if request.step == "chapters/ch01/critique2":
        return '{"issues": []}'
    if request.step == "chapters/ch01/patches1":
        issues = re.findall(r"<issues>\n(.*?)\n</issues>", shown, re.DOTALL)[-1]
        find = json.loads(issues.split("\n")[0])["quote"]
        return json.dumps({"patches": [{"issue": 1, "find": find, "replace": f"Then {find}"}]})
    return KEYWORDS if request.step == "concept/keywords" else None


def _sentence(text: str) -> str:
    """The first sentence of the longest paragraph."""
    return max(text.split("\n\n"), key=len).partition(". ")[0] + "."


def make_book(folder: Path, *options: str) -> Path:
    """The desk of a book in `folder`, made with further options; return the folder."""
    folder.mkdir()
    Desk(folder).create(*options, backend=Author(reply=troubled))
    return folder


class ReviewBook:
    """A copy of such a book.

    Args:
        made: Where it was made.
        folder: Where the copy goes.
    """

    def __init__(self, made: Path, folder: Path) -> None:
        shutil.copytree(made, folder)
        self.folder = folder
        self.paths = ProjectPaths(folder / "projects" / NAME, folder / "debug" / NAME)
        all_stages()

    @property
    def source(self) -> ProjectSource:
        return ProjectSource(self.paths)

    def snapshot(self) -> Snapshot:
        return take(self.source, self.source.calls())

    def write(self, name: str, text: str) -> None:
        path = self.paths.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.paths.root / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def dump(self, reply: str, **fields: object) -> Path:
        """Add a dump."""
        record = {"agent_name": "ChapterWriterAgent", "stage": "chapters", **fields}
        return DebugDumps(self.paths.debug).write(
            DumpRecord(raw_response=reply, **record)  # type: ignore[arg-type]
        )

    def damage(self) -> None:
        """Add files that are no dumps of this program."""
        files = {
            "0901-concept-try1.json": "",
            "0902-concept-try1.json": '{"debug_info": {"agent_',
            "0903-concept-try1.json": '{"debug_info": {"agent_name": 3, "repairs": "many"}}',
            "concept.json": '{"debug_info": {"agent_name": "ConceptGenerator", "raw_response": "x"}}',
            "notes.json": "[1, 2]",
        }
        for name, text in files.items():
            (self.paths.debug / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def made_review_book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_book(tmp_path_factory.mktemp("review") / "desk")


@pytest.fixture
def review_book(made_review_book: Path, tmp_path: Path) -> ReviewBook:
    return ReviewBook(made_review_book, tmp_path / "copy")
