"""`check --story`: what a book says against itself, with the words on both sides."""

import json
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from tests.support.desk import Desk, ProjectFolder
from tests.support.told_book import TellingAuthor

from libriscribe2.checks.continuity.story_report import story_rules
from libriscribe2.cli.finding_formats import SCHEMA

NOTE = "<!-- libriscribe2: allow R1 -->"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with a book of two chapters that contradict each other; no test changes it."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.create(backend=TellingAuthor())
    return desk


@pytest.fixture
def book(desk: Desk) -> ProjectFolder:
    """The same book, to be changed."""
    desk.create(backend=TellingAuthor())
    return desk.project()


def findings(desk: Desk, *options: str, expect: int) -> list[dict[str, Any]]:
    told = desk.run("check", "book", "--story", "--json", *options, expect=expect).value
    assert told["consistent"] == (expect == 0)
    found: list[dict[str, Any]] = told["findings"]
    return found


def test_T8_a_contradiction_is_told_with_place_quotes_rule_and_fix(written: Desk) -> None:
    ran = written.run("check", "book", "--story", expect=5)
    lines = ran.out.splitlines()
    assert lines == [
        "chapters/02.md:3: error R1: Ada Quell's eyes: green in chapter 1, brown in chapter 2.",
        '  here: "Ada wiped her brown eyes"',
        '  chapters/01.md:3: "Her green eyes watered in the wind"',
        "  fix: Give it one value in chapters/02.md:3 and chapters/01.md:3. Or allow it: "
        f"`{NOTE}` in that paragraph.",
    ]
    assert "4 facts of 2 chapters compared: 1 error, 0 warnings." in ran.err


def test_T8_json_says_the_same(written: Desk) -> None:
    (found,) = findings(written, expect=5)
    assert (found["rule"], found["severity"], found["allowed"]) == ("R1", "error", False)
    assert (found["place"]["line"], found["other"]["file"]) == (3, "chapters/01.md")


