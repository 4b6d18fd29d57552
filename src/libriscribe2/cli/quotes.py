"""How a quote is told: what a run would take, and later what it took beside it."""

from collections.abc import Coroutine, Mapping
from typing import Any, Final, TypeVar

from libriscribe2.cli.interrupts import run_async
from libriscribe2.cli.render import Renderer
from libriscribe2.errors import ProjectError, StorageError
from libriscribe2.forecast.model_time import VirtualLoop
from libriscribe2.forecast.quote import (
    HIGH_FACTOR,
    ModelTimes,
    Quote,
    Remaking,
    StageQuote,
    Sums,
    read_quote,
    save_quote,
)
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.wording import cost, counted

T = TypeVar("T")

LISTED: Final = 12
"""Most files that are named one by one."""

COLUMNS = ("stage", "model", "calls", "tokens in", "tokens out", "cost")


def run_dry(work: Coroutine[Any, Any, T]) -> T:
    """The outcome of a dry run (`commands.forecasts`), whose waits pass in no time.

    Raises:
        typer.Exit: It was interrupted.
    """
    return run_async(work, lambda: None, VirtualLoop)


def tell_quote(
    renderer: Renderer, quote: Quote, *, as_json: bool, more: Mapping[str, Any] | None = None
) -> None:
    """A table with a line for each stage and model, or one JSON object that also holds `more`."""
    total = quote.total
    if as_json:
        renderer.data_json({**quote_record(quote), **(more or {})})
        return
    rows = [(part.stage, part.model, *_cells(part)) for part in quote.stages]
    renderer.table(COLUMNS, [*rows, ("total", "", *_cells(total))])
    if quote.times is not None:
        _tell_times(renderer, quote.times)
    renderer.note(
        "Nothing was sent. The low end counts each call once, at the wanted length and four bytes "
        f"to a token; the high end is {HIGH_FACTOR:g} times that, for longer and repeated replies."
    )
    if total.low_usd is None:
        unknown = sorted({part.model for part in quote.stages if part.low_usd is None})
        renderer.note(f"The price of {', '.join(unknown)} is unknown.")


def quote_record(quote: Quote) -> dict[str, Any]:
    """The quote as JSON."""
    return {
        "stages": [
            {"stage": part.stage, "model": part.model, **part.model_dump()} for part in quote.stages
        ],
        "total": quote.total.model_dump(),
        "times": None if quote.times is None else quote.times.model_dump(),
        "high_factor": HIGH_FACTOR,
    }


def tell_remaking(renderer: Renderer, name: str, later: Remaking) -> None:
    """Say which files a redo leaves stale, why, and what it would take to remake them.

    Args:
        renderer: The screen.
        name: How a command names the project.
        later: The files and the calls.
    """
    units = later.units
    if not units:
        renderer.note("Nothing is stale after that.")
        return
    parts, more = counted(len(units), "part"), len(units) - later.stale
    after = f", {more:,} of them once what comes before is remade" if more else ""
    renderer.note(f"{parts} stale after that{after}:")
    for unit, reason in list(units.items())[:LISTED]:
        renderer.note(f"  {unit}: {reason}")
    if len(units) > LISTED:
        renderer.note(f"  and {len(units) - LISTED} more")
    renderer.note(
        f"`libriscribe2 resume {name} --refresh` remakes that: {in_words(later.quote.total)}."
    )


def remaking_record(later: Remaking) -> dict[str, Any]:
    """The same as JSON."""
    stale = [{"unit": unit, "reason": reason} for unit, reason in later.units.items()]
    return {"stale": stale, "remaking": quote_record(later.quote)}


def _tell_times(renderer: Renderer, times: ModelTimes) -> None:
    """How long the models would take, by order of drafting."""
    told = ", ".join(
        f"{order} {seconds / 60:.1f}{' (this book)' if order == times.drafting else ''}"
        for order, seconds in times.seconds.items()
    )
    renderer.note(
        f"Minutes of the models alone, by order of drafting: {told}. That is at "
        f"{times.tokens_per_second:g} tokens a second, the first after "
        f"{times.first_token_seconds:g} seconds, {counted(times.at_once, 'call')} at once."
    )


def keep_quote(renderer: Renderer, paths: ProjectPaths, quote: Quote) -> None:
    """Keep a quote for the next run; a project without records has no place for one."""
    if not paths.state.is_dir():
        return
    try:
        save_quote(paths, quote)
    except StorageError as error:
        renderer.warning(f"{error.what}: {error.why}. The next run cannot be held against this.")
        return
    if quote.stages:
        run = f"`{quote.job}`" if quote.job else "run"
        renderer.note(f"The next {run} will be held against this.")


def quote_beside_actual(
    renderer: Renderer, paths: ProjectPaths, manifest: Manifest, job: str | None = None
) -> dict[str, str]:
    """The last quote and what the project has taken since, for a panel; empty without a quote.

    Args:
        renderer: The screen.
        paths: The project.
        manifest: What its calls have come to.
        job: What the run was to do (`Quote.job`): a quote of anything else says nothing of it.
            None takes any quote, and says what it was for.
    """
    try:
        quote = read_quote(paths)
    except ProjectError as error:
        renderer.warning(f"{error.what}: {error.why}. {error.fix}")
        return {}
    if quote is None or job not in (None, quote.job):
        return {}
    told = {"quoted": in_words(quote.total), "since then": in_words(quote.actual(manifest))}
    return {**told, "quoted for": quote.job} if job is None and quote.job else told


def in_words(sums: Sums) -> str:
    """Calls, tokens and cost in one line."""
    tokens = f"{sums.input_tokens:,} tokens in, {sums.output_tokens:,} out"
    return f"{counted(sums.calls, 'call')}, {tokens}, {cost_range(sums)}"


def cost_range(sums: Sums) -> str:
    """The price from its low to its high end."""
    low, high = cost(sums.low_usd), cost(sums.high_usd)
    return low if low == high else f"{low} to {high}"


def _cells(sums: Sums | StageQuote) -> tuple[str, ...]:
    return (
        f"{sums.calls:,}",
        f"{sums.input_tokens:,}",
        f"{sums.output_tokens:,}",
        cost_range(sums),
    )
