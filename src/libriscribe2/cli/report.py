"""`libriscribe2 report`: figures of a book beside those of books by people."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from libriscribe2.cli.frame import Frame, JsonOption, RequiredProjectArgument, command
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.pipeline.report import earlier_figures, report_of
from libriscribe2.quality.card.figure import Figure
from libriscribe2.quality.card.report_card import ReportCard
from libriscribe2.wording import counted


@command
def report(
    frame: Frame,
    project: RequiredProjectArgument,
    against: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="An earlier `report --json`, to show what changed."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure a book: continuity, repetition, edges, length, plan, names, voice.

    Each figure stands beside the range of books by people, with its worst places as file and
    line. No model is asked, nothing is written, and there is no single score.
    """
    renderer = frame.renderer
    paths = frame.project(project)
    earlier = earlier_figures(against)
    card = report_of(read_brief(paths), look_at(paths)).card
    if as_json:
        renderer.data_json({"project": paths.root.name, **card.as_record()})
    else:
        _tell(renderer, card, earlier)


def _tell(renderer: Renderer, card: ReportCard, earlier: Mapping[str, float]) -> None:
    """The figures as a table, then the places of those outside the human range."""
    columns = ("part", "figure", "value", "human", "verdict")
    rows = [_row(figure, earlier) for figure in card.figures]
    renderer.table((*columns, "before") if earlier else columns, rows)
    flagged = card.flagged()
    places = [
        (f"{place.file}:{place.line}", figure.name, place.quote)
        for figure in flagged
        for place in figure.places
    ]
    if places:
        renderer.data("")
        renderer.table(("place", "figure", "text"), places)
    measured = f"{counted(card.chapters, 'chapter')}, {card.words:,} words"
    renderer.note(f"{measured}: {counted(len(flagged), 'figure')} outside the human range.")


def _row(figure: Figure, earlier: Mapping[str, float]) -> tuple[str, ...]:
    """One figure as cells."""
    cells = (
        figure.group,
        figure.name,
        f"{figure.amount()} {figure.unit}",
        figure.human,
        figure.level,
    )
    if not earlier:
        return cells
    before = earlier.get(figure.name)
    return (*cells, "" if before is None else figure.amount(before))
