"""An archive for a bug report: what the machine and the last runs were like, and no word of a book."""

import getpass
import json
import os
import platform
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

from libriscribe2 import __version__
from libriscribe2.errors import UsageError
from libriscribe2.project.atomic import read_regular, storage_errors
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings import Loaded, without_secrets
from libriscribe2.wording import redact, secrets_in

_MOST_EVENTS: Final = 500
_LEFT_OUT: Final = frozenset({"message"})
"""Fields of an event that may quote what somebody wrote."""


def write_bundle(
    file: Path, checks: Sequence[Mapping[str, Any]], loaded: Loaded, paths: ProjectPaths | None
) -> list[str]:
    """Write the archive.

    Args:
        file: The archive; there must be nothing of that name.
        checks: What `doctor` found, as records.
        loaded: The settings in force.
        paths: The project whose last runs are told; None tells none.

    Returns:
        The names of what is in it.

    Raises:
        StorageError: A file cannot be read, or the archive cannot be written.
        UsageError: There is a file of that name.
    """
    if file.exists():
        raise UsageError(f"{file} is there already.", fix="Name another file.")
    texts = {
        "doctor.json": json.dumps([*checks], ensure_ascii=False, indent=1),
        "versions.json": json.dumps(_versions(), indent=1),
        "settings.json": json.dumps(_settings(loaded), ensure_ascii=False, indent=1),
    }
    if paths is not None:
        texts["events.jsonl"] = _events(paths)
    private = _private(paths)
    with storage_errors("write", file), ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(name, _without(text, private))
    return list(texts)


def _versions() -> dict[str, str]:
    """The program, Python, the system, and every package that is installed."""
    packages = sorted({f"{one.name}=={one.version}" for one in metadata.distributions()})
    return {
        "libriscribe2": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "packages": " ".join(packages),
    }


def _settings(loaded: Loaded) -> dict[str, list[str]]:
    """Each setting with its value and who gave it."""
    return {
        key: [without_secrets(str(value)), loaded.origins[key]]
        for key, value in loaded.values().items()
    }


def _events(paths: ProjectPaths) -> str:
    """The last events of the project, without what may quote somebody."""
    if not paths.events.is_file():
        return ""
    with storage_errors("read", paths.events):
        lines = read_regular(paths.events).decode("utf-8", "replace").splitlines()
    kept = []
    for line in lines[-_MOST_EVENTS:]:
        try:
            event = json.loads(line)
        except ValueError:
            kept.append('{"damaged": true}')
        else:
            told = {name: value for name, value in event.items() if name not in _LEFT_OUT}
            kept.append(json.dumps(told, ensure_ascii=False))
    return "\n".join(kept) + "\n"


def _private(paths: ProjectPaths | None) -> dict[str, str]:
    """What names a person, a place on the machine or a book, and what stands for it."""
    names = {str(Path.home()): "~", getpass.getuser(): "USER", platform.node(): "HOST"}
    if paths is not None:
        names[paths.root.name] = "BOOK"
    return {name: sign for name, sign in names.items() if len(name) > 2}


def _without(text: str, private: Mapping[str, str]) -> str:
    for name, sign in sorted(private.items(), key=lambda one: len(one[0]), reverse=True):
        text = text.replace(name, sign)
    return redact(text, secrets_in(os.environ))
