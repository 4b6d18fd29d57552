"""The seed's name for `research.chain`."""

from libriscribe2.research.chain import Orchestrator

__all__ = ["Orchestrator"]
