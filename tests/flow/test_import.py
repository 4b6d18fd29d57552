"""`import`: a manuscript that was written elsewhere becomes a book that can be gone on with."""

import json
from pathlib import Path

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk
from tests.support.source_files import epub

from libriscribe2.llm.backend import Request
from libriscribe2.prose import count_words

LEAST_KEPT = 0.995
"""Share of the words that have to come back from an export."""

TEXT = (
    "---\ntitle: The Boat\nauthor: Ada Quell\n---\n\n"
    "# Chapter 1: The Quay\n\nThe boat came in, and Jon Ide took the rope. Nobody saw Jon Ide go.\n\n"
    "***\n\nIt was *late*.\n\n"
    "# Chapter 2: The Hill\n\nOn the hill stood Mara Voss, and Mara Voss waited for Jon Ide.\n"
)


@pytest.fixture
def manuscript(desk: Desk) -> Path:
    path = desk.folder / "My Boat.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def told(request: Request) -> str | None:
    """A model that names one person who stands in the text, and one who does not."""
    if request.step.startswith("import/ch"):
        seen = [{"name": "Jon Ide", "about": "A pilot."}, {"name": "Nobody Else", "about": "?"}]
        places = [{"name": "the hill", "about": "High."}, {"name": "the moon", "about": "Far."}]
        notes = {"summary": f"It happens in {request.step}.", "people": seen, "places": places}
        return json.dumps(notes)
    if request.step == "import/book":
        cast = [{"name": name, "role": "pilot"} for name in ("Jon Ide", "Elara Moon")]
        notes = {"premise": "A boat comes.", "summary": "All.", "overview": "A coast.", "rules": []}
        return json.dumps({**notes, "genre": "Sea story", "characters": cast})
    return None


def test_a_manuscript_becomes_a_project(desk: Desk, manuscript: Path) -> None:
    ran = desk.run("import", str(manuscript), "--mock", "--json", backend=Author(reply=told))
    assert ran.value["project"] == "the-boat"
    assert [row["title"] for row in ran.value["chapters"]] == [
        "Chapter 1: The Quay",
        "Chapter 2: The Hill",
    ]
    book = desk.project("the-boat")
    assert book.text("chapters/01.md") == (
        "# Chapter 1: The Quay\n\nThe boat came in, and Jon Ide took the rope. "
        "Nobody saw Jon Ide go.\n\n* * *\n\nIt was *late*.\n"
    )
    brief = book.brief()
    assert (brief["title"], brief["author"]) == ("The Boat", "Ada Quell")
    assert (brief["premise"], brief["genre"], brief["chapters"]) == (
        "A boat comes.",
        "Sea story",
        "2",
    )
    outline = book.json("outline.json")["chapters"]
    assert [one["title"] for one in outline] == ["The Quay", "The Hill"]
    assert outline[1]["summary"] == "It happens in import/ch02."


def test_only_people_and_places_that_stand_in_the_text_are_taken_over(
    desk: Desk, manuscript: Path
) -> None:
    desk.run("import", str(manuscript), "--mock", backend=Author(reply=told))
    book = desk.project("the-boat")
    assert [one["name"] for one in book.json("characters.json")["characters"]] == ["Jon Ide"]
    assert [one["name"] for one in book.json("world.json")["places"]] == ["the hill"]


def test_a_manuscript_of_facts_is_read_as_one_and_keeps_what_the_text_says(
    desk: Desk, manuscript: Path
) -> None:
    def of_facts(request: Request) -> str | None:
        if request.step == "import/book":
            said = {"premise": "How boats come in.", "summary": "All of it.", "overview": "Boats."}
            of_book = {"genre": "manual", "category": "Seamanship", "audience": "pilots"}
            return json.dumps({**said, **of_book, "rules": []})
        return told(request)

    author = Author(reply=of_facts)
    words = ("--kind", "non-fiction", "--audience", "new pilots", "--tone", "dry", "--json")
    desk.run("import", str(manuscript), "--mock", *words, backend=author)
    book = desk.project("the-boat")
    brief = book.brief()
    kept = [brief[name] for name in ("book_kind", "category", "audience", "tone")]
    assert kept == ["non-fiction", "Seamanship", "new pilots", "dry"]
    concept = book.json("concept.json")["concept"]
    assert concept["description"] == "All of it."
    assert [one["name"] for one in book.json("world.json")["terms"]] == ["the hill"]
    prompts = [str(m["content"]) for request in author.asked for m in request.messages]
    assert not [one for one in prompts if "viewpoint" in one or "category: Fiction" in one]


def test_resume_makes_what_is_missing_and_writes_over_no_chapter(
    desk: Desk, manuscript: Path
) -> None:
    desk.run("import", str(manuscript), "--mock", "--project-name", "book")
    book = desk.project()
    before = book.chapters()
    author = Author()
    desk.run("resume", "book", "--mock", "--rewrite", "--yes", backend=author)
    assert book.chapters() == before
    assert "Mara Voss waited" in book.text("manuscript.md")
    assert book.path(".libriscribe/canon/02.json").exists()
    steps = {one.partition("/")[0] for one in author.steps}
    assert not steps & {"chapters", "summaries", "outline", "scenes", "characters"}


