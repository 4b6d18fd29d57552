"""`libriscribe2 redo --variants` and `pick`: several ways to write a part, and one of them taken."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from libriscribe2.cli.frame import (
    Frame,
    ReplaceMineOption,
    RequiredProjectArgument,
    command_with_json,
    complete_part,
)
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import consult, held_book
from libriscribe2.commands import variants as room
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import clean, counted

_NARROW = 100
"""Below so many columns, variants are shown one below the other."""


def write_variants(
    renderer: Renderer,
    paths: ProjectPaths,
    settings: Settings,
    part: str,
    count: int,
    *,
    judged: bool = False,
) -> None:
    """Have a part written several times, and show what came of it.

    Raises:
        LibriScribeError: A question got no usable reply; what was written is replayed next time.
    """
    with held_book(paths, settings) as book:
        consult(
            renderer,
            book,
            lambda consumers: room.make_variants(book, consumers, part, count, judged=judged),
            live=not renderer.as_json,
        )
    _show(renderer, paths, part)


@command_with_json
def pick(
    frame: Frame,
    project: RequiredProjectArgument,
    part: Annotated[
        str,
        typer.Argument(
            metavar="PART",
            help="What has variants: a chapter (7), a scene (7.2) or a plan (concept).",
            autocompletion=complete_part,
        ),
    ],
    letter: Annotated[
        str | None, typer.Argument(metavar="LETTER", help="The variant, such as b.")
    ] = None,
    replace_mine: ReplaceMineOption = False,
) -> None:
    """Take one of the variants that `redo --variants` wrote, or show them.

    Example: libriscribe2 pick my-book 7.2 b

    The old text goes to the project's trash; `versions` puts it back.
    """
    paths = frame.project(project)
    if letter is None:
        _show(frame.renderer, paths, part)
        return
    name = room.pick(paths, part, letter, replace_mine=replace_mine)
    frame.renderer.note(
        f"{name}: variant {letter.strip().lower()} is taken; "
        f"`libriscribe2 resume {paths.called}` goes on from it."
    )


def _show(renderer: Renderer, paths: ProjectPaths, part: str) -> None:
    """The variants of a part beside each other, with what they share with the present text."""
    now, made = room.shown_variants(paths, part)
    rows = [
        {
            "variant": one.name,
            "words": one.words,
            "as_now": round(room.likeness(now, one.text), 2),
            "wins": one.wins,
            "text": one.text,
        }
        for one in made.variants
    ]
    if renderer.told_json({"file": made.file, "judged": made.judged, "variants": rows}):
        return
    heads = [
        f"{row['variant']}: {counted(one.words, 'word')}, {row['as_now']:.0%} as now"
        + ("" if one.wins is None else f", preferred {one.wins} times")
        for row, one in zip(rows, made.variants, strict=True)
    ]
    console = Console(highlight=False)
    if console.is_terminal and console.width >= _NARROW:
        table = Table(*heads, show_lines=False, expand=True)
        paragraphs = [clean(one.text).split("\n\n") for one in made.variants]
        for at in range(max(map(len, paragraphs))):
            cells = (lines[at] if at < len(lines) else "" for lines in paragraphs)
            table.add_row(*(Text(cell + "\n") for cell in cells))
        console.print(table)
    else:
        for head, one in zip(heads, made.variants, strict=True):
            renderer.data(f"== {head}\n{one.text.rstrip()}\n")
    if made.judged:
        renderer.note(made.judged)
    renderer.note(
        f"Nothing has changed yet: `libriscribe2 pick {paths.called} {part} LETTER` takes one."
    )
