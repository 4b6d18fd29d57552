"""`libriscribe2 check --story`: does a book contradict itself?"""

import json
from dataclasses import dataclass
from typing import Final, Literal, cast, get_args

from libriscribe2.cli.judging import judged
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.story_junit import as_junit
from libriscribe2.cli.story_sarif import as_sarif
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.errors import IncompleteError, UsageError
from libriscribe2.pipeline.story_canon import has_no_story
from libriscribe2.pipeline.story_check import check_story
from libriscribe2.pipeline.story_finding import StoryFinding, StoryPlace, StoryReport
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings import Settings
from libriscribe2.wording import counted, one_line

Format = Literal["text", "json", "sarif", "junit"]

_SHOWN: Final = 240
"""Most characters of a quote in the terminal."""


@dataclass(frozen=True, slots=True)
class StoryRequest:
    """What is asked of a check of the story.

    Attributes:
        format: How it is told.
        settings: Say who judges what code cannot compare; None asks no model.
    """

    format: Format
    settings: Settings | None = None


def format_of(typed: str, *, as_json: bool) -> Format:
    """The format that a command line names.

    Raises:
        UsageError: There is no such format, or it is not the one that --json means.
    """
    if as_json and typed not in ("", "json"):
        raise UsageError(f"--json and --format {typed} do not go together", fix="Use one of them.")
    name = "json" if as_json else typed or "text"
    if name not in get_args(Format):
        raise UsageError(
            f"There is no format {name!r}", fix=f"Use one of {', '.join(get_args(Format))}."
        )
    return cast("Format", name)


def check_the_story(renderer: Renderer, paths: ProjectPaths, request: StoryRequest) -> int:
    """Compare what a book states, and tell what cannot be so.

    Returns:
        The exit code.
    """
    brief, view = read_brief(paths), look_at(paths)
    if no_story := has_no_story(brief, view):
        report = StoryReport(paths.root.name, (), 0, ())
    else:
        report = check_story(brief, view)
    if request.settings is not None and not no_story:
        report = judged(renderer, paths, report, request.settings)
    _tell(renderer, paths, report, request.format)
    if no_story:
        renderer.note("The book is no story: its chapters are not read for facts to compare.")
    return IncompleteError.exit_code if report.errors else 0


def _tell(renderer: Renderer, paths: ProjectPaths, report: StoryReport, form: Format) -> None:
    """The report on stdout, what it rests on on stderr."""
    if form == "json":
        renderer.data_json(report.as_record())
    elif form == "sarif":
        renderer.data_json(as_sarif(report, paths.root))
    elif form == "junit":
        renderer.data(as_junit(report))
    else:
        for finding in report.findings:
            if not finding.allowed:
                renderer.data(lines_of(finding))
    _tell_basis(renderer, report, paths.called)


def lines_of(finding: StoryFinding) -> str:
    """A finding as a compiler tells an error, then both quotes and what to do."""
    told = [
        f"{finding.place.name}: {finding.severity} {finding.rule}: {one_line(finding.message)}",
        f"  here: {_quoted(finding.place)}",
    ]
    if finding.other is not None:
        told.append(f"  {finding.other.name}: {_quoted(finding.other)}")
    return "\n".join([*told, f"  fix: {one_line(finding.fix)}"])


def _quoted(place: StoryPlace) -> str:
    """A quote in one line, cut where it is long."""
    quote = one_line(place.quote)
    short = quote if len(quote) <= _SHOWN else f"{quote[: _SHOWN - 1].rstrip()}\u2026"
    return json.dumps(short, ensure_ascii=False)


def _tell_basis(renderer: Renderer, report: StoryReport, project: str) -> None:
    """How much was compared, and what was not."""
    read = counted(len(report.read), "chapter")
    sums = [counted(len(report.errors), "error"), counted(len(report.warnings), "warning")]
    if report.allowed:
        sums.append(f"{len(report.allowed)} let stand")
    renderer.note(f"{counted(report.facts, 'fact')} of {read} compared: {', '.join(sums)}.")
    if report.verdicts:
        told = ", ".join(f"{count} {verdict}" for verdict, count in report.verdicts.items())
        renderer.note(f"judged by a model: {told}.")
    if report.unread:
        renderer.warning(
            f"not read yet: chapters {_numbers(report.unread)}; "
            f"`libriscribe2 resume {project}` reads them."
        )
    for number in report.changed:
        renderer.warning(
            f"chapter {number} has changed since it was read; "
            f"`libriscribe2 redo {project} canon --chapter {number}` reads it again."
        )


def _numbers(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))
