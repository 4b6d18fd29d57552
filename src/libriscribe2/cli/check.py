"""`libriscribe2 check`: is a book sound?"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Final

import typer

from libriscribe2.agents.agent_book_reviewer import REVIEW_RULES
from libriscribe2.app import AppOptions
from libriscribe2.checks.continuity import facts_report
from libriscribe2.checks.continuity.facts_report import check_facts
from libriscribe2.checks.continuity.story_bible import has_no_story
from libriscribe2.checks.continuity.story_report import (
    JUDGED,
    StoryReport,
    check_story,
    story_rules,
)
from libriscribe2.checks.plan.plan import PLAN_RULES
from libriscribe2.checks.plan.plan_report import check_plan
from libriscribe2.checks.project_health import health_record
from libriscribe2.cli.finding_formats import (
    Checked,
    Format,
    RuleBook,
    format_of,
    show,
    show_plan_sum,
)
from libriscribe2.cli.frame import (
    Frame,
    ModelOptions,
    RequiredProjectArgument,
    command_with_json,
    model_for,
)
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import command_line, consult, held_book
from libriscribe2.commands.book_state import book_findings
from libriscribe2.commands.evaluations import (
    evaluate_story,
    judge_facts,
    review_book,
    unclear_pairs,
)
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.commands.runs import OpenBook, open_book
from libriscribe2.errors import IncompleteError, ProjectError, UsageError
from libriscribe2.models.findings import Finding
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import counted

REVIEW: Final = RuleBook("book review", REVIEW_RULES)
INTERRUPTED: Final = "Interrupted. Run the same command to continue."


@command_with_json
def check(
    frame: Frame,
    project: RequiredProjectArgument,
    story: Annotated[
        bool, typer.Option("--story", help="Check the story: compare what the chapters state.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Check the plan, before any prose is paid for.")
    ] = False,
    form: Annotated[
        str,
        typer.Option(
            "--format", help="Format of a story, plan or review check: text, json, sarif or junit."
        ),
    ] = "",
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="With --story: ask a model about unclear pairs.")
    ] = False,
    book_review: Annotated[
        bool,
        typer.Option("--book-review", help="Have a model review the whole book by its summaries."),
    ] = False,
    *,
    options: ModelOptions,
) -> int:
    """Find problems in a book's files, its story or its plan.

    Every file is read and hashed, and each problem is listed with a fix. Nothing is written. The
    exit code is 3 if something would stop a run, otherwise 0.

    With --story the facts of all chapters are compared, with quotes from both sides. The exit code
    is 5 if the story contradicts itself. Of a book of facts the numbers, names, terms and
    definitions of all chapters are compared with its notes and with each other. Only --evaluate
    asks a model.

    With --plan the outline and the scene plans are checked against rules, such as that
    neighbouring chapters open differently, and written chapters against the plan. The exit code is
    5 if a rule finds an error.

    With --report the written chapters are measured; with --compare OTHER the metrics of two drafts
    stand side by side; with --citations every quote of the notes is looked up again. `check
    --report --help` and the like show the options of each.

    With --book-review a model reads the summaries of all chapters and lists its doubts. Up to
    three are looked up in the text, and only those that quotes confirm are reported. That takes at
    most six calls, and nothing is changed.
    """
    renderer = frame.renderer
    told_as = format_of(form, as_json=renderer.as_json)
    asked = {"--story": story, "--plan": plan, "--book-review": book_review}
    _check_options([name for name, wanted in asked.items() if wanted], form, evaluate, options)
    renderer.as_json = told_as == "json"
    paths = frame.project(project)
    if book_review:
        return _check_book(renderer, paths, told_as, frame.settings(options, paths))
    if plan:
        return _check_plan(renderer, paths, told_as)
    if story:
        settings = frame.settings(options, paths) if evaluate else None
        return _check_story(renderer, paths, told_as, settings)
    findings = book_findings(paths)
    stops = any(finding.severity == "error" for finding in findings)
    if renderer.as_json:
        listed = [health_record(finding) for finding in findings]
        renderer.data_json({"project": paths.root.name, "sound": not stops, "findings": listed})
    else:
        _tell(renderer, findings)
    return ProjectError.exit_code if stops else 0


def _check_options(asked: Sequence[str], form: str, evaluate: bool, options: ModelOptions) -> None:
    """Make sure that one thing is asked for, and that the options have something to belong to.

    Raises:
        UsageError: They have not, or several are.
    """
    if len(asked) > 1:
        raise UsageError(f"{' and '.join(asked)} cannot be combined", fix="Use one at a time.")
    if evaluate and "--story" not in asked:
        raise UsageError("--evaluate needs --story", fix="Add --story.")
    if form and not asked:
        raise UsageError("--format needs --story, --plan or --book-review", fix="Add one of them.")
    if (options.model or options.mock) and not {"--story", "--book-review"} & {*asked}:
        raise UsageError("--model and --mock need --story or --book-review", fix="Add one of them.")


def _tell(renderer: Renderer, findings: Sequence[Finding]) -> None:
    """The findings as a table, and their number."""
    if not findings:
        renderer.note("No problems found.")
        return
    rows = [(one.severity, one.where.file, one.where.part, one.why, one.fix) for one in findings]
    renderer.table(("severity", "file", "place", "problem", "fix"), rows, below=True)
    errors = sum(one.severity == "error" for one in findings)
    warnings = len(findings) - errors
    renderer.note(f"{counted(errors, 'error')}, {counted(warnings, 'warning')}.")


def _check_plan(renderer: Renderer, paths: ProjectPaths, form: Format) -> int:
    """Look for what the text of a book would pay for, and tell it.

    Returns:
        The exit code.
    """
    report = check_plan(read_brief(paths), look_at(paths))
    book = RuleBook("plan", PLAN_RULES.words(), "external", "`allow` in book.toml")
    checked = Checked(report.project, report.findings, book)
    show(renderer, checked, report.as_record(), paths.root, form)
    show_plan_sum(renderer, report)
    return IncompleteError.exit_code if report.count("error") else 0


def _check_story(
    renderer: Renderer, paths: ProjectPaths, form: Format, settings: Settings | None
) -> int:
    """Compare what a book states, and tell what cannot be so.

    Args:
        renderer: Where it is told.
        paths: The project.
        form: How it is told.
        settings: Say who decides what code cannot compare; None asks no model.

    Returns:
        The exit code.
    """
    brief, view = read_brief(paths), look_at(paths)
    if has_no_story(brief, view):
        return _check_facts(renderer, paths, form, settings)
    report = check_story(brief, view)
    if settings is not None:
        report = _evaluated(renderer, paths, report, settings)
    left_out = frozenset[str]() if report.decisions else frozenset({JUDGED})
    checked = Checked(report.project, report.findings, RuleBook("story", story_rules()), left_out)
    show(renderer, checked, report.as_record(), paths.root, form)
    _tell_basis(renderer, report, paths.called)
    return IncompleteError.exit_code if report.errors else 0


def _check_facts(
    renderer: Renderer, paths: ProjectPaths, form: Format, settings: Settings | None
) -> int:
    """Hold a book of facts beside its notes, and tell what they do not bear out.

    Returns:
        The exit code.
    """
    report = check_facts(read_brief(paths), look_at(paths))
    if settings is not None:
        with held_book(paths, settings) as book:
            judged = partial(judge_facts, book, report)
            report = consult(renderer, book, judged, INTERRUPTED)
    left_out = frozenset[str]() if settings is not None else frozenset({facts_report.JUDGED})
    checked = Checked(
        report.project, report.findings, RuleBook("facts", facts_report.RULES), left_out
    )
    show(renderer, checked, report.as_record(), paths.root, form)
    read = counted(len(report.read), "chapter")
    renderer.note(f"{read} beside {counted(report.facts, 'note')}: {_found(report)}.")
    return IncompleteError.exit_code if report.errors else 0


def _evaluated(
    renderer: Renderer, paths: ProjectPaths, report: StoryReport, settings: Settings
) -> StoryReport:
    """A report with what a model says of the pairs of which no rule is sure."""
    with open_book(paths) as (store, brief):
        bible, questions = unclear_pairs(store, brief, report)
        if not questions:
            return report.with_decisions((), Counter())
        choice = model_for(settings)
        book = OpenBook(store, brief, settings, choice, AppOptions(command_line()))
        asked = partial(evaluate_story, book, report, bible, questions)
        evaluated, left_out = consult(renderer, book, asked, INTERRUPTED)
    if left_out:
        renderer.warning(f"{counted(left_out, 'statement')} left undecided: there were too many.")
    return evaluated


def _check_book(renderer: Renderer, paths: ProjectPaths, form: Format, settings: Settings) -> int:
    """Have a model read a whole book, and tell what the text proves of its doubts.

    Returns:
        The exit code.
    """
    with held_book(paths, settings) as book:
        report, doubts = consult(renderer, book, partial(review_book, book), INTERRUPTED)
    checked = Checked(report.project, report.findings, REVIEW)
    show(renderer, checked, report.as_record(), paths.root, form)
    looked, sums = sum(report.decisions.values()), _sums(report)
    found = counted(doubts, "doubt")
    renderer.note(f"{found} from the summaries, {looked} looked up in the text: {sums or 'none'}.")
    return 0


def _tell_basis(renderer: Renderer, report: StoryReport, project: str) -> None:
    """How much was compared, and what was not."""
    read = counted(len(report.read), "chapter")
    renderer.note(f"{counted(report.facts, 'fact')} of {read} compared: {_found(report)}.")
    if report.decisions:
        renderer.note(f"Decided by a model: {_sums(report)}.")
    if report.unread:
        numbers = ", ".join(map(str, report.unread))
        renderer.warning(
            f"not yet read for facts: chapters {numbers}; `libriscribe2 resume {project}` reads them."
        )
    for number in report.changed:
        renderer.warning(
            f"chapter {number} has changed since it was read; "
            f"`libriscribe2 redo {project} story_bible --chapter {number}` reads it again."
        )


def _found(report: StoryReport) -> str:
    """How many errors and warnings were found, and how many the author allows."""
    sums = [counted(len(report.errors), "error"), counted(len(report.warnings), "warning")]
    return ", ".join([*sums, *([f"{len(report.allowed)} allowed"] if report.allowed else [])])


def _sums(report: StoryReport) -> str:
    """How many of each decision."""
    return ", ".join(f"{count} {decision}" for decision, count in report.decisions.items())
