"""Statistics of small samples."""

from collections.abc import Sequence
from statistics import median, quantiles


def p95(sample: Sequence[float]) -> float:
    """The 95th percentile."""
    return quantiles(sample, n=20)[18]


def spread(sample: Sequence[float], unit: str, scale: float) -> str:
    """Minimum, median and maximum, scaled to a unit."""
    low, middle, high = (scale * value for value in (min(sample), median(sample), max(sample)))
    return f"{middle:.2f} {unit} (min {low:.2f}, max {high:.2f})"
