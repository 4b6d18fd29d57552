"""What is written about the program is true of the program."""

import re
import shlex
import tomllib
from importlib import resources
from pathlib import Path
from typing import Final

import pytest
from tests.docs.help_page import PAGE, ROOT, help_of, loaded
from tests.docs.reference_pages import JSON_PAGE, json_page, pages
from typer.testing import CliRunner

from libriscribe2 import errors
from libriscribe2.agents.agent_advisor import AdvisorAgent, CoverPainter
from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_book_reviewer import BookReviewer
from libriscribe2.agents.agent_continuity_evaluator import ContinuityEvaluator
from libriscribe2.agents.agent_importer import ManuscriptReader
from libriscribe2.agents.agent_mender import MenderAgent
from libriscribe2.agents.agent_passage_evaluator import PassageEvaluator
from libriscribe2.cli.root import app
from libriscribe2.cli.table import COMMANDS, Entry
from libriscribe2.engine.stages import all_stages
from libriscribe2.errors import LibriScribeError

README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE = ROOT / "docs" / "reference"
AGENTS = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMES = {entry.name for entry in COMMANDS}
CONSULTED: tuple[type[Agent], ...] = (
    ManuscriptReader,
    ContinuityEvaluator,
    PassageEvaluator,
    BookReviewer,
    AdvisorAgent,
    CoverPainter,
    MenderAgent,
)
"""Agents that are no stages."""


