"""What a check finds, as lines of a terminal, SARIF 2.1.0 (editors, code hosts) and JUnit XML (CI)."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from libriscribe2 import __version__
from libriscribe2.checks.plan.plan_report import PlanReport
from libriscribe2.cli.render import Renderer
from libriscribe2.errors import UsageError
from libriscribe2.models.findings import SEVERITIES, Finding, Place
from libriscribe2.project.paths import BOOK_TOML
from libriscribe2.wording import clean, counted, one_line

Format = Literal["text", "json", "sarif", "junit"]

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"

_SHOWN: Final = 240
"""Most characters of a quote in the terminal."""

_NO_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class RuleBook:
    """The rules of a check, as other programs are told of them.

    Attributes:
        about: What is checked.
        rules: Every rule with what it finds.
        suppression: Where SARIF says that an author's leave stands.
        leave: The same in words.
    """

    about: str
    rules: Mapping[str, str]
    suppression: Literal["inSource", "external"] = "inSource"
    leave: str = "a note in the text"


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check came to.

    Attributes:
        project: The project's name.
        findings: What was found, in order.
        book: The rules of the check.
        left_out: Rules that were not looked at.
    """

    project: str
    findings: tuple[Finding, ...]
    book: RuleBook
    left_out: frozenset[str] = frozenset()


def format_of(typed: str, *, as_json: bool) -> Format:
    """The format that a command line names.

    Raises:
        UsageError: There is no such format, or it is not the one that --json means.
    """
    if as_json and typed not in ("", "json"):
        raise UsageError(f"--json and --format {typed} cannot be combined", fix="Use one of them.")
    name = "json" if as_json else typed or "text"
    if name not in get_args(Format):
        raise UsageError(
            f"There is no format {name!r}", fix=f"Use one of {', '.join(get_args(Format))}."
        )
    return cast("Format", name)


def show(
    renderer: Renderer, checked: Checked, record: Mapping[str, Any], root: Path, form: Format
) -> None:
    """The findings on stdout.

    Args:
        renderer: Where they are shown.
        checked: What was found.
        record: The same as plain JSON.
        root: The project's folder.
        form: How.
    """
    if form == "json":
        renderer.data_json(dict(record))
    elif form == "sarif":
        renderer.data_json(as_sarif(checked, root))
    elif form == "junit":
        renderer.data(as_junit(checked))
    else:
        for finding in checked.findings:
            if not (finding.allowed and finding.where.quote):
                renderer.data(lines_of(finding))


def lines_of(one: Finding) -> str:
    """A finding as a compiler tells an error, then both quotes and what to do.

    Of one without a quote that may stand only that it may is told.
    """
    why, fix = one_line(one.why), f"  fix: {one_line(one.fix)}"
    if not one.where.quote:
        if one.allowed:
            return f"{one.where.name}: allowed {one.rule}: {why}"
        return f"{one.where.name}: {one.severity} {one.rule}: {why}\n{fix}"
    lines = [
        f"{one.where.address}: {one.severity} {one.rule}: {why}",
        f"  here: {_quoted(one.where)}",
    ]
    if one.other is not None:
        lines.append(f"  {one.other.address}: {_quoted(one.other)}")
    return "\n".join([*lines, fix])


def as_sarif(checked: Checked, root: Path) -> dict[str, Any]:
    """The findings as one SARIF run; what the author lets stand is marked as suppressed.

    Addresses are relative to the working directory where the project lies inside, since that is
    what hosts resolve them against.
    """
    rules = [
        {"id": rule, "shortDescription": {"text": f"{what[:1].upper()}{what[1:]}."}}
        for rule, what in checked.book.rules.items()
    ]
    driver = {"name": "libriscribe2", "version": __version__, "rules": rules}
    results = [_result(finding, root, checked.book) for finding in checked.findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def as_junit(checked: Checked) -> str:
    """The findings as one suite: a case for each, and one for each rule that found nothing.

    An error is a failure, what the author lets stand is skipped, and a warning passes with what
    it says as its output.
    """
    about, rules, findings = checked.book.about, checked.book.rules, checked.findings
    broken = {finding.rule for finding in findings} | checked.left_out
    quiet = [rule for rule in rules if rule not in broken]
    suite = Element(
        "testsuite",
        name=_xml(f"{checked.project}: {about}"),
        tests=str(len(quiet) + len(findings)),
        failures=str(sum(one.severity == "error" and not one.allowed for one in findings)),
        errors="0",
        skipped=str(sum(one.allowed for one in findings)),
    )
    for rule in quiet:
        SubElement(suite, "testcase", classname=f"{about}.{rule}", name=f"{rule}: {rules[rule]}")
    for finding in findings:
        _case(suite, finding, checked.book)
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, encoding="unicode")


