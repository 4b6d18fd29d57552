"""`debug`: what the models answered, and what was made of it, from the terminal."""

import json
import shutil
from pathlib import Path

import pytest
from tests.support.desk import Desk
from tests.support.review_book import KEYWORDS, REFUSED, make_book

from libriscribe2.replies.contract import EMPTY_REPLY


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_book(tmp_path_factory.mktemp("debug") / "desk")


@pytest.fixture
def book(made: Path, tmp_path: Path) -> Desk:
    """A desk with a book whose replies were good and bad."""
    return Desk(shutil.copytree(made, tmp_path / "desk"))


def damage(desk: Desk) -> Path:
    """Put files among the dumps that are none."""
    folder = desk.project().debug
    (folder / "0901-concept-try1.json").write_text("", encoding="utf-8")
    (folder / "0902-concept-try1.json").write_text('{"debug_info": {"age', encoding="utf-8")
    old = '{"debug_info": {"agent_name": "ConceptGenerator", "raw_response": "x"}}'
    (folder / "concept.json").write_text(old, encoding="utf-8")
    return folder


def change(file: Path, **fields: object) -> None:
    """Write other fields into a dump."""
    content = json.loads(file.read_text(encoding="utf-8"))
    content["debug_info"].update(fields)
    file.write_text(json.dumps(content), encoding="utf-8")


def test_xc_06_problems_come_first(book: Desk) -> None:
    ran = book.run("debug", "list", "book")
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert rows[0] == ["file", "step", "try", "model", "state", "issues", "cost"]
    assert [row[1] for row in rows[1:3]] == ["concept/draft", "outline"]
    states = [row[4] for row in rows[1:]]
    assert states == sorted(states, key=["refused", "repaired", "clean"].index)
    assert any("trailing_comma" in row[5] for row in rows if row[1] == "concept/keywords")
    assert "2 problems." in ran.err


@pytest.mark.parametrize(
    ("option", "value", "steps"),
    [
        ("--state", "refused", {"concept/draft", "outline"}),
        ("--stage", "outline", {"outline"}),
        ("--agent", "outlineragent", {"outline"}),
        ("--issue", "validation", {"outline"}),
        ("--text", "KEYWORDS", {"concept/keywords"}),
        ("--model", "nobody", set()),
    ],
)
def test_xc_06_filters_narrow_the_list(
    book: Desk, option: str, value: str, steps: set[str]
) -> None:
    found = book.run("debug", "list", "book", option, value, "--json").value["calls"]
    assert {call["step"] for call in found} == steps


def test_xc_06_replies_in_fences_are_found_by_their_issue(book: Desk) -> None:
    fenced = {dump["step"] for dump in book.project().dumps() if "```" in dump["raw_response"]}
    options = ("--issue", "markdown_code_blocks", "--json")
    found = book.run("debug", "list", "book", *options).value["calls"]
    assert {call["step"] for call in found} == fenced
    assert "concept/keywords" in fenced


def test_xc_06_damaged_and_old_dumps_are_listed_as_such(book: Desk) -> None:
    damage(book)
    calls = book.run("debug", "list", "book", "--json").value["calls"]
    states = {call["file"]: (call["state"], call["fault"]) for call in calls}
    assert states["0901-concept-try1.json"] == ("damaged", "the file is empty")
    assert states["0902-concept-try1.json"][0] == "damaged"
    assert "Unterminated string" in states["0902-concept-try1.json"][1]
    assert states["concept.json"] == ("old", "it was not written by this program")
    assert "damaged: the file is empty" in book.run("debug", "list", "book").out
    assert "damaged" in book.run("debug", "show", "book", "901").out
    assert "is damaged" in book.run("debug", "diff", "book", "902").err
    stats = book.run("debug", "stats", "book", "--json").value
    assert stats["unread_dumps"] == 3
    outcomes = book.run("debug", "replay", "book", "--json").value["counts"]
    assert outcomes["not replayed"] == 3
    assert outcomes["differs"] == 0


