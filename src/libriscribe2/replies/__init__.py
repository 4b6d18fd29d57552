"""A reply becomes a value or a refusal: JSON, calls or sections.

Nothing of the rest of the program is imported but names of log messages and the count of words.
What has to hold here:

- Lossy readings (content cut off, placeholders, arithmetic, keys that stand twice and differ) are
  refused with feedback, never returned as if whole.
- No pattern may search to the end from every place: possessive quantifiers, windows, or a note that
  nothing closes behind here. `python -m bench.hostile_scan` looks for more than linear time.
- A budget of a reply is shared with its fences (`Source.effort_left`).

The readers as a library are `read`, `calls` and `sections`; docs/library.md shows them in use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from libriscribe2.replies.headed import sections
    from libriscribe2.replies.parsers import read
    from libriscribe2.replies.tool_calls import calls

__all__ = ["calls", "read", "sections"]
_DOORS = {"calls": "tool_calls", "read": "parsers", "sections": "headed"}


def __getattr__(name: str) -> Any:
    """The doors of the library, loaded when they are asked for."""
    if name not in _DOORS:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{_DOORS[name]}"), name)
