"""What the checks say of books by people: `python -m bench.novels [--language L] [--kind K] FILE ...`.

Each FILE is a manuscript as `libriscribe2 import` takes it, and is divided into chapters as there;
texts of the public domain or with free licences are meant, and none is kept here. Printed are the
name alarms, which have to be read to know whether they are true (the cast is that of
`bench.name_slips`), the figures outside their ranges, and the errors and warnings of the gates,
which see a chapter beside the nearest ones as the reviser shows them, and of the rules of
`check --story` that need no reading of the chapters. What the gates call an error they call one
only in a draft of a model (`GateContext.drafted`); it is counted apart.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bench.name_slips import cast_of
from libriscribe2.checks.continuity.story_rules import Story, findings_in
from libriscribe2.checks.gates.gate import GateContext, examined
from libriscribe2.checks.report.book_metrics import BookPlan, book_metrics
from libriscribe2.checks.text import ChapterText
from libriscribe2.checks.text_names import name_drift
from libriscribe2.context.revision_context import COMPARED
from libriscribe2.documents.manuscript_reader import read_manuscript
from libriscribe2.models.draft_order import Kind
from libriscribe2.models.findings import Finding
from libriscribe2.models.languages import language_of

_HEADING: Final = re.compile(r"\A\s*#[^\n]*\n")


def chapters_of(file: Path) -> list[ChapterText]:
    """The chapters of a manuscript as an import has them."""
    read = read_manuscript(file.name, file.read_bytes()).chapters
    return [ChapterText(at, f"{at:02d}.md", one.text) for at, one in enumerate(read, start=1)]


def _kind(told: str) -> Kind:
    return "fiction" if told == "fiction" else "non-fiction"


def findings_of(chapters: Sequence[ChapterText], language: str, kind: str) -> Iterator[Finding]:
    """What the gates find, hints left out."""
    bodies = [_HEADING.sub("", one.text) for one in chapters]
    for at, body in enumerate(bodies):
        others = (n for n in range(len(bodies)) if n != at)
        nearest = sorted(others, key=lambda n: (abs(n - at), n))[:COMPARED]
        context = GateContext(
            number=at + 1,
            before=bodies[at - 1] if at else "",
            after=bodies[at + 1] if at + 1 < len(bodies) else "",
            earlier=[bodies[n] for n in sorted(nearest)],
            language=language,
            kind=_kind(kind),
            drafted=True,
        )
        yield from (one for one in examined(body, context).findings if one.severity != "note")


def measure(file: Path, language: str, kind: str) -> Iterator[str]:
    """Lines that tell what the checks say of a book."""
    chapters = chapters_of(file)
    card = book_metrics(chapters, BookPlan(language=language, kind=_kind(kind)))
    outside = [one for one in card.flagged() if one.group != "names"]
    alarms = name_drift(chapters, cast_of(chapters, language_of(language).code), language=language)
    found = list(findings_of(chapters, language, kind))
    drafted = sum(one.severity == "error" for one in found)
    story = findings_in(Story((), chapters, language=language)) if kind == "fiction" else []
    rest = [one for one in story if one.rule != "R10"]  # names are told above
    errors = sum(one.severity == "error" for one in rest)
    found += rest
    yield (
        f"{file.stem}: {card.chapters} chapters, {card.words:,} words; {len(alarms)} alarms, "
        f"{len(outside)} outside, {errors} errors, {len(found) - errors - drafted} warnings; "
        f"{drafted} errors in a draft"
    )
    for drift in alarms:
        said = next((one for one in drift.paragraph.text.split("\n") if drift.spelling in one), "")
        yield f"  name: {drift.spelling} ({drift.uses}) for {drift.name} ({drift.name_uses}): {said}"
    for metric in outside:
        places = "; ".join(one.quote for one in metric.places[:2])
        yield f"  outside: {metric.name} {metric.value:.4f}: {places}"
    for one in found:
        yield f"  {one.severity}: {one.rule}: {one.why}: {one.where.quote}"


def main() -> None:
    """Print what the checks say of each book."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--language", default="English")
    parser.add_argument("--kind", choices=("fiction", "non-fiction"), default="fiction")
    given = parser.parse_args()
    for file in given.files:
        print(*measure(file, given.language, given.kind), sep="\n", flush=True)


if __name__ == "__main__":
    main()
