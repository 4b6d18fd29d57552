"""The only place that prints: data to stdout, talk to stderr, hostile text only as plain text.

Text of models, users and files reaches rich only as `Text` made of cleaned characters, so markup,
emoji codes and escape sequences in it are never obeyed.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any, Final, TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from libriscribe2.cli.progress import Progress, event_line
from libriscribe2.errors import LibriScribeError
from libriscribe2.observe.events import Event
from libriscribe2.wording import clean, clean_json, one_line

_COMMAND: Final = "libriscribe2 "


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
        clock: Seconds that never go back, for the live time.
    """

    def __init__(
        self,
        out: TextIO | None = None,
        err: TextIO | None = None,
        *,
        quiet: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stdout = out if out is not None else sys.stdout
        self._stderr = err if err is not None else sys.stderr
        use_utf8(self._stdout, self._stderr)
        self._out = Console(file=self._stdout, highlight=False)
        self._err = Console(file=self._stderr, highlight=False)
        self._quiet = quiet
        self._clock = clock
        self._started = clock()
        self._progress = Progress()
        self._live: Live | None = None

    def data(self, text: str) -> None:
        """A text for stdout, as it is."""
        self._write(clean(text))

    def data_json(self, value: Any) -> None:
        """A value as indented JSON for stdout."""
        self._write(clean_json(json.dumps(value, ensure_ascii=False, indent=2)))

    def render_event_json(self, event: Event) -> None:
        """An event as one JSON line for stdout; the live lines follow it too."""
        self._progress = self._progress.after(event)
        # `model_dump_json` refuses a lone surrogate, which a file's name may hold.
        record = event.model_dump(mode="json")
        self._write(clean_json(json.dumps(record, ensure_ascii=False)))
        self._stdout.flush()  # a reader follows the run line by line

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Rows for stdout: a table on a terminal, tab-separated lines in a pipe."""
        cells = [[one_line(str(cell)) for cell in row] for row in rows]
        if not self._stdout.isatty():
            for row in (columns, *cells):
                self._write("\t".join(row))
            return
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in columns:
            table.add_column(Text(column), overflow="fold")
        for row in cells:
            table.add_row(*(Text(cell) for cell in row))
        self._out.print(table)

    def panel(self, title: str, values: Mapping[str, object]) -> None:
        """Names and values for stdout: a panel on a terminal, `name: value` lines in a pipe."""
        lines = {one_line(name): one_line(str(value)) for name, value in values.items()}
        if not self._stdout.isatty():
            for name, value in lines.items():
                self._write(f"{name}: {value}")
            return
        grid = Table.grid(padding=(0, 2))
        for name, value in lines.items():
            grid.add_row(Text(name, style="bold"), Text(value))
        self._out.print(Panel(grid, title=Text(one_line(title)), expand=False))

    def note(self, text: str) -> None:
        """Talk for stderr; nothing when quiet."""
        if not self._quiet:
            self._talk(Text(clean(text)))

    def warning(self, text: str) -> None:
        """A warning for stderr, quiet or not."""
        self._talk(Text.assemble(("warning", "bold yellow"), ": ", clean(text)))

    def fault(self, text: str) -> None:
        """One of several faults for stderr, quiet or not; the error that they make follows."""
        self._talk(Text.assemble(("error", "bold red"), ": ", clean(text)))

    def trace(self, text: str) -> None:
        """A traceback for stderr, quiet or not."""
        self._talk(Text(clean(text).rstrip("\n")))

    def error(self, error: LibriScribeError, *, as_json: bool = False) -> None:
        """A failure for stderr: what, why and fix.

        On a terminal each has a line of its own; in a pipe all are one line, and with `as_json`
        that line is JSON.
        """
        if as_json:
            line = clean_json(json.dumps(error.as_record(), ensure_ascii=False))
            self._stderr.write(f"{line}\n")
            return
        gap = "\n  " if self._stderr.isatty() else " "
        told = Text.assemble(("error", "bold red"), ": ", _sentence(error.what))
        if error.why:
            told.append_text(Text.assemble(gap, ("why", "dim"), ": ", _sentence(error.why)))
        if error.fix:
            told.append_text(Text.assemble(gap, ("fix", "green"), ": ", one_line(error.fix)))
        self._talk(told)

    def render_event(self, event: Event) -> None:
        """What a run tells: one line for stderr, and the live lines where there are some."""
        line = event_line(event, reason=self._progress.reason(event))
        self._progress = self._progress.after(event)
        if line is not None:
            self.note(line)

    def on_text(self, step: str, piece: str) -> None:
        """A piece of prose while it arrives: its end is shown in the live lines."""
        self._progress = self._progress.with_piece(step, piece)

    @contextmanager
    def live(self) -> Iterator[None]:
        """Show how far a run is below everything else while the block runs, on a terminal only."""
        self._progress, self._started = Progress(), self._clock()
        if self._quiet or not self._stderr.isatty() or self._err.is_dumb_terminal:
            yield
            return
        with Live(_LiveLines(self._live_lines), console=self._err, transient=True) as live:
            # A program that is killed must not leave the terminal without its cursor.
            self._err.show_cursor(True)
            self._live = live
            try:
                yield
            finally:
                self._live = None

    def _live_lines(self) -> Group:
        lines = self._progress.lines(self._clock() - self._started)
        return Group(
            *(Text(line, style="dim", no_wrap=True, overflow="ellipsis") for line in lines)
        )

    def _talk(self, text: Text) -> None:
        if not self._stderr.isatty():
            self._err.print(text, soft_wrap=True)
            return
        for line in text.split("\n", allow_blank=True) or [text]:
            # A command is copied as one line; the terminal wraps it without breaking it.
            self._err.print(line, soft_wrap=_COMMAND in line.plain)

    def _write(self, text: str) -> None:
        if self._live is not None and self._stdout.isatty():
            # Data on the same screen would be drawn into the live lines.
            self._live.stop()
        # Straight to the stream: rich would turn tabs into spaces and cut lines at 80 columns.
        self._stdout.write(f"{text}\n")


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