def test_xc_06_show_tells_the_whole_call(book: Desk) -> None:
    told = book.run("debug", "show", "book", "1").out
    assert REFUSED in told
    assert "== system" in told
    assert "== refused, with this feedback to the model" in told
    value = book.run("debug", "show", "book", "1", "--json").value
    assert value["state"] == "refused"
    assert value["dump"]["raw_response"] == REFUSED
    missing = book.run("debug", "show", "book", "999", expect=2)
    assert "There is no dump 999" in missing.err


def test_xc_06_diff_marks_what_was_removed_and_what_was_read(book: Desk) -> None:
    number = next(
        call["number"]
        for call in book.run("debug", "list", "book", "--json").value["calls"]
        if call["step"] == "concept/keywords"
    )
    told = book.run("debug", "diff", "book", str(number)).out
    assert "[-Here are the keywords:" in told
    assert "[-,-]" in told
    pieces = book.run("debug", "diff", "book", str(number), "--json").value["pieces"]
    assert "".join(text for kind, text in pieces if kind != "new") == KEYWORDS
    clean = json.loads("".join(text for kind, text in pieces if kind != "gone"))
    assert clean["primary_keywords"] == ["lamp", "sea"]


def test_xc_06_diff_of_a_refused_reply_has_nothing_clean(book: Desk) -> None:
    ran = book.run("debug", "diff", "book", "1")
    assert ran.out == f"[-{REFUSED}-]\n"
    assert "nothing was read from it" in ran.err
    assert book.run("debug", "diff", "book", "1", "--json").value["pieces"] is None


def test_xc_06_diff_of_a_clean_reply_says_so(book: Desk) -> None:
    calls = book.run("debug", "list", "book", "--stage", "chapters", "--json").value["calls"]
    scene = next(call for call in calls if call["step"] == "chapters/ch01/scene01")
    ran = book.run("debug", "diff", "book", str(scene["number"]))
    assert "Nothing was removed" in ran.err


def test_xc_06_replay_reproduces_what_the_run_wrote(book: Desk) -> None:
    ran = book.run("debug", "replay", "book", "--json")
    assert set(ran.value["counts"]) == {"same", "differs", "not replayed"}
    assert ran.value["counts"]["same"] == len(ran.value["calls"]) > 10
    project = book.project()
    clean = {dump["step"]: dump["clean"] for dump in project.dumps() if not dump["feedback"]}
    concept = project.json("concept.json")
    assert clean["concept/refine"] == concept["concept"]
    assert clean["concept/keywords"] == concept["keywords"]
    for step in ("characters", "world", "outline"):
        assert clean[step] == project.json(f"{step}.json")
    summary = project.text(".libriscribe/summaries/01.md").strip()
    assert clean["canon/ch01"]["summary"].strip() == summary


def test_xc_06_replay_says_what_would_come_out_differently(book: Desk) -> None:
    files = sorted(book.project().debug.glob("*.json"))
    change(files[1], clean={"title": "Another"})
    change(files[0], feedback="")
    ran = book.run("debug", "replay", "book", expect=5)
    assert "2 replies would be read differently" in ran.err
    rows = dict(line.split("\t")[::2] for line in ran.out.splitlines()[1:])
    assert rows[files[1].name].startswith("clean.title: 'Another' is now ")
    assert rows[files[0].name].startswith("verdict: 'success' is now 'error'")
    told = book.run("debug", "replay", "book", "--json", expect=5)
    changed = [call for call in told.value["calls"] if call["likeness"] == "differs"]
    assert [change["field"] for change in changed[1]["changes"]] == ["clean"]


def test_xc_06_one_dump_and_a_folder_of_dumps_are_replayed(book: Desk, tmp_path: Path) -> None:
    files = sorted(book.project().debug.glob("*.json"))
    one = book.run("debug", "replay", str(files[1]), "--json").value
    assert one["counts"] == {"same": 1, "differs": 0, "not replayed": 0}
    apart = tmp_path / "elsewhere"
    apart.mkdir()
    for file in files[:3]:
        (apart / file.name).write_bytes(file.read_bytes())
    assert book.run("debug", "replay", str(apart), "--json").value["counts"]["same"] == 3
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no dumps" in book.run("debug", "replay", str(empty), expect=2).err


