"""`libriscribe2 batch run --provider-batch`: the calls of all books, sent together."""

import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.batch.folders import BatchPaths
from libriscribe2.batch.provider.orders import Door, Habits
from libriscribe2.batch.provider.poller import Keeper, kept_meanwhile
from libriscribe2.batch.provider.spool import Spool
from libriscribe2.batch.state import Batch
from libriscribe2.batch.work import due_of
from libriscribe2.cli.batch_choice import Bookshelf
from libriscribe2.cli.render import Renderer
from libriscribe2.llm.backends.provider_batches import ProviderBatches, close_clients
from libriscribe2.llm.limits.rates import account_name
from libriscribe2.llm.providers import batch_provider
from libriscribe2.settings import ModelsConfig, Settings
from libriscribe2.settings.parts import resolved

VARIABLE: Final = "LIBRISCRIBE2_BATCH__SPOOL"
"""Tells the books' processes where their calls wait."""


@dataclass(frozen=True)
class ProviderCalls:
    """The calls of a run that are sent together.

    Attributes:
        spool: Where they wait.
        keeper_of: Makes who sends them.
    """

    spool: Spool
    keeper_of: Callable[[], Keeper]

    @property
    def environment(self) -> Mapping[str, str]:
        """What the process of a book has to know."""
        return {VARIABLE: str(self.spool.root.resolve())}

    async def during(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do work while they are sent and fetched.

        Raises:
            LibriScribeError: Of the work's, or the spool cannot be used.
        """
        try:
            await kept_meanwhile(self.spool, self.keeper_of, work)
        finally:
            await close_clients()

    def clear(self, batch: Batch) -> None:
        """Throw away what no book can ask for any more.

        Raises:
            StorageError: It cannot be removed.
        """
        if not batch.within("queued", "running", "failed", "stopped"):
            for ident in self.spool.idents(self.spool.replies):
                self.spool.drop(self.spool.replies, ident)


def provider_calls(
    renderer: Renderer, settings: Settings, shelf: Bookshelf, batch: Batch, habits: Habits
) -> ProviderCalls | None:
    """The calls that are sent together; None where each is sent at once.

    Where a run before sent calls together, its replies are waited for in any run.

    Args:
        renderer: Says which models have no batch API.
        settings: The settings in force for no book in particular.
        shelf: Knows the model of books that name none.
        batch: The batch.
        habits: How they are sent.
    """
    spool = Spool(BatchPaths(settings.batches_dir / shelf.batch).provider)
    if not habits.takes and not spool.is_used():
        return None
    lacking = sorted(name for name in _models(settings, shelf, batch) if not batch_provider(name))
    if habits.takes and lacking:
        renderer.note(f"no batch API: {', '.join(lacking)}; these calls are sent at once")
    doors: dict[tuple[str, str], Door | None] = {}

    def door_of(model: str, account: str) -> Door | None:
        if (model, account) not in doors:
            doors[model, account] = _door(settings, shelf, model, account)
        return doors[model, account]

    return ProviderCalls(spool, lambda: Keeper(spool, door_of, habits))


def habits_of(
    renderer: Renderer, settings: Settings, batch: Batch, *, takes: bool, until: Any = None
) -> Habits:
    """How calls are sent together, as the settings and a command say."""
    due = {name: due_of(book) for name, book in batch.books.items()}
    return Habits(
        takes=takes,
        quiet=settings.batch.provider_quiet_seconds,
        poll=settings.batch.provider_poll_seconds,
        until=until,
        due={name: moment for name, moment in due.items() if moment is not None},
        tell=renderer.note,
    )


def _door(settings: Settings, shelf: Bookshelf, model: str, account: str) -> Door | None:
    """The batch API that a call is for; None where a book means another account than this run."""
    url = resolved(model, shelf.choice, settings).url
    provider = batch_provider(model)
    if provider is None or account_name(model, url, os.environ) != account:
        return None
    return ProviderBatches(provider, url)


def _models(settings: Settings, shelf: Bookshelf, batch: Batch) -> set[str]:
    """The models that the books name or are begun with, as LiteLLM spells them."""
    tables = [
        settings.models,
        *(
            ModelsConfig.model_validate(book.row.settings.get("models", {}))
            for book in batch.within("queued", "running")
        ),
    ]
    named = {name for table in tables for name in _named(table)}
    return {resolved(name, shelf.choice, settings).model for name in named | {""}}


def _named(table: ModelsConfig) -> Iterator[str]:
    for one in (table.default, *table.stages().values()):
        yield from (name for name in (one.model, *one.fallbacks) if name)
