"""How a quote is told: what a run would take, and later what it took beside it."""

from collections.abc import Mapping
from typing import Any, Final

from libriscribe2.cli.render import Renderer
from libriscribe2.errors import ProjectError
from libriscribe2.pipeline.estimate import HIGH_FACTOR
from libriscribe2.pipeline.quote import (
    ModelTimes,
    Quote,
    StageQuote,
    Sums,
    read_quote,
    save_quote,
)
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.utils.quantities import cost, counted

LISTED: Final = 12
"""Most files that are named one by one."""

COLUMNS = ("stage", "model", "calls", "tokens in", "tokens out", "cost")


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


def tell_remaking(renderer: Renderer, name: str, units: Mapping[str, str], quote: Quote) -> None:
    """Say which files a redo leaves stale, why, and what it would take to remake them.

    Args:
        renderer: The screen.
        name: The project's name.
        units: Why each file would be remade.
        quote: What that would take.
    """
    if not units:
        renderer.note("Nothing is stale after that.")
        return
    parts = counted(len(units), "part")
    renderer.note(f"{parts} stale after that, or once what comes before is remade:")
    for unit, reason in list(units.items())[:LISTED]:
        renderer.note(f"  {unit}: {reason}")
    if len(units) > LISTED:
        renderer.note(f"  and {len(units) - LISTED} more")
    renderer.note(f"`libriscribe2 resume {name} --refresh` remakes that: {in_words(quote.total)}.")


def remaking_record(units: Mapping[str, str], quote: Quote) -> dict[str, Any]:
    """The same as JSON."""
    stale = [{"unit": unit, "reason": reason} for unit, reason in units.items()]
    return {"stale": stale, "remaking": quote_record(quote)}


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
    if paths.state.is_dir():
        save_quote(paths, quote)
        renderer.note("The next run will be held against this.")


def quote_beside_actual(
    renderer: Renderer, paths: ProjectPaths, manifest: Manifest
) -> dict[str, str]:
    """The last quote and what the project has taken since, for a panel; empty without a quote."""
    try:
        quote = read_quote(paths)
    except ProjectError as error:
        renderer.warning(f"{error.what}: {error.why}. {error.fix}")
        return {}
    if quote is None:
        return {}
    return {"quoted": in_words(quote.total), "since then": in_words(quote.actual(manifest))}


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
