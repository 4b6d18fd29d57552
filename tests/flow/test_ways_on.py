"""Whatever ends a run before its time, the command that goes on with the book is told once."""

import shlex

import pytest
from tests.support.desk import PREMISE, SMALL, Desk
from tests.support.openai_replies import Fault
from tests.support.openai_server import OpenAIServer

# LiteLLM sets this filter itself when it is imported, and pytest takes it away after each test.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Accessing the .* attribute on the instance is deprecated",
    "ignore:.*`ReadOnly` qualifier",
)

INTERRUPTED_AT = """
import os, signal, sys

moments = [{moment}]

def strike(event, arguments):
    if moments and event == moments[0][0] and str(arguments[0]).endswith(moments[0][1]):
        moments.clear()
        os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(strike)
from libriscribe2.cli import main
main()
"""


@pytest.mark.parametrize(
    ("status", "code"), [(401, 4), (404, 4), (402, 7)], ids=["key", "model", "credit"]
)
def test_a_failed_first_call_says_how_to_go_on(desk: Desk, status: int, code: int) -> None:
    with OpenAIServer([Fault(status=status)]) as server:
        desk.environment |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-wrong-key"}
        words = ("create", PREMISE, "--model", "openai/x", "-p", "two words", *SMALL)
        told = desk.run(*words, "--until", "concept", expect=code).err
        command = "libriscribe2 resume 'two words'"
        assert told.count("libriscribe2 resume") == told.count(f"`{command}`") == 1
        desk.run(*shlex.split(command)[1:], "--until", "concept")


def interrupted(desk: Desk, moment: tuple[str, str], *words: str) -> str:
    """What a command says that is interrupted when something is imported or opened."""
    script = INTERRUPTED_AT.format(moment=moment)
    return desk.run_apart(*words, program=("-c", script), expect=130).err


@pytest.mark.slow
@pytest.mark.parametrize(
    "moment",
    [
        ("import", "libriscribe2.cli.root"),
        ("import", "libriscribe2.cli.run_output"),
        ("import", "libriscribe2.app"),
        ("open", "book.toml"),
        ("open", "journal.jsonl"),
        ("open", "run.log"),
    ],
)
def test_XC_08_an_interrupt_before_the_run_has_begun_says_how_to_go_on(
    desk: Desk, moment: tuple[str, str]
) -> None:
    desk.written("--until", "concept", name="two words")
    told = interrupted(desk, moment, "--quiet", "resume", "two words")
    assert told == "warning: Interrupted. Continue with `libriscribe2 resume 'two words'`.\n"


@pytest.mark.slow
def test_an_interrupt_before_there_is_a_project_says_nothing(desk: Desk) -> None:
    create = ("create", PREMISE, "--mock", "-p", "book", *SMALL)
    assert interrupted(desk, ("import", "libriscribe2.cli.run_output"), *create) == ""
    assert interrupted(desk, ("import", "libriscribe2.app"), *create) == ""
    assert not (desk.folder / "projects").exists()
