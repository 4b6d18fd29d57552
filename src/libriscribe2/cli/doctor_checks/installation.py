"""The program itself: Python, this package, LiteLLM, the terminal."""

import codecs
import locale
import platform
import site
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Final

from libriscribe2 import __version__
from libriscribe2.cli.doctor_checks.check import Examination, Finding

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


def look_at_python(version: tuple[int, ...]) -> Finding:
    """Whether this Python is new enough."""
    shown = ".".join(map(str, version))
    if version < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        return Finding(
            "failed", f"Python {shown} is too old.", f"Install Python {wanted} or newer."
        )
    return Finding("ok", f"Python {shown} ({platform.python_implementation()}, {sys.executable}).")


def look_at_package() -> Finding:
    """Which version of this program runs, and from where."""
    return Finding("ok", f"Version {__version__} in {Path(__file__).parents[2]}.")


def look_at_litellm(version: str | None, folders: Iterable[Path]) -> Finding:
    """Whether LiteLLM is there and none of its releases that stole credentials; not imported."""
    strange = [path for folder in folders for path in folder.glob("*[lL]ite[lL][lL][mM]*.pth")]
    if strange:
        message = f"{strange[0]} runs at every start of Python, as the stolen release's file did."
        return Finding("failed", message, _STOLEN)
    if version is None:
        fix = "Install LibriScribe2 again; until then only the offline author works."
        return Finding("failed", "LiteLLM is not installed.", fix)
    if version in COMPROMISED_LITELLM:
        return Finding("failed", f"LiteLLM {version} is a compromised release.", _STOLEN)
    return Finding("ok", f"LiteLLM {version}.")


def look_at_encoding(encoding: str) -> Finding:
    """Whether the terminal can show every letter."""
    try:
        name = codecs.lookup(encoding).name
    except LookupError:
        name = encoding
    if name == "utf-8":
        return Finding("ok", "The terminal's encoding is UTF-8.")
    fix = "Set LANG to a UTF-8 locale such as C.UTF-8; files are UTF-8 whatever it is."
    return Finding("warning", f"The terminal's encoding is {name}, not UTF-8.", fix)


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
