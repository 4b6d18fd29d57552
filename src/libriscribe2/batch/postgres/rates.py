"""Rate limits and pauses that the processes of all machines share, by the database's clock."""

from datetime import timedelta
from typing import Final

from libriscribe2.batch.postgres.database import Database
from libriscribe2.llm.rate_store import RateLimits

_TAKE: Final = "select libriscribe2_take(%s, %s, %s, %s, %s) as seconds"
_PAUSE: Final = """
    insert into libriscribe2_accounts as known (account, not_before)
    values (%(account)s, clock_timestamp() + %(span)s)
    on conflict (account) do update
        set not_before = greatest(known.not_before, excluded.not_before)
"""


class DatabaseRates:
    """Takes requests' shares; it fits `SharedRates`, and every method may block.

    Args:
        database: Where the limits are kept.
        limits: What may be sent.
    """

    def __init__(self, database: Database, limits: RateLimits) -> None:
        self._database = database
        self._limits = limits
        self._span = timedelta(milliseconds=limits.interval_ms)

    def take(self, account: str, kilo_tokens: int) -> float:
        """Take a share of both limits, or of neither.

        Returns:
            0.0, or the seconds after which it is worth asking again.

        Raises:
            DatabaseLostError: The database does not answer; nothing may be sent without it.
        """
        limits = self._limits
        values = (account, limits.requests, limits.kilo_tokens, kilo_tokens, self._span)
        return float(self._database.rows(_TAKE, values)[0]["seconds"])

    def pause(self, account: str, seconds: float) -> None:
        """Let nobody ask for so long.

        Raises:
            DatabaseLostError: The database does not answer.
        """
        self._database.rows(_PAUSE, {"account": account, "span": timedelta(seconds=seconds)})

    def close(self) -> None:
        """Let go of the connection."""
        self._database.close()
