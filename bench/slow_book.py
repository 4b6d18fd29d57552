"""The command line with an stand-in author who takes a while: `python -m bench.slow_book ...`."""

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Final

from libriscribe2.cli import main
from libriscribe2.llm.backend import Completion, Request
from libriscribe2.llm.backends.demo import DemoAuthor

SECONDS: Final = "SECONDS_PER_CALL"
"""The variable that says how long a call takes."""

_complete = DemoAuthor.complete


async def complete(author: DemoAuthor, request: Request) -> Completion:
    """Answer after a while, as a server would."""
    await asyncio.sleep(float(os.environ[SECONDS]))  # noqa: TID251 - that is what is measured
    return await _complete(author, request)


async def stream(author: DemoAuthor, request: Request) -> AsyncIterator[str | Completion]:
    """The same in one piece."""
    yield await complete(author, request)


if __name__ == "__main__":
    setattr(DemoAuthor, "complete", complete)  # noqa: B010 - mypy refuses the plain form
    setattr(DemoAuthor, "stream", stream)  # noqa: B010 - mypy refuses the plain form
    main()
