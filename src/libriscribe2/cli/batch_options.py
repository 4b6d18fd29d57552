"""What the commands of `libriscribe2 batch` share: their options, a deadline, and how they stop."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typing_extensions import override

from libriscribe2.batch.processes import GRACE_SECONDS
from libriscribe2.batch.work import moment_of
from libriscribe2.cli.frame import ConcurrencyOption, ModelOptions
from libriscribe2.cli.process import Stop
from libriscribe2.errors import EXIT_INTERRUPTED, UsageError
from libriscribe2.project.texts import Clock, iso_utc, utc_now
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import duration

BatchOption = Annotated[
    str | None,
    typer.Option(
        "--batch", "-b", metavar="NAME", help="Name of the batch.", show_default="the only one"
    ),
]
DsnOption = Annotated[
    str | None,
    typer.Option(
        "--dsn",
        metavar="ADDRESS",
        help="Database that several machines share, such as postgresql://user@host/name. Put its "
        "password into LIBRISCRIBE2_BATCH__DSN: other users can see command lines.",
        show_default="none",
    ),
]
MaxBatchCostOption = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        metavar="USD",
        min=0,
        help="Maximum cost of all books in US dollars, until another is given.",
    ),
]
JournalOption = Annotated[
    Literal["folder", "database"] | None,
    typer.Option(
        "--journal",
        show_default="database",
        help="Where to keep the journals of books: also in the database (database), or in their "
        "folders only (folder), which all machines then have to share.",
    ),
]
AtOnceOption = Annotated[
    int | None,
    typer.Option("--books", "-n", min=1, max=64, show_default="2", help="How many books at once."),
]
DeadlineOption = Annotated[
    str | None,
    typer.Option(
        "--deadline",
        metavar="WHEN",
        help="A time (2026-11-23T08:00) or a duration (6h, 90m). No book starts after it, and "
        "running ones stop before their next call; the same command continues them.",
        show_default="none",
    ),
]
ProviderBatchOption = Annotated[
    bool,
    typer.Option(
        "--provider-batch",
        help="Send the calls of all books together through the provider's batch API: about half "
        "the price, answered within a day. With --deadline, calls that are still waiting then are "
        "sent directly, and running books are finished.",
    ),
]
BooksArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[BOOK]...", help="Names of books; all by default.")
]


OlderThanOption = Annotated[
    str | None,
    typer.Option(
        "--older-than",
        metavar="AGE",
        help="Only books that ended at least this long ago, such as 30d.",
        show_default="none",
    ),
]
HealthOption = Annotated[
    Path | None,
    typer.Option(
        "--health",
        metavar="FILE",
        help="Write a JSON object to this file at each heartbeat, for probes: `ready` says whether "
        "the database answers and this machine can write books.",
        show_default="none",
    ),
]


def moment_before(age: str, clock: Clock = utc_now) -> datetime:
    """The moment that was so long ago.

    Raises:
        UsageError: It is no age.
    """
    now = clock()
    try:
        later = moment_of(age, now)
    except ValueError as error:
        raise UsageError("--older-than cannot be used", fix="Name an age such as 30d.") from error
    return now - (later - now)


def stopping(settings: Settings, code: int = EXIT_INTERRUPTED) -> Stop:
    """How a signal ends a run of many books, with time for calls under way to end."""
    return Stop(settings.batch.stop_seconds + 3 * GRACE_SECONDS, code=code)


def under_way(settings: Settings) -> str:
    """What somebody should know who has to wait for the end."""
    seconds = duration(settings.batch.stop_seconds)
    return f"Calls under way may end, for {seconds} at most; a second signal does not wait."


def deadline_of(when: str | None, clock: Clock = utc_now) -> datetime | None:
    """The moment that `--deadline` names.

    Raises:
        UsageError: It is none, or it has passed.
    """
    if when is None:
        return None
    now = clock()
    try:
        moment = moment_of(when, now)
    except ValueError as error:
        raise UsageError("--deadline cannot be used", why=str(error)) from error
    if moment <= now:
        raise UsageError(
            f"The deadline {when!r} has passed",
            why=f"it means {iso_utc(moment)}",
            fix="Name a later one.",
        )
    return moment


@dataclass(frozen=True, kw_only=True)
class BookOptions(ModelOptions):
    """Options that go on to the run of every book."""

    max_concurrency: ConcurrencyOption = None

    @override
    def flags(self) -> dict[str, Any]:
        """The settings that they stand for, by dotted key; None was not given."""
        return super().flags() | {"pipeline.max_concurrency": self.max_concurrency}

    def of_book(self) -> list[str]:
        """The same as words of a command line."""
        words: list[str] = ["--mock"] if self.mock else []
        words += ["--model", self.model] if self.model is not None else []
        if self.max_concurrency is not None:
            words += ["--max-concurrency", str(self.max_concurrency)]
        return words
