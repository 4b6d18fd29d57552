"""The seed's name for `research.recovery`."""

from libriscribe2.research.recovery import ResilientCaller, ToolFailure

__all__ = ["ResilientCaller", "ToolFailure"]
