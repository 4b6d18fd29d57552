"""Every folder of tests/cases/search_results, read by the public parser."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from libriscribe2.research.web.result_pages import parse_search_results

CASES = sorted((Path(__file__).parents[3] / "cases" / "search_results").iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_SR_02_case_folder(case: Path) -> None:
    page = (case / "in.txt").read_text(encoding="utf-8")
    expected: dict[str, Any] = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    result: dict[str, Any] = {**parse_search_results(page, **expected["given"])}
    if "data" in result:
        result["data"] = [asdict(item) for item in result["data"]]
    assert result == expected["result"]
