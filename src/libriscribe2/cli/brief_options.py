"""From the options of `create` to a brief, and from a conversation to the same options."""

import shlex
from collections.abc import Mapping
from typing import Any

import typer
from pydantic import ValidationError

from libriscribe2.errors import UsageError
from libriscribe2.models.brief import Brief

OPTION_OF = {
    "premise": "PREMISE",
    "audience": "--target-audience",
}


def brief_from(options: Mapping[str, Any]) -> Brief:
    """The brief that the options ask for; None is an option that was not given.

    Raises:
        UsageError: A value is wrong; the error names the option.
    """
    given = {key: value for key, value in options.items() if value is not None}
    try:
        return Brief.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = str(first["loc"][0])
        option = OPTION_OF.get(key, f"--{key.replace('_', '-')}")
        why = str(first["msg"]).removeprefix("Value error, ")
        raise UsageError(
            f"{option} {first.get('input')!r} cannot be used.",
            why=why,
            fix="See `libriscribe2 create --help`.",
        ) from error


def ask_for_brief(options: Mapping[str, Any]) -> dict[str, Any]:
    """Ask a few questions about what the options leave open.

    Returns:
        The options with the answers.
    """
    answers = dict(options)
    answers["premise"] = typer.prompt("What is your book about?", err=True)
    questions = (
        ("category", "Fiction, or a kind of non-fiction such as Business", "Fiction"),
        ("genre", "Genre (may be empty)", ""),
        ("language", "Language", "English"),
        ("chapters", "How many chapters, such as 10 or 8-12", "12"),
    )
    for key, question, default in questions:
        if answers.get(key) is None:
            answers[key] = typer.prompt(question, default=default, err=True)
    return answers


def equal_command(options: Mapping[str, Any]) -> str:
    """The command line that says the same as the answers; None and "" need no option."""
    words = ["libriscribe2", "create", str(options["premise"])]
    for key, value in options.items():
        name = OPTION_OF.get(key, f"--{key.replace('_', '-')}")
        if isinstance(value, bool):
            words.append(name if value else f"--no-{name[2:]}")
        elif key != "premise" and value not in (None, ""):
            words += [name, str(value)]
    return shlex.join(words)
