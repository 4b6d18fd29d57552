"""How models write tool calls: one module per notation, found by its `NOTATIONS`.

A new notation is a module here and a folder of cases.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from libriscribe2.replies.call_source import ToolFormat

_MODULES: Final = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]

FORMATS: Final[tuple[ToolFormat, ...]] = tuple(
    sorted((one for module in _MODULES for one in module.NOTATIONS), key=lambda one: one.rank)
)
"""All notations, in the order in which they are tried."""
