"""The seed's name for `research.diagnosis`."""

from libriscribe2.research.diagnosis import Corrector, ErrorAnalyzer

__all__ = ["Corrector", "ErrorAnalyzer"]
