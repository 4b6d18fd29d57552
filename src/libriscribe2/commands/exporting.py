"""Making a book into files that a reader can hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.errors import LibriScribeError, UsageError
from libriscribe2.exporters.book_reading import read_book
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.formats.epub import EpubReport, check_epub, checking_programs
from libriscribe2.exporters.publishing import Published, exporters_for, publish
from libriscribe2.observe.export_events import tell_export
from libriscribe2.project.paths import EXPORTS, ProjectPaths
from libriscribe2.wording import counted


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export made.

    Attributes:
        book: What was exported.
        files: What came of each format.
        report: What epubcheck says; None where it was not asked, or no EPUB was made.
    """

    book: ExportBook
    files: Sequence[Published]
    report: EpubReport | None

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
            return LibriScribeError(
                "The EPUB is not valid.",
                why=f"epubcheck counts {counted(self.report.errors, 'error')}",
                fix="Report this with the chapter that the first message names.",
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
            }
        return record


def export_book(
    paths: ProjectPaths,
    formats: Sequence[str] = (),
    folder: Path | None = None,
    *,
    partial: bool = False,
    check: bool = False,
) -> Exported:
    """Make the formats of a book; one that fails does not keep the others from being made.

    Args:
        paths: The project; nothing but its folder of exports is written.
        formats: Names of formats; none means all that can be made here.
        folder: Where the files go; None is the project's folder of exports.
        partial: Whether an unfinished book is exported, too.
        check: Whether epubcheck examines the EPUB.

    Raises:
        UsageError: There is no such format, or `check` goes without an EPUB.
        ConfigError: A named format, or epubcheck, needs something that is not installed.
        ProjectError: The book cannot be read, or is not finished.
        StorageError: The folder cannot be written.
    """
    view = look_at(paths)
    chosen = exporters_for(tuple(formats))
    if check and not any(one.name == "epub" for one in chosen):
        raise UsageError("--check needs epub among the formats.", fix="Add it to --format.")
    if check:
        checking_programs()  # before anything is made
    book = read_book(view, read_brief(paths), partial=partial)
    target = paths.resolve(EXPORTS) if folder is None else folder.expanduser().resolve()
    done = publish(book, view, chosen, target)
    tell_export(paths, book, done)
    epubs = [one.path for one in done if one.format == "epub" and one.error is None]
    return Exported(book, done, check_epub(epubs[0]) if check and epubs else None)
