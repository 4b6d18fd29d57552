"""Backends that stand in for the stand-in author and go wrong on purpose."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Container

from libriscribe2.llm.backend import BackendError, Completion, Request
from libriscribe2.llm.backends.demo import DemoAuthor

# A test may put an `Author` in the class's place.
_complete = DemoAuthor.complete

Reply = Callable[[Request], str | None]


class Killed(BaseException):
    """The process is gone; no handler of the program may believe that it lives."""


class Author:
    """The stand-in author, watched.

    Args:
        fails_at: Numbers of the calls, from 1, that fail.
        failure: What they fail with.
        reply: Answers in the author's place; None lets the author answer.

    Attributes:
        asked: Every request, oldest first.
        answered: How often each request's key was answered.
        most_at_once: How many requests were under way at the busiest moment.
    """

    def __init__(
        self,
        fails_at: Container[int] = (),
        *,
        failure: Callable[[], BaseException] = lambda: BackendError("quota", "no credit left"),
        reply: Reply = lambda _request: None,
    ) -> None:
        self._author = DemoAuthor()
        self._fails_at = fails_at
        self._failure = failure
        self._reply = reply
        self.asked: list[Request] = []
        self.answered: Counter[str] = Counter()
        self.most_at_once = 0
        self._open = 0

    @property
    def steps(self) -> list[str]:
        """The steps that asked, in order."""
        return [request.step for request in self.asked]

    async def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        fails = len(self.asked) in self._fails_at
        self._open += 1
        self.most_at_once = max(self.most_at_once, self._open)
        await asyncio.sleep(0)  # noqa: TID251 - others get their turn, nobody waits
        self._open -= 1
        if fails:
            raise self._failure()
        own = self._reply(request)
        self.answered[request.key()] += 1
        if own is not None:
            return Completion(own, model=request.model)
        return await _complete(self._author, request)

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        completion = await self.complete(request)
        yield completion.reply
        yield completion
