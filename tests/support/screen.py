"""A renderer over two streams that a test can read."""

import io
from datetime import UTC, datetime
from typing import Any

from typing_extensions import override

from libriscribe2.cli.render import Renderer
from libriscribe2.observe.events import Event


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    @override
    def isatty(self) -> bool:
        return True


class Screen:
    """A renderer and its two streams."""

    def __init__(self, stream: type[io.StringIO] = io.StringIO, **options: Any) -> None:
        self.out, self.err = stream(), stream()
        self.renderer = Renderer(self.out, self.err, **options)

    @property
    def data(self) -> str:
        return self.out.getvalue()

    @property
    def talk(self) -> str:
        return self.err.getvalue()


def event(name: str, **fields: Any) -> Event:
    now = datetime(2026, 1, 2, tzinfo=UTC)
    return Event.model_validate({"ts": now, "run": "r1", "seq": 1, "event": name, **fields})
