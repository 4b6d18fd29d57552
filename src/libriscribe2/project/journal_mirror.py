"""A second place for a journal's lines, for machines that do not see the project's folder."""

from collections.abc import Sequence
from typing import Protocol


class JournalMirror(Protocol):
    """Keeps every line of one journal elsewhere, in the same order.

    A line is in the mirror before it is in the folder, so that the folder of a machine that died
    holds nothing that another one, which went on from the mirror, does not know. Lines are the
    bytes without their line feed.
    """

    def meet(self, lines: Sequence[bytes]) -> Sequence[bytes]:
        """Come to terms with a journal that is opened; what the mirror lacks, it takes.

        Args:
            lines: The whole lines that the file holds.

        Returns:
            The lines that the file lacks.

        Raises:
            LibriScribeError: Neither begins with all of the other, or the mirror cannot be reached.
        """
        ...

    def add(self, lines: Sequence[bytes]) -> None:
        """Keep lines; on return they are kept for good.

        Raises:
            LibriScribeError: They cannot be kept for now, and must not go into the folder.
        """
        ...
