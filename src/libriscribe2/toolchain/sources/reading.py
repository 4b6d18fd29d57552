"""What a reader makes of a file, and how a file that cannot be read is refused."""

import re
from dataclasses import dataclass
from typing import Final

from libriscribe2.toolchain.tool_error import ToolError

MOST_CHARACTERS: Final = 10_000_000
"""Most text of one source: ten times the longest novel."""

_MEGABYTE: Final = 2**20
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Reading:
    """The text of a source.

    Attributes:
        title: What the source calls itself; "" where it does not.
        parts: Locator and text of every part; an empty locator leaves it to the paragraph's number.
        flags: What a reader should know: `encoding_guessed`, `pages_without_text`.
    """

    title: str
    parts: tuple[tuple[str, str], ...]
    flags: tuple[str, ...] = ()


def tidy(text: str) -> str:
    """Text with line feeds only and without control characters."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n"))


def tidy_line(text: str) -> str:
    """A title or heading on one line."""
    return " ".join(tidy(text).split())[:300]


def too_large(name: str, what: str, limit: int) -> ToolError:
    """The refusal of a source that is over a limit in bytes."""
    return ToolError(
        413,
        "source_too_large",
        f"{name}: {what}; the limit is {limit // _MEGABYTE} MB.",
        {"source": name, "limit_bytes": limit},
    )


def not_what_it_says(name: str, reason: str) -> ToolError:
    """The refusal of a source that cannot be read as what its name or type says."""
    return ToolError(
        415,
        "source_not_readable",
        f"{name} cannot be read: {reason}.",
        {"source": name, "reason": reason},
    )
