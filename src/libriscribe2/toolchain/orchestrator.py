"""The seed's name for `research.chain`."""

from libriscribe2.research.research_chain import Orchestrator

__all__ = ["Orchestrator"]
