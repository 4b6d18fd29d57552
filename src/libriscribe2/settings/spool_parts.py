"""Who answers a run's requests, as the settings want it."""

import os
from collections.abc import Awaitable, Callable

from libriscribe2.llm.backend import Backend
from libriscribe2.llm.litellm_batches import BatchLines
from libriscribe2.llm.rate_limits import account_name
from libriscribe2.llm.routed_backend import RoutedBackend
from libriscribe2.llm.spooled_backend import Spool, SpooledBackend


def answering(
    routed: RoutedBackend,
    spool: Spool | None,
    url_of: Callable[[str], str | None],
    wait: Callable[[float], Awaitable[None]],
) -> Backend:
    """Each model's server, or whoever sends the calls of many books together.

    Args:
        routed: Sends ordinary calls.
        spool: Where calls wait for others; None sends each at once.
        url_of: The server of a model; None is the provider's own.
        wait: Waits so many seconds; it raises where the run is being stopped.
    """
    if spool is None:
        return routed
    return SpooledBackend(
        routed,
        lambda model: BatchLines(routed.online(model)),
        spool,
        lambda model: account_name(model, url_of(model), os.environ),
        wait,
    )
