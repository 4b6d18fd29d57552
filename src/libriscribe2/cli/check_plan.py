"""`libriscribe2 check --plan`: can a book be written from its plan?"""

import typer

from libriscribe2.cli.boundary import reported
from libriscribe2.cli.check_story import Format
from libriscribe2.cli.plan_lines import lines_of, tell_sum
from libriscribe2.cli.projects import locate, look_at, read_brief, settings_of
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.rule_book import PLAN
from libriscribe2.cli.story_junit import as_junit
from libriscribe2.cli.story_sarif import as_sarif
from libriscribe2.errors import IncompleteError
from libriscribe2.pipeline.plan_check import PlanReport, check_plan
from libriscribe2.project.paths import ProjectPaths


def check_the_plan(renderer: Renderer, project: str, form: Format) -> None:
    """Look for what the text of a book would pay for, and tell it.

    Raises:
        typer.Exit: With code 5 where an error stands, or with the code of a failure.
    """
    with reported(renderer, as_json=form == "json"):
        paths = locate(project, None, settings_of(None, {}))
        report = check_plan(read_brief(paths), look_at(paths))
    _tell(renderer, paths, report, form)
    if report.count("error"):
        raise typer.Exit(IncompleteError.exit_code)


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
