"""A backend that plays replies from a script: the double of a model in tests and dry runs."""

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace

from libriscribe2.llm.backend import BackendError, Completion, Request, Usage

Line = str | Completion | BackendError | Callable[[Request], "str | Completion"]
"""One entry of a script: a reply, a failure, or a function of the request."""


class ScriptedBackend:
    """Answers each request with the next line of a script and keeps what it was asked.

    Args:
        script: The replies in order. A function answers from the request.
        then: What answers once the script has run out; None makes that an error.

    Attributes:
        calls: Every request so far, oldest first.
    """

    def __init__(
        self, script: Iterable[Line] = (), *, then: Callable[[Request], str] | None = None
    ) -> None:
        self._lines = iter(script)
        self._then = then
        self.calls: list[Request] = []

    async def complete(self, request: Request) -> Completion:
        """The script's next reply."""
        self.calls.append(request)
        line = next(self._lines, self._then)
        if line is None:
            raise AssertionError(f"the script has no reply left for {request.step!r}")
        if isinstance(line, BackendError):
            raise line
        answer = line(request) if callable(line) else line
        completion = answer if isinstance(answer, Completion) else Completion(answer)
        usage = completion.usage if completion.usage.known else _estimate(request, completion)
        return replace(completion, model=request.model, usage=usage)

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """The script's next reply, word by word."""
        completion = await self.complete(request)
        for word in completion.reply.split(" "):
            yield f"{word} "
        yield completion


def _estimate(request: Request, completion: Completion) -> Usage:
    """Tokens at four characters each: close enough for a script."""
    asked = sum(len(str(message["content"])) for message in request.messages)
    return Usage(asked // 4, len(completion.reply) // 4)
