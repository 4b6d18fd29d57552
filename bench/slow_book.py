"""The command line with an offline author who takes a while: `python -m bench.slow_book ...`."""

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Final

from libriscribe2.cli import main
from libriscribe2.llm.backend import Completion, Request
from libriscribe2.llm.offline_author import OfflineAuthor

SECONDS: Final = "SECONDS_PER_CALL"
"""The variable that says how long a call takes."""

_complete = OfflineAuthor.complete


async def complete(author: OfflineAuthor, request: Request) -> Completion:
    """Answer after a while, as a server would."""
    await asyncio.sleep(float(os.environ[SECONDS]))  # noqa: TID251 - that is what is measured
    return await _complete(author, request)


async def stream(author: OfflineAuthor, request: Request) -> AsyncIterator[str | Completion]:
    """The same in one piece."""
    yield await complete(author, request)


if __name__ == "__main__":
    setattr(OfflineAuthor, "complete", complete)  # noqa: B010 - mypy refuses the plain form
    setattr(OfflineAuthor, "stream", stream)  # noqa: B010 - mypy refuses the plain form
    main()
