"""The print edition: pages, cover, and what a shop would refuse of them."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pypdf import PdfReader, PdfWriter, Transformation
from pypdf.annotations import Text
from pypdf.generic import ArrayObject, DictionaryObject, FloatObject, NameObject, TextStringObject
from tests.support.exported import made
from tests.support.hand_made import ARABIC, HandMade, png

from libriscribe2.errors import ConfigError
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.formats.pdf import barcode
from libriscribe2.exporters.page_ink import got
from libriscribe2.exporters.print_check import check_edition, check_pages
from libriscribe2.exporters.typesetting import least_gutter, page_for, spine
from libriscribe2.models.brief import Edition

pytestmark = pytest.mark.slow

LINE = "The lamp was lit and the tide came in over the stones as it had every evening. "
ISBN = "urn:isbn:9780306406157"


def chapter(number: int, words: int = 60) -> str:
    return f"# Chapter of the Lamp {number}\n\n" + "\n\n".join([LINE * 4] * (words // 4)) + "\n"


def project(folder: Path, count: int = 6) -> HandMade:
    found = HandMade(folder).brief(
        title="The Lantern",
        author="Mira Okubo",
        identifier=ISBN,
        rights="© 2026 Mira Okubo",
        edition="First edition, November 2026",
    )
    found.write("dedication.md", "For A.,\n*who* kept the log\n")
    found.write("acknowledgements.md", "Thanks to the keepers.\n")
    return found.chapters(*(chapter(number) for number in range(1, count + 1)))


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> ExportBook:
    return project(tmp_path_factory.mktemp("book")).read()


@pytest.fixture(scope="module")
def files(book: ExportBook, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("made")
    return {name: made(book, folder / name, name) for name in ("print", "wrap")}


def test_EX_5_the_front_matter_of_a_print_edition_stands_in_its_order(
    files: dict[str, Path],
) -> None:
    pages = [page.extract_text() for page in PdfReader(files["print"]).pages]
    assert "Mira Okubo" not in pages[0]
    assert "The Lantern" in pages[0]
    assert "Mira Okubo" in pages[2]
    for words in ("© 2026 Mira Okubo", "First edition, November 2026", "ISBN 9780306406157"):
        assert words in pages[3]
    assert "who kept the log" in pages[4].replace("\n", " ")
    assert "Contents" in pages[6]
    assert "Acknowledgements" in pages[6]
    first = pages[8]
    assert first.split("\n")[0].strip() == "1"
    assert "Thanks to the keepers." in pages[-1]
    assert not PdfReader(files["print"]).pages[0].images


@pytest.mark.parametrize(
    ("design", "trim"), [("classic", "5x8"), ("modern", "a5"), ("literary", "5.5x8.5")]
)
def test_EX_5_no_design_and_no_trim_has_a_fault(
    book: ExportBook, tmp_path: Path, design: str, trim: str
) -> None:
    edition = Edition(design=design, trim=trim, bleed=trim == "a5")  # type: ignore[arg-type]
    chosen = replace(book, edition=edition)
    found = {name: made(chosen, tmp_path / name, name) for name in ("print", "wrap")}
    assert check_edition(found, chosen) == []


def test_EX_5_gutters_and_spines_follow_the_pages() -> None:
    assert [least_gutter(n) for n in (24, 150, 151, 400, 828)] == [0.375, 0.375, 0.5, 0.625, 0.875]
    narrow, wide = (page_for("6x9", n, bleed=False, printed=True).inside for n in (100, 700))
    assert wide - narrow == pytest.approx(0.995 - 0.63, abs=0.01)
    assert spine(200, "cream") == pytest.approx(0.5)
    assert spine(200, "white") == pytest.approx(0.4504)


def test_EX_5_the_isbn_is_on_the_cover_as_a_barcode() -> None:
    bars = barcode("9780306406157")
    assert len(bars) == 95
    assert bars.startswith("101")
    assert bars.endswith("101")
    assert bars[45:50] == "01010"
    # 9 stands in the parity of the left half: its digits 780306 are L G G L G L.
    assert bars[3:24] == "0111011" + "0001001" + "0100111"
    with pytest.raises(ConfigError, match="is not an ISBN"):
        barcode("9780306406158")


def written(source: Path, target: Path, change: Callable[[PdfWriter], None]) -> Path:
    writer = PdfWriter(clone_from=source)
    change(writer)
    writer.write(target)
    return target


def moved(page: int, right: float) -> Callable[[PdfWriter], None]:
    def change(pdf: PdfWriter) -> None:
        pdf.pages[page].add_transformation(Transformation().translate(right, 0))

    return change


def without_fonts(pdf: PdfWriter) -> None:
    for page in pdf.pages:
        for font in got(page["/Resources"]).get("/Font", {}).values():
            inner = font.get_object()["/DescendantFonts"].get_object()[0].get_object()
            for kind in ("/FontFile2", "/FontFile3"):
                inner["/FontDescriptor"].get_object().pop(kind, None)


def transparent(pdf: PdfWriter) -> None:
    state = DictionaryObject({NameObject("/ca"): FloatObject(0.5)})
    resources = got(pdf.pages[9]["/Resources"])
    resources[NameObject("/ExtGState")] = DictionaryObject({NameObject("/G1"): state})


def layers(pdf: PdfWriter) -> None:
    pdf.root_object[NameObject("/OCProperties")] = DictionaryObject(
        {NameObject("/OCGs"): ArrayObject()}
    )


def form(pdf: PdfWriter) -> None:
    field = DictionaryObject({NameObject("/T"): TextStringObject("name")})
    fields = DictionaryObject({NameObject("/Fields"): ArrayObject([field])})
    pdf.root_object[NameObject("/AcroForm")] = fields


def another_size(pdf: PdfWriter) -> None:
    pdf.pages[10].mediabox.upper_right = (400, 600)


def cropped(pdf: PdfWriter) -> None:
    pdf.pages[10].cropbox.upper_right = (400, 600)


def blank(pdf: PdfWriter) -> None:
    for _ in range(5):
        pdf.add_blank_page()


def short(pdf: PdfWriter) -> None:
    while len(pdf.pages) > 20:
        pdf.remove_page(len(pdf.pages) - 1)


PLANTED: dict[str, tuple[str, Callable[[PdfWriter], object]]] = {
    "a locked file": ("locked", lambda pdf: pdf.encrypt("x")),
    "a font outside": ("fonts", without_fonts),
    "a page of another size": ("trim", another_size),
    "too few pages": ("length", short),
    "text in the gutter of a right-hand page": ("gutter", moved(10, -30)),
    "text in the gutter of a left-hand page": ("gutter", moved(9, 30)),
    "text at the edge": ("edge", moved(10, 32)),
    "transparency": ("transparency", transparent),
    "layers": ("layers", layers),
    "a form": ("form", form),
    "a file inside": ("attached", lambda pdf: pdf.add_attachment("a.txt", b"x")),
    "a comment": (
        "comments",
        lambda pdf: pdf.add_annotation(9, Text(rect=(9, 9, 20, 20), text="?")),
    ),
    "a turned page": ("boxes", lambda pdf: pdf.pages[9].rotate(90)),
    "a cropped page": ("boxes", cropped),
    "blank pages": ("blank", blank),
}


@pytest.mark.parametrize("name", PLANTED)
def test_EX_5_each_planted_fault_of_the_pages_is_found(
    book: ExportBook, files: dict[str, Path], tmp_path: Path, name: str
) -> None:
    rule, change = PLANTED[name]
    file = written(files["print"], tmp_path / "a.pdf", change)  # type: ignore[arg-type]
    assert rule in {one.rule for one in check_pages(file, book)}


def test_EX_5_faults_of_cover_pictures_and_files_are_found(
    book: ExportBook, files: dict[str, Path], tmp_path: Path
) -> None:
    assert check_edition(files, book) == []
    cream = replace(book, edition=Edition(paper="white", trim="5x8"))
    assert {one.rule for one in check_edition(files, cream)} == {"trim", "spine"}
    other = replace(book, identifier="urn:isbn:9783161484100")
    assert [one.rule for one in check_edition(files, other)] == ["isbn"]
    (tmp_path / "x.pdf").write_bytes(b"%PDF-1.7 no")
    assert [one.rule for one in check_pages(tmp_path / "x.pdf", book)] == ["damaged"]
    shown = project(tmp_path).write("images/x.png", png(400, 200))
    shown.write("chapters/02.md", "# Two\n\n![A map](images/x.png)\n\n" + LINE * 300)
    coarse = shown.read()
    found = check_pages(made(coarse, tmp_path / "a", "print"), coarse)
    assert [one.rule for one in found] == ["resolution"]
    assert re.search(r"page \d+", found[0].message)


def test_EX_5_an_arabic_print_edition_has_no_fault(tmp_path: Path) -> None:
    text = ARABIC + "\n\n".join(["وكان حارسه يكتب كل ليلة في دفتره على ضوء المصباح. " * 12] * 40)
    arabic = HandMade(tmp_path).brief(title="المنارة", language="Arabic").chapters(text, text)
    found = arabic.read()
    assert check_pages(made(found, tmp_path / "a", "print"), found) == []
