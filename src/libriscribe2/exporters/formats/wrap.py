"""The cover of the print edition in one piece: back, spine, front."""

import re
from pathlib import Path
from typing import Any, Final

from libriscribe2.errors import ConfigError
from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.formats.pdf import printed
from libriscribe2.exporters.print_rules import BLEED, FEWEST_FOR_SPINE, page_for, spine
from libriscribe2.exporters.typesetting import Job, typeset

_LEFT: Final = "0001101 0011001 0010011 0111101 0100011 0110001 0101111 0111011 0110111 0001011"
_ODD: Final = _LEFT.split()
_RIGHT: Final = ["".join("10"[int(bit)] for bit in one) for one in _ODD]
_EVEN: Final = [one[::-1] for one in _RIGHT]
_PARITY: Final = (
    *("000000", "001011", "001101", "001110", "010011"),
    *("011001", "011100", "010101", "010110", "011010"),
)


class WrapExporter:
    """As wide as the pages of the print edition make it, with the ISBN as a barcode."""

    name = "wrap"
    suffix = "-wrap.pdf"
    needs: tuple[str, ...] = ("pandoc", "typst")
    note = ""
    also_called: tuple[str, ...] = ()
    place = 70
    usual = False

    def export(self, book: ExportBook, folder: Path) -> Path:
        """Make the cover; see `Exporter.export`."""
        _, pages = printed(book, folder)
        page = page_for(book.edition.trim, pages, bleed=book.edition.bleed, printed=True)
        target = Job("wrap.typ", "wrap.pdf", accessible=True)
        typeset(book, folder, [target], page=page, more={"wrap": _record(book, pages)})
        return folder / target.output


EXPORTER: Final[Exporter] = WrapExporter()


def _record(book: ExportBook, pages: int) -> dict[str, Any]:
    isbn = re.sub(r"[^0-9]", "", book.identifier) if "isbn" in book.identifier.lower() else ""
    written = book.identifier.rpartition(":")[2]
    return {
        "bleed": BLEED,
        "spine": spine(pages, book.edition.paper),
        "lettered": pages >= FEWEST_FOR_SPINE,
        "back": [*book.blurb],
        "bars": barcode(isbn) if isbn else "",
        "digits": f"{isbn[:1]} {isbn[1:7]} {isbn[7:]}",
        "isbn": f"ISBN {written}",
    }


def barcode(isbn: str) -> str:
    """The bars of a number as EAN-13: 95 modules, `1` for black.

    Raises:
        ConfigError: The number is no ISBN of 13 digits.
    """
    sums = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(isbn))
    if len(isbn) != 13 or sums % 10:
        raise ConfigError(
            f"{isbn} is not an ISBN of 13 digits.",
            why="its last digit does not check the others" if len(isbn) == 13 else "",
            fix="Correct `identifier` in book.toml, such as urn:isbn:9780306406157.",
        )
    digits = [int(one) for one in isbn]
    sets = (_ODD, _EVEN)
    left = "".join(
        sets[int(kind)][digit] for kind, digit in zip(_PARITY[digits[0]], digits[1:7], strict=True)
    )
    return f"101{left}01010{''.join(_RIGHT[digit] for digit in digits[7:])}101"
