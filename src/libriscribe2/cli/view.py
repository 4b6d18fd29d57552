"""`libriscribe2 view`, `desk` and `mcp`: books in the browser, or offered to another program."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from libriscribe2.checks.report.book_report import earlier_metrics
from libriscribe2.cli.frame import Frame, RequiredProjectArgument, command, command_with_json
from libriscribe2.cli.process import run_async
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.table import COMMANDS, FIRST
from libriscribe2.commands.projects import settings_of
from libriscribe2.desk.server import Door, answering, serve
from libriscribe2.desk.site import freeze
from libriscribe2.desk.snapshot import ProjectSource
from libriscribe2.desk.visits import Desk, desk_pages
from libriscribe2.errors import UsageError
from libriscribe2.exporters.pandoc import PYTHON, environment
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.structure_change import require_project
from libriscribe2.wording import counted

_OPENS: Final = "import sys, webbrowser; sys.exit(not webbrowser.open(sys.argv[1]))"
_DESKTOP: Final = (
    *PYTHON,
    *("BROWSER", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "USER"),
    *("XDG_RUNTIME_DIR", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "XDG_SESSION_DESKTOP"),
    *("XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS", "DESKTOP_SESSION"),
    *("KDE_FULL_SESSION", "GNOME_DESKTOP_SESSION_ID", "WSL_DISTRO_NAME", "WSL_INTEROP"),
    *("LOCALAPPDATA", "PROGRAMFILES", "SYSTEMDRIVE", "PATHEXT", "COMSPEC", "TERM"),
)
"""What starting a browser takes."""


PortOption = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes any free one.")
]
NoOpenOption = Annotated[
    bool, typer.Option("--no-open", help="Print the address; open no browser.")
]


@command_with_json
def view(
    frame: Frame,
    project: RequiredProjectArgument,
    port: PortOption = 0,
    no_open: NoOpenOption = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="DIR", help="Export the pages to a folder instead."),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="An earlier `report --json`, for the page Report."),
    ] = None,
) -> None:
    """Open a page with the book and every call, or export it.

    The page is read from disk and follows changes, also during a run; nothing is written. It can
    be opened on this machine only, with its full address. Ctrl-C stops it. An exported folder
    opens without a server; it contains your prompts.
    """
    renderer = frame.renderer
    source = source_of(frame.project(project), against)
    if export is None:
        with open_door(renderer, port, opens=not no_open) as door:
            run_async(serve(source, door), lambda: renderer.note("Stopped."))
    elif port:
        raise UsageError("--export writes a folder and needs no --port")
    else:
        _export(renderer, source, export)


def source_of(paths: ProjectPaths, against: Path | None = None) -> ProjectSource:
    """Where the pages read a project, with the figures of an earlier report.

    Raises:
        UsageError: `against` is no report.
        ProjectError: There is no project.
        ConfigError: Its settings cannot be used.
    """
    require_project(paths)
    return ProjectSource(
        paths, settings_of(paths.root, {}).budget.max_cost, earlier_metrics(against)
    )


@contextmanager
def open_door(renderer: Renderer, port: int, *, opens: bool) -> Iterator[Door]:
    """A place to answer from, whose address is told; a browser is opened at it if one is wanted."""
    door = Door.on(port)
    with door.listener:
        if not renderer.told_json({"address": door.address, "port": door.port}):
            renderer.data(door.address)
        sys.stdout.flush()  # who reads a pipe needs the address now
        if opens and not _opened(door.address_once):
            renderer.note("No browser could be opened; open the address yourself.")
        renderer.note("Press Ctrl-C to stop.")
        yield door


def _opened(address: str) -> bool:
    """Open the user's browser, which sees no key; whether there is one."""
    command = [sys.executable, "-P", "-c", _OPENS, address]
    return subprocess.run(command, env=environment(*_DESKTOP), check=False).returncode == 0


def _export(renderer: Renderer, source: ProjectSource, folder: Path) -> None:
    """Write the folder."""
    pages = freeze(source, folder)
    start = folder / "index.html"
    if renderer.told_json({"index": str(start), "pages": pages}):
        return
    renderer.data(str(start))
    renderer.note(f"{counted(pages, 'page')}; the folder contains your prompts.")


@command_with_json
def desk(frame: Frame, port: PortOption = 0, no_open: NoOpenOption = False) -> None:
    """Plan, write, change and finish your books in the browser.

    The page can be opened on this machine only, with its full address. Nothing is spent before
    you have seen what it takes. Ctrl-C ends it; what is finished is kept.
    """
    renderer = frame.renderer
    frame.settings()
    with open_door(renderer, port, opens=not no_open) as door:
        here = Desk(door)
        try:
            run_async(
                answering(door, lambda ended: desk_pages(here, ended)),
                lambda: renderer.note("Stopped."),
            )
        finally:
            here.workshop.close()


_HEAD: Final = """---
name: libriscribe2
description: Plan, write, check, change and export books with the command line program libriscribe2.
---

# LibriScribe2

A book is a folder with Markdown and JSON. Use the program for whatever concerns several files; edit \
chapters and plans directly where the author asks for words of yours: an edited file is never \
written over.

- Look first: `libriscribe2 status BOOK`, `why BOOK ch3.s1`, `check BOOK --story`, `check BOOK \
--report`. They cost nothing and change nothing. Every command that reads takes `--json`.
- `create`, `resume`, `redo` and `revise` pay a model. Run them with `--dry-run` first, show the \
estimate, and set `--max-cost` to what the author agreed to.
- Say what should be different with `note BOOK 7 "..."` or `redo BOOK 7 --note "..."`; afterwards \
`resume BOOK --refresh` mends what an edit made untrue elsewhere.
- Errors say what, why and what to type. Exit codes: 0 done, 2 usage, 3 configuration or project, \
4 key or model, 5 not finished or findings, 6 disk, 7 provider, 8 budget, 9 in use.
- `libriscribe2 COMMAND --help` has the options.

## Commands

| command | what it does |
|---|---|
"""


@command
def mcp(
    frame: Frame,
    skill: Annotated[
        bool, typer.Option("--skill", help="Print a SKILL.md for agents with a shell instead.")
    ] = False,
) -> None:
    """Offer your books to another program as tools, by the Model Context Protocol.

    The other program starts it and talks to it over its standard streams, in the folder of your
    books. Nothing is paid before an estimate was returned and a cap was named.
    """
    if skill:
        frame.renderer.data(skill_text().rstrip("\n"))
        return
    from libriscribe2.commands.mcp_server import serve  # noqa: PLC0415 - `--skill` needs no extra

    serve()


def skill_text() -> str:
    """The SKILL.md, from the table of commands."""
    shown = {entry.name: entry for entry in COMMANDS if not entry.hidden}
    order = [*FIRST, *(name for name in shown if name not in FIRST)]
    return _HEAD + "".join(f"| `{name}` | {shown[name].help} |\n" for name in order)
