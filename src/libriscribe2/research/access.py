"""What a run may use for research, as plain data: whoever only lists stages loads no network."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from libriscribe2.models.notes import LONGEST_QUOTE
from libriscribe2.project.paths import ProjectPaths


async def _at_once(_seconds: float) -> None:
    """Waits not at all."""


@dataclass(frozen=True)
class ResearchMeans:
    """What research works with.

    Attributes:
        paths: The project; None where there is no research folder.
        search_url: Address of a search engine, with `{query}` where the query goes; "" for none.
        search_kind: How it answers.
        fetch: Whether pages of the web may be fetched.
        most_bytes: Largest page.
        page_seconds: Longest time of one request.
        longest_quote: Most words of the quote of a note.
        servers: Fields of MCP servers (`toolchain.mcp_tools.McpServer`) by name.
        loopback_ports: Ports at which this very machine may be asked; only tests give any.
        without: Layers of the resolver that are off, `error_analysis` and `error_verdict`.
        plan_retry_enabled: Whether a plan that cannot be parsed is asked for again.
        plan_retry_max: How often, after the first time.
        sleep: Waits before a call is repeated.
        record: Keeps a file of the research folder under its name, unless the author edited it.
        generation: How often a step was asked to be done again.
    """

    paths: ProjectPaths | None = None
    search_url: str = ""
    search_kind: Literal["json", "html"] = "json"
    fetch: bool = True
    most_bytes: int = 5 * 2**20
    page_seconds: float = 30.0
    longest_quote: int = LONGEST_QUOTE
    servers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    loopback_ports: frozenset[int] = frozenset()
    without: frozenset[str] = frozenset()
    plan_retry_enabled: bool = True
    plan_retry_max: int = 2
    sleep: Callable[[float], Awaitable[None]] = _at_once
    record: Callable[[str, str], object] = field(default=lambda _name, _text: None)
    generation: Callable[[str], int] = field(default=lambda _step: 0)
