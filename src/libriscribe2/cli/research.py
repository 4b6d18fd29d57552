"""`libriscribe2 research`: have a question looked up, and look at what was found."""

from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typing_extensions import override

from libriscribe2.cli.frame import (
    BudgetOptions,
    Frame,
    JsonOption,
    ModelOptions,
    ProjectNameOption,
    RequiredProjectArgument,
    command,
    command_group,
)
from libriscribe2.cli.model_choice import model_for
from libriscribe2.cli.research_demo import NAME, begin_demo
from libriscribe2.cli.research_run import Asked, look_up, tell_answer
from libriscribe2.cli.research_view import chain_record, chain_text, last_chain, note_rows
from libriscribe2.commands.projects import (
    free_name,
    look_at,
    open_project,
)
from libriscribe2.errors import UsageError
from libriscribe2.llm.providers import DEMO_MODEL, ModelChoice
from libriscribe2.project.artifacts import Book
from libriscribe2.project.store import ProjectStore

LONGEST_QUESTION: Final = 1_000


class _AskingGroup(TyperGroup):
    """Takes a first word that is no command of its own for a project that is asked about."""

    @override
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = ["ask", *args]
        return super().parse_args(ctx, args)


app = command_group(
    "research",
    "Look a question up in sources or on the web, and look at the notes.\n\n"
    'Example: libriscribe2 research my-book "When was the lighthouse lit?"',
    cls=_AskingGroup,
)

QuestionArgument = Annotated[str, typer.Argument(metavar="QUESTION", help="What to find out.")]


@app.command()
@command
def ask(
    frame: Frame,
    project: RequiredProjectArgument,
    question: QuestionArgument,
    as_json: JsonOption = False,
    *,
    options: BudgetOptions,
) -> None:
    """Look a question up and add what is found to the book's notes; `ask` may be left out.

    A model plans which tools are used. Every note holds a quote, which is looked up in the text
    of its source; a note whose quote is not there is kept as not verified, and no chapter sees it.
    A question that was answered before is not asked again.
    """
    renderer = frame.renderer
    asked = _question(question)
    paths = frame.project(project, options=options)
    settings = frame.settings(options, paths)
    with ProjectStore.open(paths) as store:
        brief = open_project(store)
        work = Asked(store, brief, settings, model_for(settings), asked)
        answer = look_up(renderer, work)
    tell_answer(renderer, work, answer, as_json=as_json)


@app.command()
@command
def show(
    frame: Frame,
    project: RequiredProjectArgument,
    run: Annotated[bool, typer.Option("--run", help="Draw the last chain, step by step.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the notes of a book, or draw the chain of tools that was run last."""
    renderer = frame.renderer
    paths = frame.project(project)
    view = look_at(paths)
    if run:
        chain = last_chain(view)
        if as_json:
            renderer.data_json({"project": paths.root.name, **chain_record(chain)})
        else:
            renderer.data(chain_text(chain))
        return
    book = Book(view)
    notes, sources = book.notes(), book.sources()
    if as_json:
        listed = [note.model_dump(mode="json") for note in notes]
        known = [source.model_dump(mode="json") for source in sources]
        renderer.data_json({"project": paths.root.name, "notes": listed, "sources": known})
        return
    columns = ("note", "verified", "claim", "source", "place")
    renderer.table(columns, note_rows(notes, sources))
    verified = sum(note.verified for note in notes)
    renderer.note(f"{len(notes)} notes, {verified} verified.")


@app.command()
@command
def demo(
    frame: Frame,
    question: QuestionArgument,
    project_name: ProjectNameOption = None,
    as_json: JsonOption = False,
) -> None:
    """Look a question up in three sample sources with the stand-in author, without a key."""
    renderer = frame.renderer
    asked = _question(question)
    settings = frame.settings(ModelOptions(mock=True))
    name = project_name or free_name(settings, NAME)
    with begin_demo(settings, name, asked) as (store, brief):
        choice = ModelChoice(DEMO_MODEL, "the demonstration needs no key")
        work = Asked(store, brief, settings, choice, asked)
        answer = look_up(renderer, work)
    tell_answer(renderer, work, answer, as_json=as_json)


def _question(text: str) -> str:
    """The question in one line.

    Raises:
        UsageError: It is blank or too long.
    """
    question = " ".join(text.split())
    if not question:
        raise UsageError("The question is empty.", fix="Say what you want to know.")
    if len(question) > LONGEST_QUESTION:
        why = f"it has {len(question):,} characters; at most {LONGEST_QUESTION:,} are taken"
        raise UsageError("The question is too long.", why=why, fix="Ask in parts.")
    return question
