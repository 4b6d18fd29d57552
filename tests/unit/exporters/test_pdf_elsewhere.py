"""PDFs as programs that are not ours see them: pdfua, pikepdf, and pdftoppm where it is installed."""

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pdfua
import pikepdf
import pytest
from PIL import Image, ImageChops
from tests.support.cjk_font import needs_cjk_font
from tests.support.exported import made
from tests.support.hand_made import ARABIC, CHINESE, HandMade, png

from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.typesetting import BLEED, TRIMS, least_gutter
from libriscribe2.models.brief import Edition

pytestmark = pytest.mark.slow

RICH = """# The *Letter*

Hester said "no"[^1] & **left**. See [the log](https://example.org/log).

![A lamp](lamp.png)

## Below

| a | b |
|---|---|
| 1 | 2 |

> Quoted.

- one
  1. two

```
code
```

* * *

::: verse
Roses are red
and so is the sea.
:::

[^1]: To *him*.
"""
JAPANESE = "# 第一章\n\n燈台《とうだい》は「遠い」。[^1]\n\n[^1]: 注。\n"
BOOKS = {"en": RICH, "ar": ARABIC, "zh": CHINESE, "ja": JAPANESE}
BROKEN = {"UA-14-001"}
"""Rules of pdfua 0.1.3 that stop with an error of their own; the test looks at headings itself."""


def book_in(language: str, folder: Path, **edition: Any) -> ExportBook:
    text = BOOKS[language] + f"\n\n{'More. ' * 900}"
    project = HandMade(folder).brief(
        title="The Lantern",
        author="M. Okubo",
        language=language,
        identifier="urn:isbn:9780306406157",
    )
    project.write("lamp.png", png(1500, 900)).write("blurb.md", "On the back.")
    book = project.chapters(text, text, text, text, text, text).read()
    return replace(book, edition=Edition(**edition))


@pytest.mark.parametrize(
    ("kind", "language"),
    [
        *(("pdf", one) for one in BOOKS if one not in ("ja", "zh")),
        *(pytest.param("pdf", one, marks=needs_cjk_font) for one in ("ja", "zh")),
        *(("print", "en"), ("wrap", "en")),
    ],
)
def test_EX_5_pdfua_finds_nothing(kind: str, language: str, tmp_path: Path) -> None:
    path = made(book_in(language, tmp_path), tmp_path / "a", kind)
    report = pdfua.validate(str(path))
    assert report.findings == ()
    assert {one.rule_id for one in report.skipped} <= BROKEN
    with pikepdf.open(path) as pdf:
        assert not [one for one in headings(pdf) if "/K" not in one]
        assert kind == "wrap" or len([*headings(pdf)]) >= 6


def headings(pdf: pikepdf.Pdf) -> Iterator[Any]:
    waiting = [pdf.Root.StructTreeRoot]
    while waiting:
        one = waiting.pop()
        if str(one.get("/S", "")) in {f"/H{level}" for level in range(1, 7)}:
            yield one
        below: Any = one.get("/K", [])
        kids = list(below) if isinstance(below, pikepdf.Array) else [below]
        waiting += [kid for kid in kids if isinstance(kid, pikepdf.Dictionary)]


@pytest.mark.parametrize(("trim", "bleed"), [("5x8", True), ("6x9", False), ("a5", True)])
def test_EX_5_pikepdf_agrees_about_boxes_and_fonts(trim: str, bleed: bool, tmp_path: Path) -> None:
    path = made(book_in("en", tmp_path, trim=trim, bleed=bleed), tmp_path / "a", "print")
    width, height = TRIMS[trim]
    extra = BLEED if bleed else 0
    with pikepdf.open(path) as pdf:
        assert not pdf.is_encrypted
        for page in pdf.pages:
            x, y, right, top = map(float, page.mediabox)
            assert (right - x) / 72 == pytest.approx(width + extra, abs=0.01)
            assert (top - y) / 72 == pytest.approx(height + 2 * extra, abs=0.01)
            assert page.mediabox == page.cropbox
            for font in page.resources.get("/Font", {}).values():
                (inner,) = font.DescendantFonts
                described = inner.FontDescriptor
                assert any(f"/FontFile{kind}" in described for kind in (2, 3))
            for picture in page.get_images().values():
                assert (int(picture.Width), int(picture.Height)) == (1500, 900)


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="needs pdftoppm (poppler-utils)")
def test_EX_5_the_ink_of_a_drawn_page_keeps_off_spine_and_edges(tmp_path: Path) -> None:
    path = made(book_in("en", tmp_path), tmp_path / "a", "print")
    subprocess.run(["pdftoppm", "-r", "72", "-png", str(path), str(tmp_path / "p")], check=True)
    drawn = sorted(tmp_path.glob("p-*.png"))
    assert len(drawn) >= 24
    gutter = least_gutter(len(drawn)) * 72
    for number, file in enumerate(drawn, start=1):
        with Image.open(file) as picture:
            grey = picture.convert("L").point(lambda tone: 255 if tone > 200 else 0)
            box = ImageChops.invert(grey).getbbox()
        if box is None:
            continue
        left, top, right, bottom = box
        inside, outside = (left, 432 - right) if number % 2 else (432 - right, left)
        assert inside >= gutter
        assert min(outside, top, 648 - bottom) >= 18
