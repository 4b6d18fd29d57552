"""How models write tool calls: one module per notation, found by its `NOTATIONS`.

A new notation is a module here and a folder of cases.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from libriscribe2.replies.call_source import CONTROL, ToolFormat, no_call

_STOP_TOKENS: Final = (
    r"<\|(?:eot_id|eom_id|eot|eom|im_end|endoftext|end|return|call)\|>|</s>|<｜end▁of▁sentence｜>"
)


def _shipped() -> list[ToolFormat]:
    """The notations of every module of this package."""
    places = (f"{__name__}.{found.name}" for found in iter_modules(__path__))
    return [one for place in places for one in import_module(place).NOTATIONS]


FORMATS: Final[tuple[ToolFormat, ...]] = tuple(
    sorted(
        [*_shipped(), ToolFormat("stop_tokens", _STOP_TOKENS, no_call, rank=CONTROL)],
        key=lambda one: one.rank,
    )
)
"""All notations, in the order in which they are tried."""
