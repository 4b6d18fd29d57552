"""A reply becomes a value or a refusal: JSON, calls, sections, result pages.

Nothing of the rest of the program is imported but names of log messages. What has to hold here:

- Lossy readings (content cut off, placeholders, arithmetic, keys that stand twice and differ) are
  refused with feedback, never returned as if whole.
- No pattern may search to the end from every place: possessive quantifiers, windows, or a note that
  nothing closes behind here. `python -m bench.hostile_scan` looks for more than linear time.
- A budget of a reply is shared with its fences (`Source.part`).
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from libriscribe2.replies.library import calls, read, sections

__all__ = ["calls", "read", "sections"]


def __getattr__(name: str) -> Any:
    """The doors of the library, loaded when they are asked for."""
    if name not in __all__:
        raise AttributeError(name)
    from libriscribe2.replies import library  # noqa: PLC0415 - `create` reads less than they do

    return getattr(library, name)
