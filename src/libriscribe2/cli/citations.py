"""`libriscribe2 citations`: whether the notes of a book still hold."""

from typing import Any

from libriscribe2.checks.citation_report import CitationReport, check_citations
from libriscribe2.cli.frame import (
    Frame,
    JsonOption,
    RequiredProjectArgument,
    command,
    command_group,
)
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.errors import IncompleteError
from libriscribe2.wording import counted

app = command_group("citations", "Check that the notes of a book still hold.")


@app.callback()
def _citations() -> None:
    """Check that the notes of a book still hold."""


@app.command()
@command
def check(
    frame: Frame,
    project: RequiredProjectArgument,
    as_json: JsonOption = False,
) -> int:
    """Look every quote up again, and list what the prose claims without a note.

    No network is used. A note no longer holds if its saved text was changed, or if its source
    file was changed and lacks the quote. The exit code is 5 if a note does not hold or a mark in
    a chapter leads to no verified note. Numbers and names that no note supports are listed for
    non-fiction; they do not change the exit code.
    """
    renderer = frame.renderer
    paths = frame.project(project)
    report = check_citations(look_at(paths), read_brief(paths))
    if as_json:
        renderer.data_json({"project": paths.root.name, **_record(report)})
    else:
        _tell(renderer, report)
    return 0 if report.holds else IncompleteError.exit_code


def _record(report: CitationReport) -> dict[str, Any]:
    """The report as JSON."""
    return {
        "holds": report.holds,
        "notes": [
            {
                "id": one.note.id,
                "claim": one.note.claim,
                "source": one.place,
                "locator": one.note.locator,
                "holds": one.holds,
                "reason": one.reason,
                "remark": one.remark,
                "cited": one.note.id in report.cited,
            }
            for one in report.notes
        ],
        "unverified": report.unverified,
        "marks": [
            {"chapter": one.chapter, "mark": one.mark, "reason": one.reason} for one in report.marks
        ],
        "claims": [
            {
                "chapter": one.chapter,
                "sentence": one.found.sentence,
                "claims": list(one.found.claims),
            }
            for one in report.claims
        ],
    }


def _tell(renderer: Renderer, report: CitationReport) -> None:
    """What does not hold, what is not supported, and the sums."""
    rows: list[tuple[str, ...]] = [
        ("note", one.note.id, one.place, one.reason, one.note.claim) for one in report.broken
    ]
    rows += [("mark", one.mark, f"chapter {one.chapter}", one.reason, "") for one in report.marks]
    rows += [
        (
            "claim",
            ", ".join(one.found.claims),
            f"chapter {one.chapter}",
            "no note supports it",
            one.found.sentence,
        )
        for one in report.claims
    ]
    if rows:
        renderer.table(("what", "which", "where", "why", "text"), rows)
    for remark in dict.fromkeys(f"{one.place}: {one.remark}" for one in report.notes if one.remark):
        renderer.warning(remark)
    renderer.note(
        f"{counted(len(report.notes), 'note')}, {len(report.broken)} no longer hold; "
        f"{counted(len(report.marks), 'mark')} without a note; "
        f"{counted(len(report.claims), 'sentence')} that no note supports."
    )
