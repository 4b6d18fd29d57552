"""`libriscribe2 check`: is a book sound?"""

from collections.abc import Sequence
from typing import Annotated

import typer

from libriscribe2.checks.project_health import health_record
from libriscribe2.cli.check_plan import check_the_plan
from libriscribe2.cli.check_reports import check_the_book, check_the_story
from libriscribe2.cli.finding_formats import format_of
from libriscribe2.cli.frame import (
    Frame,
    JsonOption,
    ModelOptions,
    RequiredProjectArgument,
    command,
)
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.book_state import book_findings
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.models.findings import Finding
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.wording import counted


@command
def check(
    frame: Frame,
    project: RequiredProjectArgument,
    story: Annotated[
        bool, typer.Option("--story", help="Compare what the chapters state, instead of files.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Look at the plan, before any prose is paid for.")
    ] = False,
    form: Annotated[
        str,
        typer.Option("--format", help="Of a story, plan or review: text, json, sarif or junit."),
    ] = "",
    judge: Annotated[
        bool, typer.Option("--judge", help="With --story: ask a model about unclear pairs.")
    ] = False,
    book_review: Annotated[
        bool,
        typer.Option("--book-review", help="Have a model read the whole book by its summaries."),
    ] = False,
    as_json: JsonOption = False,
    *,
    options: ModelOptions,
) -> int:
    """Say what is wrong with a book's files, its story or its plan.

    Every file is read and hashed, and each fault is told with the way to mend it. Nothing is
    written. The exit code is 3 if something would stop a run, 0 otherwise.

    With --story the facts of all chapters are compared, with their words on both sides, and the
    exit code is 5 where the story contradicts itself. Only --judge asks a model.

    With --plan the outline and the plans of the scenes are compared with rules, such as that
    neighbouring chapters open differently; the exit code is 5 where a rule is sure of a fault.
    Chapters that are written are put beside it, to tell where they have left it.

    With --book-review a model reads the summaries of all chapters and tells what it doubts; up to
    three doubts are looked for in the text, and only what quotes of the text prove is told. That
    is at most six calls, and nothing is changed.
    """
    renderer = frame.renderer
    told_as = format_of(form, as_json=as_json)
    _one_of(story=story, plan=plan, book_review=book_review)
    _check_options(story=story, plan=plan, book_review=book_review, form=form, judge=judge)
    _check_model(story=story, book_review=book_review, named=bool(options.model or options.mock))
    frame.as_json = told_as == "json"
    paths = frame.project(project)
    if book_review:
        check_the_book(renderer, paths, told_as, frame.settings(options, paths))
        return 0
    if plan:
        return check_the_plan(renderer, paths, told_as)
    if story:
        settings = frame.settings(options, paths) if judge else None
        return check_the_story(renderer, paths, told_as, settings)
    findings = book_findings(paths)
    stops = any(finding.severity == "error" for finding in findings)
    if as_json:
        listed = [health_record(finding) for finding in findings]
        renderer.data_json({"project": paths.root.name, "sound": not stops, "findings": listed})
    else:
        _tell(renderer, paths, findings)
    return ProjectError.exit_code if stops else 0


def _one_of(*, story: bool, plan: bool, book_review: bool) -> None:
    """Make sure that one thing is asked for.

    Raises:
        UsageError: Several are.
    """
    asked = {"--story": story, "--plan": plan, "--book-review": book_review}
    named = [name for name, wanted in asked.items() if wanted]
    if len(named) > 1:
        raise UsageError(f"{' and '.join(named)} do not go together", fix="Ask for one at a time.")


def _check_options(*, story: bool, plan: bool, book_review: bool, form: str, judge: bool) -> None:
    """Make sure that the options have something to belong to.

    Raises:
        UsageError: They have not.
    """
    if judge and not story:
        raise UsageError("--judge belongs to --story", fix="Add --story.")
    if form and not (story or plan or book_review):
        raise UsageError(
            "--format belongs to --story, --plan and --book-review", fix="Add one of them."
        )


def _check_model(*, story: bool, book_review: bool, named: bool) -> None:
    """Make sure that a model is named only where one is asked.

    Raises:
        UsageError: It is not.
    """
    if named and not (story or book_review):
        raise UsageError(
            "--model and --mock belong to --story and --book-review", fix="Add one of them."
        )


def _tell(renderer: Renderer, paths: ProjectPaths, findings: Sequence[Finding]) -> None:
    """The findings as a table, and their number."""
    if not findings:
        renderer.note(f"{paths.root.name} is sound.")
        return
    rows = [(one.severity, one.where.file, one.where.part, one.why, one.fix) for one in findings]
    renderer.table(("weight", "file", "place", "what", "fix"), rows)
    errors = sum(one.severity == "error" for one in findings)
    warnings = len(findings) - errors
    renderer.note(f"{counted(errors, 'error')}, {counted(warnings, 'warning')}.")
