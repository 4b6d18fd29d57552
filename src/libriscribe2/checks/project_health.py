"""Whether a project is sound: every file read, hashed and compared with what is known of it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Protocol

from pydantic import BaseModel

from libriscribe2.errors import LibriScribeError, ProjectError
from libriscribe2.models.findings import Finding, Place, Severity
from libriscribe2.models.story import ScenesFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.atomic import leftovers, storage_errors
from libriscribe2.project.journal import read_journal
from libriscribe2.project.lock import default_places
from libriscribe2.project.paths import OUTLINE, SCENES, STATE, ProjectPaths, number_in
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.structure_change import read_pending
from libriscribe2.wording import counted

_RULE: Final = "health"
_JOURNAL: Final = f"{STATE}/journal.jsonl"


class StageFiles(Protocol):
    """What a stage makes: its name, the name of its file (`*` for a number), its shape."""

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def writes(self) -> str: ...  # noqa: D102

    @property
    def shape(self) -> type[BaseModel] | None: ...  # noqa: D102


def health_finding(file: str, part: str, why: str, fix: str, *, stops: bool = False) -> Finding:
    """Something that is not as it should be; what stops a run is an error.

    Args:
        file: The file.
        part: Where in it; "" for the whole.
        why: What is wrong.
        fix: The command or edit that mends it.
        stops: Whether a run would stop for it.
    """
    severity: Severity = "error" if stops else "warning"
    return Finding(severity, Place(file, part=part), why, fix, _RULE)


def finding_of(error: LibriScribeError, file: str) -> Finding:
    """An error that stops a run, as a finding."""
    return health_finding(file, error.why, error.what, error.fix, stops=True)


def health_record(one: Finding) -> dict[str, Any]:
    """A finding about files as plain JSON; `what` and `stops` are older names."""
    stops = one.severity == "error"
    return {**one.as_record(), "place": one.where.part, "what": one.why, "stops": stops}


def examine_files(view: ProjectView, stages: Sequence[StageFiles]) -> list[Finding]:
    """Everything that is wrong with the files of a book.

    Args:
        view: The project.
        stages: The stages that the book has.

    Raises:
        StorageError: A file cannot be read.
    """
    shapes = [finding for stage in stages for finding in _unreadable(stage, view)]
    known = [finding for name in view.manifest.files for finding in _unlike_record(name, view)]
    numbers: list[Finding] = []
    if not {OUTLINE, SCENES} & {finding.where.file for finding in shapes}:
        numbers = [*_plans_apart(stages, view), *_beyond_the_end(stages, view)]
    return [*shapes, *known, *numbers]


def examine_records(paths: ProjectPaths) -> list[Finding]:
    """Everything that is wrong with a project's records; nothing of it stops a run.

    Raises:
        ProjectError: A change that was interrupted cannot be read.
        StorageError: A file cannot be read.
    """
    return [*_interrupted(paths), *_journal(paths), *_leftovers(paths)]


def redo_of(view: ProjectView, name: str, stage: str) -> str:
    """The command that has a whole-book file made again, by force where it is the author's own."""
    force = " --replace-mine" if view.state(name, {}).kind == "edited" else ""
    return f"`libriscribe2 redo {view.paths.called} {stage}{force}`"


def _unreadable(stage: StageFiles, view: ProjectView) -> Iterator[Finding]:
    """Files of a stage that cannot be read or have another shape."""
    for name in _files_there(stage, view):
        try:
            if stage.shape is None:
                view.read_text(name)
            else:
                Book(view).load(name, stage.shape)
        except ProjectError as error:
            yield finding_of(error, name)


def _files_there(stage: StageFiles, view: ProjectView) -> Iterable[str]:
    """The files of a stage that are there, whether or not an outline plans them."""
    if "*" not in stage.writes:
        return [stage.writes] if view.exists(stage.writes) else []
    numbers = (number_in(name, stage.writes) for name in view.names(stage.writes))
    return [_file(stage, number) for number in numbers if number is not None]


def _file(stage: StageFiles, chapter: int) -> str:
    return stage.writes.replace("*", f"{chapter:02d}")


def _unlike_record(name: str, view: ProjectView) -> Iterator[Finding]:
    """A file that is not as the journal knows it."""
    kind = view.state(name, view.manifest.files[name].inputs).kind
    if kind == "missing":
        resume = f"`libriscribe2 resume {view.paths.called}`"
        fix = f"Nothing, if you removed it: {resume} makes it again if needed."
        yield health_finding(name, "", "it was written and is missing", fix)
    if kind == "old":
        why = "a run ended before its latest content was written"
        yield health_finding(name, "", why, f"Run `libriscribe2 resume {view.paths.called}`.")
    if kind == "edited":
        why = "it differs from what was written: an edit of yours, or damage"
        accept = f"`libriscribe2 accept {view.paths.called} {name}`"
        fix = f"Keep it, accept it with {accept}, or rewrite it with `redo` and --replace-mine."
        yield health_finding(name, "", why, fix)


