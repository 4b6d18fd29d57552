"""`libriscribe2 compare`: two drafts of a book beside each other."""

from typing import Annotated, Any, Final

import typer

from libriscribe2.cli.frame import (
    Frame,
    JsonOption,
    ModelOptions,
    RequiredProjectArgument,
    command,
)
from libriscribe2.cli.judging import consulted
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import (
    look_at,
    open_project,
    read_brief,
)
from libriscribe2.errors import UsageError
from libriscribe2.pipeline.draft_pairs import DraftPairs, pairs_of, writers_of
from libriscribe2.pipeline.passage_judge import Judgement, PassageJudge, exam_pairs
from libriscribe2.pipeline.report import report_of
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.quality.bands import BANDS
from libriscribe2.quality.card.report_card import ReportCard
from libriscribe2.quality.judging.verdicts import MOST_TIES, QUESTIONS, ties
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
    """Put the figures of two drafts of a book beside each other.

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
    cards = tuple(report_of(read_brief(one), look_at(one)).card for one in (ours, theirs))
    told = None
    if judge:
        settings = frame.settings(options, ours)
        told = _judged(renderer, (ours, theirs), settings, chapter=chapter, most=most)
    if as_json:
        renderer.data_json(_record((ours, theirs), cards, told))
        return
    _tell_figures(renderer, (ours, theirs), cards)
    if told is not None:
        _tell_judgement(renderer, (ours, theirs), told)


def _judged(
    renderer: Renderer,
    books: tuple[ProjectPaths, ProjectPaths],
    settings: Settings,
    *,
    chapter: int | None,
    most: int,
) -> Judgement:
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
            PassageJudge,
            lambda judge: judge.judge(found.pairs, found.sound, found.names),
        )


def _announce(renderer: Renderer, found: DraftPairs) -> None:
    """Say what it takes, before anything is asked."""
    calls = 2 * (len(exam_pairs(found.sound, found.names)) + len(found.pairs))
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
    return "" if name == "offline" else name.partition("-")[0].casefold()


def _tell_figures(
    renderer: Renderer,
    books: tuple[ProjectPaths, ProjectPaths],
    cards: tuple[ReportCard, ...],
) -> None:
    """The figures of both books in a table."""
    names = [paths.root.name for paths in books]
    found = [{figure.name: figure for figure in card.figures} for card in cards]
    rows = [
        (name, *(_value(figures, name) for figures in found))
        for name in BANDS
        if any(name in figures for figures in found)
    ]
    renderer.table(("figure", *names), rows)


def _value(figures: dict[str, Any], name: str) -> str:
    """A figure with its verdict; empty where the book has none."""
    figure = figures.get(name)
    return "" if figure is None else f"{figure.value:.3g} {figure.level}"


def _tell_judgement(
    renderer: Renderer, books: tuple[ProjectPaths, ProjectPaths], told: Judgement
) -> None:
    """The verdicts, or why there are none."""
    exam = told.exam
    result = f"{exam.share:.0%} right, {exam.flips:.0%} of the answers followed the order"
    if not exam.passed:
        renderer.note(f"The judge did not pass its exam ({result}): only the figures count.")
        return
    names = {"ours": books[0].root.name, "theirs": books[1].root.name, "tie": "tie"}
    renderer.data("")
    renderer.table(
        ("passages", "better", "questions"),
        [
            (one.name, names[one.side], " ".join(names[side] for side in one.sides))
            for one in told.verdicts
        ],
    )
    share = ties(told.verdicts)
    counts = ", ".join(
        f"{name} {sum(one.side == side for one in told.verdicts)}" for side, name in names.items()
    )
    renderer.note(f"The judge passed its exam ({result}). {counts}.")
    if share > MOST_TIES:
        renderer.note(f"{share:.0%} ties: too many to say which book is better.")


def _record(
    books: tuple[ProjectPaths, ProjectPaths],
    cards: tuple[ReportCard, ...],
    told: Judgement | None,
) -> dict[str, Any]:
    """All that is told, as plain JSON."""
    record: dict[str, Any] = {
        "projects": [paths.root.name for paths in books],
        "cards": [card.as_record() for card in cards],
    }
    if told is not None:
        record["exam"] = {
            "passed": told.exam.passed,
            "right": {kind: list(counts) for kind, counts in told.exam.right.items()},
            "flips": told.exam.flips,
        }
        record["questions"] = {kind: list(asked) for kind, asked in QUESTIONS.items()}
        record["verdicts"] = [
            {"pair": one.name, "better": one.side, "sides": one.sides, "quotes": one.quotes}
            for one in told.verdicts
        ]
        record["ties"] = ties(told.verdicts)
    return record
