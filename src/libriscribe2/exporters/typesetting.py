"""Setting pages: paper by the shops' rules, and Typst in a process of its own.

The figures are those of guides to Amazon KDP's rules for paperbacks, read in November 2026. Every
missing letter is named.
"""

import json
import re
import shutil
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from libriscribe2.errors import ConfigError, LibriScribeError, ProjectError
from libriscribe2.exporters.covers import PICTURE, cover_record, put_picture
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.pandoc import ASSETS, PYTHON, OutOfTimeError, environment, run_bounded

TRIMS: Final = {
    "5x8": (5.0, 8.0),
    "5.25x8": (5.25, 8.0),
    "5.5x8.5": (5.5, 8.5),
    "6x9": (6.0, 9.0),
    "a5": (5.827, 8.268),
}
"""Width and height in inches."""

PAPERS: Final = {"cream": 0.0025, "white": 0.002252, "color": 0.002347}
"""Inches that a page adds to the spine."""

BLEED: Final = 0.125
"""Inches by which what is cut off goes over the trim."""

FEWEST_PAGES: Final = 24
MOST_PAGES: Final = 828
LEAST_OUTSIDE: Final = 0.25
"""Inches between text and the outer edges; with bleed 0.375, from the trim 0.25 just the same."""

FEWEST_FOR_SPINE: Final = 79
"""Pages from which a spine has room for words."""

LEAST_RESOLUTION: Final = 300
"""Pixels of a picture in an inch of the page."""

_GUTTERS: Final = ((150, 0.375), (300, 0.5), (500, 0.625), (700, 0.75), (MOST_PAGES, 0.875))
_AIR: Final = 0.25
"""Inches between the least gutter and the text, so that a page opens well."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a book, in inches.

    Attributes:
        width: Of the trimmed page.
        height: Of the trimmed page.
        inside: Margin at the spine.
        outside: Margin at the outer edge.
        top: Margin above the text.
        bottom: Margin below it.
        bleed: By how much a sheet is larger at the outer edges.
    """

    width: float
    height: float
    inside: float
    outside: float
    top: float
    bottom: float
    bleed: float


def least_gutter(pages: int) -> float:
    """The least margin at the spine of a book of so many pages, in inches."""
    return next((gutter for most, gutter in _GUTTERS if pages <= most), _GUTTERS[-1][1])


def page_for(trim: str, pages: int, *, bleed: bool, printed: bool) -> Page:
    """The page of a book.

    Args:
        trim: A key of `TRIMS`.
        pages: How many pages it will have.
        bleed: Whether sheets are larger than the trim.
        printed: Whether it is bound; on a screen there is no gutter.
    """
    width, height = TRIMS[trim]
    outside = width * 0.105
    inside = max(outside, least_gutter(pages) + _AIR) if printed else width * 0.13
    return Page(
        width, height, inside, outside, height * 0.095, height * 0.09, BLEED if bleed else 0.0
    )


def spine(pages: int, paper: str) -> float:
    """The width of the spine in inches."""
    return pages * PAPERS[paper]


COVER: Final = "cover.png"

