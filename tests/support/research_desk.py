"""A book with a research folder, its tools, and a model whose answers a test writes."""

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel
from tests.support.web_pages import WebPages
from tests.support.written_book import WrittenBook

from libriscribe2.project.paths import RESEARCH_SOURCES
from libriscribe2.project.research_files import ResearchFolder
from libriscribe2.research.catalog import all_tools
from libriscribe2.research.tool import ToolContext
from libriscribe2.research.tool_error import ToolError
from libriscribe2.research.web.addresses import Gate
from libriscribe2.research.web.engines import SearchEngine, SearchKind, Web
from libriscribe2.research.web.fetching import Fetcher

AnswerT = TypeVar("AnswerT", bound=BaseModel)
TODAY = "2026-03-31"


class ScriptedAsk:
    """Answers in the order given, and keeps what it was asked."""

    def __init__(self, answers: Iterable[Any] = ()) -> None:
        self._answers = iter(answers)
        self.asked: list[tuple[str, dict[str, str]]] = []

    async def __call__(self, model: type[AnswerT], prompt: str, **values: str) -> AnswerT:
        self.asked.append((prompt, values))
        return model.model_validate(next(self._answers))


class ResearchDesk:
    """Calls tools by name.

    Args:
        folder: Where the book is.
        site: The web; None for none.
        kind: How its search engine answers.
        answers: What the model answers.
    """

    def __init__(
        self,
        folder: Path,
        site: WebPages | None = None,
        kind: SearchKind = "json",
        answers: Iterable[Any] = (),
    ) -> None:
        self.written = WrittenBook(folder)
        self.folder = ResearchFolder(self.written.paths)
        self.ask = ScriptedAsk(answers)
        self.web = web_of(site, kind) if site is not None else None
        self.context = ToolContext(
            self.written.book, self.folder, self.ask, self.web, today=TODAY, step="step-1"
        )

    def source(self, name: str, content: str | bytes) -> Path:
        """Give the author a source file."""
        path = self.written.paths.root / RESEARCH_SOURCES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    def call(self, called: str, **arguments: Any) -> Any:
        """The result of a tool, which has to be plain JSON."""
        tool = next(tool for tool in all_tools() if tool.name == called)
        given = tool.arguments.model_validate(arguments)

        async def run() -> Any:
            return await tool.run(self.context, given)

        result = asyncio.run(run())
        assert json.loads(json.dumps(result)) == result
        return result

    def failure(self, called: str, **arguments: Any) -> ToolError:
        """The refusal of a tool."""
        with pytest.raises(ToolError) as caught:
            self.call(called, **arguments)
        return caught.value


def web_of(site: WebPages, kind: SearchKind = "json") -> Web:
    """The web of a run over a site on loopback."""
    engine = SearchEngine(site.search_url if kind == "json" else site.results_url, kind)
    return Web(Fetcher(Gate(loopback_ports=frozenset({site.port}))), engine)
