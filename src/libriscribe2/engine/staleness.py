"""Why a unit runs, or why it does not."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.engine.structure_entry import input_sha
from libriscribe2.engine.structure_inputs import in_words
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import BOOK_TOML
from libriscribe2.project.view import ArtifactState, ProjectView


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be done with a unit.

    Attributes:
        unit: The work.
        runs: Whether it runs now.
        reason: Why, in words for the author.
        state: How its file stands.
    """

    unit: Unit
    runs: bool
    reason: str
    state: Literal["missing", "fresh", "stale", "edited", "old", "again"]


def input_hashes(agent: type[Agent], unit: Unit, brief: Brief, view: ProjectView) -> dict[str, str]:
    """The present hash of all that a unit works from, by name.

    A field of the brief is called `book.toml:field`. A file that the book does not have is
    left out, so that its coming is a change. Of the plans, a chapter's unit works from its own
    entry only (`input_sha`).
    """
    order = draft_order(brief, view)
    names = [found for name in agent.inputs(unit, order) for found in _expanded(name, view)]
    files = {name: input_sha(name, unit.chapter, view) for name in names}
    hashes = {name: sha for name, sha in files.items() if sha is not None}
    return {**hashes, **_asked(brief, agent.brief_keys)}


def draft_order(brief: Brief, view: ProjectView) -> DraftOrder:
    """The order in which the chapters of a book are drafted.

    Of a story that is told in sequence the number of chapters is no matter.
    """
    if brief.drafting == "sequential" and brief.kind == "fiction":
        return DraftOrder(brief.drafting)
    return DraftOrder.planned(brief.drafting, brief.kind, Book(view).roles())


def verdict(
    agent: type[Agent],
    unit: Unit,
    state: ArtifactState,
    *,
    again: bool = False,
    refresh: bool = False,
) -> Verdict:
    """Whether a unit runs.

    Args:
        agent: The unit's stage.
        unit: The work.
        state: How its file stands.
        again: Whether the author asked for it to be written again.
        refresh: Whether what is stale is to be remade.
    """
    if again:
        return Verdict(unit, runs=True, reason="asked to be written again", state="again")
    if state.kind == "edited":
        return Verdict(unit, runs=False, reason="edited by you, kept as it is", state="edited")
    if state.kind != "stale":
        return Verdict(unit, state.kind in ("missing", "old"), _PLAIN[state.kind], state.kind)
    changed = _what_changed(state)
    if refresh or not agent.asks_model:
        return Verdict(unit, runs=True, reason=changed, state="stale")
    kept = f"stale, {changed}; kept, `--refresh` remakes it"
    return Verdict(unit, runs=False, reason=kept, state="stale")


_PLAIN: Mapping[str, str] = {
    "missing": "not made yet",
    "old": "the last run ended before it was in place",
    "fresh": "up to date",
}


def _what_changed(state: ArtifactState) -> str:
    """The inputs that changed, that came and that went, in words."""
    there = [name for name in state.changed if name not in (*state.came, *state.gone)]
    told = ((there, "changed"), (state.came, "new to it"), (state.gone, "gone"))
    return ", ".join(f"{_named(names)} {what}" for names, what in told if names)


def _named(changed: Iterable[str], most: int = 3) -> str:
    """Some inputs in words."""
    names = list(dict.fromkeys(in_words(name) for name in changed))
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _expanded(name: str, view: ProjectView) -> Iterable[str]:
    """The files that a name or pattern stands for."""
    return view.names(name) if "*" in name else (name,)


@lru_cache(maxsize=64)
def _asked(brief: Brief, keys: tuple[str, ...]) -> Mapping[str, str]:
    """The hashes of fields of a brief, which is the same for all units of a run."""
    asked = brief.model_dump(mode="json")
    return MappingProxyType({f"{BOOK_TOML}:{key}": _sha(asked[key]) for key in keys})


def _sha(value: object) -> str:
    """The hash of a field of the brief."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode("utf-8")).hexdigest()
