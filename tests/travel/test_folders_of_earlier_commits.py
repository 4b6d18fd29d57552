"""Folders that earlier commits of this program wrote open, go on, and replay.

Each archive is named after the day and the commit, and holds two books of two chapters by its
stand-in author: `whole`, and `half`, which was stopped after 11 calls. One more is made by

    git archive COMMIT src | tar -x -C /tmp/then
    cd /tmp/then && export PYTHONPATH=src
    python -m libriscribe2 create "..." --model demo --project-name whole --chapters 2 \
        --scenes-per-chapter 1 --words 150
    (the same with `--project-name half --max-calls 11`)
    tar -C projects --exclude=lock --exclude=run.log -cf - whole half | xz -9e > DAY-COMMIT.tar.xz
"""

import shutil
import tarfile
from pathlib import Path
from typing import Final

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk, ProjectFolder

ARCHIVES: Final = sorted(Path(__file__).parent.glob("*.tar.xz"))
FEWEST: Final = 10
GOOD: Final = {"same", "kept", "older"}


@pytest.fixture(params=ARCHIVES, ids=lambda path: path.name.removesuffix(".tar.xz"))
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    desk = Desk(tmp_path / "desk")
    with tarfile.open(request.param) as archive:
        archive.extractall(desk.folder / "projects", filter="data")
    return desk


def written_by_models(book: ProjectFolder) -> dict[str, bytes]:
    """The files of a book that were paid for."""
    return {name: data for name, data in book.contents().items() if name != "manuscript.md"}


def resume(desk: Desk, name: str) -> Author:
    """Who answers when a book is gone on with; no file that was paid for changes."""
    book, author = desk.project(name), Author()
    before = written_by_models(book)
    paid = {record["k"] for record in book.records("done")}
    desk.run("resume", name, "--mock", "--max-calls", "100", backend=author)
    after = written_by_models(book)
    assert {one: after.get(one) for one in before} == before
    assert not paid & author.answered.keys()
    assert book.path("manuscript.md").exists()
    assert book.text(".libriscribe/format") == "2\n"
    return author


def replays(desk: Desk, name: str) -> None:
    """A book is the same when it is made again from its journal."""
    target = desk.folder.parent / "rebuilt"
    found = desk.run("replay", name, "--json", "--to", str(target)).value
    assert {one["likeness"] for one in found["files"]} <= GOOD
    book = desk.project(name)
    rebuilt = ProjectFolder(target, desk.folder / "none")
    files = {one["file"]: rebuilt.path(one["file"]).read_bytes() for one in found["files"]}
    assert files == {one: book.path(one).read_bytes() for one in files}
    journal = ".libriscribe/journal.jsonl"
    assert rebuilt.path(journal).read_bytes() == book.path(journal).read_bytes()
    assert "No problems found" in desk.run("check", str(target)).err
    shutil.rmtree(target)


def test_there_is_a_folder_of_each_day() -> None:
    assert len(ARCHIVES) >= FEWEST


def test_a_whole_book_is_up_to_date_and_nothing_is_made_again(desk: Desk) -> None:
    replays(desk, "whole")
    units = desk.run("status", "whole", "--json").value["units"]
    assert {one["state"] for one in units if one["unit"] != "manuscript.md"} <= {
        "fresh",
        "missing",
    }
    assert "No problems found" in desk.run("check", "whole").err
    author = resume(desk, "whole")
    assert all(step.startswith("canon/") for step in author.steps)
    assert "No problems found" in desk.run("check", "whole").err
    replays(desk, "whole")
    again = desk.run("resume", "whole", "--mock", "--rewrite", "--yes", backend=(later := Author()))
    assert later.steps == [], again


def test_half_a_book_is_finished_and_what_was_paid_for_stays(desk: Desk) -> None:
    replays(desk, "half")
    author = resume(desk, "half")
    assert 0 < len(author.steps) <= 14
    assert "No problems found" in desk.run("check", "half").err
    assert resume(desk, "half").steps == []
    replays(desk, "half")
