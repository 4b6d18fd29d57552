"""Every folder of tests/cases/tool_calls, read by the public parser."""

import json
from pathlib import Path
from typing import Any

import pytest

from libriscribe2.parsing.tool_calls import parse_llm_response

CASES = sorted((Path(__file__).parents[2] / "cases" / "tool_calls").iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_RP_01_case_folder(case: Path) -> None:
    raw = (case / "in.txt").read_bytes().decode("utf-8")
    expected: dict[str, Any] = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    response = parse_llm_response(raw, **expected.get("given", {}))
    assert response.model_dump(by_alias=True, exclude_none=True) == expected["response"]
