"""How much memory this process has held at most; only Linux tells."""

from pathlib import Path
from typing import Final

_STATUS: Final = Path("/proc/self/status")
_RESET: Final = Path("/proc/self/clear_refs")


def peak() -> int:
    """The most memory that this process has held since `reset_peak`, in bytes; 0 elsewhere."""
    if not _RESET.exists():
        return 0
    lines = _STATUS.read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024


def reset_peak() -> int:
    """Let the peak begin at what is held now; return that."""
    if _RESET.exists():
        _RESET.write_text("5", encoding="ascii")
    return peak()
