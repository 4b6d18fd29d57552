"""How many requests each step has made in a run, so that retries inside retries do not multiply."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from libriscribe2.errors import MaxRetriesExceededError

REQUESTS_PER_STEP: Final = 15
"""Most requests of one question to one model: 3 attempts, each sent up to 5 times."""


@dataclass
class StepCounts:
    """Counts the requests that left, by step.

    Attributes:
        most: How many one question may make to one model. The same step asked from inside its own
            parser, or over and over by its agent, shares the one count.
    """

    most: int = REQUESTS_PER_STEP
    _left: Counter[str] = field(default_factory=Counter)

    def leave(self, step: str, ways: int = 1) -> None:
        """Count a request that is about to leave; one without a step is nobody's.

        Args:
            step: Path of the work.
            ways: How many models, or parts of a long reply, the question may be put to.

        Raises:
            MaxRetriesExceededError: The step has made as many as it may.
        """
        most = self.most * ways
        if step and self._left[step] >= most:
            feedback = f"the step {step!r} has made {most} requests in this run, the most it may"
            raise MaxRetriesExceededError(most, feedback, "")
        self._left[step] += 1

    def refused(self, step: str) -> None:
        """The provider turned the request away unread (429): it does not count."""
        self._left[step] -= 1
