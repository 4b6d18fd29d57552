"""Every folder of tests/cases/sections, read by the public parser."""

import json
from pathlib import Path
from typing import Any

import pytest

from libriscribe2.parsing.sections import multi_section_parser

CASES = sorted((Path(__file__).parents[2] / "cases" / "sections").iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_MP_01_case_folder(case: Path) -> None:
    raw = (case / "in.txt").read_bytes().decode("utf-8")
    expected: dict[str, Any] = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    result = multi_section_parser(raw, **expected["given"])
    assert result == expected["result"]
    assert list(result.get("sections", {})) == list(expected["result"].get("sections", {}))
