"""`libriscribe2 ask`: a question about a book, answered with quotes, and proposals to accept."""

from typing import Annotated

import typer

from libriscribe2.agents.agent_advisor import Advice
from libriscribe2.app import AppOptions
from libriscribe2.cli.frame import (
    Frame,
    JsonOption,
    RequiredProjectArgument,
    RunOptions,
    command,
    is_interactive,
    model_for,
)
from libriscribe2.cli.process import interrupted, run_async
from libriscribe2.cli.questions import Questions
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import command_line, recording
from libriscribe2.commands.asking import accept, chosen
from libriscribe2.commands.asking import ask as answer
from libriscribe2.commands.runs import OpenBook, open_book
from libriscribe2.errors import UsageError
from libriscribe2.wording import counted


@command
def ask(
    frame: Frame,
    project: RequiredProjectArgument,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")],
    accepted: Annotated[
        str,
        typer.Option("--accept", metavar="NUMBERS", help="Carry out these proposals, as in 1,3."),
    ] = "",
    as_json: JsonOption = False,
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
        raise UsageError("The question is empty.", fix='Put it into quotes: "Why ...?".')
    paths = frame.project(project, options=options)
    settings = frame.settings(options, paths)
    with open_book(paths) as (store, brief):
        book = OpenBook(store, brief, settings, model_for(settings), AppOptions(command_line()))
        with recording(renderer, book) as consumers:
            advice = run_async(
                answer(book, consumers, question.strip()),
                lambda: renderer.warning(interrupted(paths.called)),
            )
        _tell(renderer, advice, as_json=as_json)
        if advice.proposals and not accepted and not as_json and is_interactive(settings):
            accepted = Questions(renderer).line("Accept which? (numbers, Enter for none) ")
        for one in chosen(advice, accepted):
            renderer.note(f"{accept(store, one, advice.keys)}.")


def _tell(renderer: Renderer, advice: Advice, *, as_json: bool) -> None:
    """The answer with its quotes and proposals."""
    if as_json:
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
