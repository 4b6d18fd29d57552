"""Reading the original's files: JSON in any escaping, wrappers of raw replies, Markdown."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from libriscribe2.errors import ProjectError
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.texts import decode_text, parse_json
from libriscribe2.replies.cleanup import extract_with_report

_RAW: Final = "raw_content"


def old_text(root: Path, name: str) -> str:
    """The text of an old file; empty where there is none.

    Raises:
        ProjectError: The file is not UTF-8, or a link that leads out of the project.
        StorageError: The file cannot be read.
    """
    path = ProjectPaths(root, root).resolve(name)
    with storage_errors("read", path):
        data = path.read_bytes() if path.is_file() else b""
    return decode_text(name, data) if data.strip() else ""


def old_json(root: Path, name: str) -> Any:
    r"""The value of an old JSON file; None where there is none.

    A debug wrapper, in which the original saved a model's reply under a production name, counts
    as the JSON in that reply; one without a reply in it counts as no file.

    Raises:
        ProjectError: The file is not UTF-8 or not JSON; the error names the place.
        StorageError: The file cannot be read.
    """
    text = old_text(root, name)
    try:
        return unwrapped(parse_json(name, text)) if text else None
    except ProjectError as error:
        error.fix = "Mend it, or restore it from a backup."  # nothing makes it again
        raise


def unwrapped(value: Any) -> Any:
    """What a debug wrapper wraps; any other value as it is."""
    if not isinstance(value, Mapping):
        return value
    if isinstance(value.get(_RAW), str):
        report = extract_with_report(value[_RAW])
        return report.value if report.ok else None
    return None if "content_preview" in value else value


def words(value: Any, *unknown: str) -> str:
    """A value as plain text; empty for None, blanks and the original's placeholders."""
    if isinstance(value, list | tuple):
        return ", ".join(filter(None, (words(item) for item in value)))
    if isinstance(value, Mapping):
        pairs = ((key, words(item)) for key, item in value.items())
        return "; ".join(f"{key}: {text}" for key, text in pairs if text)
    text = "" if value is None else str(value).strip()
    return "" if text in unknown else text


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}
