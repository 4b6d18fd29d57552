"""Every folder of tests/cases/json: a reply, and what was meant by it.

`in.txt` is the reply; `expected.json` holds `policy`, `schema`, `value` and sometimes `accept`,
further values that are as right. Adding a case is adding a folder with these two files.

- `value`: exactly this value, unflagged.
- `either`: the text has a second reading, so the value or a refusal.
- `flag`: content may be lost, so a refusal or a value flagged lossy.
- `reject`: there is no answer, so a refusal.
"""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from libriscribe2.utils.json_utils import JSONProcessor

CASES: Final = Path(__file__).parents[2] / "cases" / "json"
FOLDERS: Final = sorted(path for path in CASES.iterdir() if path.is_dir())
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


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_OV_51_reply_becomes_what_was_meant(folder: Path) -> None:
    reply, expected = _read(folder)
    policy = expected["policy"]
    report = JSONProcessor.extract_with_report(reply, expected["schema"])
    if policy == "value" or (policy == "either" and report.ok):
        meant = [expected["value"], *expected.get("accept", [])]
        assert report.ok, report.refusal
        assert any(same(report.value, one) for one in meant), (report.value, expected["value"])
    else:
        assert not report.ok, report.value
        assert report.refusal is not None
        assert report.refusal.feedback


def test_OV_51_case_folders_are_well_formed() -> None:
    for folder in FOLDERS:
        _, expected = _read(folder)
        assert {path.name for path in folder.iterdir()} == {"in.txt", "expected.json"}, folder
        assert expected["policy"] in POLICIES, folder
        assert expected.keys() <= {"policy", "schema", "value", "accept"}, folder


def test_OV_51_corpus_is_large_and_even() -> None:
    per_class = Counter(folder.name.rpartition("-")[0] for folder in FOLDERS)
    assert len(FOLDERS) >= LEAST_CASES
    assert min(per_class.values()) >= LEAST_PER_CLASS
