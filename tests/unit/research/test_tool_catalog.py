"""The catalog finds tools by their being there, and refuses two of one name."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import JsonValue

from libriscribe2.errors import LibriScribeError
from libriscribe2.research.catalog import all_tools, catalog
from libriscribe2.research.tool import Arguments, Tool, ToolContext

SHIPPED = (
    "extract_facts",
    "fetch_page",
    "lookup_character",
    "lookup_place",
    "read_source",
    "save_note",
    "search_manuscript",
    "search_sources",
    "web_search",
)
MODULE = """
from libriscribe2.research.tool import Arguments, Tool


class Nothing(Arguments):
    pass


async def run(context, arguments):
    return None


TOOL = Tool("{name}", "Does something.", Nothing, run)
"""


async def run(context: ToolContext, arguments: Arguments) -> JsonValue:
    del context, arguments
    return None


def tool(name: str) -> Tool[Arguments]:
    return Tool(name, "Does something.", Arguments, run)


@pytest.fixture(autouse=True)
def fresh_catalog() -> Iterator[None]:
    all_tools.cache_clear()
    yield
    all_tools.cache_clear()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Installs a package that offers a tool."""

    def install(module: str, body: str) -> None:
        (tmp_path / f"{module}.py").write_text(body, encoding="utf-8")
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Name: {module}\nVersion: 1.0\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(
            f"[libriscribe2.tools]\n{module} = {module}:TOOL\n", encoding="utf-8"
        )
        monkeypatch.syspath_prepend(str(tmp_path))

    return install


def test_PB_64_the_tools_of_the_package_are_found_sorted_by_name() -> None:
    assert tuple(tool.name for tool in all_tools()) == SHIPPED


def test_a_tool_of_another_package_is_found(package: Callable[[str, str], None]) -> None:
    package("more_tools_for_a_test", MODULE.format(name="abacus"))
    assert tuple(tool.name for tool in all_tools()) == ("abacus", *SHIPPED)


def test_a_name_that_is_taken_stops_the_start(package: Callable[[str, str], None]) -> None:
    package("twin_tools_for_a_test", MODULE.format(name="lookup_place"))
    with pytest.raises(LibriScribeError, match="both the tool 'lookup_place'") as caught:
        all_tools()
    assert "libriscribe2.research.tools.lookup_place.TOOL" in caught.value.what
    assert "twin_tools_for_a_test:TOOL" in caught.value.what


def test_what_is_no_tool_stops_the_start(package: Callable[[str, str], None]) -> None:
    package("no_tools_for_a_test", "TOOL = 'a hammer'")
    with pytest.raises(LibriScribeError, match=r"no_tools_for_a_test:TOOL .* is str, not a tool"):
        all_tools()


def test_a_package_that_cannot_be_loaded_is_named(package: Callable[[str, str], None]) -> None:
    package("lame_tools_for_a_test", "import no_such_module_anywhere")
    with pytest.raises(LibriScribeError, match="'lame_tools_for_a_test'") as caught:
        all_tools()
    assert "no_such_module_anywhere" in caught.value.why


def test_a_module_without_a_tool_stops_the_start() -> None:
    with pytest.raises(LibriScribeError, match=r"tools\.x\.TOOL is NoneType, not a tool"):
        catalog([("tools.x.TOOL", None)])


def test_the_order_of_discovery_does_not_matter() -> None:
    tools = [("x", tool("b")), ("y", tool("a")), ("z", tool("c"))]
    assert catalog(tools) == catalog(reversed(tools))
    assert [one.name for one in catalog(tools)] == ["a", "b", "c"]
