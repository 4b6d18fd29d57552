"""`create` without a model: every file, clean, of the asked length."""

import gzip
import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.desk import PREMISE, Desk, ProjectFolder, Ran

from libriscribe2.commands.recordings import sample_recording
from libriscribe2.llm.backends.recorded import read_recording
from libriscribe2.project.paths import OWNER

with sample_recording() as file:
    SAMPLE = file  # no test runs the package from an archive

FILES = {
    "book.toml",
    "concept.json",
    "characters.json",
    "world.json",
    "outline.json",
    "scenes.json",
    "style.json",
    "chapters/01.md",
    "chapters/02.md",
    "chapters/03.md",
    "manuscript.md",
}
PLAN_CALLS = 4 + 1 + 1 + 1 + 1 + 2
"""Of concept, characters, world, outline, style, and the scenes of all chapters with their review."""
CALLS = PLAN_CALLS + 3 * (2 + 2 + 1)
"""Of each chapter: its scenes, a critique and its patches, its facts, its summary."""
DUMP = {"agent_name", "timestamp", "raw_response", "formatting_issues", "extraction_method"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, ProjectFolder]:
    """One book that the tests of this file look at."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    size = ("--chapters", "3", "--scenes-per-chapter", "2", "--words", "1200")
    return desk.create(size=size), desk.project()


@pytest.fixture
def book(made: tuple[Ran, ProjectFolder]) -> ProjectFolder:
    return made[1]


def keys_of(value: Any) -> Iterator[str]:
    """Every key in a JSON value."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from keys_of(item)
    if isinstance(value, list):
        for item in value:
            yield from keys_of(item)


def test_XC_03_every_file_of_a_book_is_there(book: ProjectFolder) -> None:
    summaries = {f".libriscribe/summaries/0{n}.md" for n in (1, 2, 3)}
    canon = {f".libriscribe/canon/0{n}.json" for n in (1, 2, 3)}
    texts = {name for name in book.contents() if name.startswith(".libriscribe/texts/")}
    assert set(book.contents()) - texts == FILES | summaries | canon
    assert len(texts) == len(canon)


def test_XC_03_stdout_is_the_statistics_and_the_path_and_stderr_the_talk(
    made: tuple[Ran, ProjectFolder],
) -> None:
    ran, book = made
    assert ran.out.splitlines()[-1] == "projects/book/manuscript.md"
    assert f"words: {book.words():,}" in ran.out
    assert f"calls: {CALLS}\n" in ran.out
    assert "model: demo (the stand-in author)" in ran.err
    assert "not a language model" in ran.err


def test_every_command_tells_the_same_words(made: tuple[Ran, ProjectFolder]) -> None:
    ran, book = made
    desk = Desk(book.root.parents[1])
    words = book.words()
    assert desk.run("status", "book", "--json").value["words"] == words
    assert desk.run("report", "book", "--json").value["words"] == words
    listed = desk.run("chapter", "list", "book", "--json").value["chapters"]
    assert sum(row["words"] for row in listed) == words
    desk.run("view", "book", "--export", "pages")
    assert f">{words:,}<" in (desk.folder / "pages" / "index.html").read_text("utf-8")
    assert f"Finished: {words:,} words" in ran.err
    told = [line for line in ran.err.splitlines() if line.startswith("\u2713 Chapter ")]
    counts = (re.search(r"([\d,]+) words", line) for line in told)
    assert sum(int(count[1].replace(",", "")) for count in counts if count) == words


def test_OV_16_the_concept_is_exactly_concept_and_keywords(book: ProjectFolder) -> None:
    concept = book.json("concept.json")
    assert list(concept) == ["concept", "keywords"]
    assert list(concept["concept"]) == ["title", "logline", "description"]
    keywords = concept["keywords"]
    assert list(keywords) == ["primary_keywords", "secondary_keywords", "genre_keywords"]
    assert all(keywords.values())


def test_OV_17_no_file_holds_a_wrapper(book: ProjectFolder) -> None:
    wrappers = {"raw_content", "raw_response", "metadata", "timestamp", "debug_info", "agent"}
    for name, data in book.contents().items():
        if name.endswith(".json"):
            assert not wrappers & set(keys_of(json.loads(data))), name


def test_OV_10_raw_replies_are_only_in_the_debug_folder(book: ProjectFolder) -> None:
    assert not [name for name in book.contents() if "debug" in name or "raw" in name]
    assert all(path.suffix == ".json" or path.name == OWNER for path in book.debug.iterdir())


def test_OV_30_json_files_are_readable_utf_8(book: ProjectFolder) -> None:
    for path in book.root.glob("*.json"):
        text = path.read_text(encoding="utf-8")
        assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=4) + "\n", path.name


