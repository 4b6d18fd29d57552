"""Whether the program's own records of a project are sound."""

from collections.abc import Iterator

from libriscribe2.pipeline.health import Finding
from libriscribe2.project.atomic import leftovers, storage_errors
from libriscribe2.project.journal import decode_line
from libriscribe2.project.paths import STATE, ProjectPaths
from libriscribe2.project.structure_change import read_pending

_JOURNAL = f"{STATE}/journal.jsonl"


def examine_records(paths: ProjectPaths) -> list[Finding]:
    """Everything that is wrong with a project's records; nothing of it stops a run.

    Raises:
        ProjectError: A change that was interrupted cannot be read.
        StorageError: A file cannot be read.
    """
    return [*_interrupted(paths), *_journal(paths), *_leftovers(paths)]


def _interrupted(paths: ProjectPaths) -> Iterator[Finding]:
    """A change of several files that was begun and not finished."""
    change = read_pending(paths)
    if change is not None:
        name = paths.pending.relative_to(paths.root).as_posix()
        what = f"`{change.what}` was interrupted"
        fix = f"Run `libriscribe2 resume {paths.called}`, or the same command: it is finished."
        yield Finding(name, "", what, fix)


def _journal(paths: ProjectPaths) -> Iterator[Finding]:
    """Lines of the journal whose checksum is wrong, and a last one that was torn off."""
    with storage_errors("read", paths.journal):
        data = paths.journal.read_bytes() if paths.journal.exists() else b""
    *lines, rest = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if line and decode_line(line) is None:
            fix = (
                "Nothing: it is skipped. A reply in it is asked for anew only if its text is lost."
            )
            yield Finding(_JOURNAL, f"line {number}", "the record is damaged", fix)
    if rest:
        place = f"line {len(lines) + 1}"
        fix = "Nothing: the next run cuts it off, and nobody relied on it."
        yield Finding(_JOURNAL, place, "the last record is incomplete", fix)


def _leftovers(paths: ProjectPaths) -> Iterator[Finding]:
    """Temporary files of a process that was killed, or is working just now."""
    with storage_errors("read", paths.root):
        found = sorted([*leftovers(paths.root), *leftovers(paths.debug)])
    for path in found:
        inside = path.is_relative_to(paths.root)
        name = path.relative_to(paths.root).as_posix() if inside else str(path)
        what = "a temporary file of a run that was killed, or is going on"
        yield Finding(name, "", what, "Nothing: the next run removes it.")
