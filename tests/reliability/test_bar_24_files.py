"""Bar 24, threats 4, 8 and 9: no name, link, archive or XML of others leads out of a project.

Again: .venv/bin/pytest tests/reliability/test_bar_24_files.py
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from unicodedata import normalize

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from pathvalidate import is_valid_filename
from tests.support.bars import Bar
from tests.support.desk import Desk
from tests.support.hand_made import HandMade, png
from tests.support.hostile import TITLES
from tests.support.hostile_files import CANARY, bombs, slips, xml_attacks
from tests.support.memory import peak, reset_peak
from tests.support.web_pages import WebPages

from libriscribe2.models.notes import question_name
from libriscribe2.project.paths import project_name_from

BAR: Final = Bar(24, 24, "test_bar_24_files.py")
TRIED: Final = 500
SECRET: Final = f"The {CANARY} of the house is that its key lies under the third stone."
MOST_GROWTH: Final = 120_000_000

LINKS: Final = (
    *(
        "outline.json",
        "chapters",
        "chapters/01.md",
        "manuscript.md",
        "exports",
        "prompts",
        "images",
    ),
    *("research", "research/sources", "research/sources/own.md", "research/fetched"),
    *("research/notes.json", "samples", "samples/own.md"),
)
"""What of a book may be a link in a project that somebody else packed."""

RECORDS: Final = (
    *("", "/journal.jsonl", "/events.jsonl", "/run.log", "/lock", "/trash", "/quote.json"),
    *("/format", "/pending", "/summaries", "/summaries/01.md", "/canon", "/canon/01.json"),
    *("/research", "/sources.db"),
)
"""The same for the records, below `.libriscribe`."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished book with a source and an export."""
    desk = Desk(tmp_path_factory.mktemp("made") / "desk")
    desk.folder.mkdir()
    desk.written("--research", "--until", "concept")
    HandMade(desk.folder).write(
        "research/sources/salt.md", "# Salt\n\nSalt melts at 801 degrees.\n"
    )
    desk.run("resume", "book")
    desk.run("export", "book", "--format", "md")
    return desk.folder


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@settings(max_examples=TRIED, deadline=None, database=None)
@seed(BAR.seed)
@given(st.text(max_size=200) | st.sampled_from(TITLES))
def _every_title_is_one_folder(title: str) -> None:
    for name in (project_name_from(title), question_name(title)):
        assert name == Path(name).name == name.strip(" .-") != ""
        assert len(name.encode()) <= 80
        assert name == name.casefold() == normalize("NFC", name) == normalize("NFD", name)
        assert is_valid_filename(name, platform="universal")


