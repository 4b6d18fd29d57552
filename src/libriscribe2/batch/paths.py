"""Every file name of a batch, once."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

LOG: Final = "batch.jsonl"
MARK: Final = "batch"
"""File among a project's records that names the batch which began it."""


@dataclass(frozen=True, slots=True)
class BatchPaths:
    """Where one batch lives.

    Attributes:
        root: The batch's folder, such as `batches/spring`.
    """

    root: Path

    @property
    def name(self) -> str:
        """What the batch is called."""
        return self.root.name

    @property
    def log(self) -> Path:
        """The record of every row and of what came of it."""
        return self.root / LOG

    @property
    def turn(self) -> Path:
        """The lock of who is just adding to the log."""
        return self.root / "log.lock"

    @property
    def runner(self) -> Path:
        """The lock of the process that writes the books."""
        return self.root / "run.lock"

    @property
    def provider(self) -> Path:
        """Where calls wait that are sent together."""
        return self.root / "provider"

    def report(self, kind: str) -> Path:
        """The report as a file of a kind: `html`, `json` or `csv`."""
        return self.root / f"report.{kind}"


def batches_in(folder: Path) -> list[BatchPaths]:
    """The batches in a folder, by name."""
    if not folder.is_dir():
        return []
    return [BatchPaths(path.parent) for path in sorted(folder.glob(f"*/{LOG}"))]
