"""The bytes of the journal: one record per line, each with its own checksum.

A line is the CRC-32 of the JSON in eight hexadecimal digits, a space, the JSON, a line feed. CRC-32
finds every flipped bit and every torn write, so a damaged record is never believed.
"""

import json
import zlib
from dataclasses import dataclass

from pydantic_core import PydanticSerializationError, to_json

from libriscribe2.project.json_text import canonical_json, utf8
from libriscribe2.project.records import Record


@dataclass(frozen=True, slots=True)
class JournalScan:
    """What the bytes of a journal say.

    Attributes:
        records: The records that are whole, oldest first.
        damaged: The complete lines whose checksum is wrong.
        length: Bytes up to the end of the last complete line; what follows was torn off by a
            crash and had not been acknowledged to anyone.
    """

    records: tuple[Record, ...]
    damaged: tuple[bytes, ...]
    length: int


def encode_line(record: Record) -> bytes:
    """The line that holds `record`."""
    try:
        body = to_json(record)
    except PydanticSerializationError:  # half a surrogate pair
        body = utf8(canonical_json(record))
    return b"%08x %s\n" % (zlib.crc32(body), body)


def decode_line(line: bytes) -> Record | None:
    """The record in a line without its line feed; None where the line is damaged."""
    checksum, _, body = line.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(body):
        return None
    try:
        # As `json.loads` reads bytes, without its search for their encoding.
        record = json.loads(body.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def scan(data: bytes) -> JournalScan:
    """Read the bytes of a journal."""
    length = data.rfind(b"\n") + 1
    records: list[Record] = []
    damaged: list[bytes] = []
    for line in filter(None, data[:length].split(b"\n")):
        record = decode_line(line)
        if record is None:
            damaged.append(line)
        else:
            records.append(record)
    return JournalScan(tuple(records), tuple(damaged), length)
