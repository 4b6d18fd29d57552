"""Whom a question is put to, and in which words: the model, then what is left when it cannot.

A model that withholds its reply is asked once more with less context (`simplified`); then the next
model is asked, first with the whole request. Other failures go to the next model at once.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.llm.backend import BackendError, CallLog, Request
from libriscribe2.llm.options import CallRecord
from libriscribe2.llm.resilience import explain
from libriscribe2.llm.simplified import simplified
from libriscribe2.telemetry import FALLBACK_GENERATION_USED

logger = logging.getLogger(__name__)

SIMPLIFIED_PROMPT: Final = "simplified prompt"

Call = Callable[[Request, bool], Awaitable[CallRecord]]
"""Sends a request, and again after passing failures; True where no other model is left."""


@dataclass(frozen=True, slots=True)
class _Way:
    """One way of getting an answer.

    Attributes:
        request: What is asked, and whom.
        method: How this differs from the question as it was put, or "" for that one.
        last_model: Whether no other model is left.
    """

    request: Request
    method: str
    last_model: bool


def kept_reply(
    requests: Sequence[Request], log: CallLog
) -> tuple[Request, Mapping[str, Any]] | None:
    """A reply that was paid for before, with its request: whole requests before simplified ones.

    Args:
        requests: The question, to each model; the first is the one that was wanted.
        log: Who remembers replies.
    """
    for request in _worth_a_look(requests, log):
        kept = log.find(request.key())
        if kept is not None:
            return request, kept
    return None


async def first_answer(requests: Sequence[Request], call: Call) -> CallRecord:
    """The answer of the first way that brings one.

    Args:
        requests: The question, to each model; the first is the one that was wanted.
        call: Sends one of them, or one with less context.

    Raises:
        LibriScribeError: None did; it tells the last failure.
    """
    ways = _whole(requests)
    while True:
        way = ways.pop(0)
        try:
            record = await call(way.request, way.last_model)
        except BackendError as error:
            model = way.request.model
            if error.kind == "filtered":
                ways[:0] = _with_less(way)
            if not ways:
                raise explain(error, model) from error
            told = (model, error.kind, error.message, ways[0].method)
            logger.warning("%s could not answer (%s: %s); going on with the %s", *told)
            continue
        if way.method:
            logger.warning("%s: %s: %s", FALLBACK_GENERATION_USED, way.request.step, way.method)
        return record


def _worth_a_look(requests: Sequence[Request], log: CallLog) -> Iterator[Request]:
    """The requests that may have left before.

    One with less context leaves only after the whole one was withheld, which the log has noted by
    then; to make one and its key takes as long as all else that is done with a request.
    """
    yield from requests
    for request in requests:
        if log.filtered(request.key()):
            yield simplified(request)


def _whole(requests: Sequence[Request]) -> list[_Way]:
    """The question as it was put, to each model."""
    last = len(requests) - 1
    return [
        _Way(request, f"model {request.model}" if number else "", number == last)
        for number, request in enumerate(requests)
    ]


def _with_less(way: _Way) -> list[_Way]:
    """The way with less context; none where its request has no more to lose."""
    less = simplified(way.request)
    if less.messages == way.request.messages:
        return []
    method = f"{SIMPLIFIED_PROMPT}, {way.method}" if way.method else SIMPLIFIED_PROMPT
    return [_Way(less, method, way.last_model)]
