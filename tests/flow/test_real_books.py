"""What the program says of books that real models wrote (`tests/recorded/`)."""

import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup
from tests.support.desk import Desk, ProjectFolder
from tests.support.java import needs_java
from tests.support.recorded_books import NAMES, played

from libriscribe2.checks.reference_ranges import RANGES
from libriscribe2.checks.report.metric import metric_in_words

MARK = re.compile(r"\[@(n-[0-9a-f]{12})\]")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with all of them; no test changes a chapter."""
    desk = Desk(tmp_path_factory.mktemp("shelf"))
    for name in NAMES:
        played(desk, name)
    return desk


@pytest.fixture
def novel(shelf: Desk) -> ProjectFolder:
    return shelf.project("locked-key")


@pytest.fixture
def facts(shelf: Desk) -> ProjectFolder:
    return shelf.project("squeeze")


def test_T8_the_tide_is_what_the_novel_says_against_itself(shelf: Desk) -> None:
    told = shelf.run("check", "locked-key", "--story", "--json").value
    (found,) = (one for one in told["findings"] if one["rule"] == "R14")
    assert found["severity"] == "warning"
    assert found["place"]["file"] == "chapters/01.md"
    assert found["place"]["quote"].startswith("Past the ninth marker pole Hester Vane stopped")
    assert found["other"]["file"] == "world.json"
    assert "two hours before low water" in found["other"]["quote"]


def test_T8_an_edit_that_contradicts_a_later_chapter_is_found(shelf: Desk, tmp_path: Path) -> None:
    desk = shelf.copied_to(tmp_path / "desk")
    book = desk.project("locked-key")
    bible = ".libriscribe/canon/04.json"
    (nails,) = [
        one for one in book.json(bible)["facts"] if one["entity"] == "nails in the middle window"
    ]
    book.write(bible, book.text(bible).replace('"value": "6"', '"value": "4"'))
    assert nails["value"] == "6"
    # Without the reading of the nail that came out in between, nothing explains another number.
    before = book.json(".libriscribe/canon/03.json")
    before["ended"] = [one for one in before["ended"] if one["entity"] != nails["entity"]]
    book.write(".libriscribe/canon/03.json", json.dumps(before))
    found = desk.run("check", "locked-key", "--story", "--json").value["findings"]
    assert "R6" in {one["rule"] for one in found}


FALSE_ALARMS = {
    "locked-key": Counter({"P22": 3, "P23": 1}),
    "really": Counter(),
    "skarra": Counter({"P9": 2, "P26": 1}),
    "squeeze": Counter({"P22": 2, "P16": 10}),
    "unruh": Counter(),
}
"""What `check --plan` says of plans that the texts keep: each is a word count gone wrong, or a list
that the planner was shown only a part of. None may be added."""


@pytest.mark.parametrize("name", NAMES)
def test_QU_the_plans_of_real_books_have_no_error(shelf: Desk, name: str) -> None:
    told = shelf.run("check", name, "--plan", "--json").value
    assert told["sound"]
    assert Counter(one["rule"] for one in told["findings"]) <= FALSE_ALARMS[name]


@pytest.mark.parametrize("name", NAMES)
def test_QU_the_gates_find_nothing_to_mend_in_real_prose(shelf: Desk, name: str) -> None:
    """What is put to the patcher is what the critic found."""
    dumps = {one["step"]: one for one in shelf.project(name).dumps()}
    asked = {step: one for step, one in dumps.items() if "/patches" in step}
    assert len(asked) == len(shelf.project(name).chapters())
    for step, one in asked.items():
        issues = dumps[step.replace("patches", "critique")]["clean"]["issues"]
        lines = one["prompt"][-1]["content"].splitlines()
        found = [json.loads(line) for line in lines if line.startswith('{"issue"')]
        put = {one["quote"] for one in found if one["kind"] != "citation"}
        assert put
        assert put <= {issue["quote"] for issue in issues}


@pytest.mark.parametrize(
    ("name", "amber"),
    [
        ("locked-key", {"fragments", "chapter variation", "-ly adverbs"}),
        ("squeeze", {"chapter variation", "-ly adverbs", "paragraph variation"}),
    ],
)
def test_XC_report_measures_a_book_and_asks_nobody(shelf: Desk, name: str, amber: set[str]) -> None:
    book = shelf.project(name)
    before = book.path(".libriscribe/journal.jsonl").read_bytes()
    rows = [line.split("\t") for line in shelf.run("report", name).out.splitlines()]
    assert rows[0] == ["part", "metric", "value", "reference range", "level"]
    levels = {row[1]: row[4] for row in rows[1:] if len(row) == 5}
    assert levels.keys() <= set(map(metric_in_words, RANGES))
    assert {one for one, level in levels.items() if level not in ("ok", "")} <= amber
    told = shelf.run("report", name, "--json").value
    status = shelf.run("status", name, "--json").value
    assert (told["chapters"], told["words"]) == (len(book.chapters()), status["words"])
    for place in (place for figure in told["figures"] for place in figure["places"]):
        assert 1 <= place["line"] <= len(book.text(place["file"]).splitlines())
    assert book.path(".libriscribe/journal.jsonl").read_bytes() == before


@pytest.mark.parametrize("name", NAMES)
def test_every_scene_tells_from_what_it_was_written(shelf: Desk, name: str) -> None:
    book = shelf.project(name)
    plans = book.json("scenes.json")["chapters"]
    steps = {one["step"] for one in book.records("sent")}
    # A short chapter is asked for at once, from one context.
    whole = [one for one in plans if f"chapters/ch{one['chapter']:02d}/whole" in steps]
    count = len(whole) + sum(len(one["scenes"]) for one in plans if one not in whole)
    found = [
        scene
        for number in range(1, len(book.chapters()) + 1)
        for scene in shelf.run("why", name, str(number), "--json").value["scenes"]
    ]
    assert len(found) == count
    for scene in found:
        assert scene["size"] == sum(part["size"] for part in scene["parts"]) <= scene["budget"]
        assert all(
            number < scene["chapter"] for part in scene["parts"] for number in part["chapters"]
        )
        for fact in scene["facts"]:
            lines = book.text(f"chapters/{fact['chapter']:02d}.md").splitlines()
            assert fact["chapter"] < scene["chapter"]
            assert _words(fact["quote"]) in _words(lines[fact["line"] - 1])


def test_the_calls_of_a_real_book_are_shown_with_what_was_repaired(shelf: Desk) -> None:
    calls = shelf.run("debug", "list", "locked-key", "--json").value["calls"]
    assert Counter(one["state"] for one in calls) == {"clean": 30, "repaired": 4}


def test_the_refused_replies_of_a_real_book_are_shown(shelf: Desk, facts: ProjectFolder) -> None:
    calls = shelf.run("debug", "list", facts.root.name, "--json").value["calls"]
    refused = {one["step"] for one in calls if one["state"] == "refused"}
    assert refused == {"research/plan", "research/plan/parse-1"}


def test_XC_07_the_notes_of_a_real_book_hold(shelf: Desk, facts: ProjectFolder) -> None:
    notes = facts.json("research/notes.json")["notes"]
    assert (len(notes), sum(one["verified"] for one in notes)) == (108, 108)
    verdicts = Counter(one["supported"] for one in notes)
    assert verdicts == {"yes": 89, "partly": 13, "no": 6}
    report = shelf.run("citations", "check", "squeeze", "--json", expect=5).value
    assert all(one["holds"] for one in report["notes"])
    assert report["marks"] == []
    claims = [one["claims"] for one in report["claims"]]
    assert claims == [["Michael Burrows", "David Wheeler"]]
    unsupported = [one["sentence"] for one in report["unsupported"]]
    assert len(unsupported) == 3
    assert ["2023" in one for one in unsupported] == [True, False, False]
    totals = shelf.run("research", "show", "squeeze", "--run", "--json").value["totals"]
    assert (totals["steps"], totals["done"]) == (27, 27)


def test_XC_07_a_book_of_facts_cites_its_notes_in_every_format(
    shelf: Desk, facts: ProjectFolder
) -> None:
    marks = set(MARK.findall("".join(facts.chapters())))
    notes = {one["id"] for one in facts.json("research/notes.json")["notes"]}
    assert marks <= notes
    manuscript = facts.text("manuscript.md")
    text, _, references = manuscript.partition("# References\n\n")
    assert "[@" not in manuscript
    numbers = {int(one) for one in re.findall(r"\[(\d+)\]", text)}
    listed = re.findall(r"(?m)^(\d+)\. .+\.$", references)
    assert numbers == {*map(int, listed)} == {*range(1, len(listed) + 1)}
    shelf.run("export", "squeeze", "--format", "md,html")
    page = facts.text("exports/squeeze.html")
    assert "[@" not in page
    assert ">References</h2>" in page
    assert "# References" in facts.text("exports/squeeze.md")


@pytest.mark.parametrize("name", NAMES)
def test_EX_1_every_paragraph_of_a_real_book_is_in_its_exports(shelf: Desk, name: str) -> None:
    book = shelf.project(name)
    shelf.run("export", name, "--format", "md,html,docx")
    with zipfile.ZipFile(book.path(f"exports/{name}.docx")) as word:
        document = BeautifulSoup(word.read("word/document.xml"), "xml")
    page = BeautifulSoup(book.text(f"exports/{name}.html"), "html.parser")
    shown = {
        "docx": _words(document.get_text()),
        "html": _words(page.get_text()),
        "md": _words(book.text(f"exports/{name}.md")),
    }
    paragraphs = [one for text in book.chapters() for one in text.split("\n\n")[1:]]
    plain = [
        _words(re.sub(r" ?\[@[^]]*\]|\[\d+\]", "", one)) for one in paragraphs if one[0].isalpha()
    ]
    for kind, text in shown.items():
        bare = re.sub(r" ?\[\d+\]", "", text)
        assert not [one for one in plain if one not in bare], kind


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_EX_1_the_same_project_gives_the_same_bytes(shelf: Desk, name: str) -> None:
    book, kinds = shelf.project(name), ("epub", "pdf", "docx")
    shelf.run("export", name, "--format", ",".join(kinds))
    first = [book.path(f"exports/{name}.{kind}").read_bytes() for kind in kinds]
    shelf.run("format", "--project-name", name, "--format", "PDF,.docx,epub")
    assert [book.path(f"exports/{name}.{kind}").read_bytes() for kind in kinds] == first
    assert [data[:4] for data in first] == [b"PK\x03\x04", b"%PDF", b"PK\x03\x04"]


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize("name", NAMES)
def test_EX_3_check_finds_no_fault_in_a_finished_book(shelf: Desk, name: str) -> None:
    found = shelf.run("export", name, "--format", "epub", "--check", "--json").value
    assert (found["check"]["errors"], found["check"]["warnings"]) == (0, 0)


@pytest.mark.parametrize("name", NAMES)
def test_the_folder_holds_every_page_and_no_dead_link(
    shelf: Desk, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "out"
    ran = shelf.run("view", name, "--export", str(out))
    assert ran.out == f"{out / 'index.html'}\n"
    assert "contains your prompts" in ran.err
    pages = {path.name: path.read_text(encoding="utf-8") for path in out.glob("*.html")}
    calls = json.loads((out / "calls.json").read_text(encoding="utf-8"))["calls"]
    assert len([one for one in pages if one.startswith("call-")]) == len(calls)
    dead = {
        (page, link)
        for page, html in pages.items()
        for link in _links(html)
        if not (out / link).is_file()
    }
    assert dead == set()
    assert str(shelf.folder) not in "".join(pages.values())
    for number, text in enumerate(shelf.project(name).chapters(), start=1):
        shown = BeautifulSoup(pages[f"read-{number:02d}.html"], "html.parser").get_text()
        assert _words(text.split("\n\n")[-1].strip("* \n")) in _words(shown)


def _links(page: str) -> Iterator[str]:
    """The files that a page of an export leads to."""
    for mark in ('href="', 'src="'):
        for part in page.split(mark)[1:]:
            path = urlsplit(part.partition('"')[0]).path
            if path:
                yield path


def _words(text: str) -> str:
    """A text without emphasis, marks of code and line breaks, and with plain apostrophes."""
    plain = text.translate(str.maketrans("“”‘’", "\"\"''", "*`"))
    return " ".join(plain.split())
