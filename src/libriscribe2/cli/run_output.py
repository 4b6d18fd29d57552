"""What runs, plans and quotes print: events, statistics, findings, calls, tokens, cost."""

import os
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from libriscribe2.app import AppOptions, SharedCalls
from libriscribe2.checks.plan.plan_report import check_plan
from libriscribe2.cli.finding_formats import show_plan
from libriscribe2.cli.frame import model_for, resumable
from libriscribe2.cli.process import Stop, interrupted, interruptible, run_async
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.runs import (
    OpenBook,
    Prepare,
    first_models,
    keep_model,
    open_book,
    stand_in_files,
    written_anew,
)
from libriscribe2.engine.engine import RunRequest, follow
from libriscribe2.engine.runner import Outcome
from libriscribe2.engine.stages import EDITED
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
from libriscribe2.llm.call_records import Piece
from libriscribe2.llm.default_model import WAYS
from libriscribe2.llm.providers import DEMO_NAMES, ModelChoice
from libriscribe2.observe.events import Event, EventConsumer
from libriscribe2.observe.run_files import recorders
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import MANUSCRIPT, ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import cost, counted, duration, stage_name, tokens_in, without_sources

if TYPE_CHECKING:
    from libriscribe2.commands.run_progress import Scale

T = TypeVar("T")

DEMONSTRATION = (
    "The stand-in author is not a language model: it strings English sentences together to show "
    f"what the program does. For a real book, {WAYS}."
)


def run_book(
    renderer: Renderer, book: OpenBook, request: RunRequest, *, brief: bool = False
) -> None:
    """Run the stages, show how it goes, and say where the book is.

    Args:
        renderer: Shows it.
        book: The project, held by this process.
        request: What is asked of the run.
        brief: Whether only what was made is told: not which model answers, and no statistics.

    Raises:
        LibriScribeError: The run failed; finished parts are kept.
        typer.Exit: The run was interrupted.
    """
    store, name = book.store, book.store.paths.called
    screen = Screen(renderer, as_json=renderer.as_json and not brief, brief=brief)
    notes = FallbackNotes(renderer, first_models(book.settings, book.choice, request.stages))
    of_batch = book.settings.batch.book_stop_seconds > 0
    with nullcontext() if of_batch else resumable(renderer, name):
        if not brief:
            say_model(renderer, book.choice)
            _tell_sources(renderer, book, begins=True)
        engine, seconds = book.engine(), book.settings.batch.book_stop_seconds
        # A batch grants its books more time than somebody at a terminal does.
        run, stop = request.by(engine), Stop(seconds, engine.stop) if seconds else Stop()
        shown = nullcontext() if brief else renderer.live(lambda: _scale_of(book))
        with recorders(store.paths, os.environ, renderer.warning) as files, shown:
            followed = follow(run, *files, screen, notes, pieces=screen)
            heard = interruptible(partial(_say_interrupted, renderer, name), stop=stop)
            with heard as runner, telling_the_desktop(store.paths.root.name):
                outcome = runner.run(followed)
    if screen.edited and not renderer.as_json and not brief:
        more = " and more" if screen.edited[LISTED:] else ""
        yours = ", ".join(screen.edited[:LISTED])
        renderer.note(f"Yours, kept and used as they are: {yours}{more}.")
    if not renderer.as_json and not brief:
        _show(renderer, store, outcome, request)
        _tell_sources(renderer, book, begins=False)
        if request.ends_with_plan:
            show_plan(renderer, name, check_plan(book.brief, store))


def _tell_sources(renderer: Renderer, book: OpenBook, *, begins: bool) -> None:
    """Say of a book of facts that it rests on no source; as it begins, unless one may be found."""
    if book.brief.kind == "fiction" or (begins and book.settings.research.search_url):
        return
    from libriscribe2.project.research_files import has_no_sources  # noqa: PLC0415 - not for stories

    if has_no_sources(book.brief, book.store):
        renderer.warning(without_sources(book.store.paths.called))