@pytest.mark.slow
def test_bar_24_04_a_title_is_never_a_path(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    _every_title_is_one_folder()
    for number, title in enumerate(TITLES[::3]):
        if "\ud800" in title:
            continue  # no file of an author can hold it
        name = f"book-{number}"
        HandMade(desk.folder, name).brief(title=title, cover="").chapters(f"# {title}\n\nText.\n")
        desk.run("export", name, "--format", "md,html")
        assert _files(desk.project(name).root / "exports") == {
            "AI-DISCLOSURE.md",
            f"{name}.html",
            f"{name}.md",
        }
    for title in (title for title in TITLES[:14] if title.strip()):
        new = ("create", "A coast", "--mock", "--until", "concept")
        desk.run(*new, f"--project-name={title}", expect=2)
        # Two titles may come to one name: the second book is refused.
        assert desk.run(*new, f"--title={title}", expect=None).code in (0, 3), title
    assert _files(desk.folder, deep=False) == {"projects", "debug"}
    assert all(
        project_name_from(name) == name for name in _files(desk.folder / "projects", deep=False)
    )
    BAR.tell(
        capsys,
        f"threat 4: {TRIED} titles, {len(TITLES[::3])} exported, 0 paths outside, 0 collisions",
    )


@pytest.mark.slow
def test_bar_24_04_a_link_out_of_the_project_is_not_followed(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = (("resume", "book"), ("export", "book", "-f", "md"), ("research", "book", "Salt?"))
    records = (("resume", "book"), ("chapter", "rename", "book", "1", "Other"))
    for number, (link, commands) in enumerate(
        [*((one, book) for one in LINKS), *((f".libriscribe{one}", records) for one in RECORDS)]
    ):
        desk = Desk(tmp_path / str(number) / "desk")
        shutil.copytree(made, desk.folder)
        outside = _linked(desk.project().root / link, tmp_path / str(number) / "outside")
        before = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
        for command in commands:
            ran = desk.run(*command, expect=None)
            assert ran.code in (0, 3, 5, 6), (link, command, ran)
            after = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
            assert after == before, (link, command, ran)
        told = [
            path
            for path in _own_files(desk.folder, outside)
            if CANARY.encode() in path.read_bytes()
        ]
        assert told == [], link
        shutil.rmtree(tmp_path / str(number))
    count = len(LINKS) + len(RECORDS)
    BAR.tell(capsys, f"threat 4: {count} links out of the project, 0 followed")


@pytest.mark.slow
def test_bar_24_08_an_archive_that_explodes_or_leads_astray_is_refused(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {**bombs(), **slips("owned.md")}
    read, told = _researched(desk, files)
    growth = max(read, _imported(desk, files))
    assert set(told) == set(slips(""))
    assert not [path for path in desk.folder.rglob("*owned*") if path.is_file()]
    BAR.tell(capsys, f"threat 8: {len(files)} archives, 0 files unpacked, +{growth / 1e6:.0f} MB")


@pytest.mark.slow
def test_bar_24_09_xml_has_no_entities_of_its_own(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(SECRET, encoding="utf-8")
    with WebPages() as canary:
        files = xml_attacks(str(secret), f"{canary.root}/canary")
        growth = max(_researched(desk, files)[0], _imported(desk, files))
        assert canary.requests == []
    for path in _own_files(desk.folder / "projects", tmp_path / "nowhere"):
        data = path.read_bytes()
        assert CANARY.encode() not in data, path
        assert b"hahahaha" not in data, path
    BAR.tell(capsys, f"threat 9: {len(files)} documents, 0 entities, +{growth / 1e6:.0f} MB")


def _researched(desk: Desk, files: dict[str, bytes]) -> tuple[int, list[str]]:
    """How much memory it takes to read sources at most, and which of them brought text."""
    desk.written("--research", "--until", "concept")
    book = HandMade(desk.folder)
    book.write("research/sources/salt.md", "# Salt\n\nPure salt melts at about 801 degrees.\n")
    desk.run("research", "book", "At how many degrees does salt melt?")
    most, brought = 0, []
    for name, data in files.items():
        for old in desk.project().path("research/sources").iterdir():
            old.unlink()
        book.write(f"research/sources/{name}", data)
        before = reset_peak()
        ran = desk.run("research", "book", f"What does {name} say of salt?", "--json", expect=None)
        most = max(most, peak() - before)
        assert ran.code in (0, 3, 5), (name, ran)
        assert "Traceback" not in ran.err, (name, ran)
        if ran.code == 0 and ran.value["verified"]:
            brought.append(name)
    assert most <= MOST_GROWTH
    return most, brought


def _imported(desk: Desk, files: dict[str, bytes]) -> int:
    """How much memory it takes at most to take files over as manuscripts."""
    most = 0
    for number, (name, data) in enumerate(files.items()):
        (desk.folder / name).write_bytes(data)
        before = reset_peak()
        ran = desk.run("import", name, "--mock", "-p", f"taken-{number}", expect=None)
        most = max(most, peak() - before)
        assert ran.code in (0, 2, 3, 5), (name, ran)
        assert "Traceback" not in ran.err, (name, ran)
        (desk.folder / name).unlink()
    assert most <= MOST_GROWTH
    return most


def _linked(place: Path, outside: Path) -> Path:
    """Put what is at a place outside and a link to it there; what is new outside is a secret."""
    outside.mkdir()
    (outside / "secret.md").write_text(SECRET, encoding="utf-8")
    target = outside / place.name
    if place.is_dir() or (not place.suffix and place.name not in ("lock", "format", "pending")):
        target.mkdir()
        (target / "own.md").write_text(SECRET, encoding="utf-8")
        (target / "own.png").write_bytes(png())
    else:
        target.write_text(SECRET, encoding="utf-8")
    if place.is_dir():
        shutil.copytree(place, target, dirs_exist_ok=True)
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)
    return outside


def _own_files(folder: Path, outside: Path) -> Iterator[Path]:
    """The files of a folder that are not outside by way of a link."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.resolve().is_relative_to(outside):
            yield path


def _files(folder: Path, *, deep: bool = True) -> set[str]:
    found = folder.rglob("*") if deep else folder.iterdir()
    return {path.relative_to(folder).as_posix() for path in found}
