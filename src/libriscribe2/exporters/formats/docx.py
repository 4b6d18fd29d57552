"""A Word file, for editors and for shops that want one."""

import re
from io import BytesIO
from pathlib import Path
from typing import Final
from zipfile import ZipFile, ZipInfo

from libriscribe2.errors import ConfigError
from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.pandoc import (
    OutOfTimeError,
    convert,
    environment,
    find_pandoc,
    run_bounded,
    stage,
)

_SECONDS: Final = 20.0
_STYLES: Final = "word/styles.xml"
_THEME: Final = "word/theme/theme1.xml"
_FACE: Final = "Georgia"

_PARAGRAPHS: Final = {
    "BodyText": '<w:widowControl/><w:spacing w:before="0" w:after="0" w:line="320"'
    ' w:lineRule="auto"/><w:ind w:firstLine="360"/><w:jc w:val="both"/>',
    "FirstParagraph": '<w:ind w:firstLine="0"/>',
    "Heading1": '<w:keepNext/><w:keepLines/><w:pageBreakBefore/><w:spacing w:before="1800"'
    ' w:after="600"/><w:jc w:val="center"/><w:outlineLvl w:val="0"/>',
}


def write_reference(pandoc: Path, target: Path) -> None:
    """Write the document whose styles pandoc takes over.

    Args:
        pandoc: The program, which has the document inside.
        target: The file to write.

    Raises:
        ConfigError: The program does not work.
        StorageError: It cannot be started.
    """
    command = [str(pandoc), "--print-default-data-file=reference.docx"]
    try:
        done = run_bounded(command, target.parent, seconds=_SECONDS, env=environment())
    except OutOfTimeError as error:
        raise ConfigError("pandoc does not answer.", why=str(error)) from error
    if done.returncode:
        told = done.stderr.decode("utf-8", errors="replace").strip()
        raise ConfigError("pandoc does not work.", why=told[:300])
    with ZipFile(BytesIO(done.stdout)) as source, ZipFile(target, "w") as written:
        for name in source.namelist():  # a `ZipInfo` of its own has no time of day
            written.writestr(ZipInfo(name), _dressed(name, source.read(name).decode("utf-8")))


def _dressed(name: str, xml: str) -> str:
    """A part of the document with our styles."""
    if name == _THEME:
        return re.sub(r'(<a:latin typeface=")[^"]*', rf"\g<1>{_FACE}", xml)
    if name == _STYLES:
        for style, properties in _PARAGRAPHS.items():
            xml = _with_properties(xml, style, properties)
    return xml


def _with_properties(xml: str, style: str, properties: str) -> str:
    """Give a style its paragraph properties, in place of those that it has."""
    found = re.search(rf'<w:style [^>]*w:styleId="{style}".*?</w:style>', xml, re.DOTALL)
    if found is None:
        return xml
    bare = re.sub(r"\s*<w:pPr>.*?</w:pPr>", "", found[0], flags=re.DOTALL)
    runs = bare.find("<w:rPr>")
    at = runs if runs >= 0 else bare.rfind("</w:style>")
    return xml.replace(found[0], f"{bare[:at]}<w:pPr>{properties}</w:pPr>{bare[at:]}")


_REFERENCE: Final = "reference.docx"


class DocxExporter:
    """By pandoc, with the styles of `word_styles`."""

    name = "docx"
    suffix = ".docx"
    needs: tuple[str, ...] = ("pandoc",)
    note = "Word fills in the table of contents when you update it (click it, then press F9)."
    also_called: tuple[str, ...] = ("word",)
    place = 40

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the Word file; see `Exporter.export`."""
        pandoc = find_pandoc(book.edition.pandoc)
        names = stage(book, folder)
        write_reference(pandoc.program, folder / _REFERENCE)
        target = f"book{self.suffix}"
        options = ("--to", "docx", "--toc", "--toc-depth=2")
        dressed = ("--reference-doc", _REFERENCE, "--output", target)
        convert(pandoc, book, folder, names, (*options, *dressed))
        return folder / target


EXPORTER: Final[Exporter] = DocxExporter()
