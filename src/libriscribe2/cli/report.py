"""`libriscribe2 report` and `compare`: metrics of a book beside those of books by people, and of two drafts."""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from libriscribe2.agents.agent_passage_evaluator import Comparison, PassageEvaluator
from libriscribe2.checks.calibration import votes
from libriscribe2.checks.reference_ranges import RANGES
from libriscribe2.checks.report.book_metrics import BookMetrics
from libriscribe2.checks.report.book_report import earlier_metrics, report_of
from libriscribe2.checks.report.coverage import Coverage, coverage_of
from libriscribe2.checks.report.metric import Metric, metric_in_words
from libriscribe2.cli.frame import Frame, ModelOptions, RequiredProjectArgument, command_with_json
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import consult, held_book
from libriscribe2.commands.evaluations import compare_drafts, comparison_record, planned_comparison
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.errors import UsageError
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings.parts import stage_model
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import counted


@command_with_json
def report(
    frame: Frame,
    project: RequiredProjectArgument,
    against: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="An earlier `report --json`, to show what changed."),
    ] = None,
) -> None:
    """Measure a book: continuity, repetition, openings and endings, length, plan, names, voice.

    Each metric is shown with its reference range, measured on published books, and its worst
    places as file and line. No model is asked, nothing is written, and there is no overall score.
    Of a book of facts it also tells which questions are answered, by how many verified notes and
    how many of those are cited, which sources and notes are used, why others are not, and which
    statements no note supports.
    """
    renderer = frame.renderer
    paths = frame.project(project)
    earlier = earlier_metrics(against)
    brief, view = read_brief(paths), look_at(paths)
    metrics, covered = report_of(brief, view).metrics, coverage_of(brief, view)
    if renderer.as_json:
        told = {} if covered is None else {"coverage": covered.as_record()}
        renderer.data_json({"project": paths.root.name, **metrics.as_record(), **told})
        return
    _tell(renderer, metrics, earlier)
    if covered is not None:
        _tell_coverage(renderer, covered)


def _tell(renderer: Renderer, measured: BookMetrics, earlier: Mapping[str, float]) -> None:
    """The metrics as a table, then the places of those outside the reference range."""
    columns = ("part", "metric", "value", "reference range", "level")
    rows = [_row(metric, earlier) for metric in measured.metrics]
    renderer.table((*columns, "before") if earlier else columns, rows, grouped=True)
    flagged = measured.flagged()
    places = [
        (place.address, metric.name_in_words, place.quote)
        for metric in flagged
        for place in metric.places
    ]
    if places:
        renderer.data("")
        renderer.table(("place", "metric", "text"), places)
    sums = f"{counted(measured.chapters, 'chapter')}, {measured.words:,} words"
    renderer.note(f"{sums}: {counted(len(flagged), 'metric')} outside the reference range.")


def _tell_coverage(renderer: Renderer, covered: Coverage) -> None:
    """What became of the questions, sources and notes of a book of facts."""
    answers = Counter(one.question.verdict for one in covered.questions)
    rows: list[tuple[str, ...]] = [
        ("question", f"{one.question.verdict}; {one.notes_in_words}", one.question.question)
        for one in covered.questions
    ]
    rows += [
        ("source", f"{one.cited} of {one.notes} notes cited" if one.notes else "unused", one.title)
        for one in covered.sources
    ]
    rows += [("note", one.why, one.note.claim) for one in covered.unused]
    rows += [
        ("statement", f"chapter {one.chapter}: {one.why}", one.sentence)
        for one in covered.unsupported
    ]
    renderer.data("")
    renderer.table(("research", "state", "text"), rows, grouped=True)
    renderer.note(
        f"{len(covered.used)} of {counted(covered.facts, 'verified note')} cited; "
        f"{answers['answered']} of {counted(len(covered.questions), 'question')} answered, "
        f"{answers['partly']} in part; "
        f"{counted(len(covered.unsupported), 'statement')} that no note supports."
    )


def _row(metric: Metric, earlier: Mapping[str, float]) -> tuple[str, ...]:
    """One metric as cells."""
    cells = (
        metric.group_in_words,
        metric.name_in_words,
        f"{metric.amount()} {metric.unit}",
        metric.human,
        metric.level or "",
    )
    if not earlier:
        return cells
    before = earlier.get(metric.name)
    return (*cells, "" if before is None else metric.amount(before))