def test_OV_18_a_dump_says_who_asked_what_and_what_was_cleaned(book: ProjectFolder) -> None:
    dumps = book.dumps()
    assert len(dumps) == CALLS
    for dump in dumps:
        assert dump.keys() >= DUMP | {"attempt", "stage", "step", "model", "prompt", "key"}
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", dump["timestamp"])
        assert dump["model"] == "demo"
        assert dump["raw_response"]
    methods = {dump["extraction_method"] for dump in dumps}
    assert {"direct_parse", "text"} <= methods
    assert all(dump["attempt"] == 1 for dump in dumps)


def test_OV_18_dumps_are_numbered_and_private(book: ProjectFolder) -> None:
    files = sorted(book.debug.glob("[!.]*"))
    assert [path.name[:4] for path in files] == [f"{n:04d}" for n in range(1, CALLS + 1)]
    assert all(re.fullmatch(r"\d{4}-[a-z]+-try1\.json", path.name) for path in files)
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_XC_13_dumps_and_journal_tell_the_same_calls(book: ProjectFolder) -> None:
    done = {record["k"] for record in book.records("done")}
    assert done == {dump["key"] for dump in book.dumps()}
    assert len(book.records("sent")) == len(done)


def test_XC_03_the_manuscript_holds_every_chapter_as_it_is(book: ProjectFolder) -> None:
    manuscript = book.text("manuscript.md")
    title = book.json("concept.json")["concept"]["title"]
    assert manuscript.startswith(f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n")
    places = [manuscript.index(text.strip()) for text in book.chapters()]
    assert places == sorted(places)
    assert len(places) == 3


def test_XC_03_chapters_follow_outline_and_scene_plan(book: ProjectFolder) -> None:
    outline, scenes = book.json("outline.json"), book.json("scenes.json")
    planned = zip(outline["chapters"], scenes["chapters"], book.chapters(), strict=True)
    for number, (chapter, plan, text) in enumerate(planned, start=1):
        assert text.startswith(f"# {chapter['title']}\n\n")
        assert (plan["chapter"], plan["title"]) == (number, chapter["title"])
        assert len(plan["scenes"]) == 2
        assert text.count("\n\n* * *\n\n") == 1


def test_XC_03_characters_keep_their_names_to_the_last_chapter(book: ProjectFolder) -> None:
    people = {one["name"] for one in book.json("characters.json")["characters"]}
    for plan, text in zip(book.json("scenes.json")["chapters"], book.chapters(), strict=True):
        present = {name for scene in plan["scenes"] for name in scene["characters"]}
        assert present
        assert present <= people
        assert all(name.split()[0] in text for name in present)
    outline = json.dumps(book.json("outline.json"), ensure_ascii=False)
    assert any(name.split()[0] in outline for name in people)


def test_XC_03_the_brief_keeps_what_was_asked_and_the_model(book: ProjectFolder) -> None:
    assert book.brief()["premise"] == PREMISE
    assert book.brief()["words"] == 1200
    assert '[models.default]\nmodel = "demo"\n' in book.text("book.toml")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chapters", "scenes", "words"), [("1", "1", 150), ("2", "3", 1000), ("4", "2", 4000)]
)
def test_XC_03_the_book_has_the_asked_length(
    desk: Desk, chapters: str, scenes: str, words: int
) -> None:
    size = ("--chapters", chapters, "--scenes-per-chapter", scenes, "--words", str(words))
    desk.create(size=size)
    assert desk.project().words() == pytest.approx(words, rel=0.1)


def test_XC_03_a_demo_needs_no_word_and_takes_a_free_name(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "projects" / "demo").mkdir(parents=True)
    (tmp_path / "projects" / "demo-2").mkdir()
    ran = desk.run("demo")
    assert ran.out.split()[-2:] == [
        "projects/demo-3/manuscript.md",
        "projects/demo-3/exports/demo-3.epub",
    ]
    assert "was written by a language model" in ran.err.splitlines()[0]
    assert "libriscribe2 view demo-3" in ran.err
    book = desk.project("demo-3")
    assert (len(book.chapters()), book.path("exports/demo-3.epub").is_file()) == (10, True)
    steps = read_recording(f"recorded:{SAMPLE}").steps
    assert len(book.records("sent")) == len(book.records("done")) == len(steps)
    assert "up to date" in desk.run("status", "demo-3").out


def test_XC_03_the_demo_replays_a_recording_of_the_tests() -> None:
    source = Path(__file__).parents[1] / "recorded" / SAMPLE.name.removesuffix(".gz")
    signed = source.read_text(encoding="utf-8").replace("A. Writer", "A language model", 1)
    assert gzip.decompress(SAMPLE.read_bytes()).decode() == signed, "run `make sample`"


def test_XC_03_the_old_name_of_the_stand_in_author_still_serves(desk: Desk) -> None:
    size = ("--chapters", "1", "--scenes-per-chapter", "1", "--words", "150")
    desk.run("create", PREMISE, "--model", "offline", "-p", "book", "--until", "outline", *size)
    assert 'model = "offline"' in desk.project("book").text("book.toml")
    assert desk.run("status", "book", "--json").value["cost_usd"] == 0
    desk.run("resume", "book")
    assert desk.project("book").path("manuscript.md").exists()
