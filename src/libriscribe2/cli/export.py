"""`libriscribe2 export`: a book as files that a reader can hold."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from libriscribe2.cli.frame import Frame, JsonOption, ProjectArgument, ProjectNameOption, command
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.errors import LibriScribeError, UsageError
from libriscribe2.exporters.catalog import all_exporters, exporters_for, lacking
from libriscribe2.exporters.epub_check import EpubReport, check_epub, checking_programs
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.publishing import Published, publish
from libriscribe2.exporters.reading import read_book
from libriscribe2.observe.export_events import tell_export
from libriscribe2.project.paths import EXPORTS, OUTLINE, ProjectPaths
from libriscribe2.wording import counted

_MOST_NAMED: Final = 12


@command
def export(
    frame: Frame,
    project: ProjectArgument = None,
    project_name: ProjectNameOption = None,
    formats: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMATS",
            help="md, html, epub, docx, pdf, joined by commas.",
            show_default="all that can be made here",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for the files."),
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Export an unfinished book, too.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Have epubcheck examine the EPUB; needs Java.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make a book into files that a reader can hold.

    No model is asked, and the same project gives the same EPUB, byte for byte. The files go to
    `exports/` in the project's folder, with AI-DISCLOSURE.md beside them.
    """
    renderer = frame.renderer
    paths = frame.project(project, project_name)
    view = look_at(paths)
    chosen = exporters_for(tuple(filter(None, (formats or "").split(","))))
    if check and not any(one.name == "epub" for one in chosen):
        raise UsageError("--check needs epub among the formats.", fix="Add it to --format.")
    if check:
        checking_programs()  # before anything is made
    book = read_book(view, read_brief(paths), partial=partial)
    done = publish(book, view, chosen, _folder(paths, output))
    tell_export(paths, book, done)
    report = _checked(done) if check else None
    if as_json:
        renderer.data_json(_record(book, done, report))
    else:
        _tell(renderer, book, done, report)
        if formats is None:
            _tell_lacking(renderer)
    _raise_first(done, report)


def _folder(paths: ProjectPaths, output: Path | None) -> Path:
    """Where the files go."""
    return paths.resolve(EXPORTS) if output is None else output.expanduser().resolve()


def _checked(done: list[Published]) -> EpubReport | None:
    """What epubcheck says; None where no EPUB was made."""
    made = [one for one in done if one.format == "epub" and one.error is None]
    return check_epub(made[0].path) if made else None


def _record(book: ExportBook, done: list[Published], report: EpubReport | None) -> dict[str, Any]:
    """The outcome as JSON."""
    files = [
        {
            "format": one.format,
            "path": str(one.path),
            "bytes": one.size,
            "error": one.error.as_record() if one.error is not None else None,
        }
        for one in done
    ]
    record: dict[str, Any] = {"project": book.name, "title": book.title, "files": files}
    record["missing_chapters"] = list(book.missing)
    record["left_out"] = list(book.unplanned)
    if report is not None:
        record["check"] = {
            "epubcheck": report.version,
            "errors": report.errors,
            "warnings": report.warnings,
            "messages": list(report.messages),
        }
    return record


def _tell(
    renderer: Renderer, book: ExportBook, done: list[Published], report: EpubReport | None
) -> None:
    """The files to stdout, one per line; the rest to stderr, all failures but the first too."""
    _tell_what_is_not_in_it(renderer, book)
    for one in done:
        if one.error is None:
            renderer.data(str(one.path))
            if one.note:
                renderer.note(f"{one.path.name}: {one.note}")
    for failure in [one.error for one in done if one.error is not None][1:]:
        renderer.error(failure)
    if report is not None:
        sums = f"{counted(report.errors, 'error')}, {counted(report.warnings, 'warning')}"
        renderer.note(f"epubcheck {report.version}: {sums}.")
        for message in report.messages:
            renderer.note(message)


def _tell_what_is_not_in_it(renderer: Renderer, book: ExportBook) -> None:
    """Chapters without a file, and files without a chapter."""
    if book.missing:
        numbers = ", ".join(map(str, book.missing))
        renderer.warning(f"{book.name} is not finished: without chapter {numbers}.")
    if book.unplanned:
        renderer.warning(_left_out(book))


def _left_out(book: ExportBook) -> str:
    """Which files of the folder of chapters are in no export, and what to do about it."""
    named = ", ".join(book.unplanned[:_MOST_NAMED])
    more = len(book.unplanned) - _MOST_NAMED
    names = f"{named} and {more} more" if more > 0 else named
    return (
        f"not in {OUTLINE}, so left out: {names}. Plan a chapter for it there, or move it "
        f"elsewhere; `libriscribe2 chapter insert {book.name}` then makes room for its text."
    )


def _tell_lacking(renderer: Renderer) -> None:
    """Which formats were left out, and how to get them."""
    names = [one.name for one in all_exporters() if lacking(one)]
    if names:
        renderer.note(
            f"Left out: {', '.join(names)}. They come with the extra [export]: "
            "`uv tool install 'libriscribe2[export]'` or `pip install 'libriscribe2[export]'`."
        )


def _raise_first(done: list[Published], report: EpubReport | None) -> None:
    """End with the first failure, told in full; what else failed goes before it.

    Raises:
        LibriScribeError: A format could not be made, or epubcheck found errors.
    """
    failed = [one.error for one in done if one.error is not None]
    if failed:
        raise failed[0]
    if report is not None and report.errors:
        raise LibriScribeError(
            "The EPUB is not valid.",
            why=f"epubcheck counts {counted(report.errors, 'error')}",
            fix="Report this with the chapter that the first message names.",
        )