def _say_interrupted(renderer: Renderer, called: str) -> None:
    """Say how to go on, below nothing that moves: the process may end right after."""
    renderer.end_live()
    renderer.warning(interrupted(called))


def _scale_of(book: OpenBook) -> "Scale":
    """What a whole book comes to."""
    from libriscribe2.commands.run_progress import scale_of  # noqa: PLC0415 - for terminals alone

    return scale_of(book.store, book.brief)


@contextmanager
def telling_the_desktop(book: str) -> Iterator[None]:
    """Tell the user on the desktop how a long run in the block ended, where one watches a terminal."""
    begun = time.monotonic()
    ended = "stopped"
    try:
        yield
        ended = "is done"
    finally:
        if sys.stderr.isatty() and time.monotonic() - begun >= LONG_RUN:
            from libriscribe2.cli.progress import notify  # noqa: PLC0415 - for terminals alone

            notify("LibriScribe2", f"{book} {ended}")


LONG_RUN: Final = 300.0
"""Seconds after which whoever began a run may have gone away."""


def carry_out(
    renderer: Renderer,
    paths: ProjectPaths,
    settings: Settings,
    prepare: Prepare,
    *,
    calls: SharedCalls | None = None,
    anew: bool = True,
) -> None:
    """Hold the project and run what is asked for; `anew`: and what the stand-in wrote.

    Raises:
        LibriScribeError: The run failed; finished parts are kept.
    """
    with open_book(paths) as (store, brief):
        choice = model_for(settings)
        if anew:
            prepare = written_anew(prepare, settings, choice)
        request = prepare(store, brief)
        options = AppOptions(command_line(), shared_calls=calls)
        book = OpenBook(store, brief, settings, choice, options)
        if anew and request.again:
            keep_model(book, request)
        run_book(renderer, book, request)


@contextmanager
def held_book(paths: ProjectPaths, settings: Settings) -> Iterator[OpenBook]:
    """A project, held by this process, with the model that answers.

    Raises:
        LibriScribeError: It cannot be held, or there is no model.
    """
    with open_book(paths) as (store, brief):
        yield OpenBook(store, brief, settings, model_for(settings), AppOptions(command_line()))


def consult(
    renderer: Renderer,
    book: OpenBook,
    question: Callable[[Sequence[EventConsumer]], Coroutine[Any, Any, T]],
    said: str = "",
    *,
    live: bool = False,
) -> T:
    """The answer to a question to an agent, which is recorded; says which model answers.

    Args:
        renderer: The screen.
        book: The project, held by this process.
        question: What is asked; it is given who receives the events.
        said: What is said after Ctrl-C; else how to go on with the book.
        live: Whether the events are shown, too, and not only recorded.
    """
    say_model(renderer, book.choice)
    said = said or interrupted(book.store.paths.called)
    screen = (Screen(renderer),) if live else ()
    shown = renderer.live() if live else nullcontext()
    with recorders(book.store.paths, os.environ, renderer.warning) as files, shown:
        return run_async(question((*files, *screen)), lambda: renderer.warning(said))


def say_model(renderer: Renderer, choice: ModelChoice) -> None:
    """Say which model answers and why."""
    renderer.note(f"model: {choice.model} ({choice.reason})", once=True)
    if choice.model in DEMO_NAMES:
        renderer.note(DEMONSTRATION, once=True)


def written_by_stand_in(called: str) -> str:
    """What to say of a book that no language model wrote."""
    anew = f"`libriscribe2 resume {called} --model MODEL` writes it anew"
    return f"Written by the stand-in author, which is no language model; {anew}."


def refreshing(called: str) -> str:
    """What brings the files of a project up to date that are not."""
    mends = f"`libriscribe2 resume {called} --refresh` patches what contradicts your changes"
    return f"{mends}; --rewrite instead writes again what is out of date."


def command_line() -> str:
    """The words after the program's name, for the journal."""
    return " ".join(sys.argv[1:])


_IN_FULL: Final = frozenset({"stage.skipped", "run.interrupted", "run.end"})
"""Events that are told by a run that says all."""


