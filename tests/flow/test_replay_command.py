"""`replay`: a book out of its journal, and one prompt asked again."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk, ProjectFolder
from tests.support.openai_server import OpenAIServer

from libriscribe2.llm.backend import Request


def likeness(desk: Desk, *options: str, expect: int = 0) -> dict[str, str]:
    """How every rebuilt file stands to the book's own."""
    ran = desk.run("replay", "book", "--json", *options, expect=expect)
    return {file["file"]: file["likeness"] for file in ran.value["files"]}


def test_bar_14_a_book_comes_out_of_its_journal(desk: Desk) -> None:
    desk.written()
    ran = desk.run("replay", "book")
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert rows[0] == ["file", "rebuilt"]
    assert {row[1] for row in rows[1:]} == {"same"}
    assert "manuscript.md" in {row[0] for row in rows}
    assert "18 recorded replies, 0 calls." in ran.err


def test_bar_14_files_that_are_gone_are_made_as_recorded(desk: Desk) -> None:
    desk.written()
    desk.project().path("chapters/01.md").unlink()
    found = likeness(desk)
    assert found["chapters/01.md"] == "recorded"
    assert not desk.project().path("chapters/01.md").exists()


def assert_rebuilt(found: Mapping[str, str]) -> None:
    """All is the same; a reading that followed a change follows from the one before, too."""
    others = {name for name, one in found.items() if one != "same"}
    assert {name.rpartition("/")[0] for name in others} <= {".libriscribe/canon"}
    assert {found[name] for name in others} <= {"older"}


def test_bar_14_what_was_written_again_is_rebuilt_in_its_last_form(desk: Desk) -> None:
    desk.written()
    desk.run("redo", "book", "chapters", "--chapter", "1")
    desk.run("resume", "book", "--rewrite", "--yes")
    assert_rebuilt(likeness(desk))


def test_bar_14_stages_of_several_models_are_rebuilt(desk: Desk) -> None:
    desk.written("--until", "outline")
    book = desk.project()
    toml = book.text("book.toml")
    assert '"demo"' in toml
    book.write("book.toml", toml.replace('"demo"', '"lm_studio/x"'))
    author = Author()
    desk.run("resume", "book", "--mock", backend=author)
    assert author.asked
    assert set(likeness(desk).values()) == {"same"}


def test_bar_14_an_edit_is_copied_and_other_layout_is_no_difference(desk: Desk) -> None:
    desk.written()
    book = desk.project()
    book.write("chapters/02.md", "# My own\n\nI wrote this.\n")
    book.write("concept.json", book.text("concept.json").replace("    ", "\t"))
    desk.run("resume", "book", "--rewrite", "--yes")
    found = likeness(desk)
    assert found["chapters/02.md"] == "kept"
    assert found["concept.json"] == "layout"
    assert found["manuscript.md"] == "same"


def test_bar_14_what_its_inputs_no_longer_make_is_made_of_its_own_replies(desk: Desk) -> None:
    desk.written()
    desk.project().write("chapters/01.md", "# My own\n\nI wrote this.\n")
    book = desk.project()
    book.write("outline.json", book.text("outline.json").replace('summary": "', 'summary": "X '))
    found = likeness(desk)
    assert found.pop("chapters/01.md") == found.pop("outline.json") == "kept"
    assert found.pop("manuscript.md") == "older", "without the edits nothing makes it"
    assert found.pop("style.json") == "older", "a chapter that is kept is there first"
    assert found.pop(".libriscribe/canon/01.json") == "older", "it quotes the text that was edited"
    assert set(found.values()) == {"same"}


def test_bar_14_a_file_that_differs_is_exit_5_where_it_is_not_there_any_more(desk: Desk) -> None:
    desk.written()
    book = desk.project()
    book.write("book.toml", book.text("book.toml").replace('author = ""', 'author = "A. Keeper"'))
    assert likeness(desk)["manuscript.md"] == "older"
    book.path("manuscript.md").unlink()
    ran = desk.run("replay", "book", expect=5)
    assert "manuscript.md\tdiffers" in ran.out
    assert "a file differs" in ran.err


