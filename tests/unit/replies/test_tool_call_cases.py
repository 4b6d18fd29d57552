"""Every folder of tests/cases/tool_calls, read by the public parser."""

import json
from pathlib import Path
from typing import Any

import pytest

from libriscribe2.parsing.tool_calls import parse_llm_response

FOLDERS = sorted((Path(__file__).parents[2] / "cases" / "tool_calls").iterdir())
FAMILIES: dict[str, list[Path]] = {}
"""The folders by the first word of their names."""

for _folder in FOLDERS:
    FAMILIES.setdefault(_folder.name.partition("_")[0], []).append(_folder)


def read(case: Path) -> tuple[str, dict[str, Any]]:
    """The reply of a folder, and what is expected of it."""
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))
    return (case / "in.txt").read_bytes().decode("utf-8"), expected


@pytest.mark.parametrize("family", FAMILIES)
def test_RP_01_case_folder(family: str) -> None:
    for case in FAMILIES[family]:
        raw, expected = read(case)
        response = parse_llm_response(raw, **expected.get("given", {}))
        assert response.model_dump(by_alias=True, exclude_none=True) == expected["response"], case


@pytest.mark.parametrize("family", FAMILIES)
def test_RP_34_no_prefix_of_a_reply_runs_what_the_whole_does_not(family: str) -> None:
    for case in FAMILIES[family]:
        raw, expected = read(case)
        meant = expected["response"].get("toolCalls", [])
        if case.name.startswith(("shown_", "reasoning_orphan")):
            continue  # cut before the words that tell an example, a call looks meant
        for end in range(1, len(raw), max(1, len(raw) // 25)):
            cut = parse_llm_response(raw[:end], **expected.get("given", {}))
            calls = [call.model_dump() for call in cut.tool_calls or ()]
            assert all(call in meant for call in calls), raw[:end]