def test_XC_08_the_check_asks_nobody_and_writes_nothing(written: Desk) -> None:
    root = written.project().root
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    written.run("check", "book", "--story", expect=5)
    assert before == {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_note_in_the_paragraph_lets_it_stand_and_no_reader_sees_it(
    desk: Desk, book: ProjectFolder
) -> None:
    text = book.text("chapters/02.md")
    book.write("chapters/02.md", text.replace("brown eyes", f"brown eyes {NOTE}"))
    ran = desk.run("check", "book", "--story")
    assert ran.out == ""
    assert "0 errors, 0 warnings, 1 allowed" in ran.err
    assert [one["allowed"] for one in findings(desk, expect=0)] == [True]
    desk.run("resume", "book")
    desk.run("export", "book", "--format", "md,html")
    made = [book.path("manuscript.md"), *book.path("exports").glob("book.*")]
    assert len(made) == 3
    for path in made:
        told = path.read_text(encoding="utf-8")
        assert "brown eyes" in told, path
        assert "allow R1" not in told, path


def test_a_note_for_another_rule_lets_nothing_stand(desk: Desk, book: ProjectFolder) -> None:
    text = book.text("chapters/02.md")
    book.write("chapters/02.md", f"{NOTE.replace('R1', 'R2')}\n\n{text}")
    assert [one["place"]["line"] for one in findings(desk, expect=5)] == [5]


def test_a_mended_text_is_consistent_and_the_chapter_is_to_be_read_again(
    desk: Desk, book: ProjectFolder
) -> None:
    text = book.text("chapters/02.md")
    book.write("chapters/02.md", text.replace("brown", "green"))
    ran = desk.run("check", "book", "--story")
    assert "`libriscribe2 redo book story_bible --chapter 2` reads it again" in ran.err
    assert desk.run("check", "book", "--story", "--json").value["facts_lost"] == 1
    desk.run("redo", "book", "canon", "--chapter", "2")
    assert "reads it again" not in desk.run("check", "book", "--story").err


def test_lines_are_those_of_the_text_as_it_is_now(desk: Desk, book: ProjectFolder) -> None:
    book.write("chapters/01.md", f"One more.\n\n{book.text('chapters/01.md')}")
    assert [one["other"]["line"] for one in findings(desk, expect=5)] == [5]


def test_a_misspelt_name_is_a_warning_with_both_spellings(desk: Desk, book: ProjectFolder) -> None:
    text = book.text("chapters/02.md").replace("brown", "green")
    book.write("chapters/02.md", text.replace("bridge", "bridge of Barndt", 1))
    (found,) = findings(desk, expect=0)
    assert (found["rule"], found["severity"]) == ("R10", "warning")
    assert "Barndt (once) is close to Brandt" in found["message"]


def test_sarif_holds_what_its_schema_asks_for(written: Desk) -> None:
    log = written.run("check", "book", "--story", "--format", "sarif", expect=5).value
    assert (log["version"], log["$schema"]) == ("2.1.0", SCHEMA)
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "libriscribe2"
    assert [rule["id"] for rule in driver["rules"]] == list(story_rules())
    (result,) = run["results"]
    assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "R1"
    assert (result["level"], bool(result["message"]["text"])) == ("error", True)
    place = result["locations"][0]["physicalLocation"]
    uri = place["artifactLocation"]["uri"]
    line = Path(written.folder / uri).read_text(encoding="utf-8").split("\n")
    assert place["region"]["snippet"]["text"] in line[place["region"]["startLine"] - 1]
    assert result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 3


def test_sarif_marks_what_may_stand_as_suppressed(desk: Desk, book: ProjectFolder) -> None:
    book.write("chapters/02.md", f"{NOTE}\n\n{book.text('chapters/02.md')}")
    log = desk.run("check", "book", "--story", "--format", "sarif").value
    assert log["runs"][0]["results"][0]["suppressions"] == [{"kind": "inSource"}]


def test_junit_is_read_by_any_ci(written: Desk) -> None:
    out = written.run("check", "book", "--story", "--format", "junit", expect=5).out
    suite = fromstring(out).find("testsuite")
    assert suite is not None
    cases = suite.findall("testcase")
    assert int(suite.attrib["tests"]) == len(cases) >= 14
    assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure")) == 1
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert "Her green eyes watered" in str(failure.text)


def test_what_a_text_hides_steers_neither_terminal_nor_parser(
    desk: Desk, book: ProjectFolder
) -> None:
    evil = "Ada wiped her \x1b[31mbrown\x1b[0m & <b> eyes"
    text = book.text("chapters/02.md").replace("Ada wiped her brown eyes", evil)
    book.write("chapters/02.md", text)
    canon = book.json(".libriscribe/canon/02.json")
    canon["facts"][0]["quote"] = evil
    book.write(".libriscribe/canon/02.json", json.dumps(canon))
    assert "\x1b" not in desk.run("check", "book", "--story", expect=5).out
    out = desk.run("check", "book", "--story", "--format", "junit", expect=5).out
    assert fromstring(out).attrib == {}


def test_without_facts_the_check_says_what_makes_them(desk: Desk) -> None:
    desk.written("--until", "outline")
    assert "`libriscribe2 resume book`" in desk.run("check", "book", "--story", expect=5).err
    desk.run("resume", "book", "--until", "manuscript")
    for file in desk.project().root.glob(".libriscribe/canon/*"):
        file.unlink()
    ran = desk.run("check", "book", "--story", expect=5)
    assert "`libriscribe2 resume book --until story_bible`" in ran.err
    desk.run("resume", "book", "--until", "canon")
    assert findings(desk, expect=0) == []


def test_a_book_without_a_story_bible_says_how_to_get_one(desk: Desk) -> None:
    desk.written("--no-story-bible")
    assert not list(desk.project().root.glob(".libriscribe/canon/*"))
    assert "story_bible = true" in desk.run("check", "book", "--story", expect=5).err


def test_a_chapter_that_was_not_read_is_named(desk: Desk, book: ProjectFolder) -> None:
    book.path(".libriscribe/canon/02.json").unlink()
    ran = desk.run("check", "book", "--story")
    assert "not yet read for facts: chapters 2" in ran.err


@pytest.mark.parametrize(
    "options",
    [
        ("--format", "json"),
        ("--evaluate",),
        ("--story", "--format", "yaml"),
        ("--story", "--format", "sarif", "--json"),
    ],
)
def test_XC_08_options_that_mean_nothing_are_usage_errors(
    written: Desk, options: tuple[str, ...]
) -> None:
    assert written.run("check", "book", *options, expect=2).out == ""


def judge(**said: str) -> TellingAuthor:
    return TellingAuthor({"later_quote": "", "earlier_quote": "", "reason": "", **said})


QUOTED = {
    "later_quote": "she was the pilot of the harbour",
    "earlier_quote": "the baker of the town",
}


def judged(desk: Desk, author: TellingAuthor) -> list[dict[str, Any]]:
    ran = desk.run("check", "book", "--story", "--evaluate", "--json", backend=author, expect=5)
    return [one for one in ran.value["findings"] if one["rule"] == "J1"]


def test_a_judged_contradiction_with_both_quotes_is_an_error_and_is_paid_once(
    desk: Desk, book: ProjectFolder
) -> None:
    author = judge(verdict="contradiction", reason="One cannot be both.", **QUOTED)
    (found,) = judged(desk, author)
    assert found["severity"] == "error"
    assert found["message"].endswith("One cannot be both.")
    assert [step.rpartition("/")[0] for step in author.steps] == ["story/judge"]
    again = judge(verdict="development")
    assert judged(desk, again) == [found]
    assert again.asked == []
    assert book.records("sent")[-1]["step"].startswith("story/judge/")


@pytest.mark.parametrize(
    "said",
    [
        {"verdict": "contradiction"},
        {"verdict": "contradiction", **QUOTED, "later_quote": "she was the queen of the harbour"},
        {"verdict": "perhaps"},
    ],
)
@pytest.mark.usefixtures("book")
def test_a_verdict_without_words_on_both_sides_goes_to_the_author(
    desk: Desk, said: dict[str, str]
) -> None:
    (found,) = judged(desk, judge(**said))
    assert found["severity"] == "warning"


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize("verdict", ["development", "figurative"])
def test_what_can_be_so_is_no_finding(desk: Desk, verdict: str) -> None:
    assert judged(desk, judge(verdict=verdict)) == []


AGES = {
    1: [("Ada Quell", "age", "34", "She had worked as the baker of the town")],
    2: [("Ada", "age", "31", "Ada wiped her brown eyes")],
}


@pytest.mark.parametrize(
    ("said", "expect", "left"),
    [
        ({"verdict": "development"}, 0, []),
        ({"verdict": "unclear"}, 0, [("J1", "warning")]),
        (
            {
                "verdict": "contradiction",
                "later_quote": "Ada wiped her brown eyes",
                "earlier_quote": "worked as the baker",
            },
            5,
            [("J1", "error")],
        ),
    ],
    ids=["development", "unclear", "contradiction"],
)
def test_what_a_rule_is_not_sure_of_is_a_warning_until_a_model_settles_it(
    desk: Desk, said: dict[str, str], expect: int, left: list[tuple[str, str]]
) -> None:
    desk.create(backend=TellingAuthor(stated=AGES))
    assert [(one["rule"], one["severity"]) for one in findings(desk, expect=0)] == [
        ("R2", "warning")
    ]
    author = TellingAuthor({"later_quote": "", "earlier_quote": "", "reason": "", **said}, AGES)
    ran = desk.run(
        "check", "book", "--story", "--evaluate", "--json", backend=author, expect=expect
    )
    assert [(one["rule"], one["severity"]) for one in ran.value["findings"]] == left


CALM = {1: [("Ada Quell", "hair", "red", "Her green eyes watered in the wind")], 2: []}
NOTICED = [
    ("Rain came over the hill", "nobody had asked them to leave", "The boats cannot have left."),
    ("Rain came over the hill", "the sky was clear all week", "It was clear."),
    ("a passage that stands nowhere", "the boats lay", "It is not there."),
]


@pytest.mark.parametrize(
    ("verdict", "expect", "left"),
    [
        ("development", 0, []),
        ("contradiction", 5, [("J1", "error", "chapters/01.md"), ("R17", "warning", None)]),
    ],
)
def test_what_the_reader_of_a_chapter_notices_is_a_warning_until_a_model_settles_it(
    desk: Desk, verdict: str, expect: int, left: list[tuple[str, str, str | None]]
) -> None:
    desk.create(backend=TellingAuthor(stated=CALM, noticed=NOTICED))
    found = findings(desk, expect=0)
    assert [(one["rule"], one["message"]) for one in found] == [
        ("R17", "The boats cannot have left."),
        ("R17", "It was clear."),
    ]
    assert [one["other"] and one["other"]["line"] for one in found] == [5, None]
    quotes = {"later_quote": NOTICED[0][0], "earlier_quote": NOTICED[0][1]}
    author = TellingAuthor({"verdict": verdict, "reason": "", **quotes}, CALM)
    ran = desk.run(
        "check", "book", "--story", "--evaluate", "--json", backend=author, expect=expect
    )
    settled = [
        (one["rule"], one["severity"], one["other"] and one["other"]["file"])
        for one in ran.value["findings"]
    ]
    assert settled == left
    assert f"Decided by a model: 2 {verdict}." in ran.err


@pytest.mark.usefixtures("book")
def test_the_stand_in_author_judges_nothing(desk: Desk) -> None:
    ran = desk.run("check", "book", "--story", "--evaluate", "--mock", expect=5)
    assert "warning J1: Ada Quell: baker in chapter 1, pilot in chapter 2" in ran.out
    assert "Decided by a model: 1 unclear" in ran.err


@pytest.mark.usefixtures("book")
def test_bar_23_judging_keeps_to_the_caps(desk: Desk) -> None:
    desk.environment["LIBRISCRIBE2_BUDGET__MAX_CALLS"] = "1"
    ran = desk.run("check", "book", "--story", "--evaluate", "--mock", expect=8)
    assert ran.out == ""


def test_the_report_card_counts_contradictions(written: Desk) -> None:
    figures = written.run("report", "book", "--json").value["figures"]
    (found,) = [one for one in figures if one["name"] == "contradictions"]
    assert (found["value"], found["level"], found["group"]) == (1, "amber", "continuity")
    assert (found["places"][0]["file"], found["places"][0]["line"]) == ("chapters/02.md", 3)


def test_a_book_of_facts_without_text_has_nothing_to_compare(desk: Desk) -> None:
    desk.written("--until", "outline", "--category", "Business")
    ran = desk.run("check", "book", "--story")
    assert "0 chapters beside 0 notes: 0 errors" in ran.err
    told = desk.run("check", "book", "--story", "--json").value
    assert (told["consistent"], told["facts"], told["findings"]) == (True, 0, [])
