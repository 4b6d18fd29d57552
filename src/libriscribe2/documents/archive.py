"""Archives from outside, read member by member into memory and never unpacked.

A bomb is told by counting what comes out while it comes out, not by what the archive says of
itself; a member's name is only ever compared, so a name that leads out of a folder leads nowhere.
"""

import io
import zipfile
import zlib
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from libriscribe2.documents.decoding import not_readable, too_large, too_many_bytes

MOST_BYTES: Final = 100 * 2**20
"""Most bytes of all members together."""

MOST_ENTRIES: Final = 10_000
"""Most members."""

MOST_RATIO: Final = 100
"""How much larger than its compressed form a member may be."""

_RATIO_FROM: Final = 2**20
"""Bytes from which the ratio counts: a small member may well be all blanks."""

_CHUNK: Final = 2**16
_BROKEN: Final = (
    zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError,
    ValueError, LookupError,
)  # fmt: skip


class Archive:
    """A ZIP archive under watch.

    Args:
        name: What errors call it.
        data: Its bytes.

    Raises:
        DocumentError: 415 where it is no archive, 413 where it has too many members.
    """

    def __init__(self, name: str, data: bytes) -> None:
        self._name = name
        self._read = 0
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BROKEN as error:
            raise not_readable(name, "it is not a ZIP archive that can be opened") from error
        if len(self._zip.infolist()) > MOST_ENTRIES:
            told = f": the archive has more than {MOST_ENTRIES:,} members."
            raise too_large(name, told, limit_entries=MOST_ENTRIES)

    def names(self) -> list[str]:
        """The names of the members; one without a name, in a damaged archive, is none."""
        names = (info.filename for info in self._zip.infolist())
        return [name for name in names if name and not name.endswith("/")]

    def read(self, member: str, *, most: int = MOST_BYTES) -> bytes:
        """The content of a member.

        Args:
            member: Its name.
            most: Most bytes that it may have.

        Raises:
            DocumentError: 415 where it is missing or damaged, 413 where it is a bomb.
        """
        content = bytearray()
        try:
            info = self._zip.getinfo(member)
            with self._zip.open(info) as stream:
                while chunk := stream.read(_CHUNK):
                    content += chunk
                    self._count(info, len(content), len(chunk), most)
        except _BROKEN as error:
            raise not_readable(self._name, f"its part {member!r} is missing or damaged") from error
        return bytes(content)

    def xml(self, member: str, *, most: int = 20 * 2**20) -> Element:
        """A member as XML, without entities and document types of its own.

        Raises:
            DocumentError: 415 where it is missing or no such XML, 413 where it is a bomb.
        """
        data = self.read(member, most=most)
        try:
            root: Any = ElementTree.fromstring(data, forbid_dtd=True)
        except (ParseError, DefusedXmlException, ValueError, LookupError) as error:
            raise not_readable(
                self._name, f"its part {member!r} is not the XML that it should be"
            ) from error
        whole: Element = root
        return whole

    def _count(self, info: zipfile.ZipInfo, size: int, chunk: int, most: int) -> None:
        """Refuse what is over a limit, as soon as it is."""
        self._read += chunk
        if self._read > MOST_BYTES or size > most:
            raise too_many_bytes(self._name, "unpacked it is larger", min(most, MOST_BYTES))
        if size > _RATIO_FROM and size > MOST_RATIO * max(1, info.compress_size):
            told = f": its part {info.filename!r} grows more than {MOST_RATIO}-fold"
            raise too_large(self._name, f"{told} when it is unpacked.", limit_ratio=MOST_RATIO)
