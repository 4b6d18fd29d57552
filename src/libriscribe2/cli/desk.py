"""`libriscribe2 desk`: a place to plan, write, read and finish books, in the browser."""

from libriscribe2.cli.frame import Frame, JsonOption, command
from libriscribe2.cli.process import run_async
from libriscribe2.cli.view import NoOpenOption, PortOption, open_door
from libriscribe2.desk.server import answering
from libriscribe2.desk.visits import Desk, desk_pages


@command
def desk(
    frame: Frame,
    port: PortOption = 0,
    no_open: NoOpenOption = False,
    as_json: JsonOption = False,
) -> None:
    """Plan, write, change and finish your books in the browser.

    The page can be opened on this machine only, with its full address. Nothing is spent before
    you have seen what it takes. Ctrl-C ends it; what is finished is kept.
    """
    renderer = frame.renderer
    frame.settings()
    with open_door(renderer, port, opens=not no_open, as_json=as_json) as door:
        here = Desk(door)
        try:
            run_async(
                answering(door, lambda ended: desk_pages(here, ended)),
                lambda: renderer.note("Stopped."),
            )
        finally:
            here.workshop.close()
