"""Orders: what was submitted to a provider, or is about to be, on the disk before it leaves."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final
from uuid import uuid4

from libriscribe2.batch.provider.spool import Kept, Spool
from libriscribe2.llm.litellm_batches import ENDPOINT
from libriscribe2.project.atomic import PRIVATE, atomic_write
from libriscribe2.project.storage_errors import storage_errors

MOST_LINES: Final = 50_000
MOST_BYTES: Final = 100 * 2**20
"""Largest file of one batch; OpenAI takes 50,000 lines and 200 MB."""


@dataclass(slots=True)
class Order:
    """Calls that go to a provider together.

    Attributes:
        name: What it is called, here and in the batch's metadata.
        model: Whom the calls ask.
        account: A name for the account they ask.
        calls: The ids of the calls.
        file: The provider's id of the file; empty until it is stored there.
        batch: The provider's id of the batch; empty until it is known.
        submitted: Whether the batch may have been submitted.
        cancelled: Whether the provider was told to answer no more of it.
    """

    name: str
    model: str
    account: str
    calls: list[str] = field(default_factory=list)
    file: str = ""
    batch: str = ""
    submitted: bool = False
    cancelled: bool = False


def new_orders(
    spool: Spool, asked: Mapping[str, Kept], most: tuple[int, int] = (MOST_LINES, MOST_BYTES)
) -> Iterator[Order]:
    """Orders for calls of one account, stored with their files.

    Args:
        spool: Where.
        asked: The requests by id, all of one model and account.
        most: Lines and bytes of the largest file.

    Raises:
        StorageError: They cannot be stored.
    """
    lines = ((ident, _line(ident, one["body"])) for ident, one in asked.items())
    first = next(iter(asked.values()))
    for part in _parts(lines, *most):
        order = Order(uuid4().hex, first["model"], first["account"], [ident for ident, _ in part])
        path = spool.orders / f"{order.name}.jsonl"
        with storage_errors("write", path):
            atomic_write(path, b"".join(line for _, line in part), mode=PRIVATE)
        save(spool, order)
        yield order


def file_of(spool: Spool, order: Order) -> bytes:
    """The file of an order.

    Raises:
        StorageError: It cannot be read.
    """
    path = spool.orders / f"{order.name}.jsonl"
    with storage_errors("read", path):
        return path.read_bytes()


def save(spool: Spool, order: Order) -> None:
    """Keep what is known of an order.

    Raises:
        StorageError: It cannot be stored.
    """
    spool.write(spool.orders, order.name, {"v": 1, **asdict(order)})


def close(spool: Spool, order: Order) -> None:
    """An order is over, and its replies are kept.

    Raises:
        StorageError: It cannot be removed.
    """
    spool.drop(spool.orders, order.name)
    with suppress(OSError):  # a file without its order is never looked at
        (spool.orders / f"{order.name}.jsonl").unlink()


def open_orders(spool: Spool) -> list[Order]:
    """The orders that are not over.

    Raises:
        StorageError: They cannot be read.
    """
    known = {one.name for one in fields(Order)}
    found = (spool.read(spool.orders, name) for name in spool.idents(spool.orders))
    return [
        Order(**{name: value for name, value in one.items() if name in known})
        for one in found
        if one is not None
    ]


def _line(ident: str, body: Any) -> bytes:
    line = {"custom_id": ident, "method": "POST", "url": ENDPOINT, "body": body}
    return json.dumps(line).encode() + b"\n"


def _parts(
    lines: Iterable[tuple[str, bytes]], most_lines: int, most_bytes: int
) -> Iterator[list[tuple[str, bytes]]]:
    """The lines in files that are not too large."""
    part: list[tuple[str, bytes]] = []
    size = 0
    for ident, line in lines:
        if part and (len(part) == most_lines or size + len(line) > most_bytes):
            yield part
            part, size = [], 0
        part.append((ident, line))
        size += len(line)
    if part:
        yield part
