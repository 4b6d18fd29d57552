"""`libriscribe2 desk`: a place to plan, write, read and finish books, in the browser."""

import sys
from typing import Annotated

import typer

from libriscribe2.cli.frame import Frame, JsonOption, command
from libriscribe2.cli.process import run_async
from libriscribe2.cli.view import opened
from libriscribe2.desk.server import Door, answering
from libriscribe2.desk.visits import Desk, desk_pages


@command
def desk(
    frame: Frame,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes any free one.")
    ] = 0,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the address; open no browser.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Plan, write, change and finish your books in the browser.

    The page can be opened on this machine only, with its full address. Nothing is spent before
    you have seen what it takes. Ctrl-C ends it; what is finished is kept.
    """
    renderer = frame.renderer
    frame.settings()
    door = Door.on(port)
    with door.listener:
        if as_json:
            renderer.data_json({"address": door.address, "port": door.port})
        else:
            renderer.data(door.address)
        sys.stdout.flush()  # who reads a pipe needs the address now
        if not no_open and not opened(door.address_once):
            renderer.note("No browser could be opened; open the address yourself.")
        renderer.note("Press Ctrl-C to stop.")
        here = Desk(door)
        try:
            run_async(
                answering(door, lambda ended: desk_pages(here, ended)),
                lambda: renderer.note("Stopped."),
            )
        finally:
            here.workshop.close()