_WORKER: Final = Path(__file__).with_name("typst_worker.py")
_OF_WORKER: Final = (
    *PYTHON,
    *("XDG_DATA_HOME", "XDG_DATA_DIRS", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LOCALAPPDATA"),
)
"""How the worker is found, and where fonts are."""

_SECONDS: Final = 45.0
_UNSHOWN: Final = re.compile(r"text [\"'`“](.*?)[\"'`”] could not be displayed", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Job:
    """One file for Typst to make.

    Attributes:
        source: The Typst file in the staging folder.
        output: The file to make there.
        accessible: Whether it is a PDF/UA-1, which Typst refuses to make with a letter missing.
        cover: The design of the cover to draw; "" is the book's own.
        scale: Pixels in a point of a picture.
        query: What to look for in place of making a file, such as `<page-mark>`.
    """

    source: str
    output: str
    accessible: bool = False
    cover: str = ""
    scale: float = 1.0
    query: str = ""


def typeset(
    book: ExportBook,
    folder: Path,
    jobs: Sequence[Job],
    *,
    page: Page | None = None,
    more: Mapping[str, Any] | None = None,
    system_fonts: bool = True,
) -> list[Any]:
    """Make files of a staged book.

    Args:
        book: The book.
        folder: Its staging folder.
        jobs: What to make, in order.
        page: Its pages in print; None are those of a screen.
        more: What the Typst file knows besides, such as `front`, the picture of the first page.
        system_fonts: Whether fonts of the machine count, besides those that Typst brings.

    Returns:
        What was found by each query, one list after the other.

    Raises:
        ConfigError: No font has a character of the book; the error names the character and the
            place.
        ProjectError: Typst cannot set the book.
    """
    for asset in ASSETS.glob("*.typ"):
        shutil.copyfile(asset, folder / asset.name)
    put_picture(book, folder)
    request = {
        "fonts": [*filter(None, (book.edition.font,)), *book.language.fonts],
        "font_paths": [str(book.fonts)] if book.fonts is not None else [],
        "system_fonts": system_fonts,
        "inputs": {"book": json.dumps({**_told(book, page), **(more or {})})},
        "jobs": [_record(job, book.epoch) for job in jobs],
    }
    results = _worked(folder, request)
    for result in results:
        if "message" in result:
            raise _failure(book, result)
    return [value for result in results for value in result.get("found", ())]


def need_typst() -> None:
    """Refuse to go on without Typst.

    Raises:
        ConfigError: It is not installed.
    """
    if find_spec("typst") is None:
        raise ConfigError(
            "Typst is not installed.",
            why="the extra [pdf] is not",
            fix="`uv tool install 'libriscribe2[pdf]'`, or `pip install 'libriscribe2[pdf]'`.",
        )


def cover_picture(book: ExportBook, folder: Path) -> tuple[str, list[Job]]:
    """The file of the cover in the staging folder, and the jobs that draw it.

    The author's own picture is copied and needs none, unless type is to be set on it. A drawn one
    is made as a PDF first, because a picture would show boxes in place of missing letters.
    """
    if book.cover is not None and book.edition.cover != PICTURE:
        name = f"cover{book.cover.suffix.lower()}"
        shutil.copyfile(book.cover, folder / name)
        return name, []
    return COVER, [Job("front.typ", "cover.pdf", accessible=True), Job("front.typ", COVER)]


def _told(book: ExportBook, page: Page | None) -> dict[str, Any]:
    """What the Typst files know of the book."""
    language = book.language
    shown = page or page_for(book.edition.trim, 0, bleed=False, printed=False)
    return {
        "title": book.title,
        "author": book.author,
        "series": book.place_in_series,
        "publisher": book.publisher,
        "imprint": list(book.imprint),
        "dedication": list(book.dedication),
        "epigraph": list(book.epigraph),
        "page": asdict(shown),
        "print": page is not None,
        "design": book.edition.design,
        "font": book.edition.font,
        "description": book.description or None,
        "keywords": list(book.keywords),
        "lang": language.code if len(language.code) in (2, 3) else "en",
        "region": language.region or None,
        "rtl": language.right_to_left,
        "ideographic": language.ideographic,
        "indent": language.indent,
        "contents": language.contents,
        "numbers": [part.number or None for part in book.parts],
        "front": "",
        **cover_record(book),
    }


def _record(job: Job, epoch: int) -> dict[str, Any]:
    standards = ["ua-1"] if job.accessible else []
    return {
        "input": job.source,
        "output": job.output,
        "standards": standards,
        "epoch": epoch,
        "inputs": {"design": job.cover} if job.cover else {},
        "ppi": 72.0 * job.scale,
        "query": job.query,
    }


def _worked(folder: Path, request: dict[str, Any]) -> list[dict[str, Any]]:
    """What the worker answers."""
    command = [sys.executable, "-P", str(_WORKER)]
    asked = json.dumps(request).encode("utf-8")
    try:
        done = run_bounded(
            command, folder, seconds=_SECONDS, env=environment(*_OF_WORKER), stdin=asked
        )
    except OutOfTimeError as error:
        raise ProjectError(
            "The book cannot be typeset.",
            why=f"Typst takes longer than {_SECONDS:.0f} seconds",
            fix="Export it in another format, such as epub.",
        ) from error
    if done.returncode:
        told = done.stderr.decode("utf-8", errors="replace").strip().split("\n")
        raise LibriScribeError("Typst ended without a message.", why=told[-1][:300])
    results: list[dict[str, Any]] = json.loads(done.stdout)
    return results


def _failure(book: ExportBook, result: dict[str, Any]) -> LibriScribeError:
    """The error for what Typst said."""
    unshown = _UNSHOWN.search(f"{result['message']} {result['diagnostic']}")
    if unshown is None:
        said = " ".join([result["message"], *result["hints"]])
        return ProjectError(
            "The book cannot be typeset.",
            why=f"Typst: {said[:300]}",
            fix="Export it in another format, such as epub.",
        )
    text = unshown[1].strip('"')
    return ConfigError(
        f"No font on this machine contains {_named(text)}.",
        why=f"it is in {_place(book, text)}, and would be printed as a box",
        fix="Install a font that contains it (Debian: fonts-noto-core, fonts-noto-cjk, "
        "fonts-noto-color-emoji), or export epub or html, which need none.",
    )


def _named(text: str) -> str:
    """Characters with their code and name."""
    told = [f"{one!r} (U+{ord(one):04X} {unicodedata.name(one, 'without a name')})" for one in text]
    return ", ".join(told[:3])


def _place(book: ExportBook, text: str) -> str:
    """The first place in the book where the text stands."""
    for part in book.parts:
        at = part.text.find(text)
        if at >= 0:
            line = part.text.count("\n", 0, at) + 1 - part.added
            return f"{part.name}, line {line}" if line > 0 else f"the title of {part.name}"
    return "the title page" if text in f"{book.title} {book.author} {book.imprint}" else "the book"
