"""What can be said before a command's name, and what the reading commands cost."""

import json
import re

import pytest
from tests.support.authors import Author
from tests.support.desk import PREMISE, SMALL, Desk

from libriscribe2 import __version__
from libriscribe2.cli.table import COMMANDS


def test_XC_08_the_version(desk: Desk) -> None:
    assert desk.run("--version").out == f"libriscribe2 {__version__}\n"
    assert desk.run("-V").out == f"libriscribe2 {__version__}\n"


def test_XC_08_help_lists_every_command_in_one_line(desk: Desk) -> None:
    out = desk.run("--help").out
    for entry in COMMANDS:
        listed = re.search(rf"^  {entry.name} +{re.escape(entry.help[:30])}", out, re.MULTILINE)
        assert (listed is None) is entry.hidden, entry.name


def test_XC_08_no_arguments_show_the_help(desk: Desk) -> None:
    assert "libriscribe2 demo" in desk.run().out


def test_XC_08_quiet_says_only_what_is_wrong(desk: Desk) -> None:
    ran = desk.run("--quiet", "create", PREMISE, "--mock", "-p", "book", *SMALL)
    assert ran.err == ""
    assert ran.out.splitlines()[-1] == "projects/book/manuscript.md"
    assert desk.run("-q", "resume", "nobody", expect=3).err.startswith("error: ")


@pytest.mark.slow
def test_XC_08_a_bug_is_one_line_and_its_traceback_is_shown_on_request(desk: Desk) -> None:
    broken = {"LIBRISCRIBE2_PROJECTS_DIR": str(desk.folder)}
    (desk.folder / "sitecustomize.py").write_text(
        "import libriscribe2.commands.installation as a\n"
        "def broken():\n    secret = 'sk-local'\n    raise RuntimeError('boom')\n"
        "a.all_stages = broken\n",
        encoding="utf-8",
    )
    path = desk.whole_environment()["PYTHONPATH"]
    env = broken | {"PYTHONPATH": f"{desk.folder}:{path}"}
    ran = desk.run_apart("agents", env=env, expect=1)
    assert "this is a bug in LibriScribe2: RuntimeError: boom" in ran.err
    assert "--debug" in ran.err
    assert "Traceback" not in ran.err
    ran = desk.run_apart("--debug", "agents", env=env, expect=1)
    assert "Traceback (most recent call last)" in ran.err
    assert "sk-local'" in ran.err or "sk-local" not in ran.err
    assert "secret =" not in ran.err


