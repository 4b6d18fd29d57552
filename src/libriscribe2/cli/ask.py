"""`libriscribe2 ask`: a question about a book, answered with quotes, and proposals to accept."""

from functools import partial
from typing import Annotated

import typer

from libriscribe2.agents.agent_advisor import Advice
from libriscribe2.cli.frame import (
    Frame,
    ProjectArgument,
    RequiredProjectArgument,
    RunOptions,
    command_with_json,
    is_interactive,
)
from libriscribe2.cli.questions import Questions
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import consult, held_book
from libriscribe2.commands.revising import accept, chosen
from libriscribe2.commands.revising import ask as answer
from libriscribe2.commands.revising import learn as find_habits
from libriscribe2.commands.runs import OpenBook
from libriscribe2.errors import UsageError
from libriscribe2.wording import counted

AcceptOption = Annotated[
    str,
    typer.Option("--accept", metavar="NUMBERS", help="Carry out these proposals, as in 1,3."),
]


@command_with_json
def ask(
    frame: Frame,
    project: RequiredProjectArgument,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")],
    accepted: AcceptOption = "",
    *,
    options: RunOptions,
) -> None:
    """Ask about a book, and get an answer with quotes and proposals.

    Example: libriscribe2 ask my-book "Why does Hester go back?"

    The answer comes from the plan and the text; quotes that the book does not hold are left out.
    Proposals (notes, edits, another plan of a chapter that is not written) are carried out only if
    you accept them by their numbers. The same question again costs nothing.
    """
    renderer = frame.renderer
    if not question.strip():
        raise UsageError("The question is empty.", fix='Put it in quotes: "Why ...?".')
    paths = frame.project(project, options=options)
    settings = frame.settings(options, paths)
    with held_book(paths, settings) as book:
        advice = consult(renderer, book, partial(answer, book, question=question.strip()))
        _tell(renderer, advice)
        _offer(renderer, book, advice, accepted, can_ask=not renderer.as_json)


@command_with_json
def learn(
    frame: Frame,
    project: ProjectArgument = None,
    accepted: AcceptOption = "",
    *,
    options: RunOptions,
) -> None:
    """Find habits in your edits, and take those that you accept into the style sheet.

    Example: libriscribe2 learn my-book --accept 1,3

    One request compares what was written with what you made of it. Each rule comes with both
    quotes, before and after; one whose quotes your edits do not hold is left out. Only rules that
    you accept by their numbers are kept, and nothing that is written is written again.
    """
    renderer = frame.renderer
    paths = frame.project(project, options=options)
    settings = frame.settings(options, paths)
    with held_book(paths, settings) as book:
        advice = consult(renderer, book, partial(find_habits, book))
        if renderer.as_json:
            rules = [
                {"aspect": one.part, "rule": one.text, "before": one.find, "after": one.shown}
                for one in advice.proposals
            ]
            renderer.data_json({"rules": rules, "left_out": advice.lost})
        else:
            _tell_rules(renderer, advice)
        _offer(renderer, book, advice, accepted, can_ask=not renderer.as_json)


def _offer(
    renderer: Renderer, book: OpenBook, advice: Advice, accepted: str, *, can_ask: bool
) -> None:
    """Carry out the proposals that the author accepts, here or by the command line."""
    if advice.proposals and not accepted and can_ask and is_interactive(book.settings):
        accepted = Questions(renderer).line("Accept which? (numbers, Enter for none) ")
    for one in chosen(advice, accepted):
        renderer.note(f"{accept(book.store, one, advice.keys).rstrip('.')}.")


def _tell_rules(renderer: Renderer, advice: Advice) -> None:
    """The rules with their quotes."""
    for number, one in enumerate(advice.proposals, start=1):
        renderer.data(f"{number}. {one.text} ({one.part})")
        renderer.data(f"   was: \u201c{one.find}\u201d\n   now: \u201c{one.shown}\u201d")
    if advice.lost:
        renderer.note(f"{counted(advice.lost, 'rule')} left out: your edits do not show them.")
    if not advice.proposals:
        renderer.note("Your edits show no habit that the style sheet does not hold yet.")


def _tell(renderer: Renderer, advice: Advice) -> None:
    """The answer with its quotes and proposals."""
    if renderer.as_json:
        quotes = [{"file": q.file, "line": q.line, "words": q.words} for q in advice.quotes]
        told = {"answer": advice.answer, "quotes": quotes, "quotes_left_out": advice.lost}
        renderer.data_json({**told, "proposals": [one.told for one in advice.proposals]})
        return
    renderer.data(advice.answer)
    for one in advice.quotes:
        renderer.data(f"\n  {one.file}:{one.line}: \u201c{one.words}\u201d")
    if advice.lost:
        renderer.note(f"{counted(advice.lost, 'quote')} left out: the book does not hold them.")
    for number, proposal in enumerate(advice.proposals, start=1):
        renderer.data(f"\n{number}. {proposal.told}")
