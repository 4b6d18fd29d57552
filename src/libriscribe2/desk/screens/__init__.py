"""The screens of the desk: each a module with its routes, which call functions of `commands/`."""

import asyncio
from collections.abc import Callable

from starlette.applications import Starlette

from libriscribe2.desk.desk import Desk, desk_application, routes_of
from libriscribe2.desk.screens import (
    bible_screen,
    finish_screen,
    plan_screen,
    read_screen,
    shelf_screen,
    write_screen,
)
from libriscribe2.desk.server import Sleep


def desk_pages(
    desk: Desk,
    ended: Callable[[], bool],
    sleep: Sleep = asyncio.sleep,  # noqa: TID251 - the real clock
) -> Starlette:
    """All pages of a desk.

    Args:
        desk: Where the books lie.
        ended: Whether the server is about to end; an open stream would keep it waiting.
        sleep: Waits so many seconds, between looks at the files.
    """
    desk.ended = ended
    screens = (shelf_screen, plan_screen, write_screen, read_screen, bible_screen, finish_screen)
    found = [one for screen in screens for one in screen.SCREEN]
    return desk_application(desk, [*write_screen.streams(desk, sleep), *routes_of(desk, found)])