QUIET = (
    ("--help",),
    ("create", "--help"),
    ("agents",),
    ("tools",),
    ("status", "book"),
    ("config", "show"),
    ("resume", "book", "--until", "concept"),
)
WRITTEN = ("create", PREMISE, "--mock", "-p", "whole", *SMALL)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], tuple[int, set[str]]]:
    """Exit code of each of these commands, and what was loaded by the end of it."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.written("--until", "concept")
    program = ("-m", "tests.support.loaded_modules")
    ran = desk.run_apart(json.dumps([*QUIET, WRITTEN]), program=program)
    return {
        command: (code, set(modules))
        for command, (code, modules) in zip([*QUIET, WRITTEN], ran.value, strict=True)
    }


@pytest.mark.parametrize("command", QUIET)
def test_XC_08_litellm_is_not_loaded_where_no_model_is_called(
    loaded: dict[tuple[str, ...], tuple[int, set[str]]], command: tuple[str, ...]
) -> None:
    code, modules = loaded[command]
    assert code == 0
    assert "typer" in modules
    assert not {"litellm", "openai", "tiktoken"} & modules


def test_a_book_that_is_written_alone_loads_nothing_of_batches(
    loaded: dict[tuple[str, ...], tuple[int, set[str]]],
) -> None:
    code, modules = loaded[WRITTEN]
    assert code == 0
    assert "libriscribe2.engine" in modules
    assert not [name for name in modules if name.startswith("libriscribe2.batch")]


def test_XC_03_agents_lists_the_stages_in_running_order(desk: Desk) -> None:
    rows = desk.run("agents", "--json").value
    names = [row["stage"] for row in rows]
    assert names == [
        "concept", "characters", "research", "world", "outline", "style", "scenes",
        "drafts", "chapters", "canon", "summaries", "title", "manuscript",
    ]  # fmt: skip
    assert rows[-1] | {"reads": 0} == {
        "stage": "manuscript",
        "agent": "ManuscriptAgent",
        "reads": 0,
        "writes": "manuscript.md",
        "per_chapter": False,
        "asks_model": False,
        "also_called": ["formatting"],
    }
    table = desk.run("agents").out.splitlines()
    assert table[0] == "stage\tagent\treads\twrites\talso called"
    shown = [name.replace("canon", "story_bible") for name in names]
    assert [line.partition("\t")[0] for line in table[1:]] == shown


def test_XC_03_models_shows_the_model_of_every_stage(desk: Desk) -> None:
    desk.written("--until", "concept")
    book = desk.project()
    given = '[models]\noutline = ["openai/a", "openai/b"]\nkeyword_generation = "openai/c"\n'
    book.write("book.toml", book.text("book.toml") + given)
    desk.environment["OPENAI_API_KEY"] = "sk-1"
    record = desk.run("models", "book", "--json").value
    rows = {row["stage"]: row for row in record["stages"]}
    assert record["default"]["model"] == "demo"
    assert (rows["outline"]["model"], rows["outline"]["fallbacks"]) == ("openai/a", ["openai/b"])
    assert rows["concept"]["model"] == "openai/c"
    assert rows["chapters"]["model"] == "demo"
    assert "OpenAI" in record["providers_with_key"]
    assert "manuscript" not in rows
    ran = desk.run("models", "--model", "openai/x")
    assert "outline\topenai/x\t" in ran.out
    assert "default: openai/x (named explicitly)" in ran.err
    assert "key found: OpenAI" in ran.err


def test_XC_13_status_counts_what_the_book_took(desk: Desk) -> None:
    author = Author()
    desk.create("--no-revision", backend=author)
    record = desk.run("status", "book", "--json").value
    assert record["calls"] == len(author.asked) == 14
    assert record["chapters"] == 2
    assert record["cost_usd"] == 0
    table = desk.run("status", "book")
    assert "chapters/02.md\tup to date\t\n" in table.out
    assert "cost: $0.00" in table.out
    assert "Continue" not in table.err


def test_status_lists_the_programs_own_files_where_they_are_out_of_date(desk: Desk) -> None:
    desk.written("--no-revision")

    def own(*options: str) -> list[str]:
        rows = [one.split("\t") for one in desk.run("status", "book", *options).out.splitlines()]
        return [row[1] for row in rows if row[0].startswith(".libriscribe/")]

    assert (own(), set(own("--all"))) == ([], {"up to date"})
    desk.project().write("chapters/01.md", "# Mine\n\nMine.\n")
    assert own() == [state for state in own("--all") if state == "out of date"] != []
    assert "\nmanuscript.md\t" in desk.run("status", "book").out


def test_XC_04_status_writes_nothing(desk: Desk) -> None:
    desk.written("--until", "outline")
    folder = desk.project().root
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    ran = desk.run("status", "book")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    assert "chapters/*.md\tmissing\twaits for outline.json" not in ran.out
    assert "Continue with `libriscribe2 resume book`." in ran.err
    assert json.dumps(desk.run("status", "book", "--json").value)


def test_status_tells_people_words_and_machines_keys(desk: Desk) -> None:
    desk.written("--until", "outline")
    told = desk.run("status", "book").out
    assert "words: no chapter yet" in told
    assert "tokens: " in told
    for key in ("failed_calls", "input_tokens", "cost_usd", "damaged_records", "calls that failed"):
        assert key not in told
    record = desk.run("status", "book", "--json").value
    assert {"failed_calls", "input_tokens", "cost_usd", "damaged_records"} <= set(record)


def test_a_stale_part_is_called_stale_once(desk: Desk) -> None:
    desk.written("--no-revision")
    book = desk.project()
    book.write("chapters/01.md", "# Mine\n\nMine.\n")
    lines = desk.run("status", "book").out.splitlines()
    (line,) = [one for one in lines if one.startswith("chapters/02.md\tout of date\t")]
    assert line.startswith("chapters/02.md\tout of date\tchapters/01.md changed")


def test_the_plan_is_listed_where_stages_are(desk: Desk) -> None:
    ran = desk.run("create", PREMISE, "--mock", "--until", "foo", expect=2)
    assert "scenes (plan)" in ran.err
    assert any("plan" in line.split("\t")[-1] for line in desk.run("agents").out.splitlines())
