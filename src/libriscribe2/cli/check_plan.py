"""`libriscribe2 check --plan`: can a book be written from its plan?"""

from libriscribe2.checks.plan.plan import PLAN_RULES
from libriscribe2.checks.plan.plan_report import PlanReport, check_plan
from libriscribe2.cli.finding_formats import Checked, Format, RuleBook, lines_of, show
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.errors import IncompleteError
from libriscribe2.models.brief import Brief
from libriscribe2.models.findings import SEVERITIES
from libriscribe2.project.paths import BOOK_TOML, ProjectPaths
from libriscribe2.project.view import ProjectView
from libriscribe2.wording import counted


def check_the_plan(renderer: Renderer, paths: ProjectPaths, form: Format) -> int:
    """Look for what the text of a book would pay for, and tell it.

    Returns:
        The exit code.
    """
    report = check_plan(read_brief(paths), look_at(paths))
    book = RuleBook("plan", PLAN_RULES.words(), "external", "`allow` in book.toml")
    checked = Checked(report.project, report.findings, book)
    show(renderer, checked, report.as_record(), paths.root, form)
    _tell_sum(renderer, report)
    return IncompleteError.exit_code if report.count("error") else 0


def tell_planned(renderer: Renderer, brief: Brief, view: ProjectView) -> None:
    """What a run that ends with the plan has to say of it, on stderr.

    Raises:
        ProjectError: A file of the plan cannot be used.
    """
    report = check_plan(brief, view)
    for finding in report.findings:
        renderer.note(lines_of(finding))
    _tell_sum(renderer, report)
    renderer.note(f"`libriscribe2 resume {report.called}` writes from the plan as it is.")


def _tell_sum(renderer: Renderer, report: PlanReport) -> None:
    """How much of a plan was looked at, and how many findings there are."""
    planned = f"{counted(report.chapters, 'chapter')} and {counted(report.scenes, 'scene')}"
    sums = [counted(report.count(severity), severity) for severity in SEVERITIES]
    if report.allowed:
        sums.append(f"{report.allowed} let stand")
    renderer.note(f"{planned} planned: {', '.join(sums)}.")
    for one in report.unused:
        renderer.warning(f"{BOOK_TOML}: allow: {one.text!r} lets nothing stand.")
