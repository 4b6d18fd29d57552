"""A project: whether it can be found, is free, and holds what it should."""

from libriscribe2.cli.doctor_checks.case import Case
from libriscribe2.cli.doctor_checks.check import Examination, Finding
from libriscribe2.commands.projects import look_at
from libriscribe2.engine.decisions import check_artifacts, units_of
from libriscribe2.project.artifacts import Book
from libriscribe2.project.lock import ProjectLock
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.peek import peek, require_project
from libriscribe2.wording import counted


def project_examinations(case: Case) -> list[Examination]:
    """The checks of a project's own records; `project` itself comes before them."""
    return [
        Examination("lock", 9, lambda: look_at_lock(case.paths), ("project",)),
        Examination("journal", 3, lambda: look_at_journal(case.paths), ("project",)),
        Examination("artifacts", 3, lambda: look_at_artifacts(case), ("project", "journal")),
    ]


def look_at_project(case: Case) -> Finding:
    """Whether there is a project of that name whose `book.toml` can be used.

    Raises:
        UsageError: No project can have that name.
        ProjectError: There is no such project, or its `book.toml` is missing.
        ConfigError: `book.toml` cannot be used.
    """
    require_project(case.paths)
    stages = len(case.stages)
    case.settings  # noqa: B018 - reads the settings in book.toml
    return Finding("ok", f"{case.paths.root} is a book of {counted(stages, 'stage')}.")


def look_at_lock(paths: ProjectPaths) -> Finding:
    """Whether a run could work on the project now.

    Raises:
        ProjectInUseError: Another process does; the error says which.
        StorageError: The lock cannot be opened.
    """
    if paths.state.is_dir():
        ProjectLock.acquire(paths).release()
    return Finding("ok", "No other process is working on the project.")


def look_at_journal(paths: ProjectPaths) -> Finding:
    """Whether the record of calls and writes is whole.

    Raises:
        ProjectError: A newer version wrote the project.
        StorageError: The journal cannot be read.
    """
    view = peek(paths)
    if view.damaged:
        message = f"{counted(view.damaged, 'record')} of {paths.journal} cannot be read."
        fix = "Nothing is needed: `resume` keeps a copy in the trash and asks again for the rest."
        return Finding("warning", message, fix)
    return Finding("ok", f"{counted(view.manifest.totals.calls, 'call')} on record, all readable.")


def look_at_artifacts(case: Case) -> Finding:
    """Whether every file of the book that is there can be used.

    Raises:
        ProjectError: The first file that is empty, cut, not UTF-8 or of the wrong shape.
    """
    view = look_at(case.paths)
    check_artifacts(case.stages, view)
    units = [unit for agent in case.stages for unit in units_of(agent, view)]
    there = sum(Book(view).has(unit.output) for unit in units)
    return Finding("ok", f"{there} of {counted(len(units), 'planned file')} there, all readable.")
