"""`libriscribe2 resume`, `estimate` and `replay`: a book that is there is gone on with, or made again."""

from pathlib import Path
from typing import Annotated

import typer

from libriscribe2.cli.frame import (
    DryRunOption,
    Frame,
    ModelOptions,
    ProjectArgument,
    ProjectNameOption,
    RefreshOption,
    ReplaceMineOption,
    RewriteOption,
    RunOptions,
    UntilOption,
    YesOption,
    command_with_events,
    command_with_json,
    is_interactive,
    model_for,
)
from libriscribe2.cli.process import run_async
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import carry_out, keep_quote, run_dry, tell_quote, tell_remaking
from libriscribe2.commands.forecasts import quote_project, remaking_now
from libriscribe2.commands.rebuilding import (
    Rebuilt,
    RecordedCall,
    ask_again,
    both_replies,
    rebuild,
    recorded_call,
)
from libriscribe2.commands.runs import PLAN_STAGE, Prepare, calls_of_batch, going_on, written_anew
from libriscribe2.errors import IncompleteError, UsageError
from libriscribe2.llm.backend import Completion
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import cost, counted


@command_with_events
def resume(
    frame: Frame,
    project: ProjectArgument = None,
    project_name: ProjectNameOption = None,
    until: UntilOption = None,
    refresh: RefreshOption = False,
    rewrite: RewriteOption = False,
    replace_mine: ReplaceMineOption = False,
    step: Annotated[
        bool, typer.Option("--step", help="Write a chapter at a time, and ask after each.")
    ] = False,
    yes: YesOption = False,
    dry_run: DryRunOption = False,
    *,
    options: RunOptions,
) -> None:
    """Continue a book where it stopped.

    Your edits are kept, and what is written from now on follows them. Nothing that was paid for
    is requested again. On a terminal it stops at a plan that you have not seen; --yes goes on.

    With --refresh each chapter that you changed is read once: what is no longer so, what is new?
    Sentences of later chapters that contradict it are patched; you see the patches as a diff before
    they are kept. With --rewrite everything that is out of date is written again; the question
    before it says what that takes.
    """
    if refresh and rewrite:
        raise UsageError("--refresh and --rewrite cannot be combined", fix="Use one at a time.")
    if replace_mine and not refresh:
        raise UsageError("--replace-mine needs --refresh", fix="Add --refresh.")
    paths = frame.project(project, project_name, options)
    settings = frame.settings(options, paths)
    if step:
        _step(frame.renderer, paths, settings)
        return
    work = going_on(until, refresh=refresh, rewrite=rewrite)
    if not dry_run and refresh and until is None:
        # Only an edit that is mended forward needs it.
        from libriscribe2.cli.approval import mend_forward  # noqa: PLC0415

        mend_forward(frame.renderer, paths, settings, replace_mine=replace_mine, yes=yes)
    if not dry_run and rewrite and not yes:
        _ask_to_rewrite(frame.renderer, paths, settings)
    if dry_run:
        tell_dry_run(frame.renderer, paths, settings, work)
        if refresh:
            from libriscribe2.cli.approval import tell_mending  # noqa: PLC0415 - as below

            tell_mending(frame.renderer, paths)
        return
    free = not (yes or until or refresh or rewrite or frame.renderer.as_json)
    _write(frame.renderer, paths, settings, work, stops=free)


def _write(
    renderer: Renderer, paths: ProjectPaths, settings: Settings, work: Prepare, *, stops: bool
) -> None:
    """Carry out a run; with `stops`, an author at a terminal first sees a plan that is not there."""
    calls = calls_of_batch(paths, settings)
    if stops and calls is None and is_interactive(settings):
        from libriscribe2.cli.approval import Approval, plan_due  # noqa: PLC0415 - for terminals

        if plan_due(paths):
            carry_out(renderer, paths, settings, going_on(PLAN_STAGE, refresh=False))
            Approval(renderer, paths, settings).of_plan()
            return
    carry_out(renderer, paths, settings, work, calls=calls)


def _step(renderer: Renderer, paths: ProjectPaths, settings: Settings) -> None:
    """Write a chapter at a time.

    Raises:
        UsageError: Nobody can be asked.
    """
    if not is_interactive(settings):
        raise UsageError(
            "--step asks after each chapter, and nobody can be asked here",
            fix="In scripts `--until chapter:5` stops after a chapter.",
        )
    from libriscribe2.cli.approval import Approval  # noqa: PLC0415 - for terminals alone

    Approval(renderer, paths, settings).by_chapter()


def _ask_to_rewrite(renderer: Renderer, paths: ProjectPaths, settings: Settings) -> None:
    """Say what a rewriting would take, and ask.

    Raises:
        UsageError: Nobody can be asked.
        typer.Exit: The answer was no.
    """
    later = run_dry(remaking_now(paths, settings, model_for(settings)))
    tell_remaking(renderer, paths.called, later)
    if not later.units:
        return
    if not is_interactive(settings):
        raise UsageError(
            "--rewrite asks before it starts, and nobody can be asked here", fix="Add --yes."
        )
    from libriscribe2.cli.questions import Questions  # noqa: PLC0415 - for terminals alone

    if not Questions(renderer, "Add --yes.").agrees("Write them again?", default=False):
        raise typer.Exit(0)


