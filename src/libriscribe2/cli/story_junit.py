"""A check of the story as JUnit XML, which CI servers show as a list of tests."""

import re
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from libriscribe2.cli.rule_book import STORY, RuleBook
from libriscribe2.pipeline.story_finding import StoryFinding, StoryReport
from libriscribe2.quality.canon.conflict import JUDGED
from libriscribe2.wording import clean

_NO_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(report: StoryReport, book: RuleBook = STORY) -> str:
    """The report as one suite: a case for each finding, and one for each rule that found nothing.

    An error is a failure, what the author lets stand is skipped, and a warning passes with what
    it says as its output.

    Args:
        report: What was found.
        book: The rules of the check.
    """
    about, known = book.about, book.rules
    broken = {finding.rule for finding in report.findings}
    quiet = [rule for rule in known if rule not in broken and (rule != JUDGED or report.verdicts)]
    suite = Element(
        "testsuite",
        name=_xml(f"{report.project}: {about}"),
        tests=str(len(quiet) + len(report.findings)),
        failures=str(len(report.errors)),
        errors="0",
        skipped=str(len(report.allowed)),
    )
    for rule in quiet:
        SubElement(suite, "testcase", classname=f"{about}.{rule}", name=f"{rule}: {known[rule]}")
    for finding in report.findings:
        _case(suite, finding, book)
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, encoding="unicode")


def _case(suite: Element, finding: StoryFinding, book: RuleBook) -> None:
    """One finding as a test case."""
    name = _xml(f"{finding.place.name}: {finding.message}")
    case = SubElement(suite, "testcase", classname=f"{book.about}.{finding.rule}", name=name)
    told = _xml(_told(finding))
    if finding.allowed:
        SubElement(case, "skipped", message=f"let stand by {book.leave}")
    elif finding.severity == "error":
        failure = SubElement(case, "failure", message=_xml(finding.message), type=finding.rule)
        failure.text = told
    else:
        SubElement(case, "system-out").text = told


def _told(finding: StoryFinding) -> str:
    """Both sides and the fix."""
    sides = [finding.place] if finding.other is None else [finding.place, finding.other]
    return "\n".join([*(f"{side.name}: {side.quote}" for side in sides), f"fix: {finding.fix}"])


def _xml(text: str) -> str:
    """The text without characters that XML does not allow."""
    return _NO_XML.sub("\ufffd", clean(text))