def test_with_more_chapters_the_book_goes_on(desk: Desk, manuscript: Path) -> None:
    ran = desk.run(
        *("import", str(manuscript), "--mock", "--project-name", "book", "--chapters", "4")
    )
    assert "Reading it takes 4 requests to the model." in ran.err
    assert len(desk.project().records("sent")) == 4
    assert "2 chapters to follow are planned" in ran.err
    book = desk.project()
    before = book.chapters()
    desk.run("resume", "book", "--mock")
    assert book.chapters()[:2] == before
    assert len(book.chapters()) == 4
    plans = book.json("scenes.json")["chapters"]
    assert [bool(one["scenes"]) for one in plans] == [True] * 4
    assert len(plans[0]["scenes"]) == 1
    assert book.json("style.json")["passages"][0]["file"] == "samples/manuscript.md"


@pytest.mark.slow
@pytest.mark.parametrize("form", ["md", "epub", "docx"])
def test_what_was_exported_comes_back(desk: Desk, form: str) -> None:
    desk.create("--no-story-bible")
    desk.run("export", "book", "--format", form)
    exported = desk.project().path(f"exports/book.{form}")
    desk.run("import", str(exported), "--mock", "--project-name", "back")
    old, new = desk.project().chapters(), desk.project("back").chapters()
    assert [one.partition("\n")[0] for one in new] == [one.partition("\n")[0] for one in old]
    kept = sum(map(count_words, new)) / sum(map(count_words, old))
    assert LEAST_KEPT <= kept <= 1 / LEAST_KEPT


def test_an_import_that_was_broken_off_goes_on_without_paying_twice(
    desk: Desk, manuscript: Path
) -> None:
    def failing(request: Request) -> str | None:
        return "no JSON at all" if request.step == "import/book" else told(request)

    ran = desk.run("import", str(manuscript), "--mock", backend=Author(reply=failing), expect=5)
    assert "Run the same import again" in ran.err
    assert not desk.project("the-boat").path("book.toml").exists()
    author = Author(reply=told)
    desk.run("import", str(manuscript), "--mock", backend=author)
    assert author.steps == ["import/book"]
    assert desk.project("the-boat").path("chapters/02.md").exists()


def test_what_the_author_says_outranks_the_file(desk: Desk, manuscript: Path) -> None:
    words = ("--title", "Mine", "--author", "Me", "--premise", "A rope.", "--language", "German")
    desk.run("import", str(manuscript), "--mock", "--kind", "non-fiction", *words)
    brief = desk.project("mine").brief()
    kept = [brief[key] for key in ("title", "author", "premise", "language", "book_kind")]
    assert kept == ["Mine", "Me", "A rope.", "German", "non-fiction"]
    assert not desk.project("mine").path("characters.json").exists()


def test_a_name_that_is_taken_is_refused_with_the_way_on(desk: Desk, manuscript: Path) -> None:
    desk.create("--until", "concept", name="the-boat")
    author = Author()
    ran = desk.run("import", str(manuscript), "--mock", expect=3, backend=author)
    assert "libriscribe2 resume the-boat" in ran.err
    assert author.asked == []


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("gone.md", None, "There is no gone.md"),
        ("folder", None, "is not a file"),
        ("a.rtf", b"{\\rtf1", "unsupported format"),
        ("a.md", b"", "is empty"),
        ("a.docx", b"\x00\x01\x02", "cannot be read"),
        ("a.epub", epub({"a.xhtml": ""}), "has no text"),
        ("a.md", b"# Only a heading\n", "has no text"),
    ],
)
def test_what_cannot_be_imported_is_refused_in_a_line_before_anything_is_asked(
    desk: Desk, name: str, data: bytes | None, told: str
) -> None:
    if name == "folder":
        (desk.folder / name).mkdir()
    if data is not None:
        (desk.folder / name).write_bytes(data)
    author = Author()
    ran = desk.run("import", name, "--mock", "--project-name", "b", expect=2, backend=author)
    assert told in ran.err
    assert "fix: " in ran.err
    assert len(ran.err.strip().splitlines()) <= 3
    assert author.asked == []
    assert not desk.project("b").root.exists()


def test_a_file_of_200_megabytes_is_refused_without_being_read(desk: Desk) -> None:
    with (desk.folder / "a.md").open("wb") as file:
        file.truncate(200 * 2**20)
    ran = desk.run("import", "a.md", "--mock", expect=2)
    assert "too large" in ran.err


def test_fewer_chapters_than_there_are_is_a_mistake(desk: Desk, manuscript: Path) -> None:
    ran = desk.run("import", str(manuscript), "--mock", "--chapters", "1", expect=2)
    assert "it has 2" in ran.err
