"""The report of a batch as a page for people: names in words, figures with their units."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from libriscribe2.wording import duration, price

_TEMPLATES: Final = Environment(
    loader=PackageLoader("libriscribe2", "batch"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)

Shown = Callable[[float], str]
"""How a figure is written."""


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _share(value: float) -> str:
    return f"{value:.0%}"


_SUMS: Final[Mapping[str, tuple[str, Shown]]] = {
    "books": ("Books", _count),
    "words": ("Words", _count),
    "calls": ("Calls", _count),
    "input_tokens": ("Tokens sent", _count),
    "output_tokens": ("Tokens received", _count),
    "cost_usd": ("Cost", price),
    "seconds": ("Time of all books together", duration),
    "waited_seconds": ("Of it waiting for a provider", duration),
}
_RATES: Final[Mapping[str, tuple[str, Shown]]] = {
    "done": ("Books done", _share),
    "words_per_book": ("Words per finished book", _count),
    "seconds_per_book": ("Time per finished book", duration),
    "seconds_per_call": ("Time per call", duration),
}
_COLUMNS: Final = (
    *("Book", "State", "Deadline", "Words", "Calls", "Cost", "Time", "Runs", "Reason"),
    "What to do",
)
NUMBERS: Final = frozenset({"Words", "Calls", "Cost", "Time", "Runs"})
"""The columns that hold figures."""


def as_html(report: Mapping[str, Any]) -> str:
    """The report as one page without a script."""
    return _TEMPLATES.get_template("report.html").render(
        name=report["batch"],
        state=_state(report),
        figures=[
            *_figures(report["sums"], _SUMS, "unknown"),
            *_figures(report["rates"], _RATES, "none yet"),
        ],
        columns=_COLUMNS,
        numbers=NUMBERS,
        books=[_book(row) for row in report["books"]],
        stages=[(stage, duration(seconds)) for stage, seconds in report["stages"].items()],
        providers=[
            (one["provider"], _count(one["calls"]), _told(one["seconds_per_call"], duration))
            for one in report["providers"]
        ],
    )


def _state(report: Mapping[str, Any]) -> str:
    """How the batch stands, in one sentence."""
    counts = ", ".join(f"{count:,} {state}" for state, count in report["counts"].items() if count)
    late = f"; {report['late']:,} late" if report["late"] else ""
    most = "" if report["max_cost"] is None else f" At most {price(report['max_cost'])} in all."
    paused = " Paused: no further book begins." if report["paused"] else ""
    return f"{counts or 'No book'}{late}.{most}{paused}"


def _figures(
    values: Mapping[str, float | None], names: Mapping[str, tuple[str, Shown]], lacking: str
) -> list[tuple[str, str]]:
    """Figures by their names; `lacking` stands for one that cannot be had."""
    return [(name, _told(values[key], shown, lacking)) for key, (name, shown) in names.items()]


def _told(value: float | None, shown: Shown, lacking: str = "unknown") -> str:
    return lacking if value is None else shown(value)


def _book(row: Mapping[str, Any]) -> tuple[str, ...]:
    """A book as cells, in the order of the columns."""
    return (
        row["book"],
        f"{row['state']}, late" if row["late"] else row["state"],
        row["deadline"],
        _count(row["words"]),
        _count(row["calls"]),
        _told(row["cost_usd"], price),
        duration(row["seconds"]),
        _count(row["runs"]),
        ": ".join(part for part in (row["what"], row["why"]) if part),
        row["command"],
    )
