"""What research may use, as the settings want it."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from libriscribe2.project.research_records import keep_record
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings.schema import Settings
from libriscribe2.toolchain.research_means import ResearchMeans

_MB: Final = 2**20


def research_means(
    settings: Settings,
    store: ProjectStore,
    sleep: Callable[[float], Awaitable[None]],
    *,
    asks_models: bool,
) -> ResearchMeans:
    """What a run may use.

    Args:
        settings: The settings in force.
        store: The project.
        sleep: Waits before a call is repeated.
        asks_models: Whether models are really asked; where somebody answers in their place, as
            for an estimate, nobody outside is asked anything.
    """
    research = settings.research
    servers = {name: server.model_dump() for name, server in research.mcp.items()}
    return ResearchMeans(
        paths=store.paths,
        search_url=research.search_url if asks_models else "",
        search_kind=research.search_kind,
        fetch=research.fetch and asks_models,
        most_bytes=research.max_page_mb * _MB,
        page_seconds=research.page_seconds,
        servers=servers if asks_models else {},
        plan_retry_enabled=settings.plan_retry_enabled,
        plan_retry_max=settings.plan_retry_max,
        sleep=sleep,
        record=partial(keep_record, store),
        generation=store.manifest.generation,
    )
