"""The answers in a provider's files, as replies to the calls of an order."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from libriscribe2.batch.provider.orders import Order
from libriscribe2.batch.provider.spool import Kept

_NEVER_RUN: Final = frozenset({"batch_expired", "batch_cancelled"})


def ordinary(why: str) -> Kept:
    """The reply that has a call sent as an ordinary one."""
    return {"v": 1, "ordinary": why}


def replies_in(data: bytes, order: Order) -> Iterator[tuple[str, Kept]]:
    """The replies in a file of answers or failures, by the ids of their calls.

    A line that is none, or of a call that is not the order's, is left out: a call without a reply
    is sent as an ordinary one.
    """
    mine = set(order.calls)
    for line in data.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict) and record.get("custom_id") in mine:
            reply = _reply(record)
            if reply is not None:
                yield str(record["custom_id"]), reply


def _reply(record: Mapping[str, Any]) -> Kept | None:
    """What a line says; None where the call was never run."""
    response, error = record.get("response"), record.get("error")
    if isinstance(response, dict) and isinstance(response.get("status_code"), int):
        return {"v": 1, "status": response["status_code"], "body": response.get("body")}
    if not isinstance(error, dict) or error.get("code") in _NEVER_RUN:
        return None
    return {"v": 1, "status": None, "body": {"error": error}}
