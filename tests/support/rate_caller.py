"""One of several processes that ask within shared limits: `python -m tests.support.rate_caller`.

Its words are the address of the database, the limits (`-` is none), the interval in milliseconds
and how many calls it makes. It says when it is ready, and begins when it is told to.
"""

import asyncio
import sys

from libriscribe2.batch.postgres.database import Database, DatabaseRates, Dsn
from libriscribe2.llm.backend import Request
from libriscribe2.llm.limits.rate_store import RateLimits
from libriscribe2.llm.limits.rates import RateGate

MODEL = "openai/shared"


def limit(word: str) -> int | None:
    return None if word == "-" else int(word)


def request(number: int) -> Request:
    """A request that counts as one to four thousand tokens."""
    return Request(
        step="s",
        model=MODEL,
        messages=({"role": "user", "content": "x"},),
        max_tokens=900 + 1000 * (number % 4),
    )


async def main(dsn: str, requests: str, kilos: str, span_ms: str, calls: str) -> None:
    limits = RateLimits(limit(requests), limit(kilos), int(span_ms))
    rates = DatabaseRates(Database(Dsn(dsn)), limits)
    gate = RateGate(rates)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    for number in range(int(calls)):
        while (seconds := await gate.take(request(number))) > 0:
            await wait(seconds)
    gate.close()


async def wait(seconds: float) -> None:
    await asyncio.sleep(seconds)  # noqa: TID251 - it waits for other processes


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
