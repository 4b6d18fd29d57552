"""`libriscribe2 status --rates`: how well replies could be read."""

from pathlib import Path

import pytest
from tests.support.desk import Desk


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path)


def test_OV_46_the_four_rates_are_shown_with_what_they_are_counted_from(desk: Desk) -> None:
    desk.written(name="book")
    rates = {
        rate["name"]: (rate["count"], rate["of"])
        for rate in desk.run("status", "book", "--rates", "--json").value["rates"]
        if not rate["agent"]
    }
    structured = rates["json_extraction_success"]
    assert structured[0] == structured[1] > 5
    assert rates["validation_failure"] == (0, structured[1])
    assert rates["content_filtering_occurrence"][0] == 0
    assert rates["content_filtering_occurrence"][1] > structured[1]
    untidy, read = rates["cleanup_effectiveness"]
    assert untidy == read


def test_OV_46_the_rates_are_a_table_too(desk: Desk) -> None:
    desk.written(name="book")
    told = desk.run("status", "book", "--rates").out
    assert "rate\tcount\tagent\tmodel" in told
    assert "validation_failure\t0 of 1\tOutlinerAgent\tdemo" in told
