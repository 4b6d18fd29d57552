"""`libriscribe2 replay`: a book out of its journal, or one recorded prompt asked again."""

from pathlib import Path
from typing import Annotated

import typer

from libriscribe2.cli.ask_again import ask_again, both_replies, recorded_call
from libriscribe2.cli.frame import Frame, JsonOption, ProjectNameOption, command
from libriscribe2.cli.interrupts import run_async
from libriscribe2.cli.model_choice import model_for
from libriscribe2.cli.rebuilding import Rebuilt, rebuild
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import setting_flags, settings_of
from libriscribe2.errors import IncompleteError, UsageError
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.wording import cost, counted


@command
def replay(
    frame: Frame,
    project: Annotated[
        str | None, typer.Argument(metavar="PROJECT", help="Name of the project, or its folder.")
    ] = None,
    project_name: ProjectNameOption = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="DIR", help="Keep the rebuilt book here.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--with", metavar="MODEL", help="Ask this model instead.")
    ] = None,
    call: Annotated[
        int | None, typer.Option("--call", metavar="N", min=1, help="The number of a debug dump.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Rebuild a book from its journal, or ask a recorded prompt again.

    Every file is made again from the recorded replies, with nobody to ask, and compared with the
    book's own; of a book that is not finished, what is there. With --with and --call one prompt goes to another model; nothing of that is kept.
    """
    renderer = frame.renderer
    paths = frame.project(project, project_name)
    if model is None and call is None:
        _tell(renderer, paths, rebuild(paths, settings_of(paths.root, {}), to), as_json=as_json)
    elif model is None or call is None or to is not None:
        raise UsageError(
            "--with and --call belong together, and --to does not go with them",
            fix="libriscribe2 replay PROJECT --with MODEL --call N",
        )
    else:
        _ask(renderer, paths, model, call, as_json=as_json)


def _tell(renderer: Renderer, paths: ProjectPaths, rebuilt: Rebuilt, *, as_json: bool) -> None:
    """Every file with how it came out.

    Raises:
        IncompleteError: The journal does not hold the whole book.
    """
    if as_json:
        files = [{"file": file.name, "likeness": file.likeness} for file in rebuilt.files]
        told = {"rebuilt": rebuilt.good, "finished": not rebuilt.unmade}
        renderer.data_json({**told, "replies": rebuilt.replies, "files": files})
    else:
        renderer.table(("file", "rebuilt"), [(one.name, one.likeness) for one in rebuilt.files])
        renderer.note(f"{counted(rebuilt.replies, 'recorded reply', 'recorded replies')}, 0 calls.")
    if not rebuilt.good:
        why = rebuilt.failure.why or rebuilt.failure.what if rebuilt.failure is not None else ""
        raise IncompleteError(
            f"The journal of {paths.root.name} does not make the book that is there",
            why or "a file differs: something that it is made from has changed since",
            f"`libriscribe2 resume {paths.called} --refresh` makes the book that belongs to its "
            "inputs",
        )
    if rebuilt.unmade:
        waiting = counted(len(rebuilt.unmade), "file")
        renderer.note(
            f"All that is there comes out of the journal. The book is not finished: {waiting} still "
            f"to be made. Go on with `libriscribe2 resume {paths.called}`."
        )


def _ask(
    renderer: Renderer, paths: ProjectPaths, model: str, number: int, *, as_json: bool
) -> None:
    """One prompt, two replies."""
    call = recorded_call(paths, number)
    settings = settings_of(paths.root, setting_flags(model, None, None, no_input=True))
    answer = run_async(ask_again(call, settings, model_for(settings)), lambda: None)
    if as_json:
        renderer.data_json(both_replies(call, answer))
        return
    renderer.data(f"== {call.model}, recorded for {call.step}\n{call.reply}\n")
    renderer.data(f"== {answer.model}, asked again\n{answer.reply}")
    usage = answer.usage
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    renderer.note(f"{tokens}, {cost(answer.cost_usd)}. Nothing of this is kept or counted.")
