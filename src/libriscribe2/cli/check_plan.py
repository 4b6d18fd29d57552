"""`libriscribe2 check --plan`: can a book be written from its plan?"""

from libriscribe2.cli.check_story import Format
from libriscribe2.cli.plan_lines import lines_of, tell_sum
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.rule_book import PLAN
from libriscribe2.cli.story_junit import as_junit
from libriscribe2.cli.story_sarif import as_sarif
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.errors import IncompleteError
from libriscribe2.pipeline.plan_check import PlanReport, check_plan
from libriscribe2.project.paths import ProjectPaths


def check_the_plan(renderer: Renderer, paths: ProjectPaths, form: Format) -> int:
    """Look for what the text of a book would pay for, and tell it.

    Returns:
        The exit code.
    """
    report = check_plan(read_brief(paths), look_at(paths))
    _tell(renderer, paths, report, form)
    return IncompleteError.exit_code if report.count("error") else 0


def _tell(renderer: Renderer, paths: ProjectPaths, report: PlanReport, form: Format) -> None:
    """The report on stdout, its sum on stderr."""
    if form == "json":
        renderer.data_json(report.as_record())
    elif form == "sarif":
        renderer.data_json(as_sarif(report.as_story(), paths.root, PLAN))
    elif form == "junit":
        renderer.data(as_junit(report.as_story(), PLAN))
    else:
        for finding in report.findings:
            renderer.data(lines_of(finding, report))
    tell_sum(renderer, report)