@command_with_json
def estimate(
    frame: Frame,
    project: ProjectArgument = None,
    project_name: ProjectNameOption = None,
    until: UntilOption = None,
    refresh: RefreshOption = False,
    rewrite: RewriteOption = False,
    *,
    options: ModelOptions,
) -> None:
    """Estimate the calls, tokens and cost to finish a book.

    Nothing is sent, and no file of the book is touched. Same as `resume --dry-run`.
    """
    renderer = frame.renderer
    paths = frame.project(project, project_name, options)
    settings = frame.settings(options, paths)
    work = going_on(until, refresh=refresh, rewrite=rewrite)
    tell_dry_run(renderer, paths, settings, work)


def tell_dry_run(
    renderer: Renderer, paths: ProjectPaths, settings: Settings, prepare: Prepare
) -> None:
    """Say what a command on a project would take, and keep that for the statistics of its run.

    Raises:
        LibriScribeError: As the command itself would, before it sends anything.
    """
    choice = model_for(settings)
    work = written_anew(prepare, settings, choice)
    quote = run_dry(quote_project(paths, settings, choice, work))
    if quote.stages or renderer.as_json:
        tell_quote(renderer, quote)
    else:
        renderer.note("Nothing is left to do: a run would send no request.")
    keep_quote(renderer, paths, quote)


@command_with_json
def replay(
    frame: Frame,
    project: Annotated[
        str | None, typer.Argument(metavar="PROJECT", help="Name of the project, or its folder.")
    ] = None,
    project_name: ProjectNameOption = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="DIR", help="Save the rebuilt book here.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--with", metavar="MODEL", help="Ask this model instead.")
    ] = None,
    call: Annotated[
        int | None, typer.Option("--call", metavar="N", min=1, help="The number of a debug dump.")
    ] = None,
) -> None:
    """Rebuild a book from its journal, or send a recorded prompt again.

    Every file is made again from the recorded replies, without any request, and compared with the
    book's own. Of an unfinished book, the existing files are. With --with and --call, one prompt
    goes to another model; its answer is not saved.
    """
    renderer = frame.renderer
    paths = frame.project(project, project_name)
    if model is None and call is None:
        rebuilt = run_async(rebuild(paths, frame.settings(paths=paths), to), lambda: None)
        _tell_rebuilt(renderer, paths, rebuilt)
    elif model is None or call is None or to is not None:
        raise UsageError(
            "--with and --call go together, and without --to",
            fix="libriscribe2 replay PROJECT --with MODEL --call N",
        )
    else:
        settings = frame.settings(ModelOptions(model=model), paths)
        recorded = recorded_call(paths, call)
        answer = run_async(ask_again(recorded, settings, model_for(settings)), lambda: None)
        _tell_replies(renderer, recorded, answer)


def _tell_rebuilt(renderer: Renderer, paths: ProjectPaths, rebuilt: Rebuilt) -> None:
    """Every file with how it came out.

    Raises:
        IncompleteError: The journal does not hold the whole book.
    """
    if renderer.as_json:
        files = [{"file": file.name, "likeness": file.likeness} for file in rebuilt.files]
        told = {"rebuilt": rebuilt.good, "finished": not rebuilt.unmade}
        renderer.data_json({**told, "replies": rebuilt.replies, "files": files})
    else:
        renderer.table(("file", "rebuilt"), [(one.name, one.likeness) for one in rebuilt.files])
        renderer.note(f"{counted(rebuilt.replies, 'recorded reply', 'recorded replies')}, 0 calls.")
    if not rebuilt.good:
        why = rebuilt.failure.why or rebuilt.failure.what if rebuilt.failure is not None else ""
        raise IncompleteError(
            f"The journal of {paths.root.name} does not reproduce the book",
            why or "a file differs, because something it was made from has changed since",
            f"`libriscribe2 resume {paths.called} --rewrite` brings the book up to date with "
            "its inputs",
        )
    if rebuilt.unmade:
        waiting = counted(len(rebuilt.unmade), "file")
        renderer.note(
            f"The journal reproduces every existing file. The book is not finished: {waiting} still "
            f"to be made. Continue with `libriscribe2 resume {paths.called}`."
        )


def _tell_replies(renderer: Renderer, call: RecordedCall, answer: Completion) -> None:
    """One prompt, two replies."""
    if renderer.told_json(both_replies(call, answer)):
        return
    renderer.data(f"== {call.model}, recorded for {call.step}\n{call.reply}\n")
    renderer.data(f"== {answer.model}, asked again\n{answer.reply}")
    usage = answer.usage
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    renderer.note(f"{tokens}, {cost(answer.cost_usd)}. This is neither saved nor counted.")
