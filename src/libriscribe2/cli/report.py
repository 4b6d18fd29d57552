"""`libriscribe2 report`: metrics of a book beside those of books by people."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from libriscribe2.checks.report.book_metrics import BookMetrics
from libriscribe2.checks.report.book_report import earlier_metrics, report_of
from libriscribe2.checks.report.metric import Metric
from libriscribe2.cli.frame import Frame, JsonOption, RequiredProjectArgument, command
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import look_at, read_brief
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
    """Measure a book: continuity, repetition, openings and endings, length, plan, names, voice.

    Each metric stands beside its reference range, that of books by people, with its worst places as file and
    line. No model is asked, nothing is written, and there is no single score.
    """
    renderer = frame.renderer
    paths = frame.project(project)
    earlier = earlier_metrics(against)
    metrics = report_of(read_brief(paths), look_at(paths)).metrics
    if as_json:
        renderer.data_json({"project": paths.root.name, **metrics.as_record()})
    else:
        _tell(renderer, metrics, earlier)


def _tell(renderer: Renderer, measured: BookMetrics, earlier: Mapping[str, float]) -> None:
    """The metrics as a table, then the places of those outside the reference range."""
    columns = ("part", "metric", "value", "reference range", "level")
    rows = [_row(metric, earlier) for metric in measured.metrics]
    renderer.table((*columns, "before") if earlier else columns, rows)
    flagged = measured.flagged()
    places = [
        (place.address, metric.name, place.quote) for metric in flagged for place in metric.places
    ]
    if places:
        renderer.data("")
        renderer.table(("place", "metric", "text"), places)
    sums = f"{counted(measured.chapters, 'chapter')}, {measured.words:,} words"
    renderer.note(f"{sums}: {counted(len(flagged), 'metric')} outside the reference range.")


def _row(metric: Metric, earlier: Mapping[str, float]) -> tuple[str, ...]:
    """One metric as cells."""
    cells = (
        metric.group,
        metric.name,
        f"{metric.amount()} {metric.unit}",
        metric.human,
        metric.level,
    )
    if not earlier:
        return cells
    before = earlier.get(metric.name)
    return (*cells, "" if before is None else metric.amount(before))
