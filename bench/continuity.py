"""How many planted faults the continuity rules find, and how often they cry wolf on a sound text.

`python -m bench.continuity [FOLDER]`; without a project's folder a small book of our own is taken.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer

from bench.planted_faults import OPERATORS, GoldBook, Planted, plant, plant_slip, toy_book
from libriscribe2.checks.continuity.story_bible import bible_of
from libriscribe2.checks.continuity.story_rules import Story, findings_in, hard, place_of
from libriscribe2.checks.text_names import name_drift
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.models.findings import Finding
from libriscribe2.project.paths import ProjectPaths

NAME_DRIFT = "name drift"


@dataclass(frozen=True, slots=True)
class Score:
    """What became of the faults of one operator.

    Attributes:
        operator: Its name.
        planted: How many faults were put in.
        found: How many of them were found where they stand.
        missed: The sentences of the others.
    """

    operator: str
    planted: int
    found: int
    missed: tuple[str, ...]

    def as_record(self) -> dict[str, Any]:
        """The score as plain JSON."""
        return {
            "operator": self.operator,
            "planted": self.planted,
            "found": self.found,
            "missed": list(self.missed),
        }


def measure(book: GoldBook, seeds: Iterable[int]) -> list[Score]:
    """Every operator on a book, once per seed; operators that find nothing to change are at 0."""
    wanted = list(seeds)
    scores = []
    for name in OPERATORS:
        planted = [one for seed in wanted if (one := plant(name, book, _dice(seed)))]
        missed = tuple(one.fact.quote for one in planted if not _is_found(one))
        scores.append(Score(name, len(planted), len(planted) - len(missed), missed))
    return [*scores, _names(book, wanted)]


def alarms(book: GoldBook) -> int:
    """How many conflicts and drifting names the rules see in a book as it is."""
    return len(_contradictions(book)) + len(name_drift(book.chapters, book.names))


def main(
    project: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="A book whose chapters were read.")
    ] = None,
    seeds: Annotated[
        int, typer.Option("--seeds", min=1, max=1000, help="How often each fault is planted.")
    ] = 12,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Plant contradictions in a book and count how many of them the rules find.

    The facts of the book are taken as true. Nothing is written and no model is asked.
    """
    book, name = (toy_book(), "toy book") if project is None else (_book(project), project.name)
    scores, cried = measure(book, range(seeds)), alarms(book)
    if as_json:
        print(json.dumps(_record(name, book, scores, cried), indent=2, ensure_ascii=False))
        return
    for score in scores:
        print("{:32} {:>4} {:>4} {:>6}".format(*_row(score)))
    for score in scores:
        for sentence in score.missed:
            print(f"missed: {score.operator}: {sentence}")
    print(
        f"{name}: {len(book.facts)} facts, {book.words:,} words, {cried} alarms on the text as it "
        f"is: {_per_ten_thousand(book, cried):.2g} per 10,000 words."
    )


def _book(project: Path) -> GoldBook:
    """A book of ours with its own facts as the truth.

    Raises:
        IncompleteError: No chapter of the project was read for its facts.
        ProjectError: There is no such project, or it cannot be read.
    """
    paths = ProjectPaths(project, project.parent / "debug")
    bible = bible_of(read_brief(paths), look_at(paths))
    places = [f"the {name[4:]}" for name in bible.others if name.lower().startswith("the ")]
    return GoldBook(bible.chapters, bible.facts, (*bible.people, *places))


def _is_found(planted: Planted) -> bool:
    """Whether the rule tells the planted fact."""
    place = place_of(planted.fact)
    return any(
        one.rule == planted.rule and place in (one.where, one.other)
        for one in _contradictions(planted.book)
    )


def _contradictions(book: GoldBook) -> list[Finding]:
    """What the rules find in the facts of a book."""
    return findings_in(Story(hard(book.facts)))


def _names(book: GoldBook, seeds: Iterable[int]) -> Score:
    """The operator that misspells a name once."""
    slips = [one for seed in seeds if (one := plant_slip(book, _dice(seed)))]
    missed = tuple(
        f"{slip.spelling} for {slip.name}"
        for slip in slips
        if not any(d.spelling == slip.spelling for d in name_drift(slip.chapters, book.names))
    )
    return Score(NAME_DRIFT, len(slips), len(slips) - len(missed), missed)


def _dice(seed: int) -> Random:
    """The dice of a seed: a measurement has to come out the same anywhere."""
    return Random(seed)  # noqa: S311


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


if __name__ == "__main__":
    typer.run(main)
