"""How `doctor` looks at one thing after the other, and its checks of the program and the disk."""

import codecs
import locale
import platform
import site
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final, Literal

from libriscribe2 import __version__
from libriscribe2.errors import LibriScribeError
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.lock import MIN_FREE_BYTES, free_bytes

State = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What was seen.

    Attributes:
        state: `ok`; `warning`: a book can be made, but the user should know; `failed`.
        message: What was seen, one sentence.
        fix: What the user can do, or "".
    """

    state: State
    message: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Examination:
    """One thing to look at.

    Attributes:
        name: What the check is called.
        exit_code: The process exit code if it fails without an error that has its own.
        look: Looks, and may raise.
        needs: Names of the checks without whose success this one makes no sense.
    """

    name: str
    exit_code: int
    look: Callable[[], CheckResult]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: What the check is called.
        finding: What was seen.
        exit_code: The exit code that it stands for; 0 unless it failed.
        examined: Whether it could be looked at at all.
    """

    name: str
    finding: CheckResult
    exit_code: int = 0
    examined: bool = True


def examine(examinations: Iterable[Examination]) -> list[Check]:
    """Carry out all examinations, in order; none stops another."""
    checks: list[Check] = []
    for examination in examinations:
        unusable = {check.name for check in checks if check.exit_code or not check.examined}
        missing = next((name for name in examination.needs if name in unusable), None)
        checks.append(
            _carry_out(examination) if missing is None else _left_out(examination, missing)
        )
    return checks


def exit_code_of(checks: Sequence[Check]) -> int:
    """The exit code of the first check that failed, or 0."""
    return next((check.exit_code for check in checks if check.exit_code), 0)


def _carry_out(examination: Examination) -> Check:
    try:
        finding = examination.look()
    except LibriScribeError as error:
        message = f"{error.what.rstrip('.')}: {error.why}" if error.why else error.what
        return Check(examination.name, CheckResult("failed", message, error.fix), error.exit_code)
    except Exception as error:  # noqa: BLE001 - one broken check must not hide the others
        message = f"The check itself failed: {type(error).__name__}: {error}"
        return Check(examination.name, CheckResult("failed", message), examination.exit_code)
    return Check(
        examination.name, finding, examination.exit_code if finding.state == "failed" else 0
    )


def _left_out(examination: Examination, missing: str) -> Check:
    finding = CheckResult("warning", f"Not checked, because of {missing!r}.")
    return Check(examination.name, finding, examined=False)


OLDEST_PYTHON: Final = (3, 11)
COMPROMISED_LITELLM: Final = frozenset({"1.82.7", "1.82.8"})
"""Releases that carried a credential stealer (BerriAI/litellm#24512)."""

_STOLEN: Final = (
    "Take every key and password on this machine as stolen and replace them; then remove the file "
    "and install LiteLLM again from a clean environment."
)


def installation() -> list[Examination]:
    """The checks of the program itself."""
    return [
        Examination("python", 3, lambda: look_at_python(sys.version_info[:3])),
        Examination("libriscribe2", 3, look_at_package),
        Examination("litellm", 3, lambda: look_at_litellm(installed_litellm(), site_folders())),
        Examination("terminal", 3, lambda: look_at_encoding(locale.getencoding())),
    ]


def look_at_python(version: tuple[int, ...]) -> CheckResult:
    """Whether this Python is new enough."""
    shown = ".".join(map(str, version))
    if version < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        return CheckResult(
            "failed", f"Python {shown} is too old.", f"Install Python {wanted} or newer."
        )
    return CheckResult(
        "ok", f"Python {shown} ({platform.python_implementation()}, {sys.executable})."
    )


def look_at_package() -> CheckResult:
    """Which version of this program runs, and from where."""
    return CheckResult("ok", f"Version {__version__} in {Path(__file__).parents[2]}.")


def look_at_litellm(version: str | None, folders: Iterable[Path]) -> CheckResult:
    """Whether LiteLLM is there and none of its releases that stole credentials; not imported."""
    strange = [path for folder in folders for path in folder.glob("*[lL]ite[lL][lL][mM]*.pth")]
    if strange:
        message = f"{strange[0]} runs at every start of Python, as the stolen release's file did."
        return CheckResult("failed", message, _STOLEN)
    if version is None:
        fix = "Install LibriScribe2 again; until then only the stand-in author works."
        return CheckResult("failed", "LiteLLM is not installed.", fix)
    if version in COMPROMISED_LITELLM:
        return CheckResult("failed", f"LiteLLM {version} is a compromised release.", _STOLEN)
    return CheckResult("ok", f"LiteLLM {version}.")


def look_at_encoding(encoding: str) -> CheckResult:
    """Whether the terminal can show every letter."""
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        name = encoding
    if name == "utf-8":
        return CheckResult("ok", "The terminal's encoding is UTF-8.")
    fix = "Set LANG to a UTF-8 locale such as C.UTF-8; files are UTF-8 in any case."
    return CheckResult("warning", f"The terminal's encoding is {name}, not UTF-8.", fix)


def installed_litellm() -> str | None:
    """The version of LiteLLM that is installed, or None."""
    try:
        return metadata.version("litellm")
    except metadata.PackageNotFoundError:
        return None


def site_folders() -> list[Path]:
    """The folders whose `.pth` files Python runs at its start."""
    folders = [*site.getsitepackages(), site.getusersitepackages()]
    return [folder for folder in map(Path, folders) if folder.is_dir()]


_MIB: Final = 2**20


def look_at_folder(folder: Path) -> CheckResult:
    """Whether files can be made in a folder, or the folder itself where it is missing.

    Raises:
        StorageError: The system refuses.
    """
    there = existing(folder)
    if not there.is_dir():
        fix = "Move the file away, or choose another folder in the settings."
        return CheckResult("failed", f"{there} is a file; a folder is needed.", fix)
    with storage_errors("write", there), tempfile.TemporaryFile(dir=there) as file:
        file.write(b"LibriScribe2 was here")
    can = "written" if there == folder.absolute() else "made"
    return CheckResult("ok", f"{folder.absolute()} can be {can}.")


def look_at_room(folder: Path, free: Callable[[Path], int] = free_bytes) -> CheckResult:
    """Whether the disk of a folder has the room without which no request is sent.

    Raises:
        StorageError: The disk does not answer.
    """
    there = existing(folder)
    with storage_errors("measure the free room of", there):
        room = free(there)
    if room < MIN_FREE_BYTES:
        message = f"{room // _MIB} MiB are free; a run needs {MIN_FREE_BYTES // _MIB} MiB."
        return CheckResult("failed", message, f"Free some space on the disk of {there}.")
    return CheckResult("ok", f"{room // _MIB:,} MiB are free on the disk of {there}.")


def existing(path: Path) -> Path:
    """The path itself, or the nearest of those above it that exists."""
    whole = path.absolute()
    return next(one for one in (whole, *whole.parents) if one.exists())
