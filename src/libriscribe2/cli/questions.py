"""What a person is asked: the premise, the brief, the model."""

import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import typer
from pydantic import ValidationError

from libriscribe2.cli.process import run_async
from libriscribe2.commands.new_book import brief_from, option_of
from libriscribe2.errors import UsageError
from libriscribe2.llm.default_model import LocalServer, choose_model, find_local_servers
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.models.brief import MOST_PREMISE, Brief
from libriscribe2.settings import Settings
from libriscribe2.wording import plain_fault

FROM_STDIN: Final = "-"
"""The premise that says to read one."""

_MOST_BYTES: Final = 8 * MOST_PREMISE


def premise_of(argument: str | None, option: str | None) -> str | None:
    """The premise that the command line gives; None where it gives none.

    Args:
        argument: PREMISE.
        option: `--description`, which means the same.

    Raises:
        UsageError: They say two things, or stdin holds something that is no text.
    """
    if argument and option and argument != option:
        raise UsageError(
            "PREMISE and --description say two things.",
            why="Both mean what the book is about.",
            fix="Give one of them.",
        )
    given = argument if argument is not None else option
    return _typed() if given == FROM_STDIN else given


def _typed() -> str:
    """What comes in on stdin."""
    try:
        return sys.stdin.buffer.read(_MOST_BYTES).decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise UsageError(
            "The premise on stdin is not UTF-8 text.",
            why=f"byte {error.start}: {error.reason}",
            fix="Save the text as UTF-8.",
        ) from error


def ask_for_brief(options: Mapping[str, Any]) -> dict[str, Any]:
    """Ask a few questions about what the options leave open, each until the answer can be used.

    Returns:
        The options with the answers.

    Raises:
        UsageError: An option is wrong; nothing was asked then.
    """
    brief_from({**options, "premise": "not known yet"})
    answers = dict(options)
    questions = (
        ("premise", "What is your book about?", None),
        ("category", "Category (Fiction, Business, History, Cookbook, ...)", "Fiction"),
        ("genre", "Genre (may be empty)", ""),
        ("language", "Language", "English"),
        ("chapters", "How many chapters, such as 10 or 8-12", "12"),
    )
    for key, question, default in questions:
        if key == "premise" or answers.get(key) is None:
            check = _usable(key)
            end = " " if question.endswith("?") else ": "
            answers[key] = typer.prompt(
                question, default=default, value_proc=check, err=True, prompt_suffix=end
            )
    return answers


def equal_command(options: Mapping[str, Any]) -> str:
    """The command line that says the same as the answers; None and "" need no option."""
    given: list[str] = []
    for key, value in options.items():
        name = option_of(key)
        if isinstance(value, bool):
            given.append(name if value else f"--no-{name[2:]}")
        elif isinstance(value, list):
            given += [word for one in value for word in (name, str(one))]
        elif key != "premise" and value not in (None, ""):
            given += [name, str(value)]
    premise = str(options["premise"])
    words = [*given, "--", premise] if premise.startswith("-") else [premise, *given]
    return shlex.join(["libriscribe2", "create", *words])


def _usable(key: str) -> Callable[[str], str]:
    """A check of an answer; a wrong one makes Typer say why and ask again."""

    def check(answer: str) -> str:
        try:
            Brief.model_validate({"premise": "not known yet", key: answer})
        except ValidationError as error:
            raise typer.BadParameter(plain_fault(error.errors(include_url=False)[0])) from error
        return answer

    return check


def local_servers() -> Sequence[LocalServer]:
    """The local servers whose model list answers; a third of a second at most.

    Raises:
        KeyboardInterrupt: Ctrl-C came, as it would anywhere else before a run.
    """
    try:
        return run_async(find_local_servers(), lambda: None)
    except typer.Exit as error:
        raise KeyboardInterrupt from error


def is_interactive(settings: Settings) -> bool:
    """Whether questions may be asked."""
    return not settings.no_input and sys.stdin.isatty() and sys.stderr.isatty()


def model_for(
    settings: Settings, *, probe: Callable[[], Sequence[LocalServer]] = local_servers
) -> ModelChoice:
    """The default model of a run, and why it is the one."""
    named = settings.models.default.model

    def consent(server: LocalServer) -> bool:
        question = f"{server.name} serves {server.models[0]} at {server.url}. Use it?"
        return not is_interactive(settings) or typer.confirm(question, default=True, err=True)

    return choose_model(named, os.environ, probe, consent)
