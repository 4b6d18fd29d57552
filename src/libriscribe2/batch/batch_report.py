"""The report of a batch, for programs and for people."""

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from libriscribe2.batch.folders import BatchPaths
from libriscribe2.batch.progress import Batch, Book, RunTimes
from libriscribe2.batch.work import is_late
from libriscribe2.project.atomic import atomic_write, make_folder, storage_errors
from libriscribe2.project.texts import Clock, readable_json, utc_now, utf8
from libriscribe2.wording import duration, price

_TEMPLATES: Final = Environment(
    loader=PackageLoader("libriscribe2", "batch"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)

_HOUR: Final = 3_600.0

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
    "seconds": ("Total time of all books", duration),
    "waited_seconds": ("Of that, waiting for providers", duration),
}
_RATES: Final[Mapping[str, tuple[str, Shown]]] = {
    "done": ("Books done", _share),
    "words_per_book": ("Words per finished book", _count),
    "seconds_per_book": ("Time per finished book", duration),
    "seconds_per_call": ("Time per call", duration),
}
_COLUMNS: Final = (
    *("Book", "State", "Deadline", "Words", "Calls", "Cost", "Time", "Runs", "Reason"),
    "Next step",
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
    paused = " Paused: no more books start." if report["paused"] else ""
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


COLUMNS: Final = (
    *("book", "state", "deadline", "late", "words", "calls", "cost_usd", "seconds", "runs"),
    *("what", "why", "command"),
)

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")

Record = dict[str, Any]


def report_of(name: str, batch: Batch, clock: Clock = utc_now) -> Record:
    """The report as a JSON object.

    Times are seconds; `cost_usd` is None where a price is unknown, never 0.

    Args:
        name: The name of the batch.
        batch: The batch.
        clock: The time of day, which says what is late by now.
    """
    books = list(batch.books.values())
    times = RunTimes()
    for book in books:
        times = times.plus(book.times)
    rows = [book_record(book, clock) for book in books]
    providers = _providers(times)
    return {
        "v": 1,
        "batch": name,
        "paused": batch.paused,
        "max_cost": batch.cap,
        "counts": batch.counts(),
        "late": sum(row["late"] for row in rows),
        "sums": _sums(books, times),
        "rates": _rates(books, times),
        "stages": dict(sorted(times.stages.items())),
        "providers": providers,
        "slowest_provider": providers[0]["provider"] if providers else None,
        "books": rows,
    }


class Figure(NamedTuple):
    """A figure for those who watch over a queue.

    Attributes:
        name: What it is, such as `depth`.
        unit: Its unit, as OpenTelemetry writes it.
        value: How much.
        about: Of what.
        is_sum: Whether it only grows.
    """

    name: str
    unit: str
    value: float
    about: Mapping[str, str]
    is_sum: bool = False


def figures_of(batches: Mapping[str, Batch], slots: int, now: datetime) -> Iterator[Figure]:
    """The figures of all batches of a queue.

    Args:
        batches: How each stands, by name.
        slots: How many books all workers that are alive write at once.
        now: The present moment.
    """
    waiting = running = 0
    for name, batch in batches.items():
        about = {"batch": name}
        queued = [] if batch.paused else batch.within("queued")
        waiting, running = waiting + len(queued), running + len(batch.within("running"))
        since = [_seconds(book.at, now) for book in queued]
        yield Figure("depth", "{book}", len(queued), about)
        yield Figure("running", "{book}", len(batch.within("running")), about)
        yield Figure("oldest", "s", max(since, default=0.0), about)
        done = sum(_seconds(book.at, now) <= _HOUR for book in batch.within("done"))
        yield Figure("done_last_hour", "{book}", done, about)
        books = list(batch.books.values())
        waited = sum(book.times.waited for book in books)
        yield Figure("waited", "s", round(waited, 3), about, is_sum=True)
        cost = sum(book.last.sums.possible_usd for book in books)
        yield Figure("cost", "USD", round(cost, 6), about, is_sum=True)
        for (state, cause), count in sorted(batch.ends.items()):
            how = {**about, "state": state, "cause": cause}
            yield Figure("ends", "{run}", count, how, is_sum=True)
    yield Figure("slots", "{book}", slots, {})
    yield Figure("load", "1", round((waiting + running) / max(1, slots), 3), {})


def _seconds(at: str, now: datetime) -> float:
    """How long ago a moment was; endless where it is not known."""
    return (now - datetime.fromisoformat(at)).total_seconds() if at else math.inf


def book_record(book: Book, clock: Clock = utc_now) -> Record:
    """A book as a flat record with the columns of the report."""
    sums, last = book.last.sums, book.last
    told = book.state in ("failed", "stopped") or (book.state == "queued" and bool(last.what))
    return {
        "book": book.row.name,
        "state": book.state,
        "deadline": book.row.deadline,
        "late": is_late(book, clock()),
        "words": sums.words,
        "calls": sums.calls,
        "cost_usd": sums.cost_usd,
        "seconds": round(book.times.seconds, 3),
        "runs": book.runs,
        "what": last.what if told else "",
        "why": last.why if told else "",
        "command": command_for(book),
        "row": book.row.place,
        "code": last.code if told else 0,
        "cause": last.cause if told else "",
        "machine": book.machine if book.state == "running" else "",
    }


def command_for(book: Book) -> str:
    """What to type next for a book; empty where nothing has to be typed."""
    again = f"libriscribe2 batch retry {book.row.name}"
    if book.state == "queued" and book.last.what:
        return book.last.fix
    if book.state == "failed":
        return book.last.fix or again
    if book.state == "stopped":
        return f"{again}, then libriscribe2 batch run with a higher --max-cost"
    return again if book.state == "cancelled" else ""


def write_report(paths: BatchPaths, report: Record) -> None:
    """Write the report into the batch's folder, as HTML, JSON and CSV.

    Raises:
        StorageError: The folder cannot be written.
    """
    with storage_errors("make", paths.root):
        make_folder(paths.root)
    contents = {"json": readable_json(report), "csv": as_csv(report), "html": as_html(report)}
    for kind, text in contents.items():
        path = paths.report(kind)
        with storage_errors("write", path):
            atomic_write(path, utf8(text), durable=False)


def as_csv(report: Record) -> str:
    """The books as a table; a cell that a spreadsheet would calculate stays a text."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for row in report["books"]:
        writer.writerow([guarded(row[column]) for column in COLUMNS])
    return out.getvalue()


def guarded(cell: object) -> object:
    """A cell of a table that is safe in a spreadsheet."""
    harmful = isinstance(cell, str) and cell.startswith(_FORMULA_STARTS)
    return f"'{cell}" if harmful else cell


def _sums(books: Sequence[Book], times: RunTimes) -> Record:
    def total(of: Callable[[Book], int]) -> int:
        return sum(map(of, books))

    costs = [book.last.sums.cost_usd for book in books]
    known = [cost for cost in costs if cost is not None]
    return {
        "books": len(books),
        "words": total(lambda book: book.last.sums.words),
        "calls": total(lambda book: book.last.sums.calls),
        "input_tokens": total(lambda book: book.last.sums.input_tokens),
        "output_tokens": total(lambda book: book.last.sums.output_tokens),
        "cost_usd": sum(known) if len(known) == len(costs) else None,
        "seconds": round(times.seconds, 3),
        "waited_seconds": round(times.waited, 3),
    }


def _rates(books: Sequence[Book], times: RunTimes) -> Mapping[str, float | None]:
    """Rates; None where there is nothing to divide by."""
    done = [book for book in books if book.state == "done"]
    words = sum(book.last.sums.words for book in done)
    calls = sum(model.calls for model in times.models.values())
    seconds = sum(model.seconds for model in times.models.values())
    return {
        "done": _per(len(done), len(books)),
        "words_per_book": _per(words, len(done)),
        "seconds_per_book": _per(sum(book.times.seconds for book in done), len(done)),
        "seconds_per_call": _per(seconds, calls),
    }


def _per(count: float, of: float) -> float | None:
    return round(count / of, 6) if of else None


def _providers(times: RunTimes) -> list[Record]:
    """The providers with their calls, the one that takes longest for a call first."""
    by_name: dict[str, RunTimes] = {}
    for model, one in times.models.items():
        name = model.partition("/")[0]
        by_name[name] = by_name.get(name, RunTimes()).plus(RunTimes(models={name: one}))
    found = [
        {
            "provider": name,
            "calls": one.models[name].calls,
            "seconds": round(one.models[name].seconds, 3),
            "seconds_per_call": _per(one.models[name].seconds, one.models[name].calls),
        }
        for name, one in by_name.items()
    ]
    return sorted(found, key=lambda one: (-(one["seconds_per_call"] or 0), one["provider"]))
