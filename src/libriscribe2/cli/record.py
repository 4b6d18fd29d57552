"""`libriscribe2 record` and `demo`: the replies of a finished book, kept and played again."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from libriscribe2.app import AppOptions
from libriscribe2.cli.frame import (
    Frame,
    ModelOptions,
    ProjectNameOption,
    command,
    command_with_events,
)
from libriscribe2.cli.process import run_async
from libriscribe2.cli.run_output import command_line, run_book
from libriscribe2.commands.exporting import plan_export
from libriscribe2.commands.new_book import NewBook, begin_book, brief_from
from libriscribe2.commands.projects import free_name, new_paths
from libriscribe2.commands.recordings import (
    Playback,
    keep,
    play,
    played_book,
    record_book,
    sample_recording,
)
from libriscribe2.commands.runs import OpenBook
from libriscribe2.errors import UsageError
from libriscribe2.llm.backends.recorded import read_recording
from libriscribe2.models.brief import Edition
from libriscribe2.project.paths import EXPORTS
from libriscribe2.wording import counted

_Note = Annotated[
    list[str] | None,
    typer.Option(metavar="TEXT", help="What a reader of the recording should know; repeatable."),
]
_Check = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Play a recording to its end, and keep nothing."),
]
_Renew = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Bring a recording up to today's shapes, as far as its replies can still be read.",
    ),
]


@command
def record(
    frame: Frame,
    project: Annotated[
        str | None,
        typer.Argument(metavar="PROJECT", help="Name of the finished book, or its folder."),
    ] = None,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The recording.")] = None,
    *,
    note: _Note = None,
    check: _Check = None,
    renew: _Renew = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE.")] = False,
) -> None:
    """Keep a finished book's replies, to write it again from them.

    Example: libriscribe2 record my-book my-book.json, then libriscribe2 create --model
    recorded:my-book.json

    The recording holds the brief, the texts that the book was given, and every reply with the shape
    that was asked for; no prompt, key or path.
    """
    old = check or renew
    if (old is None) == (project is None or file is None) or (check and renew):
        raise UsageError(
            "What is to be recorded?",
            fix="Name PROJECT and FILE, or one FILE after --check or --renew.",
        )
    if old is not None:
        _play(frame, old, renew)
    elif file is not None:
        paths = frame.project(project)
        work = record_book(paths, frame.settings(None, paths), note or ())
        _finish(frame, work, file, force=force)


def _play(frame: Frame, old: Path, renewed: Path | None) -> None:
    work = play(read_recording(f"recorded:{old}"), frame.settings(), in_turn=renewed is not None)
    _finish(frame, work, renewed, force=True)


def _finish(
    frame: Frame, work: Coroutine[Any, Any, Playback], target: Path | None, *, force: bool
) -> None:
    """Play to the end, say what came of it, and keep it where a file is named."""
    done = run_async(work, lambda: None)
    _tell(frame, done)
    if done.failure is not None:
        raise done.failure
    if target is not None:
        keep(done, target, force=force)
        frame.renderer.data(str(target))


def _tell(frame: Frame, done: Playback) -> None:
    """How many replies there are, and what a reader should know."""
    for note in done.recording.notes:
        frame.renderer.note(note)
    for warning in done.notes():
        frame.renderer.warning(warning)
    given = len(done.recording.files)
    if given:
        frame.renderer.note(
            f"{counted(given, 'file')} that the book was given: see whether you may pass on what "
            "others wrote."
        )
    every = len(done.recording.steps)
    played = counted(every - len(done.unplayed), "reply", "replies")
    frame.renderer.note(f"{played} of {every:,} played.")


DEMO_NAME = "demo"


@command_with_events
def demo(frame: Frame, project_name: ProjectNameOption = None) -> None:
    """Replay a recorded novel, reply by reply, without a key.

    A language model wrote it through this program. Each of its replies is read, checked and filed
    again, as in a run of your own: nothing is sent, nothing is paid. You get a project like any
    other, and the book as an EPUB.
    """
    with sample_recording() as file:
        model = f"recorded:{file}"
        told = read_recording(model)
        keys, settings, choice, files = played_book({}, frame.settings(ModelOptions(model=model)))
    frame.renderer.note(
        f"“{told.title}” was written by a language model on {told.date}; its "
        f"{counted(len(told.steps), 'reply', 'replies')} pass through the program once more. "
        "Nothing is sent, nothing is paid."
    )
    brief = brief_from(keys)
    paths = new_paths(brief, settings, project_name or free_name(settings, DEMO_NAME))
    frame.is_about(paths)
    with begin_book(paths, brief, settings, choice, NewBook(given=files)) as (store, request):
        book = OpenBook(store, brief, settings, choice, AppOptions(command_line()))
        run_book(frame.renderer, book, request)
    done = plan_export(paths, Edition(), ("epub",)).make()
    if done.failure is not None:
        raise done.failure
    if not frame.renderer.as_json:
        frame.renderer.data(str(paths.root / EXPORTS / done.files[0].path.name))
        frame.renderer.note("A book of your own: libriscribe2 create")
