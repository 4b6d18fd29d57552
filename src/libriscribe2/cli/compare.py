"""`libriscribe2 compare`: two drafts of a book beside each other."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from libriscribe2.agents.agent_passage_evaluator import Comparison, PassageEvaluator
from libriscribe2.checks.evaluation.calibration import MOST_TIES, QUESTIONS, calibration_pairs, ties
from libriscribe2.checks.evaluation.passage_pairs import DraftPairs, pairs_of, writers_of
from libriscribe2.checks.reference_ranges import RANGES
from libriscribe2.checks.report.book_metrics import BookMetrics
from libriscribe2.checks.report.book_report import report_of
from libriscribe2.checks.report.metric import Metric
from libriscribe2.cli.check_reports import consulted
from libriscribe2.cli.frame import (
    Frame,
    JsonOption,
    ModelOptions,
    RequiredProjectArgument,
    command,
)
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import (
    look_at,
    open_project,
    read_brief,
)
from libriscribe2.errors import UsageError
from libriscribe2.llm.providers import DEMO_NAMES
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings import Settings
from libriscribe2.wording import counted

_TOKENS_PER_CALL: Final = 2_600


@command
def compare(
    frame: Frame,
    project: RequiredProjectArgument,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The project to compare it with.")],
    chapter: Annotated[
        int | None, typer.Option("--chapter", min=1, help="Judge this chapter only.")
    ] = None,
    most: Annotated[
        int, typer.Option("--most", min=1, max=200, help="Most chapters that are judged.")
    ] = 10,
    judge: Annotated[
        bool, typer.Option("--judge", help="Also ask a model which passages are better.")
    ] = False,
    as_json: JsonOption = False,
    *,
    options: ModelOptions,
) -> None:
    """Put the metrics of two drafts of a book beside each other.

    With --judge a model compares passages of the same chapters, each pair in both orders, on six
    questions; where the orders disagree it is a tie, and a preference counts only if its quote
    stands in the text. Before it is heard the model has to tell sound passages from ones that
    were spoiled on purpose. There is no overall score.
    """
    renderer = frame.renderer
    if not judge and (options.model or options.mock or chapter):
        raise UsageError("--model, --mock and --chapter belong to --judge", fix="Add --judge.")
    ours, theirs = frame.project(project), frame.project(other)
    if ours.root == theirs.root:
        raise UsageError("A book cannot be compared with itself.", fix="Name another project.")
    measured = tuple(report_of(read_brief(one), look_at(one)).metrics for one in (ours, theirs))
    told = None
    if judge:
        settings = frame.settings(options, ours)
        told = _compared(renderer, (ours, theirs), settings, chapter=chapter, most=most)
    if as_json:
        renderer.data_json(_record((ours, theirs), measured, told))
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
    with ProjectStore.open(ours) as store:
        brief = open_project(store)
        found = pairs_of(store, look_at(theirs), chapter=chapter, most=most)
        _announce(renderer, found)
        _warn_of_family(renderer, settings.models.for_stage("judge").model, store)
        return consulted(
            renderer,
            (store, brief, settings),
            PassageEvaluator,
            lambda evaluator: evaluator.evaluate(found.pairs, found.sound, found.names),
        )


def _announce(renderer: Renderer, found: DraftPairs) -> None:
    """Say what it takes, before anything is asked."""
    calls = 2 * (len(calibration_pairs(found.sound, found.names)) + len(found.pairs))
    tokens = calls * _TOKENS_PER_CALL
    renderer.note(
        f"{counted(len(found.pairs), 'pair')} of passages and the exam: at most "
        f"{counted(calls, 'call')}, about {tokens:,} tokens."
    )


def _warn_of_family(renderer: Renderer, judge: str, store: ProjectStore) -> None:
    """Say so where a model judges what its own family wrote."""
    family = _family(judge)
    own = [name for name in writers_of(store) if family and _family(name) == family]
    if own:
        renderer.warning(f"{judge} is of the family of {own[0]}, which wrote; it may favour it.")


def _family(model: str) -> str:
    """The family of a model, such as `gpt` of `openai/gpt-5-mini`."""
    name = model.rpartition("/")[2]
    return "" if name in DEMO_NAMES else name.partition("-")[0].casefold()


def _tell_metrics(
    renderer: Renderer,
    books: tuple[ProjectPaths, ProjectPaths],
    measured: tuple[BookMetrics, ...],
) -> None:
    """The metrics of both books in a table."""
    names = [paths.root.name for paths in books]
    found = [{one.name: one for one in each.metrics} for each in measured]
    rows = [
        (name, *(_value(metrics, name) for metrics in found))
        for name in RANGES
        if any(name in metrics for metrics in found)
    ]
    renderer.table(("metric", *names), rows)


def _value(metrics: Mapping[str, Metric], name: str) -> str:
    """A metric with its level; empty where the book has none."""
    metric = metrics.get(name)
    return "" if metric is None else f"{metric.value:.3g} {metric.level}"


def _tell_comparison(
    renderer: Renderer, books: tuple[ProjectPaths, ProjectPaths], told: Comparison
) -> None:
    """The decisions, or why there are none."""
    calibration = told.calibration
    result = (
        f"{calibration.share:.0%} right, {calibration.flips:.0%} of the answers followed the order"
    )
    if not calibration.passed:
        renderer.note(f"The judge did not pass its exam ({result}): only the metrics count.")
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
    share = ties(told.decisions)
    counts = ", ".join(
        f"{name} {sum(one.side == side for one in told.decisions)}" for side, name in names.items()
    )
    renderer.note(f"The judge passed its exam ({result}). {counts}.")
    if share > MOST_TIES:
        renderer.note(f"{share:.0%} ties: too many to say which book is better.")


def _record(
    books: tuple[ProjectPaths, ProjectPaths],
    measured: tuple[BookMetrics, ...],
    told: Comparison | None,
) -> dict[str, Any]:
    """All that is told, as plain JSON."""
    record: dict[str, Any] = {
        "projects": [paths.root.name for paths in books],
        "cards": [one.as_record() for one in measured],
    }
    if told is not None:
        record["exam"] = {
            "passed": told.calibration.passed,
            "right": {kind: list(counts) for kind, counts in told.calibration.right.items()},
            "flips": told.calibration.flips,
        }
        record["questions"] = {kind: list(asked) for kind, asked in QUESTIONS.items()}
        record["verdicts"] = [
            {"pair": one.name, "better": one.side, "sides": one.sides, "quotes": one.quotes}
            for one in told.decisions
        ]
        record["ties"] = ties(told.decisions)
    return record
