"""The seed's name for `research.wiring`."""

from libriscribe2.research.wiring import AutoWirer, Wiring, coerce_value

__all__ = ["AutoWirer", "Wiring", "coerce_value"]
