"""What the command line prints, and the lines that tell a run's events."""

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, Final, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from libriscribe2.errors import LibriScribeError
from libriscribe2.observe.events import Event, EventName
from libriscribe2.wording import (
    clean,
    clean_json,
    cost,
    counted,
    duration,
    json_line,
    one_line,
    state_in_words,
    unit_in_words,
)

if TYPE_CHECKING:
    from libriscribe2.cli.progress import RunView
    from libriscribe2.commands.run_progress import Scale


def event_line(event: Event, *, reason: str = "") -> str | None:
    """The event as one clean line, or None where it deserves none.

    Args:
        event: What happened.
        reason: Why the unit ran, for the line that says that it is done.
    """
    line_of = _LINES.get(event.event)
    said = event if event.reason else event.model_copy(update={"reason": reason})
    line = line_of(said) if line_of is not None else None
    return one_line(line) if line is not None else None


def totals(event: Event) -> str:
    """Words, calls, tokens, cost and time of the event; nothing about what did not happen."""
    tokens = event.tokens.input + event.tokens.output
    parts = (
        counted(event.words, "word") if event.words else "",
        counted(event.calls, "call") if event.calls else "",
        counted(tokens, "token") if tokens else "",
        f"{event.tokens.cached:,} of them cached"
        if event.tokens.cached and event.calls > 1
        else "",
        cost(event.cost_usd) if event.calls else "",
        duration(event.seconds) if event.seconds >= 0 else "",
    )
    return ", ".join(part for part in parts if part)


def wait_line(event: Event) -> str:
    """Who waits, how long and why."""
    who = f"{_unit(event)}: w" if event.stage else "W"
    why = ": ".join(part for part in (event.reason, event.message) if part)
    return f"{who}aiting {duration(event.seconds)}{_because(why)}"


def _unit(event: Event) -> str:
    return unit_in_words(event.stage, event.chapter)


def _stage_end(event: Event) -> str:
    """What was made; why, where it had been made before."""
    why = "" if event.reason == state_in_words("missing") else _because(event.reason)
    message = f"; {event.message}" if event.message else ""
    return f"\u2713 {_unit(event)}{_after(totals(event))}{why}{message}"


def _run_interrupted(event: Event) -> str | None:
    if event.status == "waiting":
        return None  # the error that follows says what waits
    return f"Interrupted: {totals(event)}{_after(event.message)}"


def _because(reason: str) -> str:
    return f" ({reason})" if reason else ""


def _after(message: str) -> str:
    return f": {message}" if message else ""


_LINES: Final[Mapping[EventName, Callable[[Event], str | None]]] = {
    "run.end": lambda event: f"Finished: {totals(event)}{_after(event.message)}",
    "run.interrupted": _run_interrupted,
    "stage.skipped": lambda event: f"{_unit(event)}: skipped{_because(event.reason)}",
    "stage.end": _stage_end,
    "stage.failed": lambda event: f"\u2717 {_unit(event)}: failed{_after(event.message)}",
    "llm.wait": wait_line,
    "budget.warn": lambda event: f"Budget: {event.message}",
    "journal.replaced": lambda event: event.message,
    "run.failed": lambda event: f"Stopped: {totals(event)}",
}


_COMMAND: Final = "libriscribe2 "
_WORD: Final = re.compile(r"libriscribe2 [^`]*$|\S*`[^`]*`\S*|\S+")
"""A word or a command: one in backticks, or one that ends the line."""


def use_utf8(*streams: TextIO) -> None:
    """Make the streams write UTF-8 and replace what they cannot: no text may end the program."""
    for stream in streams:
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


