"""`libriscribe2 tools`."""

import json

import pytest
from typer.testing import CliRunner

from libriscribe2.cli.root import app
from libriscribe2.errors import LibriScribeError
from libriscribe2.research import catalog


def test_PB_64_tools_json_lists_names_descriptions_and_schemas() -> None:
    result = CliRunner().invoke(app, ["tools", "--json"])
    assert result.exit_code == 0
    tools = {tool["name"]: tool for tool in json.loads(result.stdout)}
    search = tools["search_manuscript"]
    assert sorted(search) == ["description", "name", "needs", "parameters"]
    assert (search["needs"], tools["fetch_page"]["needs"]) == (["plan"], ["research", "web"])
    assert "chapters" in search["description"]
    assert search["parameters"]["required"] == ["query"]
    assert search["parameters"]["properties"]["max_results"]["type"] == "integer"


def test_tools_is_a_table_with_optional_parameters_in_brackets() -> None:
    result = CliRunner().invoke(app, ["tools"])
    assert result.exit_code == 0
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert rows[0] == ["tool", "parameters", "needs", "description"]
    assert ["search_manuscript", "query, [max_results]"] in [row[:2] for row in rows]


def test_a_broken_catalog_is_an_error_and_no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise LibriScribeError("two tools have one name")

    monkeypatch.setattr("libriscribe2.commands.installation.all_tools", broken)
    result = CliRunner().invoke(app, ["tools", "--json"])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert json.loads(result.stderr)["message"] == "two tools have one name"
    assert catalog.all_tools()
