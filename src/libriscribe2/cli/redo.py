"""`libriscribe2 redo`: a chapter, a scene or a stage written again, with the author's words for it."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from libriscribe2.cli.author import tell_noted
from libriscribe2.cli.frame import (
    DryRunOption,
    Frame,
    ReplaceMineOption,
    RequiredProjectArgument,
    RunOptions,
    VariantsOption,
    command_with_events,
    complete_part,
    model_for,
)
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import (
    carry_out,
    keep_quote,
    remaking_record,
    run_dry,
    tell_quote,
    tell_remaking,
)
from libriscribe2.commands.forecasts import quote_project, quote_remaking, remaking_now
from libriscribe2.commands.noting import Part, is_place, note_down, part_of
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.commands.remaking import Chosen, Redo, copies_of, in_short, own_texts
from libriscribe2.errors import LibriScribeError, UsageError
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings.schema import Settings

_Part = Annotated[
    str,
    typer.Argument(
        metavar="PART",
        help="A chapter (7), a scene (7.2) or a stage (people).",
        autocompletion=complete_part,
    ),
]
_Chapter = Annotated[
    int | None, typer.Option("--chapter", "-n", min=1, help="Only this chapter of the stage.")
]
_Note = Annotated[
    str | None, typer.Option("--note", metavar="TEXT", help="What should be different; it is kept.")
]
_Judge = Annotated[
    bool,
    typer.Option(
        "--judge", help="Have an evaluator that passes its calibration rank the variants."
    ),
]


@command_with_events
def redo(
    frame: Frame,
    project: RequiredProjectArgument,
    part: _Part,
    chapter: _Chapter = None,
    note: _Note = None,
    variants: VariantsOption = None,
    judge: _Judge = False,
    replace_mine: ReplaceMineOption = False,
    dry_run: DryRunOption = False,
    *,
    options: RunOptions,
) -> None:
    """Write a chapter, a scene or a stage again.

    Example: libriscribe2 redo my-book 7 --note "Tenser. Mara must not learn of the key."

    The old text goes to the project's trash. Text that you edited or imported is replaced only
    with --replace-mine. What was made from the old text is then out of date; it is kept: `resume
    --refresh` patches what contradicts the new text, `resume --rewrite` writes it again.
    """
    if (judge and variants is None) or (variants is not None and (dry_run or replace_mine)):
        raise UsageError(
            "--judge needs --variants, and --variants changes nothing that is there.",
            fix='Write `redo BOOK 7.2 --variants 3 [--judge] [--note "..."]`.',
        )
    renderer, paths = frame.renderer, frame.project(project, options=options)
    settings, view = frame.settings(options, paths), look_at(paths)
    named = part if chapter is None or is_place(part) else f"{chapter}"
    wanted = part_of(part, view, read_brief(paths)) if is_place(part) else Part(part, chapter)
    work = Redo(wanted.stage, wanted.chapter, replace_mine, wanted.scene)
    chosen = work.chosen(view, read_brief(paths)) if variants is None else None
    if chosen is not None:
        _tell_kept(renderer, chosen, work, paths)
    if note is not None and not dry_run:
        tell_noted(renderer, paths, note_down(paths, named, note), again=False)
    if chosen is None:
        from libriscribe2.cli.pick import write_variants  # noqa: PLC0415 -- few are written

        write_variants(renderer, paths, settings, named, variants or 0, judged=judge)
    elif dry_run:
        _tell_dry(renderer, paths, settings, work, chosen)
    else:
        _write_again(renderer, paths, settings, work, own_texts(view, chosen))


def _write_again(
    renderer: Renderer,
    paths: ProjectPaths,
    settings: Settings,
    work: Redo,
    own: Mapping[str, bytes],
) -> None:
    """Carry out a redo, and say what became of the author's own texts and what is out of date."""
    try:
        carry_out(renderer, paths, settings, work.prepare, anew=False)
    except LibriScribeError as error:
        error.fix = _or_keep(error.fix, work, paths)
        raise
    finally:
        for name, copy in copies_of(look_at(paths), own):
            renderer.warning(f"{name}: your own text was replaced; a copy is in {copy}.")
    later = run_dry(remaking_now(paths, settings, model_for(settings)))
    tell_remaking(renderer, paths.called, later)


def _or_keep(fix: str, work: Redo, paths: ProjectPaths) -> str:
    """Advice after a redo that failed, with how to keep the texts that still wait for it."""
    view = look_at(paths)
    units = work.chosen(view, read_brief(paths)).units
    names = [one.output for one in units if view.manifest.asked_again(one.step)]
    if not names:
        return fix
    kept = f"`libriscribe2 accept {paths.called} {' '.join(names)}`"
    return f"{fix.rstrip('.')}; the old text is still there, and {kept} keeps it instead"


def _tell_kept(renderer: Renderer, chosen: Chosen, work: Redo, paths: ProjectPaths) -> None:
    """Say which files of the author's stay as they are, and how to have them replaced."""
    if chosen.kept:
        renderer.warning(
            f"{in_short(chosen.kept)}: your own text was kept. "
            f"{work.command(paths.called)} replaces it."
        )


def _tell_dry(
    renderer: Renderer, paths: ProjectPaths, settings: Settings, work: Redo, chosen: Chosen
) -> None:
    """What a redo would take and replace, make stale, and what remaking that would take.

    Raises:
        LibriScribeError: As the command itself would, before it sends anything.
    """
    choice = model_for(settings)
    quote = run_dry(quote_project(paths, settings, choice, work.prepare))
    later = run_dry(quote_remaking(paths, settings, choice, work.prepare))
    if chosen.replaced:
        names = in_short(chosen.replaced)
        renderer.warning(f"{names}: your own text would be replaced; a copy would go to the trash.")
    more: Mapping[str, Any] = {
        "kept": list(chosen.kept),
        "replaced": list(chosen.replaced),
        **remaking_record(later),
    }
    tell_quote(renderer, quote, more=more)
    if not renderer.as_json:
        tell_remaking(renderer, paths.called, later)
    keep_quote(renderer, paths, quote)
