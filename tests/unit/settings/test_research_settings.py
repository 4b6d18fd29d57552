"""The `[research]` table: bounds, MCP servers, and what a book may not set."""

from pathlib import Path

import pytest
from tests.support.settings_sources import Sources, refusal

from libriscribe2.settings.schema import McpServerConfig

SERVER = "[research.mcp.wiki]\ncommand = 'wiki-server'\nargs = ['--fast']\nenv = ['WIKI_KEY']"


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return Sources(tmp_path)


def test_nothing_is_searched_until_it_is_configured(sources: Sources) -> None:
    research = sources.load().settings.research
    assert (research.search_url, research.mcp, research.fetch) == ("", {}, True)


def test_an_engine_and_servers_are_read(sources: Sources) -> None:
    loaded = sources.load(
        user=f"[research]\nsearch_url = 'http://localhost:8080/search?q={{query}}'\n{SERVER}",
        env={"LIBRISCRIBE2_RESEARCH__SEARCH_KIND": "html"},
    )
    research = loaded.settings.research
    assert research.search_kind == "html"
    assert research.mcp == {
        "wiki": McpServerConfig(command="wiki-server", args=("--fast",), env=("WIKI_KEY",))
    }
    assert loaded.origins["research.mcp"] == str(sources.user)
    assert loaded.values()["research.search_url"].endswith("{query}")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("search_url = 'ftp://x/{query}'", "research.search_url"),
        ("search_url = 'http://x/search'", "research.search_url"),
        ("search_url = 'http://{query}.example/'", "research.search_url"),
        ("search_url = 'http://[/{query}'", "research.search_url"),
        ("search_kind = 'xml'", "research.search_kind"),
        ("max_page_mb = 0", "research.max_page_mb"),
        ("max_page_mb = 51", "research.max_page_mb"),
        ("max_page_mb = true", "research.max_page_mb"),
        ("page_seconds = 0", "research.page_seconds"),
        ("page_seconds = inf", "research.page_seconds"),
        ("longest_quote = 9", "research.longest_quote"),
        ("longest_quote = 81", "research.longest_quote"),
        ("longest_quote = true", "research.longest_quote"),
        ("[research.mcp.Wiki]\ncommand = 'x'", "research.mcp"),
        ("[research.mcp.wiki]", "research.mcp"),
        ("[research.mcp.wiki]\ncommand = 'x'\nurl = 'http://x/'", "research.mcp"),
        ("[research.mcp.wiki]\nurl = 'x'", "research.mcp"),
        ("[research.mcp.wiki]\ncommand = 'x'\nenv = ['KEY=secret']", "research.mcp"),
        ("[research.mcp.wiki]\ncommand = 'x'\ntoken = 'y'", "research.mcp"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_key(sources: Sources, text: str, key: str) -> None:
    assert key in refusal(sources, user=f"[research]\n{text}").what


@pytest.mark.parametrize(
    "text", ["[research]\nsearch_url = 'http://10.0.0.1/{query}'", SERVER], ids=["engine", "server"]
)
def test_a_book_cannot_name_servers_or_programs(sources: Sources, text: str) -> None:
    error = refusal(sources, project=text)
    assert "cannot be set by a book" in error.what


def test_a_book_may_say_what_harms_nobody(sources: Sources) -> None:
    text = "[research]\nfetch = false\nlongest_quote = {}"
    for words in (10, 80):
        research = sources.load(project=text.format(words)).settings.research
        assert (research.fetch, research.longest_quote) == (False, words)