def _plans_apart(stages: Iterable[StageFiles], view: ProjectView) -> Iterator[Finding]:
    """Outline and scenes that do not plan the same chapters."""
    book = Book(view)
    planner = next((stage for stage in stages if stage.writes == SCENES), None)
    if planner is None or not (book.has(OUTLINE) and book.has(SCENES)):
        return
    redo = redo_of(view, SCENES, planner.name)
    chapters, plans = book.chapters(), book.load(SCENES, ScenesFile).chapters
    if len(plans) != chapters:
        why = f"it plans {len(plans)} chapters, and {OUTLINE} has {chapters}"
        fix = f"Make both match, or run {redo}."
        yield health_finding(SCENES, "chapters", why, fix, stops=len(plans) < chapters)
    asked = view.manifest.asked_again(planner.name)
    for plan in plans:
        if not plan.scenes and not asked:
            part, fix = f"chapters.{plan.chapter - 1}.scenes", f"Add some, or run {redo}."
            yield health_finding(SCENES, part, "no scenes are planned", fix, stops=True)


def _beyond_the_end(stages: Iterable[StageFiles], view: ProjectView) -> Iterator[Finding]:
    """Files of chapters that the outline does not have, or under a name that nobody reads."""
    if not view.exists(OUTLINE):
        return
    chapters = Book(view).chapters()
    for stage in (stage for stage in stages if "*" in stage.writes):
        for name in view.names(stage.writes):
            number = number_in(name, stage.writes)
            if number is None or number > chapters or _file(stage, number) != name:
                why = f"it belongs to no chapter: {OUTLINE} has {chapters}"
                fix = (
                    "Move it elsewhere; for its text, make room with `libriscribe2 chapter insert`."
                )
                yield health_finding(name, "", why, fix)


def _interrupted(paths: ProjectPaths) -> Iterator[Finding]:
    """A change of several files that was begun and not finished."""
    change = read_pending(paths)
    if change is not None:
        name = paths.pending.relative_to(paths.root).as_posix()
        what = f"`{change.what}` was interrupted"
        fix = f"Run `libriscribe2 resume {paths.called}`, or the same command, to complete it."
        yield health_finding(name, "", what, fix)


def _journal(paths: ProjectPaths) -> Iterator[Finding]:
    """Lines of the journal that cannot be believed, a last one that was torn off, and lost ones."""
    found = read_journal(paths.journal)
    for number in found.damaged:
        fix = "Nothing: it is skipped. A reply in it is requested again only if its text is lost."
        yield health_finding(_JOURNAL, f"line {number}", "the record is damaged", fix)
    if found.torn:
        place = f"line {found.torn}"
        fix = "Nothing: the next run removes it, and nothing depends on it."
        yield health_finding(_JOURNAL, place, "the last record is incomplete", fix)
    # Whoever wrote the format went on with a record; older ones have no other trace of their loss.
    missing = found.missing or int(paths.format.exists() and not found.records)
    if missing:
        why = f"at least {counted(missing, 'record')} missing: an older copy, or a cut one"
        fix = (
            "If you have the newer copy, put it back, or append its lines to this one: what is "
            "there twice counts once. Without it their cost is not counted and their files count "
            "as yours."
        )
        yield health_finding(_JOURNAL, "", why, fix)
    beyond = read_journal(paths.journal, default_places() / f"{paths.id}.head").missing
    if beyond > found.missing:
        why = f"at least {counted(beyond - found.missing, 'record')} of later runs on this machine missing"
        fix = (
            "Nothing, if you put an older copy of the folder back or another branch of it is checked "
            "out: what was paid for since is not known here."
        )
        yield health_finding(_JOURNAL, "", why, fix)


def _leftovers(paths: ProjectPaths) -> Iterator[Finding]:
    """Temporary files of a process that was killed, or is working just now."""
    with storage_errors("read", paths.root):
        found = sorted([*leftovers(paths.root), *leftovers(paths.dumps)])
    for path in found:
        inside = path.is_relative_to(paths.root)
        name = path.relative_to(paths.root).as_posix() if inside else str(path)
        what = "a temporary file of a run that was killed or is running"
        yield health_finding(name, "", what, "Nothing: the next run removes it.")
