"""Making a book into files that a reader can hold."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from uuid import uuid4

from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.errors import ConfigError, LibriScribeError, ProjectError, UsageError
from libriscribe2.exporters.book_reading import read_book
from libriscribe2.exporters.covers import PICTURE, all_covers, cover_name
from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.formats.epub import EpubReport, check_epub, checking_programs
from libriscribe2.exporters.print_check import PrintFault, check_edition
from libriscribe2.exporters.publishing import Published, exporters_for, hindrances, publish
from libriscribe2.models.brief import Edition
from libriscribe2.observe.events import Event
from libriscribe2.observe.run_files import EventFile
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.paths import EXPORTS, ProjectPaths
from libriscribe2.wording import counted

_SMALL: Final = 0.2
"""Pixels in a point of a cover that is shown among others."""

_BOUND: Final = ("print", "wrap")
"""The formats of the print edition: its pages and its cover."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export made.

    Attributes:
        book: What was exported.
        files: What came of each format.
        report: What epubcheck says; None where it was not asked, or no EPUB was made.
        faults: What a shop would refuse of the print edition; None where that was not examined.
    """

    book: ExportBook
    files: Sequence[Published]
    report: EpubReport | None
    faults: Sequence[PrintFault] | None = None

    @property
    def failures(self) -> list[LibriScribeError]:
        """Why formats could not be made."""
        return [one.error for one in self.files if one.error is not None]

    @property
    def failure(self) -> LibriScribeError | None:
        """With what the command ends: the first format that failed, or an EPUB at fault."""
        if self.failures:
            return self.failures[0]
        if self.report is not None and self.report.errors:
            return ProjectError(
                "The EPUB is not valid.",
                why=f"epubcheck reports {counted(self.report.errors, 'error')}",
                fix="Report this with the chapter that the first message names.",
            )
        if self.faults:
            return ProjectError(
                "A shop would refuse the print edition.",
                why=counted(len(self.faults), "fault"),
                fix="Fix what the lines above name; see docs/exports.md.",
            )
        return None

    def as_record(self) -> dict[str, Any]:
        """The same as plain JSON."""
        book, report = self.book, self.report
        record: dict[str, Any] = {
            "project": book.name,
            "title": book.title,
            "files": [
                {
                    "format": one.format,
                    "path": str(one.path),
                    "bytes": one.size,
                    "trashed": one.trashed,
                    "error": one.error.as_record() if one.error is not None else None,
                }
                for one in self.files
            ],
            "missing_chapters": list(book.missing),
            "left_out": list(book.unplanned),
        }
        if report is not None:
            record["check"] = {
                "epubcheck": report.version,
                "errors": report.errors,
                "warnings": report.warnings,
                "messages": list(report.messages),
                "kindle": list(report.kindle),
            }
        if self.faults is not None:
            record["print_check"] = [asdict(one) for one in self.faults]
        return record


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """What an export is going to make.

    Attributes:
        paths: The project; nothing but its exports, and what is remembered of them, is written.
        book: What is exported.
        exporters: The formats that can be made.
        hindrances: Why others cannot be, by their names.
        named: Whether the formats were asked for by name.
        folder: Where the files go.
        check: Whether epubcheck examines the EPUB.
    """

    paths: ProjectPaths
    book: ExportBook
    exporters: Sequence[Exporter]
    hindrances: Mapping[str, ConfigError]
    named: bool
    folder: Path
    check: bool

    def make(self) -> Exported:
        """Make the files; one that fails does not keep the others from being made.

        Raises:
            ConfigError: epubcheck did not answer.
            StorageError: The folder cannot be written.
        """
        done = publish(self.book, look_at(self.paths), self.exporters, self.folder)
        _add_to_events(self.paths, self.book, done)
        lost = self.hindrances.items() if self.named else ()
        failed = [Published(name, self.folder, 0, error) for name, error in lost]
        epubs = [one.path for one in done if one.format == "epub" and one.error is None]
        report = check_epub(epubs[0]) if self.check and epubs else None
        bound = {one.format: one.path for one in done if one.format in _BOUND and not one.error}
        faults = check_edition(bound, self.book) if self.check and bound else None
        return Exported(self.book, [*done, *failed], report, faults)


def drawn_cover(paths: ProjectPaths, edition: Edition) -> tuple[str, bytes]:
    """The cover that exports have: the kind of picture, such as `.png`, and its bytes.

    Raises:
        ConfigError: A program or a font is missing.
        ProjectError: The book cannot be read, or none of it is written.
        StorageError: The system refused.
    """
    # Exports alone typeset anything else.
    from libriscribe2.exporters.typesetting import cover_picture, typeset  # noqa: PLC0415

    book = read_book(look_at(paths), read_brief(paths), edition, partial=True)
    with TemporaryDirectory() as folder:
        name, jobs = cover_picture(book, Path(folder))
        if jobs:
            typeset(book, Path(folder), jobs)
        return Path(name).suffix, (Path(folder) / name).read_bytes()


def cover_gallery(paths: ProjectPaths, edition: Edition) -> dict[str, bytes]:
    """Small pictures of every cover that can be drawn for a book, by the names that `--cover` takes.

    Raises:
        ConfigError: A program or a font is missing.
        ProjectError: The book cannot be read, or none of it is written.
        StorageError: The system refused.
    """
    from libriscribe2.exporters.typesetting import Job, typeset  # noqa: PLC0415

    book = read_book(look_at(paths), read_brief(paths), edition, partial=True)
    names = [*all_covers(), *([PICTURE] if book.cover is not None else [])]
    with TemporaryDirectory() as folder:
        jobs = [
            Job(
                "front.typ",
                f"{one}.png",
                cover=one.replace(PICTURE, f"{PICTURE}-dark"),
                scale=_SMALL,
            )
            for one in names
        ]
        typeset(book, Path(folder), jobs)
        return {one: (Path(folder) / f"{one}.png").read_bytes() for one in names}


def choose_cover(paths: ProjectPaths, name: str) -> None:
    """Have a book's exports take a design, or `picture`; "" is the one that suits it.

    A design takes the place of the author's own picture, whose file stays.

    Raises:
        ConfigError: There is no such design.
        ProjectError: The book cannot be read, or none of it is written.
    """
    brief = read_brief(paths)
    if name != PICTURE:
        brief = brief.model_copy(update={"cover": ""})
    cover_name(read_book(look_at(paths), brief, Edition(cover=name), partial=True))
    write_book_toml(paths.book_toml, {"cover": brief.cover}, {"export": {"cover": name}})


def plan_export(
    paths: ProjectPaths,
    edition: Edition,
    formats: Sequence[str] = (),
    folder: Path | None = None,
    *,
    partial: bool = False,
    check: bool = False,
) -> ExportPlan:
    """Find out what can be made of a book, before anything is written.

    Args:
        paths: The project.
        edition: How it is to be made.
        formats: Names of formats; none means all.
        folder: Where the files go; None is the project's folder of exports.
        partial: Whether an unfinished book is exported, too.
        check: Whether the EPUB and the print edition are examined.

    Raises:
        UsageError: There is no such format, or `check` goes without what can be examined.
        ConfigError: None of the named formats can be made, or epubcheck needs something that is
            not installed.
        ProjectError: The book cannot be read, or is not finished.
        StorageError: A file cannot be read.
    """
    chosen = exporters_for(tuple(formats))
    names = {one.name for one in chosen}
    if check and not names & {"epub", "print"}:
        raise UsageError("--check needs the format epub or print.", fix="Add it to --format.")
    if check and "print" in names:
        chosen = exporters_for((*formats, *_BOUND))
    if check and "epub" in names:
        checking_programs()
    hindered = hindrances(chosen, edition)
    possible = [one for one in chosen if one.name not in hindered]
    if not possible:
        raise next(iter(hindered.values()))
    book = read_book(look_at(paths), read_brief(paths), edition, partial=partial)
    target = paths.resolve(EXPORTS) if folder is None else folder.expanduser().resolve()
    return ExportPlan(paths, book, possible, hindered, bool(formats), target, check)


def _add_to_events(paths: ProjectPaths, book: ExportBook, done: Sequence[Published]) -> None:
    """Add an export to the project's events, where it has any records.

    Nothing is put aside: a run may be going on, for an export does not hold the project.
    """
    if not paths.events.parent.is_dir():
        return
    made = [one for one in done if one.error is None]
    failed = [(one.format, one.error.slug) for one in done if one.error is not None]
    with EventFile(paths.events, puts_aside=False) as file:
        event = Event(
            ts=datetime.now(UTC),
            run=uuid4().hex[:8],
            seq=1,
            event="export.done",
            path=_folder_of(done, paths.root),
            files=tuple(one.path.name for one in made),
            size=sum(one.size for one in made),
            errors=tuple(f"{name}: {slug}" for name, slug in failed),
            issues=tuple(f"{name} is not in the outline" for name in book.unplanned),
        )
        file.receive(event)


def _folder_of(done: Sequence[Published], root: Path) -> str:
    """Where the files went, seen from the project where it is in it."""
    if not done:
        return ""
    folder = done[0].path.parent
    inside = folder.is_relative_to(root)
    return folder.relative_to(root).as_posix() if inside else str(folder)