def table_under(file: Path, heading: str) -> list[list[str]]:
    """The rows of the first table under a heading of a page."""
    whole = file.read_text(encoding="utf-8")
    text = whole.partition(f"# {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return rows[1:]


def commands_in(text: str) -> list[list[str]]:
    """Every command line `libriscribe2 ...` in code of a text."""
    code = re.findall(r"```\n(.*?)```", text, re.DOTALL) + re.findall(r"`([^`\n]+)`", text)
    lines = [line for part in code for line in part.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("libriscribe2 ")]


PAGES: Final = pages()


@pytest.mark.parametrize("path", sorted(PAGES), ids=lambda path: path.name)
def test_DO_a_page_made_from_the_code_is_current(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == PAGES[path], "run `make docs`"


@pytest.mark.slow
def test_DO_the_page_of_json_is_what_the_commands_print(tmp_path: Path) -> None:
    pages = JSON_PAGE.read_text(encoding="utf-8"), json_page(tmp_path)
    kept, made = (re.sub(r"[0-9a-f]{64}|\d+", "0", page) for page in pages)  # sizes come and go
    assert kept == made, "run `make docs`"


def test_DO_no_schema_is_left_of_a_file_that_is_gone() -> None:
    assert {*(REFERENCE / "schemas").iterdir()} <= PAGES.keys()


def test_DO_the_readme_is_one_page() -> None:
    assert len(README.split()) <= 450


@pytest.mark.parametrize(
    "page",
    sorted({ROOT / "README.md", *(ROOT / "docs").rglob("*.md")}),
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_DO_links_of_the_pages_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", text)
    assert not [to for to in targets if not (page.parent / to).exists()]


def test_DO_a_link_to_a_part_of_a_page_leads_to_a_heading() -> None:
    gone = []
    for page in sorted({ROOT / "README.md", *(ROOT / "docs").rglob("*.md")}):
        for target, part in re.findall(
            r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)", page.read_text("utf-8")
        ):
            text = (page.parent / target if target else page).read_text(encoding="utf-8")
            heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
            names = {
                re.sub(r"[^\w -]", "", head.lower()).strip().replace(" ", "-") for head in heads
            }
            gone += [f"{page.name}: {target}#{part}"] if part not in names else []
    assert not gone


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_DO_every_command_is_documented(entry: Entry) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert (f"`{entry.name}`" if entry.hidden else f"## libriscribe2 {entry.name}\n") in text


@pytest.mark.parametrize(
    "entry", [entry for entry in COMMANDS if not entry.hidden], ids=lambda entry: entry.name
)
def test_DO_the_list_says_what_the_command_says_of_itself(entry: Entry) -> None:
    paragraph = " ".join(loaded(entry).help.partition("\n\n")[0].split())
    assert re.split(r"(?<=\.) |;", paragraph)[0].rstrip(".") == entry.help.rstrip(".")


@pytest.mark.parametrize(
    "entry", [entry for entry in COMMANDS if entry.hidden], ids=lambda entry: entry.name
)
def test_DO_an_older_name_is_the_same_command(entry: Entry) -> None:
    name = re.search(r"`(.+)`", entry.help)
    assert name is not None
    present, *more = name[1].split()
    (twin,) = [one for one in COMMANDS if one.name == present and not one.hidden]
    assert twin.target == entry.target or more


def test_DO_commands_of_the_readme_exist() -> None:
    lines = commands_in(README)
    assert len(lines) >= 4
    for words in lines:
        assert words[0] in NAMES, words
        known = help_of(words[0])
        assert all(word in known for word in words if word.startswith("--")), words


def test_DO_the_readmes_table_names_real_commands_and_options() -> None:
    rows = table_under(REFERENCE / "commands.md", "Commands")
    code = [part for row in rows for part in re.findall(r"`([^`]+)`", row[0])]
    named = {part.split()[0] for part in code}
    assert named == NAMES - {entry.name for entry in COMMANDS if entry.hidden}
    for part in code:
        command, *rest = part.split()
        own = [command, *(word for word in rest if word.isalpha() and word.islower())]
        shown = help_of(*own)
        for option in re.findall(r"--[a-z-]+", " ".join(rest)):
            assert option in shown, part


def test_DO_what_the_package_shares_is_what_shells_systems_and_pages_read() -> None:
    share = ROOT / "share"
    unit = (share / "systemd" / "libriscribe2-worker.service").read_text(encoding="utf-8")
    assert f"```ini\n{unit}```" in (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    # zsh reads the first line alone for what a file completes.
    zsh = (share / "completions" / "libriscribe2.zsh").read_text(encoding="utf-8")
    assert zsh.startswith("#compdef libriscribe2\n")
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    shared = {ROOT / name for name in build["build"]["targets"]["wheel"]["shared-data"]}
    assert {path for path in share.rglob("*") if path.is_file()} <= shared
    assert all(path.is_file() for path in shared)


def test_XC_02_the_readmes_dependencies_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {re.split(r"[<>=!~\[; ]", line)[0] for line in project["dependencies"]}
    rows = table_under(ROOT / "docs" / "developing.md", "Dependencies")
    named = [name.strip() for row in rows for name in row[0].split(",")]
    assert sorted(named) == sorted(wanted)
    assert all(row[1].strip() for row in rows)


def test_DO_the_readmes_exit_codes_are_those_of_the_error_tree() -> None:
    page = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    line = re.search(r"^Exit codes: (.*)\.$", page, re.MULTILINE)
    assert line is not None
    told = {int(part.split()[0]) for part in line[1].split(", ")}
    tree = {
        value.exit_code
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, LibriScribeError)
    }
    assert told == tree | {0, 130}


def test_DO_make_targets_of_the_texts_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)`", README + AGENTS, re.MULTILINE)
    assert {first or second for first, second in named} <= targets


def test_DO_files_that_the_texts_for_developers_name_exist() -> None:
    package = ROOT / "src" / "libriscribe2"
    named = set(re.findall(r"`([a-z_0-9]+/[a-z_0-9/]*(?:\.py|/)?)`", AGENTS + ARCHITECTURE))
    assert len(named) >= 20
    gone = [name for name in named if not (package / name).exists() and not (ROOT / name).exists()]
    assert not gone


def test_DO_agents_md_can_be_read_in_five_minutes() -> None:
    assert len(AGENTS.split()) <= 900
    assert len(re.findall(r"^\d+\. \*\*", AGENTS, re.MULTILINE)) <= 12


@pytest.mark.parametrize("file", ["docs/reference/settings-layers.md", ".env.example"])
def test_DO_variables_that_are_named_are_settings(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    given = dict(re.findall(r"(LIBRISCRIBE2_[A-Z_]+)=([^`\s]+)", text))
    assert given
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["config", "show", "--json"], env=given)
    assert result.exit_code == 0, result.output


def test_DO_every_prompt_belongs_to_an_agent_and_every_asking_agent_has_one() -> None:
    files = [file.name for file in resources.files("libriscribe2.prompts").iterdir()]
    prompts = {name.split(".")[0] for name in files if name.endswith(".md")}
    asking = (*(agent for agent in all_stages() if agent.asks_model), *CONSULTED)
    named = {name for agent in asking for name in agent.prompts or (agent.name,)}
    assert named == prompts
