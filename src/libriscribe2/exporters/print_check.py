"""What a shop that prints on demand would refuse: `export --check print`, by published rules."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from pypdf import PageObject, PdfReader
from pypdf.errors import PyPdfError

from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.page_ink import Ink, got, ink_of
from libriscribe2.exporters.typesetting import (
    BLEED,
    FEWEST_FOR_SPINE,
    FEWEST_PAGES,
    LEAST_OUTSIDE,
    LEAST_RESOLUTION,
    MOST_PAGES,
    TRIMS,
    least_gutter,
    spine,
)
from libriscribe2.wording import first_of

_INCH: Final = 72.0
_CLOSE: Final = 0.02
"""Inches by which a size may differ."""

_MOST_BLANK: Final = 4
_MOST_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class PrintFault:
    """Something that a shop would refuse.

    Attributes:
        rule: Its rule, such as `gutter`.
        message: What is wrong, with its first pages.
    """

    rule: str
    message: str


def check_pages(path: Path, book: ExportBook) -> list[PrintFault]:
    """Examine the pages of a print edition.

    Args:
        path: The PDF.
        book: The book, which knows trim and bleed.
    """
    return _examined(path, lambda pdf: _pages(pdf, book))


def check_edition(files: Mapping[str, Path], book: ExportBook) -> list[PrintFault]:
    """Examine what was made of a print edition.

    Args:
        files: The files by their formats, `print` and `wrap`.
        book: The book.
    """
    faults = check_pages(files["print"], book) if "print" in files else []
    if len(files) > 1:
        pages = len(PdfReader(files["print"]).pages)
        faults += _examined(files["wrap"], lambda pdf: _wrap(pdf, book, pages))
    return faults


def _examined(path: Path, look: Any) -> list[PrintFault]:
    try:
        pdf = PdfReader(path)
        if pdf.is_encrypted:
            return [PrintFault("locked", "the file is encrypted")]
        return [*_whole(pdf), *look(pdf)]
    except (PyPdfError, ValueError, TypeError, KeyError, RecursionError) as error:
        return [PrintFault("damaged", f"the file cannot be read: {error}"[:200])]


def _whole(pdf: PdfReader) -> Iterator[PrintFault]:
    """What holds for the pages and for the cover alike."""
    root = got(pdf.trailer["/Root"])
    inside = {"/JavaScript", "/EmbeddedFiles"} & {*got(root.get("/Names"))}
    for rule, found, message in (
        ("layers", got(root.get("/OCProperties")), "the file has layers"),
        ("form", got(root.get("/AcroForm")).get("/Fields"), "the file has form fields"),
        ("attached", inside, "the file has scripts or other files inside"),
    ):
        if found:
            yield PrintFault(rule, message)
    pages = [*enumerate(pdf.pages, start=1)]
    fonts = {n: [*_not_embedded(page.get("/Resources"), 0)] for n, page in pages}
    named = ", ".join(dict.fromkeys(name for names in fonts.values() for name in names))
    for rule, told, numbers in (
        ("fonts", f"not embedded: {named}", [n for n, names in fonts.items() if names]),
        (
            "transparency",
            "something is transparent",
            [n for n, page in pages if _is_transparent(page.get("/Resources"), 0)],
        ),
        ("boxes", "turned or cropped", [n for n, page in pages if page.rotation or _cropped(page)]),
        ("comments", "comments or fields", [n for n, page in pages if _is_marked(page)]),
    ):
        if numbers:
            yield PrintFault(rule, f"{told}{_on(numbers)}")


def _is_marked(page: PageObject) -> bool:
    kinds = {str(got(one).get("/Subtype")) for one in got(page.get("/Annots")) or ()}
    return bool(kinds - {"/Link"})


def _pages(pdf: PdfReader, book: ExportBook) -> Iterator[PrintFault]:
    count = len(pdf.pages)
    if not FEWEST_PAGES <= count <= MOST_PAGES:
        wanted = f"{FEWEST_PAGES} to {MOST_PAGES}"
        yield PrintFault("length", f"{count} pages; a paperback has {wanted}")
    width, height = TRIMS[book.edition.trim]
    extra = BLEED if book.edition.bleed else 0.0
    wrong = [
        number
        for number, page in enumerate(pdf.pages, start=1)
        if not _is_size(page, width + extra, height + 2 * extra)
    ]
    if wrong:
        wanted = f"{width + extra:g} x {height + 2 * extra:g} inches"
        yield PrintFault("trim", f"not {wanted}{_on(wrong)}")
    inks = [[*ink_of(page)] for page in pdf.pages]
    yield from _margins(pdf, inks, extra, least_gutter(count), rtl=book.language.right_to_left)
    coarse = [
        number
        for number, ink in enumerate(inks, start=1)
        if any(0 < one.resolution < LEAST_RESOLUTION - 1 for one in ink)
    ]
    if coarse:
        yield PrintFault("resolution", f"a picture below {LEAST_RESOLUTION} dpi{_on(coarse)}")
    at = 1
    for is_blank, run in groupby(not ink for ink in inks):
        length = len([*run])
        if is_blank and length > _MOST_BLANK:
            yield PrintFault("blank", f"{length} blank pages in a row from page {at} on")
        at += length


def _margins(
    pdf: PdfReader, inks: list[list[Ink]], extra: float, gutter: float, *, rtl: bool
) -> Iterator[PrintFault]:
    """Text or pictures too near to the spine or to the edges; a picture over the edge is meant."""
    bound, outer = [], []
    for number, (page, ink) in enumerate(zip(pdf.pages, inks, strict=True), start=1):
        wide, tall = float(page.mediabox.width) / _INCH, float(page.mediabox.height) / _INCH
        spine_left = (number % 2 == 1) != rtl
        for one in ink:
            left, right = one.left / _INCH, wide - one.right / _INCH
            inner, edge = (left, right) if spine_left else (right, left)
            low, high = one.bottom / _INCH, tall - one.top / _INCH
            bled = one.resolution and extra and min(edge, low, high) <= _CLOSE
            if inner < gutter - _CLOSE and not bled:
                bound.append(number)
            if min(edge, low, high) < LEAST_OUTSIDE + extra - _CLOSE and not bled:
                outer.append(number)
    if bound:
        yield PrintFault("gutter", f"less than {gutter:g} inches from the spine{_on(bound)}")
    if outer:
        yield PrintFault("edge", f"less than {LEAST_OUTSIDE:g} inches from the edge{_on(outer)}")


def _wrap(pdf: PdfReader, book: ExportBook, pages: int) -> Iterator[PrintFault]:
    if len(pdf.pages) != 1:
        yield PrintFault("wrap", f"the cover has {len(pdf.pages)} pages, and has to be one")
    page = pdf.pages[0]
    width, height = TRIMS[book.edition.trim]
    thick = spine(pages, book.edition.paper)
    wanted = (2 * width + thick + 2 * BLEED, height + 2 * BLEED)
    if not _is_size(page, *wanted):
        size = (
            f"{float(page.mediabox.width) / _INCH:.3f} x {float(page.mediabox.height) / _INCH:.3f}"
        )
        yield PrintFault(
            "spine",
            f"the cover has {size} inches; {pages} pages need {wanted[0]:.3f} x {wanted[1]:.3f}",
        )
    middle = float(page.mediabox.width) / 2
    half = thick * _INCH / 2
    on_spine = [one for one in ink_of(page) if abs((one.left + one.right) / 2 - middle) < half]
    if on_spine and pages < FEWEST_FOR_SPINE:
        yield PrintFault("spine text", f"{pages} pages are too few for words on the spine")
    isbn = book.identifier.removeprefix("urn:isbn:") if "isbn" in book.identifier else ""
    digits = "".join(filter(str.isdigit, page.extract_text()))
    if isbn and isbn.replace("-", "") not in digits:
        yield PrintFault("isbn", f"the cover does not show the ISBN {isbn}")
    if any(0 < one.resolution < LEAST_RESOLUTION - 1 for one in ink_of(page)):
        yield PrintFault("resolution", f"a picture of the cover is below {LEAST_RESOLUTION} dpi")


def _is_size(page: PageObject, width: float, height: float) -> bool:
    box = page.mediabox
    wide, tall = float(box.width) / _INCH, float(box.height) / _INCH
    return abs(wide - width) <= _CLOSE and abs(tall - height) <= _CLOSE


def _cropped(page: PageObject) -> bool:
    return tuple(page.cropbox) != tuple(page.mediabox) or float(page.get("/UserUnit", 1)) != 1


def _not_embedded(resources: Any, depth: int) -> Iterator[str]:
    """The names of fonts that are not in the file."""
    found = got(resources)
    for font in got(found.get("/Font")).values():
        inner = got(got(got(font).get("/DescendantFonts")) or [font])
        described = got(got(inner[0]).get("/FontDescriptor"))
        embedded = any(f"/FontFile{kind}" in described for kind in ("", "2", "3"))
        if not embedded and got(font).get("/Subtype") != "/Type3":
            yield str(got(font).get("/BaseFont", "a font")).lstrip("/")
    for one in _forms(found, depth):
        yield from _not_embedded(one.get("/Resources"), depth + 1)


def _is_transparent(resources: Any, depth: int) -> bool:
    found = got(resources)
    for state in map(got, got(found.get("/ExtGState")).values()):
        share = min(float(state.get("/ca", 1)), float(state.get("/CA", 1)))
        mixed = state.get("/BM", "/Normal") not in ("/Normal", "/Compatible")
        if share < 1 or mixed or state.get("/SMask", "/None") != "/None":
            return True
    pictures = map(got, got(found.get("/XObject")).values())
    if any("/SMask" in one for one in pictures if one.get("/Subtype") == "/Image"):
        return True
    return any(_is_transparent(one.get("/Resources"), depth + 1) for one in _forms(found, depth))


def _forms(resources: Mapping[str, Any], depth: int) -> list[Any]:
    objects = map(got, got(resources.get("/XObject")).values())
    return [one for one in objects if one.get("/Subtype") == "/Form"] if depth < 6 else []


def _on(pages: list[int]) -> str:
    """The first pages of a fault."""
    return f" (page {first_of([*dict.fromkeys(pages)], _MOST_NAMED)})"
