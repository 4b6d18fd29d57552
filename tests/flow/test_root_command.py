"""What can be said before a command's name, and what the reading commands cost."""

import json
import re

import pytest
from tests.support.authors import Author
from tests.support.desk import PREMISE, SMALL, Desk

from libriscribe2 import __version__
from libriscribe2.cli.commands import COMMANDS


def test_XC_08_the_version(desk: Desk) -> None:
    assert desk.run("--version").out == f"libriscribe2 {__version__}\n"
    assert desk.run("-V").out == f"libriscribe2 {__version__}\n"


def test_XC_08_help_lists_every_command_in_one_line(desk: Desk) -> None:
    out = desk.run("--help").out
    for entry in COMMANDS:
        listed = re.search(rf"^  {entry.name} +{re.escape(entry.help[:30])}", out, re.MULTILINE)
        assert (listed is None) is entry.hidden, entry.name


def test_XC_08_no_arguments_show_the_help(desk: Desk) -> None:
    ran = desk.run(expect=2)
    assert "libriscribe2 demo" in ran.out + ran.err


def test_XC_08_quiet_says_only_what_is_wrong(desk: Desk) -> None:
    ran = desk.run("--quiet", "create", PREMISE, "--mock", "-p", "book", *SMALL)
    assert ran.err == ""
    assert ran.out.splitlines()[-1] == "projects/book/manuscript.md"
    assert desk.run("-q", "resume", "nobody", expect=3).err.startswith("error: ")


def test_XC_08_a_bug_is_one_line_and_its_traceback_is_shown_on_request(desk: Desk) -> None:
    broken = {"LIBRISCRIBE2_PROJECTS_DIR": str(desk.folder)}
    (desk.folder / "sitecustomize.py").write_text(
        "import libriscribe2.cli.agents as a\n"
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


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("create", "--help"),
        ("agents",),
        ("tools",),
        ("status", "book"),
        ("config", "show"),
        ("resume", "book"),
    ],
)
def test_XC_08_litellm_is_not_loaded_where_no_model_is_called(
    desk: Desk, arguments: tuple[str, ...]
) -> None:
    desk.create("--until", "concept")
    if arguments[0] == "resume":
        arguments = (*arguments, "--until", "concept")
    ran = desk.run_apart(*arguments, program=("-X", "importtime", "-m", "libriscribe2"))
    loaded = {line.rpartition("|")[2].strip() for line in ran.err.splitlines()}
    assert "typer" in loaded
    assert not {"litellm", "openai", "tiktoken"} & loaded


def test_XC_03_agents_lists_the_stages_in_running_order(desk: Desk) -> None:
    rows = desk.run("agents", "--json").value
    names = [row["stage"] for row in rows]
    assert names == [
        "concept", "characters", "research", "style", "world", "outline", "scenes",
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
    assert table[0] == "stage\tagent\treads\twrites"
    assert [line.partition("\t")[0] for line in table[1:]] == names


def test_XC_03_models_shows_the_model_of_every_stage(desk: Desk) -> None:
    desk.create("--until", "concept")
    book = desk.project()
    given = '[models]\noutline = ["openai/a", "openai/b"]\nkeyword_generation = "openai/c"\n'
    book.write("book.toml", book.text("book.toml") + given)
    desk.environment["OPENAI_API_KEY"] = "sk-1"
    record = desk.run("models", "book", "--json").value
    rows = {row["stage"]: row for row in record["stages"]}
    assert record["default"]["model"] == "offline"
    assert (rows["outline"]["model"], rows["outline"]["fallbacks"]) == ("openai/a", ["openai/b"])
    assert rows["concept"]["model"] == "openai/c"
    assert rows["chapters"]["model"] == "offline"
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
    assert record["calls"] == len(author.asked) == 15
    assert record["chapters"] == 2
    assert record["cost_usd"] == 0
    table = desk.run("status", "book")
    assert "chapters/02.md\tfresh\tup to date" in table.out
    assert "cost_usd: $0.00" in table.out
    assert "resume" not in table.err


def test_XC_04_status_writes_nothing(desk: Desk) -> None:
    desk.create("--until", "outline")
    folder = desk.project().root
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    ran = desk.run("status", "book")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
    assert "chapters/*.md\tmissing\twaits for outline.json" not in ran.out
    assert "Go on with `libriscribe2 resume book`." in ran.err
    assert json.dumps(desk.run("status", "book", "--json").value)
