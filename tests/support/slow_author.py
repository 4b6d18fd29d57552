"""The command line with an stand-in author who falls silent: `python -m tests.support.slow_author`.

The variable `SILENT_FROM` says at which call, from 1, he stops to answer.
"""

import asyncio
import itertools
import os
from collections.abc import AsyncIterator

from libriscribe2.cli import main
from libriscribe2.llm.backend import Completion, Request
from libriscribe2.llm.backends.demo import DemoAuthor

_complete = DemoAuthor.complete
_left = itertools.count(1 - int(os.environ["SILENT_FROM"]))


async def complete(author: DemoAuthor, request: Request) -> Completion:
    """Answer some calls and then no more."""
    if next(_left) >= 0:
        await asyncio.Event().wait()
    return await _complete(author, request)


async def stream(author: DemoAuthor, request: Request) -> AsyncIterator[str | Completion]:
    """The same in one piece."""
    yield await complete(author, request)


if __name__ == "__main__":
    setattr(DemoAuthor, "complete", complete)  # noqa: B010 - mypy refuses the plain form
    setattr(DemoAuthor, "stream", stream)  # noqa: B010 - mypy refuses the plain form
    main()