@command_with_json
def compare(
    frame: Frame,
    project: RequiredProjectArgument,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The project to compare it with.")],
    chapter: Annotated[
        int | None, typer.Option("--chapter", min=1, help="Evaluate this chapter only.")
    ] = None,
    most: Annotated[
        int, typer.Option("--most", min=1, max=200, help="Evaluate at most this many chapters.")
    ] = 10,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Also ask a model which passages are better.")
    ] = False,
    *,
    options: ModelOptions,
) -> None:
    """Compare the metrics of two drafts of a book.

    With --evaluate a model compares passages of the same chapters on six questions, each pair in
    both orders. Where the orders disagree it is a tie, and a preference counts only if its quote
    is in the text. First the model has to tell intact passages from ones that were damaged on
    purpose. There is no overall score.
    """
    renderer = frame.renderer
    if not evaluate and (options.model or options.mock or chapter):
        raise UsageError("--model, --mock and --chapter need --evaluate", fix="Add --evaluate.")
    ours, theirs = frame.project(project), frame.project(other)
    if ours.root == theirs.root:
        raise UsageError("A book cannot be compared with itself.", fix="Name another project.")
    measured = tuple(report_of(read_brief(one), look_at(one)).metrics for one in (ours, theirs))
    told = None
    if evaluate:
        settings = frame.settings(options, ours)
        told = _compared(renderer, (ours, theirs), settings, chapter=chapter, most=most)
    if renderer.told_json(comparison_record((ours, theirs), measured, told)):
        return
    _tell_metrics(renderer, (ours, theirs), measured)
    if told is not None:
        _tell_comparison(renderer, (ours, theirs), told)


def _compared(
    renderer: Renderer,
    books: tuple[ProjectPaths, ProjectPaths],
    settings: Settings,
    *,
    chapter: int | None,
    most: int,
) -> Comparison:
    """What a model says of the passages of both books; asked in the journal of the first."""
    ours, theirs = books
    evaluator = stage_model(settings, PassageEvaluator).model
    with held_book(ours, settings) as book:
        planned = planned_comparison(book, theirs, evaluator, chapter=chapter, most=most)
        renderer.note(
            f"{counted(len(planned.pairs.pairs), 'pair')} of passages and the calibration: at most "
            f"{counted(planned.calls, 'call')}, about {planned.tokens:,} tokens."
        )
        if planned.kin:
            renderer.warning(
                f"{evaluator} is related to {planned.kin}, which wrote the text, and may favour it."
            )
        said = "Interrupted. Run the same command to continue."
        return consult(renderer, book, partial(compare_drafts, book, planned), said)


def _tell_metrics(
    renderer: Renderer,
    books: tuple[ProjectPaths, ProjectPaths],
    measured: tuple[BookMetrics, ...],
) -> None:
    """The metrics of both books in a table."""
    names = [paths.root.name for paths in books]
    found = [{one.name: one for one in each.metrics} for each in measured]
    rows = [
        (metric_in_words(name), *(_value(metrics, name) for metrics in found))
        for name in RANGES
        if any(name in metrics for metrics in found)
    ]
    renderer.table(("metric", *names), rows)


def _value(metrics: Mapping[str, Metric], name: str) -> str:
    """A metric with its level, if it has one; empty where the book has no such metric."""
    metric = metrics.get(name)
    return "" if metric is None else f"{metric.amount()} {metric.level or ''}".rstrip()


def _tell_comparison(
    renderer: Renderer, books: tuple[ProjectPaths, ProjectPaths], told: Comparison
) -> None:
    """The decisions, or why there are none."""
    calibration = told.calibration
    result = f"{calibration.share:.0%} right, {calibration.flips:.0%} of the answers changed with the order"
    if not calibration.passed:
        renderer.note(
            f"The evaluator did not pass its calibration ({result}): only the metrics count."
        )
        return
    names = {"ours": books[0].root.name, "theirs": books[1].root.name, "tie": "tie"}
    renderer.data("")
    renderer.table(
        ("passages", "better", "questions"),
        [
            (one.name, names[one.side], " ".join(names[side] for side in one.sides))
            for one in told.decisions
        ],
    )
    found = votes(told.decisions)
    low, high = found.interval
    renderer.note(
        f"The evaluator passed its calibration ({result}). One vote a chapter: {names['ours']} "
        f"{found.ours}, {names['theirs']} {found.theirs}, tie {found.ties}; {low:.0%} to "
        f"{high:.0%} for {names['ours']} (95 % interval)."
    )
    better = found.better
    shown = "No difference shown" if better == "tie" else f"{names[better]} is preferred"
    renderer.note(f"{shown}.")