def _quoted(place: Place) -> str:
    """A quote in one line, cut where it is long."""
    text = one_line(place.quote)
    short = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1].rstrip()}\u2026"
    return json.dumps(short, ensure_ascii=False)


def _message(one: Finding) -> str:
    """What is wrong, for formats that know lines only: with its place where nothing is quoted."""
    part = "" if one.where.quote else one.where.in_book
    return f"{part}: ".capitalize() + one.why if part else one.why


def _result(one: Finding, root: Path, book: RuleBook) -> dict[str, Any]:
    """A finding for SARIF."""
    result: dict[str, Any] = {
        "ruleId": one.rule,
        "ruleIndex": list(book.rules).index(one.rule),
        "level": one.severity,
        "message": {"text": f"{_message(one)} {one.fix}"},
        "locations": [_location(one.where, one.where.quote or one.why, root)],
    }
    if one.other is not None:
        result["relatedLocations"] = [_location(one.other, one.other.quote, root) | {"id": 1}]
    if one.allowed:
        result["suppressions"] = [{"kind": book.suppression}]
    return result


def _location(place: Place, snippet: str, root: Path) -> dict[str, Any]:
    """A place in a file for SARIF."""
    region = {"startLine": place.line, "snippet": {"text": snippet}}
    address = {"uri": _uri(root / place.file)}
    return {"physicalLocation": {"artifactLocation": address, "region": region}}


def _uri(path: Path) -> str:
    """A file's address."""
    absolute, here = path.absolute(), Path.cwd()
    if absolute.is_relative_to(here):
        return quote(absolute.relative_to(here).as_posix())
    return absolute.as_uri()


def _case(suite: Element, one: Finding, book: RuleBook) -> None:
    """A finding as a test case."""
    name = _xml(f"{one.where.address}: {_message(one)}")
    case = SubElement(suite, "testcase", classname=f"{book.about}.{one.rule}", name=name)
    sides = [f"{one.where.address}: {one.where.quote or one.why}"]
    if one.other is not None:
        sides.append(f"{one.other.address}: {one.other.quote}")
    text = _xml("\n".join([*sides, f"fix: {one.fix}"]))
    if one.allowed:
        SubElement(case, "skipped", message=f"allowed by {book.leave}")
    elif one.severity == "error":
        failure = SubElement(case, "failure", message=_xml(_message(one)), type=one.rule)
        failure.text = text
    else:
        SubElement(case, "system-out").text = text


def _xml(text: str) -> str:
    """The text without characters that XML does not allow."""
    return _NO_XML.sub("\ufffd", clean(text))


def show_plan(renderer: Renderer, called: str, report: PlanReport) -> None:
    """What a run that ends with the plan has to say of it, on stderr."""
    for finding in report.findings:
        renderer.note(lines_of(finding))
    show_plan_sum(renderer, report)
    renderer.note(f"`libriscribe2 resume {called}` writes the book from this plan.")


def show_plan_sum(renderer: Renderer, report: PlanReport) -> None:
    """How much of a plan was looked at, and how many findings there are."""
    planned = f"{counted(report.chapters, 'chapter')} and {counted(report.scenes, 'scene')}"
    sums = [counted(report.count(severity), severity) for severity in SEVERITIES]
    if report.allowed:
        sums.append(f"{report.allowed} allowed")
    renderer.note(f"{planned} planned: {', '.join(sums)}.")
    for one in report.unused:
        renderer.warning(f"{BOOK_TOML}: allow: {one.text!r} matches no finding.")
