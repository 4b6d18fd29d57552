"""The seed's name for `research.execution`."""

from libriscribe2.research.execution import Executor, StepFailedError, StepRunner

__all__ = ["Executor", "StepFailedError", "StepRunner"]
