"""A check of the story as SARIF 2.1.0, which code hosts and editors read."""

from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from libriscribe2 import __version__
from libriscribe2.cli.rule_book import STORY, RuleBook
from libriscribe2.pipeline.story_finding import StoryFinding, StoryPlace, StoryReport

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(report: StoryReport, root: Path, book: RuleBook = STORY) -> dict[str, Any]:
    """The report as one SARIF run.

    Args:
        report: What was found; what the author lets stand is marked as suppressed.
        root: The project's folder; addresses are relative to the working directory where it lies
            inside, since that is what hosts resolve them against.
        book: The rules of the check.
    """
    rules = [
        {"id": rule, "shortDescription": {"text": f"{what[:1].upper()}{what[1:]}."}}
        for rule, what in book.rules.items()
    ]
    driver = {"name": "libriscribe2", "version": __version__, "rules": rules}
    results = [_result(finding, root, book) for finding in report.findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: StoryFinding, root: Path, book: RuleBook) -> dict[str, Any]:
    """One finding."""
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": list(book.rules).index(finding.rule),
        "level": finding.severity,
        "message": {"text": f"{finding.message} {finding.fix}"},
        "locations": [_location(finding.place, root)],
    }
    if finding.other is not None:
        result["relatedLocations"] = [_location(finding.other, root) | {"id": 1}]
    if finding.allowed:
        result["suppressions"] = [{"kind": book.suppression}]
    return result


def _location(place: StoryPlace, root: Path) -> dict[str, Any]:
    """A place in a file."""
    region = {"startLine": place.line, "snippet": {"text": place.quote}}
    address = {"uri": _uri(root / place.file)}
    return {"physicalLocation": {"artifactLocation": address, "region": region}}


def _uri(path: Path) -> str:
    """A file's address."""
    absolute, here = path.absolute(), Path.cwd()
    if absolute.is_relative_to(here):
        return quote(absolute.relative_to(here).as_posix())
    return absolute.as_uri()
