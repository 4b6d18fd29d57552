"""`libriscribe2 export`: a book as files that a reader can hold."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from libriscribe2.cli.frame import (
    Frame,
    OptionGroup,
    ProjectArgument,
    ProjectNameOption,
    command_with_json,
)
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.exporting import Exported, ExportPlan, plan_export
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.publishing import all_exporters
from libriscribe2.project.paths import OUTLINE
from libriscribe2.wording import counted, first_of

_MOST_NAMED: Final = 12
_FORMATS: Final = f"{', '.join(one.name for one in all_exporters())}."


@dataclass(frozen=True, kw_only=True)
class EditionOptions(OptionGroup):
    """Options that say how the files are to look."""

    style: Annotated[
        Literal["book", "manuscript"] | None,
        typer.Option(help="How the Word file is laid out.", show_default="book"),
    ] = None
    design: Annotated[
        Literal["classic", "modern", "literary"] | None,
        typer.Option(help="The look of the pages of a PDF.", show_default="classic"),
    ] = None
    trim: Annotated[
        str | None,
        typer.Option(help="Size of a page: 5x8, 5.25x8, 5.5x8.5, 6x9 or a5.", show_default="6x9"),
    ] = None
    cover: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Design of the cover.", show_default="by genre and title"
        ),
    ] = None

    font: Annotated[
        str | None,
        typer.Option(
            metavar="FAMILY",
            help="Font of the text, embedded in the EPUB.",
            show_default="of the design, of the reader",
        ),
    ] = None
    vertical: Annotated[
        bool | None,
        typer.Option(
            "--vertical",
            help="Chinese, Japanese, Korean from top to bottom, in EPUB and Word.",
        ),
    ] = None
    page_list: Annotated[
        bool | None,
        typer.Option("--page-list", help="Mark the pages of the print edition in the EPUB."),
    ] = None

    def flags(self) -> dict[str, str | bool | None]:
        """The settings that they stand for, by dotted key; None was not given."""
        return {f"export.{key}": value for key, value in asdict(self).items()}


@command_with_json
def export(
    frame: Frame,
    project: ProjectArgument = None,
    wanted: Annotated[
        list[str] | None,
        typer.Argument(metavar="FORMAT", help=_FORMATS, show_default="all that can be made here"),
    ] = None,
    project_name: ProjectNameOption = None,
    formats: Annotated[
        str | None,
        typer.Option("--format", "-f", metavar="FORMATS", help="The same, joined by commas."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for the files."),
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Also export an unfinished book.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Validate the EPUB with epubcheck (needs Java), and examine the print edition.",
        ),
    ] = False,
    covers: Annotated[
        bool, typer.Option("--covers", help="Make a sheet of all covers to choose from.")
    ] = False,
    *,
    options: EditionOptions,
) -> None:
    """Export a book as Markdown, HTML, EPUB, Word and PDF.

    No model is asked, and the same project gives the same EPUB, byte for byte. The files go to
    `exports/` in the project's folder, together with AI-DISCLOSURE.md.
    """
    paths = frame.project(project, project_name)
    names = tuple(filter(None, ",".join([*(wanted or ()), formats or ""]).split(",")))
    if covers:
        names = (*names, "covers")
    edition = frame.settings(paths=paths, more=options.flags()).export
    plan = plan_export(paths, edition, names, output, partial=partial, check=check)
    _tell_hindrances(frame.renderer, plan)
    done = plan.make()
    if not frame.renderer.told_json(done.as_record()):
        _tell(frame.renderer, done)
    if done.failure is not None:
        raise done.failure


def _tell(renderer: Renderer, done: Exported) -> None:
    """The files to stdout, one per line; the rest to stderr, all failures but the first too."""
    _tell_what_is_not_in_it(renderer, done.book)
    for one in done.files:
        if one.error is None:
            renderer.data(str(one.path))
            if one.trashed:
                renderer.warning(
                    f"{one.path.name} was edited since it was exported; that version is now "
                    f"{one.trashed}."
                )
            if one.note:
                renderer.note(f"{one.path.name}: {one.note}")
    for failure in done.failures[1:]:
        renderer.error(failure)
    _tell_checks(renderer, done)


def _tell_checks(renderer: Renderer, done: Exported) -> None:
    """What was found wrong with the EPUB and the print edition."""
    report = done.report
    if report is not None:
        sums = f"{counted(report.errors, 'error')}, {counted(report.warnings, 'warning')}"
        renderer.note(f"epubcheck {report.version}: {sums}.")
        for message in (*report.messages, *(f"Kindle: {one}." for one in report.kindle)):
            renderer.note(message)
    if done.faults is not None:
        renderer.note(f"Print edition: {counted(len(done.faults), 'fault')}.")
        for fault in done.faults:
            renderer.note(f"{fault.rule}: {fault.message}")


def _tell_what_is_not_in_it(renderer: Renderer, book: ExportBook) -> None:
    """Chapters without a file, and files without a chapter."""
    if book.missing:
        numbers = ", ".join(map(str, book.missing))
        renderer.warning(f"{book.name} is not finished: chapter {numbers} is missing.")
    if book.unplanned:
        renderer.warning(_left_out(book))
    if book.edition.vertical:
        renderer.note(
            "Lines run from top to bottom in EPUB and Word alone: Typst, which sets the PDFs, has no "
            "vertical lines."
            if book.is_vertical
            else f"Lines in {book.language.tag} do not run from top to bottom; --vertical changes nothing."
        )


def _left_out(book: ExportBook) -> str:
    """Which files of the folder of chapters are in no export, and what to do about it."""
    return (
        f"not in {OUTLINE}, so left out: {first_of(book.unplanned, _MOST_NAMED)}. Plan a chapter for it there, or move it "
        f"elsewhere; `libriscribe2 chapter insert {book.name}` then makes room for its text."
    )


def _tell_hindrances(renderer: Renderer, plan: ExportPlan) -> None:
    """Which formats cannot be made here, and how to get them; before anything is written."""
    by_reason: dict[str, list[str]] = {}
    for name, error in plan.hindrances.items():
        by_reason.setdefault(
            f"{error.what} {error.why[:1].upper()}{error.why[1:]}. {error.fix}", []
        ).append(name)
    for reason, names in by_reason.items():
        renderer.note(f"Left out: {', '.join(names)}. {reason}")
