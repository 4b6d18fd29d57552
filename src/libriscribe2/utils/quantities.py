"""Numbers as people read them: times, counts, costs."""

from typing import Final

_SHORTEST_WHOLE: Final = 0.95
_MINUTE: Final = 60
_HOUR: Final = 3600
_SMALLEST_PRICE: Final = 0.0001


def duration(seconds: float) -> str:
    """A time: `0.4s`, `12s`, `1m 12s`, `2h 05m`."""
    if seconds < _SHORTEST_WHOLE:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole}s"
    if whole < _HOUR:
        return f"{whole // _MINUTE}m {whole % _MINUTE:02d}s"
    return f"{whole // _HOUR}h {whole % _HOUR // _MINUTE:02d}m"


def counted(count: int, noun: str, plural: str = "") -> str:
    """A count with its noun: `1 word`, `2,550 words`."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def cost(usd: float | None) -> str:
    """A price in US dollars: `$0.00`, `$0.0042`, `$1.25`, or `cost unknown`, never a made-up 0."""
    return "cost unknown" if usd is None else price(usd)


def price(usd: float) -> str:
    """A known price in US dollars."""
    if 0 < usd < _SMALLEST_PRICE:
        return f"under ${_SMALLEST_PRICE}"
    return f"${usd:.4f}" if 0 < usd < 1 else f"${usd:,.2f}"
