"""`libriscribe2 status`: how a book stands."""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer

from libriscribe2.cli.frame import Frame, JsonOption, ProjectArgument, ProjectNameOption, command
from libriscribe2.cli.hindrances import hindrances
from libriscribe2.cli.quotes import quote_beside_actual
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import look_at, read_brief, wanted_stages
from libriscribe2.engine.decisions import RunDecision, book_status, check_artifacts
from libriscribe2.project.artifacts import Book
from libriscribe2.project.dumps import DebugDumps, Rate, reply_rates
from libriscribe2.project.legacy import is_legacy, read_legacy
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.view import ProjectView
from libriscribe2.wording import cost


@command
def status(
    frame: Frame,
    project: ProjectArgument = None,
    project_name: ProjectNameOption = None,
    rates: Annotated[
        bool, typer.Option("--rates", help="Also show how well replies could be read.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show every part of a book with its state and reason.

    Nothing is written and no lock is taken, so it can be asked while a run goes on.
    """
    renderer = frame.renderer
    paths = frame.project(project, project_name)
    view = look_at(paths)
    brief = read_brief(paths)
    stages = wanted_stages(brief)
    check_artifacts(stages, view)
    found, old = book_status(stages, brief, view), _originals(paths)
    record = {
        "project": paths.root.name,
        "title": Book(view).title(brief),
        **_sums(view),
        "units": [_row(one, old) for one in found],
    }
    if rates:
        record["rates"] = [asdict(rate) for rate in _rates(view)]
    if as_json:
        renderer.data_json(record)
        return
    _tell(renderer, view, record)
    if rates:
        shares = [(r.name, f"{r.count} of {r.of}", r.agent, r.model) for r in _rates(view)]
        renderer.table(("rate", "count", "agent", "model"), shares)
    _tell_next(renderer, paths, old=bool(old), runs=any(one.runs for one in found))


def _tell(renderer: Renderer, view: ProjectView, record: Mapping[str, Any]) -> None:
    """Every part in a line, and the sums."""
    rows = [
        (row["unit"], row["state"], row["reason"].removeprefix(f"{row['state']}, "))
        for row in record["units"]
    ]
    renderer.table(("file", "state", "why"), rows)
    quoted = quote_beside_actual(renderer, view.paths, view.manifest)
    renderer.panel(view.paths.root.name, {**_in_words(record), **quoted})


def _tell_next(renderer: Renderer, paths: ProjectPaths, *, old: bool, runs: bool) -> None:
    """What comes next: a run, or what would stop it."""
    stopping = list(hindrances(paths))
    for one in stopping:
        parts = (text.rstrip(".") for text in (one.what, one.place, one.fix) if text)
        renderer.warning(f"A run would stop: {'. '.join(parts)}.")
    if stopping:
        return
    if old:
        told = "A project of the original LibriScribe2"
        renderer.note(f"{told}: `libriscribe2 resume {paths.called}` converts it.")
    elif runs:
        renderer.note(f"Go on with `libriscribe2 resume {paths.called}`.")


def _originals(paths: ProjectPaths) -> Collection[str]:
    """The files that would come from the original LibriScribe2; none in a project of this one."""
    return read_legacy(paths.root).artifacts.keys() if is_legacy(paths) else ()


def _sums(view: ProjectView) -> dict[str, Any]:
    """What the book has come to so far."""
    book, totals = Book(view), view.manifest.totals
    return {
        "words": book.words(),
        "chapters": book.chapters(),
        "calls": totals.calls,
        "failed_calls": totals.failed,
        "input_tokens": totals.input_tokens,
        "output_tokens": totals.output_tokens,
        "cost_usd": None if totals.unknown_costs else totals.cost_usd,
        "damaged_records": view.damaged,
    }


def _in_words(record: Mapping[str, Any]) -> dict[str, str]:
    """The sums for people; what did not happen is left out."""
    happened = {
        "calls that failed": record["failed_calls"],
        "damaged records": record["damaged_records"],
    }
    return {
        "title": record["title"],
        "words": f"{record['words']:,}" if record["words"] else "no chapter yet",
        "chapters": f"{record['chapters']:,}" if record["chapters"] else "not planned yet",
        "calls": f"{record['calls']:,}",
        **{name: f"{count:,}" for name, count in happened.items() if count},
        "tokens": f"{record['input_tokens']:,} in, {record['output_tokens']:,} out",
        "cost": cost(record["cost_usd"]),
    }


def _rates(view: ProjectView) -> list[Rate]:
    """How well the replies of a project could be read."""
    dumps = DebugDumps(view.paths.debug)
    totals = view.manifest.totals
    read = (dumps.load(path) for path in dumps.list())
    return reply_rates(read, totals.calls + totals.failed, totals.filtered)


def _row(found: RunDecision, originals: Collection[str]) -> dict[str, Any]:
    """A unit as a flat record."""
    original = found.unit.output in originals
    return {
        "stage": found.unit.stage,
        "chapter": found.unit.chapter,
        "unit": found.unit.output,
        "state": "original" if original else found.state,
        "runs": found.runs,
        "reason": "from the original LibriScribe2" if original else found.reason,
    }
