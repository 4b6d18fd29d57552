"""Noticing that a project changed: names, sizes and times of its files, nothing else."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Final

from libriscribe2.project.paths import ProjectPaths

SECONDS_BETWEEN_LOOKS: Final = 0.3
_LOOKS_PER_SIGN_OF_LIFE: Final = 40
_FOLDERS: Final = (
    *("", "chapters", "research"),
    *(".libriscribe", ".libriscribe/summaries", ".libriscribe/canon"),
)

Stamp = tuple[tuple[str, int, int], ...]


def stamp(paths: ProjectPaths) -> Stamp:
    """What a project looks like from outside; it differs after any change of a file."""
    folders = [paths.root / name for name in _FOLDERS]
    return tuple(sorted(one for folder in (*folders, paths.debug) for one in _entries(str(folder))))


async def changes(
    paths: ProjectPaths,
    sleep: Callable[[float], Awaitable[None]],
    ended: Callable[[], bool] = lambda: False,
) -> AsyncIterator[str]:
    """Server-sent events: `changed` after every change, and a comment now and then.

    Args:
        paths: The project.
        sleep: Waits so many seconds.
        ended: Whether the server is about to end; an open stream would keep it waiting.
    """
    seen, quiet = stamp(paths), 0
    yield ": watching\n\n"
    while not ended():
        await sleep(SECONDS_BETWEEN_LOOKS)
        now = stamp(paths)
        quiet += 1
        if now != seen:
            seen, quiet = now, 0
            yield "data: changed\n\n"
        elif quiet >= _LOOKS_PER_SIGN_OF_LIFE:
            quiet = 0
            yield ": still here\n\n"


def _entries(folder: str) -> Iterator[tuple[str, int, int]]:
    """The files of a folder; a file that goes away meanwhile, or a folder, is none."""
    try:
        with os.scandir(folder) as found:
            for entry in found:
                if entry.is_file():
                    status = entry.stat()
                    yield entry.path, status.st_mtime_ns, status.st_size
    except OSError:
        return