class Screen:
    """Shows a run: lines and how far it is, or one JSON object per event.

    Args:
        renderer: Prints.
        as_json: Whether events go to stdout, one JSON object per line.
        brief: Whether only what was made is told.
    """

    def __init__(self, renderer: Renderer, *, as_json: bool = False, brief: bool = False) -> None:
        self._renderer = renderer
        self._as_json = as_json
        self._brief = brief
        self.edited: list[str] = []

    def receive(self, event: Event) -> None:
        """Show an event."""
        if event.event == "stage.skipped" and event.reason == EDITED:
            self.edited.append(event.unit)
        if self._as_json:
            self._renderer.render_event_json(event)
        elif not self._brief:
            self._renderer.render_event(event)
        elif event.event not in _IN_FULL:  # a person answers: no time says anything
            self._renderer.render_event(event.model_copy(update={"seconds": -1.0}))

    def receive_piece(self, piece: Piece) -> None:
        """Show a piece of prose while it arrives."""
        self._renderer.on_text(piece.step, piece.text)


class FallbackNotes:
    """Warns once of each model whose fallback was paid for.

    Args:
        renderer: Warns.
        firsts: The model that each stage asks first (`first_models`).
    """

    def __init__(self, renderer: Renderer, firsts: Mapping[str, str]) -> None:
        self._renderer = renderer
        self._firsts = firsts
        self._warned: set[tuple[str, str]] = set()

    def receive(self, event: Event) -> None:
        """Look at an event of the run."""
        first, asked = self._firsts.get(event.stage), event.asked or event.model
        if event.event != "llm.call" or not event.calls or first in {None, asked}:
            return
        if (pair := (str(first), asked)) not in self._warned:
            self._warned.add(pair)
            self._renderer.warning(
                f"{first} could not answer, so {asked} did; the reason is in .libriscribe/run.log."
            )


def _show(renderer: Renderer, store: ProjectStore, outcome: Outcome, request: RunRequest) -> None:
    """The statistics of a finished run, and where the book is."""
    tally = outcome.tally
    renderer.panel(
        store.paths.root.name,
        {
            "words": f"{outcome.words:,}" if outcome.words else "none yet",
            "chapters": outcome.chapters,
            "calls": f"{tally.calls:,}"
            + (f", {tally.replays:,} replayed" if tally.replays else ""),
            "tokens": f"{tokens_in(tally.input_tokens, tally.cached_tokens)}, "
            f"{tally.output_tokens:,} out",
            "cost": cost(tally.known_cost),
            **quote_beside_actual(renderer, store.paths, store.manifest, request.job),
            "time": duration(outcome.seconds),
            "dumps": store.paths.dumps,
        },
    )
    if outcome.stale and not request.again:  # `redo` tells it in full
        files, verb = counted(outcome.stale, "file"), "is" if outcome.stale == 1 else "are"
        renderer.note(f"{files} {verb} out of date. {refreshing(store.paths.called)}")
    if stand_in_files(store):
        renderer.note(written_by_stand_in(store.paths.called))
    tell_whereabouts(renderer, store.paths, nexts=not request.again)


def tell_whereabouts(renderer: Renderer, paths: ProjectPaths, *, nexts: bool = True) -> None:
    """Where the book is; with `nexts`, what to do with one that is whole."""
    finished = (paths.root / MANUSCRIPT).is_file()
    renderer.data(str(paths.root / MANUSCRIPT if finished else paths.root))
    if finished and nexts:
        called = paths.called
        renderer.note(
            f"Read it:   libriscribe2 view {called}\n"
            f"Check it:  libriscribe2 check {called} --story\n"
            f"Export it: libriscribe2 export {called}"
        )


LISTED: Final = 12
"""Most files that are named one by one."""

COLUMNS = ("stage", "model", "calls", "tokens in", "tokens out", "cost")


