"""`libriscribe2 bench`: how much of what is wrong the checks find."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from libriscribe2.cli.frame import Frame, JsonOption, command, command_group
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.pipeline.story_canon import canon_of
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.quality.canon.gold import GoldBook, toy_book
from libriscribe2.quality.canon.measure import Score, alarms, measure
from libriscribe2.wording import counted

app = command_group("bench", "Measure the checks: planted faults, and how many of them are found.")


@app.callback()
def _bench() -> None:
    """Measure the checks: planted faults, and how many of them are found."""


@app.command()
@command
def continuity(
    frame: Frame,
    project: Annotated[
        str | None,
        typer.Argument(
            metavar="PROJECT",
            help="A book whose chapters were read.",
            show_default="a small book of our own",
        ),
    ] = None,
    seeds: Annotated[
        int, typer.Option("--seeds", min=1, max=1000, help="How often each fault is planted.")
    ] = 12,
    as_json: JsonOption = False,
) -> None:
    """Plant contradictions in a book and count how many of them the rules find.

    The facts of the book are taken as true. Nothing is written and no model is asked.
    """
    renderer = frame.renderer
    book, name = _book(frame.project(project) if project is not None else None)
    scores = measure(book, range(seeds))
    cried = alarms(book)
    if as_json:
        renderer.data_json(_record(name, book, scores, cried))
        return
    renderer.table(("fault", "planted", "found", "share"), [_row(one) for one in scores])
    missed = [(one.operator, sentence) for one in scores for sentence in one.missed]
    if missed:
        renderer.data("")
        renderer.table(("fault", "missed"), missed)
    renderer.note(
        f"{name}: {counted(len(book.facts), 'fact')}, {book.words:,} words, "
        f"{counted(cried, 'alarm')} on the text as it is: {_per_ten_thousand(book, cried):.2g} "
        "per 10,000 words."
    )


def _book(paths: ProjectPaths | None) -> tuple[GoldBook, str]:
    """The book to plant faults in, and what it is called.

    Raises:
        IncompleteError: No chapter of the project was read for its facts.
        ProjectError: There is no such project, or it cannot be read.
    """
    if paths is None:
        return toy_book(), "toy book"
    return canon_of(read_brief(paths), look_at(paths)).as_gold(), paths.root.name


def _row(score: Score) -> tuple[object, ...]:
    """One operator as cells."""
    share = f"{score.found / score.planted:.0%}" if score.planted else "nothing to contradict"
    return score.operator, score.planted, score.found, share


def _record(name: str, book: GoldBook, scores: Sequence[Score], cried: int) -> dict[str, Any]:
    """The figures as plain JSON."""
    planted = sum(one.planted for one in scores)
    return {
        "book": name,
        "words": book.words,
        "facts": len(book.facts),
        "planted": planted,
        "found": sum(one.found for one in scores),
        "operators": [one.as_record() for one in scores],
        "alarms": cried,
        "alarms_per_10000_words": round(_per_ten_thousand(book, cried), 3),
    }


def _per_ten_thousand(book: GoldBook, count: int) -> float:
    """A count as a rate."""
    return count * 10_000 / max(1, book.words)