def test_bar_14_a_reply_that_is_gone_is_missed(desk: Desk) -> None:
    desk.written()
    journal = desk.project().path(".libriscribe/journal.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if b'"t":"done"' in line)
    journal.write_bytes(b"".join(lines[:last] + lines[last + 1 :]))
    ran = desk.run("replay", "book", expect=5)
    assert "the journal has no reply of demo to" in ran.err


def test_bar_14_to_wants_an_empty_folder(desk: Desk) -> None:
    desk.written()
    ran = desk.run("replay", "book", "--to", "projects", expect=2)
    assert "projects is not empty" in ran.err
    desk.run("replay", "book", "--to", "rebuilt")
    rebuilt = ProjectFolder(desk.folder / "rebuilt", desk.folder / "none")
    assert rebuilt.contents() == desk.project().contents()
    again = Author()
    desk.run("resume", str(rebuilt.root), backend=again)
    assert again.asked == []


def test_bar_14_the_projects_own_prompts_are_used(desk: Desk) -> None:
    desk.written("--until", "concept")
    prompts = desk.project().path("prompts")
    prompts.mkdir()
    source = Path(__file__).parents[2] / "src/libriscribe2/prompts"
    own = (source / "characters.md").read_text(encoding="utf-8")
    (prompts / "characters.md").write_text(f"{own}\nBe brief.\n", encoding="utf-8")
    desk.run("resume", "book")
    assert set(likeness(desk).values()) == {"same"}


@pytest.mark.parametrize(
    "options",
    [("--with", "demo"), ("--call", "1"), ("--with", "demo", "--call", "1", "--to", "x")],
)
def test_replay_with_and_call_belong_together(desk: Desk, options: tuple[str, ...]) -> None:
    desk.written("--until", "concept")
    ran = desk.run("replay", "book", *options, expect=2)
    assert "--with and --call go together" in ran.err


def test_replay_asks_a_recorded_prompt_again_and_keeps_nothing(desk: Desk) -> None:
    desk.written("--until", "concept")
    book = desk.project()
    before = {path: path.read_bytes() for path in desk.folder.rglob("*") if path.is_file()}
    author = Author(reply=lambda _request: "another critique")
    options = ("replay", "book", "--with", "demo", "--call", "2")
    ran = desk.run(*options, "--json", backend=author)
    assert ran.value["recorded"]["reply"] == book.dumps()[1]["raw_response"]
    assert ran.value["asked_again"]["reply"] == "another critique"
    assert [list(request.messages) for request in author.asked] == [book.dumps()[1]["prompt"]]
    told = desk.run(*options, backend=author)
    assert "another critique" in told.out
    assert book.dumps()[1]["raw_response"] in told.out
    assert {path: path.read_bytes() for path in desk.folder.rglob("*") if path.is_file()} == before


def test_replay_of_a_dump_that_is_not_there_says_which_are(desk: Desk) -> None:
    desk.written("--until", "concept")
    ran = desk.run("replay", "book", "--with", "demo", "--call", "99", expect=2)
    assert "they are numbered from 1 to 4" in ran.err
    for path in desk.project().debug.iterdir():
        path.unlink()
    ran = desk.run("replay", "book", "--with", "demo", "--call", "1", expect=2)
    assert "there are none" in ran.err


def test_replay_of_a_dump_without_a_prompt_is_refused(desk: Desk) -> None:
    desk.written("--until", "concept")
    first = min(desk.project().debug.glob("*.json"))
    first.write_text('{"debug_info": {"prompt": []}}', encoding="utf-8")
    ran = desk.run("replay", "book", "--with", "demo", "--call", "1", expect=3)
    assert "has no prompt" in ran.err


def test_replay_with_a_model_without_a_key_is_exit_4(desk: Desk) -> None:
    desk.written("--until", "concept")
    command = ("replay", "book", "--with", "anthropic/claude-sonnet-5", "--call", "1")
    ran = desk.run(*command, expect=4)
    assert "ANTHROPIC_API_KEY" in ran.err


def test_bar_14_chapters_that_were_moved_are_copied(desk: Desk) -> None:
    desk.written()
    desk.run("chapter", "move", "book", "1", "2")
    desk.run("resume", "book")
    found = likeness(desk)
    assert found["chapters/01.md"] == found["chapters/02.md"] == "kept"
    assert found["manuscript.md"] == "same"


@pytest.mark.parametrize(
    "edit",
    [
        ("insert", "book", "2", "--title", "The Storm", "--summary", "A storm takes the boat."),
        ("delete", "book", "2"),
        ("merge", "book", "1", "2"),
        ("rename", "book", "2", "Ebb"),
        ("split", "book", "1", "--paragraph", "2", "--title", "The Ebb"),
    ],
    ids=lambda edit: edit[0],
)
def test_bar_14_a_book_whose_chapters_were_changed_is_rebuilt(
    desk: Desk, edit: tuple[str, ...]
) -> None:
    desk.written()
    desk.run("chapter", *edit)
    found: dict[str, str] = {}
    for options in ((), ("--refresh",)):
        desk.run("resume", "book", *options)
        found = likeness(desk)
        assert found.pop("style.json") in ("same", "older"), (
            "chapters that are kept are there first"
        )
        assert set(found.values()) <= {"same", "kept"}
        assert found["manuscript.md"] == "same"
    if edit[0] == "insert":
        assert found["scenes.json"] == "kept"
        assert found["chapters/02.md"] == "same"


def test_bar_14_scenes_that_are_all_planned_again_are_rebuilt(desk: Desk) -> None:
    desk.written("--no-revision")
    desk.run("chapter", "insert", "book", "2", "--title", "The Storm", "--summary", "A storm.")
    desk.run("resume", "book")
    desk.run("redo", "book", "scenes")
    desk.run("resume", "book", "--rewrite", "--yes")
    found = likeness(desk)
    assert found.pop("outline.json") == "kept"
    assert_rebuilt(found)


# LiteLLM sets this filter itself when it is imported, and pytest takes it away after each test.
@pytest.mark.filterwarnings("ignore:Accessing the .* attribute on the instance is deprecated")
def test_replay_asks_a_model_over_http(desk: Desk) -> None:
    desk.written("--until", "concept")
    with OpenAIServer() as server:
        desk.environment |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-0123456789"}
        options = ("--with", "openai/x", "--call", "2", "--json")
        ran = desk.run("replay", "book", *options)
        assert len(server.posts) == 1
    assert ran.value["asked_again"]["model"] == "x"
    assert ran.value["asked_again"]["cost_usd"] is None
    assert ran.value["asked_again"]["usage"]["output_tokens"] > 0


def test_bar_14_of_an_unfinished_book_what_is_there_is_rebuilt(desk: Desk) -> None:
    desk.written("--until", "plan")
    ran = desk.run("replay", "book")
    rows = [line.split("\t") for line in ran.out.splitlines()[1:]]
    assert {row[1] for row in rows} == {"same"}
    assert "scenes.json" in {row[0] for row in rows}
    assert "The book is not finished: 7 files still to be made." in ran.err
    assert "`libriscribe2 resume book`" in ran.err
    assert desk.run("replay", "book", "--json").value["finished"] is False


def test_bar_14_a_question_that_got_no_usable_reply_is_not_asked_by_a_replay(desk: Desk) -> None:
    def silent(asked: Request) -> str | None:
        return "I would rather not." if asked.step.endswith("critique1") else None

    desk.create(backend=Author(reply=silent))
    assert {"chapters/ch01/critique1"} <= {one["step"] for one in desk.project().records("anew")}
    assert set(likeness(desk).values()) == {"same"}


def test_bar_14_what_the_author_lets_stand_later_changes_nothing_of_a_plan(desk: Desk) -> None:
    def goes_back(asked: Request) -> str | None:
        return outline if asked.step == "outline" else None

    size = ("--chapters", "8", "--words", "2400", "--scenes-per-chapter", "1")
    desk.create("--until", "plan", size=size)
    told = json.loads(desk.project().text("outline.json"))
    told["chapters"][6]["story_time"] = "day 1"
    outline = json.dumps(told)
    author = Author(reply=goes_back)
    desk.run("redo", "book", "outline", "--mock", backend=author)
    assert "outline/lint1" in author.steps
    desk.run("resume", "book", "--rewrite", "--yes", "--until", "plan", backend=author)
    toml = desk.project().text("book.toml")
    desk.project().write("book.toml", re.sub(r"(?m)^allow = .*$", 'allow = ["P11"]', toml))
    assert set(likeness(desk).values()) == {"same"}


def test_bar_14_a_judge_of_later_chapters_changes_nothing_of_a_book(desk: Desk) -> None:
    desk.written()
    desk.environment["LIBRISCRIBE2_REVISION__JUDGE"] = "true"
    assert set(likeness(desk).values()) == {"same"}