def run_dry(work: Coroutine[Any, Any, T]) -> T:
    """The outcome of a dry run (`commands.forecasts`), whose waits pass in no time.

    Raises:
        typer.Exit: It was interrupted.
    """
    return run_async(work, lambda: None, VirtualLoop)


def tell_quote(renderer: Renderer, quote: Quote, *, more: Mapping[str, Any] | None = None) -> None:
    """A table with a line for each stage and model, or one JSON object that also holds `more`."""
    total = quote.total
    if renderer.told_json({**quote_record(quote), **(more or {})}):
        return
    rows = [(stage_name(part.stage), part.model, *_cells(part)) for part in quote.stages]
    renderer.table(COLUMNS, [*rows, ("total", "", *_cells(total))])
    if quote.times is not None:
        _tell_times(renderer, quote.times)
    renderer.note(
        "Nothing was sent. The low estimate counts each call once, at the requested length and "
        "four bytes per token, with what the provider's cache would hold of the prompts; the "
        f"high one is {HIGH_FACTOR:g} times that without the cache, for longer and repeated replies."
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
        renderer.note("Nothing else becomes out of date.")
        return
    files, more = counted(len(units), "file"), len(units) - later.stale
    verb, depends = "is" if len(units) == 1 else "are", "depends" if more == 1 else "depend"
    others = f" ({more:,} {depends} on another of them)" if more else ""
    renderer.note(f"{files} {verb} then out of date{others}:")
    for unit, reason in list(units.items())[:LISTED]:
        renderer.note(f"  {unit}: {reason}")
    if len(units) > LISTED:
        renderer.note(f"  and {len(units) - LISTED} more")
    renderer.note(
        f"`libriscribe2 resume {name} --rewrite` writes them again: {in_words(later.quote.total)}. "
        "--refresh only patches what contradicts the change."
    )


def remaking_record(later: Remaking) -> dict[str, Any]:
    """The same as JSON."""
    stale = [{"unit": unit, "reason": reason} for unit, reason in later.units.items()]
    return {"stale": stale, "remaking": quote_record(later.quote)}


def _tell_times(renderer: Renderer, times: ModelTimes) -> None:
    """How long the models would take, by order of drafting."""
    minutes = ", ".join(
        f"{seconds / 60:.1f} min {order}{' (current)' if order == times.drafting else ''}"
        for order, seconds in times.seconds.items()
    )
    renderer.note(
        f"Estimated model time by drafting order: {minutes}; at {times.tokens_per_second:g} tokens "
        f"per second, {times.first_token_seconds:g} seconds to the first token, "
        f"{counted(times.at_once, 'call')} at a time."
    )


def keep_quote(renderer: Renderer, paths: ProjectPaths, quote: Quote) -> None:
    """Keep a quote for the next run; a project without records has no place for one."""
    if not paths.state.is_dir():
        return
    try:
        save_quote(paths, quote)
    except StorageError as error:
        renderer.warning(
            f"{error.what}: {error.why}. The next run cannot be compared with this estimate."
        )
        return
    if quote.stages:
        run = f"`{quote.job}`" if quote.job else "run"
        renderer.note(f"The next {run} will be compared with this estimate.")


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
    told = {"estimate": in_words(quote.total), "actual": in_words(quote.actual(manifest))}
    return {"last estimate": f"of `{quote.job}`", **told} if job is None and quote.job else told


def in_words(sums: Sums) -> str:
    """Calls, tokens and cost in one line."""
    told = tokens_in(sums.input_tokens, sums.cached_tokens, "tokens in")
    return f"{counted(sums.calls, 'call')}, {told}, {sums.output_tokens:,} out, {cost_range(sums)}"


def cost_range(sums: Sums) -> str:
    """The price from its low to its high end."""
    low, high = cost(sums.low_usd), cost(sums.high_usd)
    return low if low == high else f"{low} to {high}"


def _cells(sums: Sums | StageQuote) -> tuple[str, ...]:
    told = tokens_in(sums.input_tokens, sums.cached_tokens, "")
    return (f"{sums.calls:,}", told, f"{sums.output_tokens:,}", cost_range(sums))
