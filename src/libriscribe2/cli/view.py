"""`libriscribe2 view`: a page with the book and every call."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from libriscribe2.checks.report.book_report import earlier_metrics
from libriscribe2.cli.frame import Frame, JsonOption, RequiredProjectArgument, command
from libriscribe2.cli.process import run_async
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import look_at, read_brief, settings_of
from libriscribe2.desk.server import Door, serve
from libriscribe2.desk.site import freeze
from libriscribe2.desk.snapshot import ProjectSource
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


@command
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
    as_json: JsonOption = False,
) -> None:
    """Open a page with the book and every call, or export it.

    The page is read from disk and follows changes, also during a run; nothing is written. It can
    be opened on this machine only, with its full address. Ctrl-C stops it. An exported folder
    opens without a server; it contains your prompts.
    """
    renderer = frame.renderer
    source = source_of(frame.project(project), against)
    if export is None:
        with open_door(renderer, port, opens=not no_open, as_json=as_json) as door:
            run_async(serve(source, door), lambda: renderer.note("Stopped."))
    elif port:
        raise UsageError("--export writes a folder and needs no --port")
    else:
        _export(renderer, source, export, as_json=as_json)


def source_of(paths: ProjectPaths, against: Path | None = None) -> ProjectSource:
    """Where the pages read a project, with the figures of an earlier report.

    Raises:
        UsageError: `against` is no report.
        ProjectError: There is no project.
        ConfigError: Its settings cannot be used.
    """
    require_project(paths)
    return ProjectSource(
        paths,
        look=lambda: look_at(paths),
        brief=lambda: read_brief(paths),
        max_cost=settings_of(paths.root, {}).budget.max_cost,
        earlier=earlier_metrics(against),
    )


@contextmanager
def open_door(renderer: Renderer, port: int, *, opens: bool, as_json: bool) -> Iterator[Door]:
    """A place to answer from, whose address is told; a browser is opened at it if one is wanted."""
    door = Door.on(port)
    with door.listener:
        if as_json:
            renderer.data_json({"address": door.address, "port": door.port})
        else:
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


def _export(renderer: Renderer, source: ProjectSource, folder: Path, *, as_json: bool) -> None:
    """Write the folder."""
    pages = freeze(source, folder)
    start = folder / "index.html"
    if as_json:
        renderer.data_json({"index": str(start), "pages": pages})
        return
    renderer.data(str(start))
    renderer.note(f"{counted(pages, 'page')}; the folder contains your prompts.")
