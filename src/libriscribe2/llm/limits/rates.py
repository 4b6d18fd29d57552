"""How often a model may be asked: the user's limits, and a provider's "come back later".

Both are kept per account, which is a server, a key and a model. Where limits are set, they and the
pauses are shared by every process of the machine (`rate_store`), or of several machines, whose
batch keeps them; where none are, a pause holds for this process and no file is touched.
"""

import asyncio
import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, Protocol

from libriscribe2.llm.backend import BYTES_PER_TOKEN, Request
from libriscribe2.llm.providers import BASE_URL_VARIABLES, is_built_in, key_variables

REPLY_TOKENS: Final = 2_000
"""Tokens that a reply counts as where the request sets no `max_tokens`."""

LONGEST_PAUSE: Final = 86_400.0
"""The longest pause in seconds that a provider is believed; what it says may be any number."""

_KILO: Final = 1_000


class SharedRates(Protocol):
    """The limits and pauses that all processes share."""

    def take(self, account: str, kilo_tokens: int) -> float:
        """Take a request's share and return 0.0, or the seconds after which to ask again."""
        ...

    def pause(self, account: str, seconds: float) -> None:
        """Let nobody ask for so long."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


def _one_account(model: str) -> str:
    return model


@dataclass
class RateGate:
    """Lets requests leave no faster than they may.

    Attributes:
        shared: The limits; None where the user set none.
        account_of: The account that a model is asked with, without any secret in it.
        clock: Seconds on a clock that never goes back.
    """

    shared: SharedRates | None = None
    account_of: Callable[[str], str] = _one_account
    clock: Callable[[], float] = monotonic
    _pauses: dict[str, float] = field(default_factory=dict)

    async def take(self, request: Request) -> float:
        """Take the share of a request that is about to leave.

        Returns:
            0.0 where it is taken, or the seconds after which to ask again.
        """
        if is_built_in(request.model):
            return 0.0
        account = self.account_of(request.model)
        seconds = self._pauses.get(account, -math.inf) - self.clock()
        if seconds > 0 or self.shared is None:
            return max(0.0, seconds)
        return await asyncio.to_thread(self.shared.take, account, kilo_tokens(request))

    async def pause(self, model: str, seconds: float) -> None:
        """A provider answered that it wants nothing for so many seconds (Retry-After)."""
        account = self.account_of(model)
        seconds = min(seconds, LONGEST_PAUSE)
        until = self.clock() + seconds
        self._pauses[account] = max(until, self._pauses.get(account, until))
        if self.shared is not None:
            await asyncio.to_thread(self.shared.pause, account, seconds)

    def close(self) -> None:
        """Let go of what is shared; it is opened again when it is wanted."""
        if self.shared is not None:
            self.shared.close()


def rate_gate(
    requests: int | None,
    kilo_tokens: int | None,
    account_of: Callable[[str], str],
    shared: SharedRates | None = None,
) -> RateGate:
    """The gate of a run with the user's limits per minute; None is no limit.

    Where the limits are shared beyond this machine, those count and not the numbers.
    """
    if shared is not None:
        return RateGate(shared, account_of)
    if requests is None and kilo_tokens is None:
        return RateGate()
    from libriscribe2.llm.limits.rate_store import RateLimits, RateStore  # noqa: PLC0415 - only a run with limits pays for it

    return RateGate(RateStore(RateLimits(requests, kilo_tokens)), account_of)


def kilo_tokens(request: Request) -> int:
    """What a request counts as, in thousands of tokens, rounded up.

    The prompt counts by its length in bytes; the reply counts as the longest that was asked for,
    else as `REPLY_TOKENS`.
    """
    asked = json.dumps([request.messages, request.tools], ensure_ascii=False)
    sent = len(asked.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN
    reply = request.max_tokens if request.max_tokens is not None else REPLY_TOKENS
    return math.ceil((sent + reply) / _KILO)


def account_name(model: str, url: str | None, environ: Mapping[str, str]) -> str:
    """A name for the account of a model that tells neither key nor address: 20 hex digits.

    Args:
        model: The model's name as LiteLLM spells it.
        url: The server that it is asked at; None is the provider's own.
        environ: The variables of the process.
    """
    names = key_variables(model) or ("OPENAI_API_KEY",)
    given = [environ.get(name, "") for name in (*names, *BASE_URL_VARIABLES)]
    identity = json.dumps([model, url, given])
    return hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:20]
