"""What the rules find in a plan, as a terminal shows it."""

from libriscribe2.cli.render import Renderer
from libriscribe2.models.brief import Brief
from libriscribe2.pipeline.plan_check import PlanReport, check_plan
from libriscribe2.project.paths import BOOK_TOML
from libriscribe2.project.view import ProjectView
from libriscribe2.quality.plan.plan import PlanFinding
from libriscribe2.wording import counted, one_line


def tell_planned(renderer: Renderer, brief: Brief, view: ProjectView) -> None:
    """What a run that ends with the plan has to say of it, on stderr.

    Raises:
        ProjectError: A file of the plan cannot be used.
    """
    report = check_plan(brief, view)
    for finding in report.findings:
        renderer.note(lines_of(finding, report))
    tell_sum(renderer, report)
    renderer.note(f"`libriscribe2 resume {report.called}` writes from the plan as it is.")


def lines_of(finding: PlanFinding, report: PlanReport) -> str:
    """A finding as a compiler tells an error, then what to do; of one that may stand only that."""
    told = one_line(finding.message)
    if finding.allowed:
        return f"{finding.place}: let stand {finding.rule}: {told}"
    fix = one_line(report.fix(finding))
    return f"{finding.place}: {finding.weight} {finding.rule}: {told}\n  fix: {fix}"


def tell_sum(renderer: Renderer, report: PlanReport) -> None:
    """How much was looked at, and how many findings there are."""
    planned = f"{counted(report.chapters, 'chapter')} and {counted(report.scenes, 'scene')}"
    sums = [counted(report.count(weight), weight) for weight in ("error", "warning", "note")]
    if report.allowed:
        sums.append(f"{report.allowed} let stand")
    renderer.note(f"{planned} planned: {', '.join(sums)}.")
    for one in report.unused:
        renderer.warning(f"{BOOK_TOML}: allow: {one.said!r} lets nothing stand.")