class Renderer:
    """Two consoles and what the commands say on them.

    On a terminal tables are drawn and a run has live lines; in a pipe a table is tab-separated
    lines and a run says one line per event, so that `grep` and `cut` work.

    Args:
        out: The stream for data; None is stdout.
        err: The stream for talk; None is stderr.
        quiet: Leave out all talk but errors and warnings.
        as_json: What the command prints is JSON, its error included.
        clock: Seconds that never go back, for the live time.
    """

    def __init__(
        self,
        out: TextIO | None = None,
        err: TextIO | None = None,
        *,
        quiet: bool = False,
        as_json: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stdout = out if out is not None else sys.stdout
        self._stderr = err if err is not None else sys.stderr
        use_utf8(self._stdout, self._stderr)
        self._out = Console(file=self._stdout, highlight=False)
        self._err = Console(file=self._stderr, highlight=False)
        self._quiet = quiet
        self.as_json = as_json
        self._clock = clock
        self._started = clock()
        self._view: RunView | None = None
        self._reasons: dict[str, str] = {}
        self._live: Live | None = None
        self._said: set[str] = set()

    def data(self, text: str) -> None:
        """A text for stdout: in a pipe as it is, on a terminal broken between words."""
        if not self._stdout.isatty():
            self._write(clean(text))
            return
        for line in clean(text).split("\n"):
            if len(line) <= self._out.width or " " not in line.strip() or _COMMAND in line:
                self._write(line)
            else:
                self._out.print(Text(line))

    def data_json(self, value: Any) -> None:
        """A value as indented JSON for stdout."""
        self._write(clean_json(json.dumps(value, ensure_ascii=False, indent=2)))

    def told_json(self, value: Any) -> bool:
        """A value as JSON for stdout where JSON is asked for; whether it is."""
        if self.as_json:
            self.data_json(value)
        return self.as_json

    def render_event_json(self, event: Event) -> None:
        """An event as one JSON line for stdout; the live lines follow it too."""
        if self._view is not None:
            _ = list(self._view.receive(event, None))
        # `model_dump_json` refuses a lone surrogate, which a file's name may hold.
        record = event.model_dump(mode="json")
        self._write(json_line(record))
        self._stdout.flush()  # a reader follows the run line by line

    def table(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[object]],
        *,
        grouped: bool = False,
        below: bool = False,
        whole: Sequence[str] = (),
    ) -> None:
        """Rows for stdout: a table on a terminal, tab-separated lines in a pipe.

        Args:
            columns: Their names; a terminal does not show those that are empty in every row.
            rows: The cells.
            grouped: Whether a terminal shows the first column as headings between the rows.
            below: Whether a terminal shows the last column below the one before it.
            whole: Columns whose cells are copied: a terminal breaks others first.
        """
        cells = [[one_line(str(cell)) for cell in row] for row in rows]
        if not self._stdout.isatty():
            for row in (columns, *cells):
                self._write("\t".join(row))
            return
        names = list(columns)
        if below:
            names.pop()
            cells = [[*row[:-2], "\n\u2192 ".join(filter(None, row[-2:]))] for row in cells]
        self._out.print(_drawn(names, cells, grouped=grouped, whole=whole))

    def panel(self, title: str, values: Mapping[str, object], *, talk: bool = False) -> None:
        """Names and values: a panel on a terminal, `name: value` lines in a pipe.

        Args:
            title: What they are about.
            values: The values by name.
            talk: Whether they go to stderr, which is a terminal then.
        """
        lines = {one_line(name): one_line(str(value)) for name, value in values.items()}
        if not talk and not self._stdout.isatty():
            for name, value in lines.items():
                self._write(f"{name}: {value}")
            return
        grid = Table.grid(padding=(0, 2))
        for name, value in lines.items():
            grid.add_row(Text(name, style="bold"), Text(value))
        console = self._err if talk else self._out
        console.print(Panel(grid, title=Text(one_line(title)), expand=False))

    def note(self, text: str, *, once: bool = False, style: str = "") -> None:
        """Talk for stderr; nothing when quiet, and with `once` nothing that was said before."""
        if not (self._quiet or (once and text in self._said)):
            self._said.add(text)
            self._talk(Text(clean(text), style))

    def change(self, place: str, left: str, old: str, new: str, right: str) -> None:
        """A change of some words for stderr, in a line: what goes, and what comes in its place."""
        if self._quiet:
            return
        before, gone, come, after = (
            re.sub(r"\s+", " ", clean(text)) for text in (left, old, new, right)
        )
        told = Text.assemble((f"{place}: ", "dim"), before.lstrip(), (gone, "red"))
        told.append_text(Text.assemble((" \u2192 ", "dim"), (come, "green"), after))
        if self._stderr.isatty():
            self._err.print(told, no_wrap=True, overflow="ellipsis")
        else:
            self._talk(told)

    def warning(self, text: str) -> None:
        """A warning for stderr, quiet or not."""
        self._talk(Text.assemble(("warning", "bold yellow"), ": ", clean(text)))

    def fault(self, text: str) -> None:
        """One of several faults for stderr, quiet or not; the error that they make follows."""
        self._talk(Text.assemble(("error", "bold red"), ": ", clean(text)))

    def trace(self, text: str) -> None:
        """A traceback for stderr, quiet or not."""
        self._talk(Text(clean(text).rstrip("\n")))

    def error(self, error: LibriScribeError) -> None:
        """A failure for stderr: what, why and fix.

        On a terminal each has a line of its own; in a pipe all are one line, and with `as_json`
        that line is JSON.
        """
        if self.as_json:
            self._stderr.write(f"{json_line(error.as_record())}\n")
            return
        gap = "\n  " if self._stderr.isatty() else " "
        waits = error.slug == "waiting"
        label = ("waiting", "bold") if waits else ("error", "bold red")
        told = Text.assemble(label, ": ", _sentence(error.what))
        if error.why:
            told.append_text(Text.assemble(gap, ("why", "dim"), ": ", _sentence(error.why)))
        if error.fix:
            told.append_text(
                Text.assemble(gap, ("next" if waits else "fix", "green"), ": ", one_line(error.fix))
            )
        self._talk(told)

    def render_event(self, event: Event) -> None:
        """What a run tells: lines for stderr, and the live lines where there are some."""
        if event.event == "stage.start":
            self._reasons[event.unit] = event.reason
        line = event_line(event, reason=self._reasons.get(event.unit, ""))
        if self._view is not None:
            for told in self._view.receive(event, line):
                self._talk(told)
        elif line is not None:
            self.note(line)

    def on_text(self, step: str, piece: str) -> None:
        """A piece of prose while it arrives: its end is shown in the live lines."""
        if self._view is not None:
            self._view.piece(step, piece)

    @contextmanager
    def live(self, scale: "Callable[[], Scale] | None" = None) -> Iterator[None]:
        """Show how far a run is below everything else while the block runs, on a terminal only.

        Args:
            scale: Says what the whole book comes to, as far as it is known.
        """
        self._started = self._clock()
        if self._quiet or not self._stderr.isatty() or self._err.is_dumb_terminal:
            yield
            return
        from libriscribe2.cli.progress import RunView  # noqa: PLC0415 - for terminals alone
        from libriscribe2.commands.run_progress import Scale  # noqa: PLC0415 - the same

        view = self._view = RunView(scale() if scale is not None else Scale())

        def lines() -> Group:
            return Group(*view.lines(self._clock() - self._started, self._err.width))

        with Live(_LiveLines(lines), console=self._err, transient=True) as live:
            # A program that is killed must not leave the terminal without its cursor.
            self._err.show_cursor(True)
            self._live = live
            try:
                yield
            finally:
                self._live = self._view = None

    def end_live(self) -> None:
        """Take the live lines away, because the process ends here."""
        if self._live is not None:
            self._live.stop()

    def _talk(self, text: Text) -> None:
        if not self._stderr.isatty():
            self._err.print(text, soft_wrap=True)
            return
        for line in text.split("\n", allow_blank=True) or [text]:
            if _COMMAND in line.plain:
                for part in _around_commands(line, self._err.width):
                    self._err.print(part, soft_wrap=True)
            else:
                self._err.print(line)

    def _write(self, text: str) -> None:
        if self._live is not None and self._stdout.isatty():
            # Data on the same screen would be drawn into the live lines.
            self._live.stop()
        # Straight to the stream: rich would turn tabs into spaces and cut lines at 80 columns.
        self._stdout.write(f"{text}\n")


