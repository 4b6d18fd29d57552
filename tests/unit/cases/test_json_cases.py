"""Every folder of tests/cases/json: a reply, and what was meant by it.

`in.txt` is the reply; `expected.json` holds `policy`, `schema`, `value` and sometimes `accept`,
further values that are as right. Adding a case is adding a folder with these two files.

- `value`: exactly this value, unflagged.
- `either`: the text has a second reading, so the value or a refusal.
- `flag`: content may be lost, so a refusal or a value flagged lossy.
- `reject`: there is no answer, so a refusal.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from libriscribe2.utils.json_utils import JSONProcessor

CASES: Final = Path(__file__).parents[2] / "cases" / "json"
FOLDERS: Final = sorted(path for path in CASES.iterdir() if path.is_dir())
CLASSES: Final[dict[str, list[Path]]] = {}
for _folder in FOLDERS:
    CLASSES.setdefault(_folder.name.rpartition("-")[0], []).append(_folder)
POLICIES: Final = {"value", "either", "flag", "reject"}
LEAST_CASES: Final = 600
LEAST_PER_CLASS: Final = 5


def same(left: Any, right: Any) -> bool:
    """Equality of JSON values in which true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def _read(folder: Path) -> tuple[str, dict[str, Any]]:
    # read_text would turn CRLF into LF and the byte order mark is part of the reply.
    reply = (folder / "in.txt").read_bytes().decode("utf-8")
    return reply, json.loads((folder / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("kind", CLASSES)
def test_OV_51_reply_becomes_what_was_meant(kind: str) -> None:
    wrong = {folder.name: told for folder in CLASSES[kind] if (told := _wrong(folder))}
    assert not wrong


def _wrong(folder: Path) -> str:
    """What is wrong with what is made of a reply; nothing where it is right."""
    reply, expected = _read(folder)
    policy = expected["policy"]
    report = JSONProcessor.extract_with_report(reply, expected["schema"])
    if policy == "value" or (policy == "either" and report.ok):
        meant = [expected["value"], *expected.get("accept", [])]
        good = report.ok and any(same(report.value, one) for one in meant)
    else:
        good = not report.ok and report.refusal is not None and bool(report.refusal.feedback)
    return "" if good else f"{report.value!r}, {report.refusal}; {policy}: {expected['value']!r}"


def test_OV_51_case_folders_are_well_formed() -> None:
    for folder in FOLDERS:
        _, expected = _read(folder)
        assert {path.name for path in folder.iterdir()} == {"in.txt", "expected.json"}, folder
        assert expected["policy"] in POLICIES, folder
        assert expected.keys() <= {"policy", "schema", "value", "accept"}, folder


def test_OV_51_corpus_is_large_and_even() -> None:
    assert len(FOLDERS) >= LEAST_CASES
    assert min(map(len, CLASSES.values())) >= LEAST_PER_CLASS
