"""From the options of `create` to a brief, and from a conversation to the same options."""

import shlex
from collections.abc import Callable, Mapping
from typing import Any, Final

import typer
from pydantic import ValidationError

from libriscribe2.errors import UsageError
from libriscribe2.models.brief import Brief, CountRange, parse_counts
from libriscribe2.models.draft_order import fitting, names_its_kind
from libriscribe2.wording import plain_fault

OPTION_OF: Final = {
    "premise": "PREMISE",
    "audience": "--target-audience",
    "book_kind": "--kind",
    "as_json": "--json",
}

_SHOWN: Final = 60
"""Characters of a wrong value that an error repeats."""


def brief_from(options: Mapping[str, Any], command: str = "create") -> Brief:
    """The brief that the options ask for; None is an option that was not given.

    Raises:
        UsageError: A value is wrong; the error names the option.
    """
    given = {key: value for key, value in options.items() if value is not None}
    try:
        return _agreeing(Brief.model_validate(given))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        value = repr(first.get("input"))
        shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}..."
        raise UsageError(
            f"{_option(str(first['loc'][0]))} {shown} cannot be used.",
            why=plain_fault(first),
            fix=f"See `libriscribe2 {command} --help`.",
        ) from error


def _agreeing(brief: Brief) -> Brief:
    """The brief, unless it says how many scenes chapters beyond the last have."""
    entries = parse_counts(brief.scenes_per_chapter) if brief.scenes_per_chapter else []
    most = CountRange.parse(brief.chapters or "1+").high
    if most is None or len(entries) <= most:
        return brief
    raise UsageError(
        f"--scenes-per-chapter {brief.scenes_per_chapter!r} is for {len(entries)} chapters.",
        why=f"--chapters {brief.chapters} asks for fewer.",
        fix="Give one entry for each chapter; the last one is for all that follow.",
    )


def kind_note(brief: Brief) -> str:
    """What to tell of a kind that was concluded from the category; else empty."""
    if brief.book_kind or names_its_kind(brief.category):
        return ""
    other = "non-fiction" if brief.kind == "fiction" else "fiction"
    return f"kind: {brief.kind}, by the category {brief.category!r}; `--kind {other}` changes that."


def with_drafting(brief: Brief, at_once: int) -> tuple[Brief, str]:
    """The brief with the order of drafting that suits it, where the author gave none.

    Args:
        brief: What was asked for.
        at_once: How many calls may be under way at once.

    Returns:
        The brief, and what to tell of an order that was chosen; "" where nothing was.
    """
    chosen = fitting(brief.kind, at_once)
    if "drafting" in brief.model_fields_set or chosen == brief.drafting:
        return brief, ""
    told = (
        f"drafting: {chosen}, because up to {at_once} calls may be under way at once; "
        f"`--drafting {brief.drafting}` writes one chapter after the other."
    )
    return brief.model_copy(update={"drafting": chosen}), told


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
        ("category", "Fiction, or a kind of non-fiction such as Business", "Fiction"),
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
        name = _option(key)
        if isinstance(value, bool):
            given.append(name if value else f"--no-{name[2:]}")
        elif isinstance(value, list):
            given += [word for one in value for word in (name, str(one))]
        elif key != "premise" and value not in (None, ""):
            given += [name, str(value)]
    premise = str(options["premise"])
    words = [*given, "--", premise] if premise.startswith("-") else [premise, *given]
    return shlex.join(["libriscribe2", "create", *words])


def _option(key: str) -> str:
    """How the command line calls a key."""
    return OPTION_OF.get(key, f"--{key.replace('_', '-')}")


def _usable(key: str) -> Callable[[str], str]:
    """A check of an answer; a wrong one makes Typer say why and ask again."""

    def check(answer: str) -> str:
        try:
            Brief.model_validate({"premise": "not known yet", key: answer})
        except ValidationError as error:
            raise typer.BadParameter(plain_fault(error.errors(include_url=False)[0])) from error
        return answer

    return check