def test_xc_06_cut_and_empty_replies_are_replayed_as_refusals(book: Desk) -> None:
    files = sorted(book.project().debug.glob("*.json"))
    cut = {"finish_reason": "length", "feedback": "There is more room now.", "clean": None}
    change(files[1], **cut, formatting_issues=[], repairs=[])
    change(files[2], raw_response="<think>x</think>", feedback=EMPTY_REPLY, clean=None)
    assert book.run("debug", "replay", "book", "--json").value["counts"]["differs"] == 0
    change(files[1], feedback="")
    changed = book.run("debug", "replay", str(files[1]), "--json", expect=5).value["calls"][0]
    assert changed["changes"][0]["field"] == "verdict"


@pytest.mark.parametrize(
    ("reader", "reason"),
    [
        (None, "does not say how it was read"),
        ({"shape": "os:PathLike"}, "no shape os:PathLike"),
        ({"shape": "nowhere.at_all:Thing"}, "no shape nowhere.at_all:Thing"),
        ({"min_words": "many"}, "damaged"),
        ({"min_words": 1e999}, "damaged"),
        ({"shape": "libriscribe2.models.story:TitleFile", "limits": {"title": 3}}, "damaged"),
        (
            {
                "shape": "libriscribe2.models.story:TitleFile",
                "limits": {"title": {"maxLength": "x"}},
            },
            "damaged",
        ),
    ],
)
def test_xc_06_a_dump_that_cannot_be_replayed_says_why(
    book: Desk, reader: object, reason: str
) -> None:
    file = min(book.project().debug.glob("*.json"))
    change(file, reader=reader)
    found = book.run("debug", "replay", str(file), "--json").value["calls"][0]
    assert found["likeness"] == "not replayed"
    assert reason in found["reason"]


def test_ov_46_stats_have_numerators_and_denominators(book: Desk) -> None:
    rates = book.run("debug", "stats", "book", "--json").value["rates"]
    overall = {rate["name"]: rate for rate in rates if not rate["agent"]}
    assert (
        overall["json_extraction_success"]["count"] + 1 == overall["json_extraction_success"]["of"]
    )
    assert overall["validation_failure"]["count"] == 1
    assert overall["cleanup_effectiveness"]["of"] - overall["cleanup_effectiveness"]["count"] == 1
    own = [rate for rate in rates if rate["agent"] == "OutlinerAgent"]
    assert {rate["model"] for rate in own} == {"demo"}
    assert "validation_failure\t1\t2\t50.0%\tOutlinerAgent\tdemo" in (
        book.run("debug", "stats", "book").out
    )


def test_xc_11_what_models_say_cannot_steer_the_terminal(book: Desk) -> None:
    file = min(book.project().debug.glob("*.json"))
    evil = "\x1b]52;c;evil\x07[bold]x[/nope] \u202e"
    change(file, raw_response=evil, stage=evil, step=evil, model=evil)
    for command in (("list", "book"), ("show", "book", "1"), ("diff", "book", "1")):
        out = book.run("debug", *command).out
        assert "\x1b" not in out
        assert "\u202e" not in out
        assert "[bold]" in out


def test_xc_06_a_number_is_not_a_truth_value_to_replay(book: Desk) -> None:
    file = min(book.project().debug.glob("*-canon-*.json"))
    clean = json.loads(file.read_text(encoding="utf-8"))["debug_info"]["clean"]
    assert clean["facts"][0]["scene"] == 1
    clean["facts"][0]["scene"] = True
    change(file, clean=clean)
    found = book.run("debug", "replay", str(file), "--json", expect=5).value["calls"][0]
    assert [one["field"] for one in found["changes"]] == ["clean"]


def test_xc_06_a_state_that_there_is_not_is_told(book: Desk) -> None:
    told = book.run("debug", "list", "book", "--state", "broken", expect=2).err
    assert "Choose one of refused, damaged, old, repaired, clean." in told


def test_dumps_that_stayed_behind_when_a_project_was_moved_are_missed(book: Desk) -> None:
    book.project().root.rename(book.folder / "projects/other")
    (book.folder / "debug").rename(book.folder / "left-behind")
    for command in (("debug", "list", "other"), ("debug", "stats", "other")):
        told = book.run(*command).err
        assert "are not here: there is no folder debug/other." in told
    (book.folder / "left-behind").rename(book.folder / "debug")
    assert "are not here" not in book.run("debug", "list", "other").err