def _around_commands(line: Text, width: int) -> Iterator[Text]:
    """The line in parts of the terminal's width; a command, which is copied, stays in one part."""
    starts, begin = list[int](), 0
    for word in _WORD.finditer(line.plain):
        if word.end() - begin > width and word.start() > begin:
            begin = word.start()
            starts.append(begin)
    for part in line.divide(starts):
        part.rstrip()
        yield part


def _drawn(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, grouped: bool, whole: Sequence[str]
) -> Table:
    """A table without the columns that are empty in every row."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    first = int(grouped)
    shown = [n for n in range(first, len(columns)) if not rows or any(row[n] for row in rows)]
    for number in shown:
        name = columns[number]
        table.add_column(Text(name), overflow="fold", no_wrap=name in whole)
    group = ""
    for row in rows:
        if grouped and row[0] != group:
            group = row[0]
            table.add_row(Text(group, style="bold"))
        table.add_row(*(Text(row[number], style=_style_of(row[number])) for number in shown))
    return table


_STYLES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("up to date", "finished", "ok", "green"), "green"),
    **dict.fromkeys(("out of date", "warning", "amber", "waiting"), "yellow"),
    **dict.fromkeys(("failed", "error", "red", "damaged"), "red"),
    **dict.fromkeys(("edited by you", "edited"), "cyan"),
    "not made yet": "dim",
}
"""The colours of states."""


def _style_of(cell: str) -> str:
    """The colour of a cell that is a state, by its words before any detail."""
    return _STYLES.get(cell.partition(":")[0], "")


class _LiveLines:
    """Lines that are asked for whenever they are drawn, be it below a line of talk."""

    def __init__(self, lines: Callable[[], Group]) -> None:
        self._lines = lines

    def __rich__(self) -> Group:
        return self._lines()


def _sentence(text: str) -> str:
    """A text in one line that ends like a sentence."""
    line = one_line(text).rstrip()
    return line if line.endswith((".", "!", "?", ":")) else f"{line}."
