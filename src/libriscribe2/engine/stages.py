"""Stages in order, and why each of their units runs or not."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module, metadata
from pkgutil import iter_modules
from typing import Final, Literal

from libriscribe2 import agents
from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.errors import LibriScribeError, ProjectError
from libriscribe2.models.brief import Brief
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import (
    BOOK_NOTE,
    BOOK_TOML,
    NOTE_FILES,
    OUTLINE,
    RESEARCH_NOTES,
    SCENES,
    chapter_file,
    note_file,
    note_on,
)
from libriscribe2.project.project_view import ArtifactState, ProjectView, setting_sha
from libriscribe2.wording import counted, first_of

ENTRY_POINTS = "libriscribe2.agents"
"""Entry-point group under which another package offers agents."""

AgentType = type[Agent]


@cache  # 13 ms to look through modules and entry points, and every look at a book asks
def all_stages() -> tuple[AgentType, ...]:
    """Every agent there is, in running order.

    An agent exists by being a class with a name in a module of `libriscribe2.agents`, or in
    an entry point of the group `libriscribe2.agents`.
    """
    return ordered(_discovered())


def stages_of(brief: Brief) -> tuple[AgentType, ...]:
    """The stages of the book that the author asked for, in running order."""
    return tuple(agent for agent in all_stages() if agent.wanted(brief))


def find_stage(name: str, stages: Iterable[AgentType]) -> AgentType | None:
    """The stage of that name."""
    return next((agent for agent in stages if agent.name == name), None)


def up_to(name: str, stages: Iterable[AgentType]) -> tuple[AgentType, ...]:
    """The stage of that name and all whose artifacts it needs, in running order."""
    order = tuple(stages)
    needed: set[str] = set()
    fresh = [name]
    while fresh:
        needed.update(fresh)
        readers = [agent for agent in order if agent.name in fresh]
        fresh = [
            agent.name
            for agent in order
            if agent.name not in needed
            and any(_uses(reader, agent, earlier=True) for reader in readers)
        ]
    return tuple(agent for agent in order if agent.name in needed)


def ordered(types: Iterable[AgentType]) -> tuple[AgentType, ...]:
    """Agents in an order in which each comes after those whose artifacts it reads.

    It comes after those of which it reads only some chapters, too, unless they read its own. Ties go by name, so the order does not depend on how the agents were found.

    Raises:
        LibriScribeError: Two agents have one name or write one artifact, or agents read each
            other's artifacts in a circle.
    """
    by_name: dict[str, AgentType] = {}
    for agent in sorted(types, key=lambda one: one.name):
        twin = by_name.get(agent.name) or _writer_of(agent.writes, by_name.values())
        if twin is not None:
            raise LibriScribeError(
                f"{agent.__module__} and {twin.__module__} are both the stage {twin.name!r}.",
                why="A stage's name and its artifact belong to one agent.",
            )
        by_name[agent.name] = agent
    graph = {
        name: sorted(
            other.name
            for other in by_name.values()
            if other is not agent and _follows(agent, other)
        )
        for name, agent in by_name.items()
    }
    return tuple(by_name[name] for name in _sorted(graph))


def _follows(agent: AgentType, other: AgentType) -> bool:
    """Whether a stage stands after another one in the order of all."""
    return _uses(agent, other) or (
        _uses(agent, other, earlier=True) and not _uses(other, agent, earlier=True)
    )


def _uses(reader: AgentType, writer: AgentType, *, earlier: bool = False) -> bool:
    """Whether a stage works from the artifact of another, be it only of earlier chapters."""
    names = (*reader.reads, *reader.reads_earlier) if earlier else reader.reads
    return any(name == writer.writes or fnmatch(name, writer.writes) for name in names)


def _writer_of(artifact: str, agents: Iterable[AgentType]) -> AgentType | None:
    """Who makes an artifact."""
    return next((agent for agent in agents if agent.writes == artifact), None)


def _sorted(graph: dict[str, list[str]]) -> Iterator[str]:
    """The names of a graph, each after those it needs, ties by name."""
    sorter = TopologicalSorter(graph)
    try:
        sorter.prepare()
    except CycleError as error:
        raise LibriScribeError(
            "Agents read each other's artifacts in a circle.", why=" <- ".join(error.args[1])
        ) from error
    ready: list[str] = []
    while sorter.is_active() or ready:
        ready = sorted([*ready, *sorter.get_ready()])
        name = ready.pop(0)
        yield name
        sorter.done(name)


def _discovered() -> list[AgentType]:
    """Every agent class of the package and of other packages' entry points."""
    modules = [
        import_module(f"{agents.__name__}.{module_info.name}")
        for module_info in iter_modules(agents.__path__)
        if not module_info.name.startswith("agent_")
    ]
    shipped = [
        value
        for module in modules
        for value in vars(module).values()
        if _is_agent(value) and value.__module__ == module.__name__
    ]
    offered = [point.load() for point in metadata.entry_points(group=ENTRY_POINTS)]
    return [*shipped, *offered]


def _is_agent(value: object) -> bool:
    """Whether something is an agent class that can run."""
    return isinstance(value, type) and issubclass(value, Agent) and hasattr(value, "name")


PLANS: Final = (OUTLINE, SCENES)
"""Files that hold one entry per chapter, in the order of the book."""


def input_hashes(agent: type[Agent], unit: Unit, brief: Brief, view: ProjectView) -> dict[str, str]:
    """The present hash of all that a unit works from, by name.

    A field of the brief is called `book.toml:field`. A file that the book does not have is
    left out, so that its coming is a change. Of the plans, a chapter's unit works from its own
    entry only (`input_sha`).
    """
    order = Book(view).draft_order(brief)
    named = (*agent.inputs(unit, order), *notes_of(agent, unit))
    names = [file for name in named for file in _expanded(name, view)]
    files = {name: input_sha(name, unit.chapter, view) for name in names}
    hashes = {name: sha for name, sha in files.items() if sha is not None}
    return {**hashes, **_brief_hashes(brief, agent.brief_keys)}


def notes_of(agent: type[Agent], unit: Unit) -> tuple[str, ...]:
    """The files of the author's notes that a unit works from; a pattern stands for those on its scenes.

    A plan that is remade unasked follows a note on the whole book only when it is asked for again.
    """
    if not agent.heeds:
        return ()
    own = note_file(agent.heeds)
    notes = (own,) if agent.auto_refresh else (BOOK_NOTE, own)
    number = unit.chapter
    return notes if number is None else (*notes, note_on(number), note_on(number, "*"))


def input_sha(name: str, chapter: int | None, view: ProjectView) -> str | None:
    """The present hash of an input, as far as it concerns a chapter.

    Args:
        name: The file's name.
        chapter: The chapter that is made from it; None where the whole book is.
        view: The project.

    Returns:
        The hash of the chapter's entry in a plan, of the whole file otherwise; None where there
        is no such file or entry.

    Raises:
        StorageError: The file cannot be read.
    """
    content = view.find(name)
    if content is None:
        return None
    if fnmatch(name, NOTE_FILES) and not content.data.strip():
        return None
    if name == RESEARCH_NOTES:
        return content.stage_notes_sha or content.sha
    shas = None if chapter is None or name not in PLANS else content.chapter_shas
    if chapter is None or shas is None:  # no plan: it counts as a whole
        return content.sha
    return shas[chapter - 1] if chapter <= len(shas) else None


def check_planned(chapter: int | None, view: ProjectView) -> None:
    """Make sure that the plan still has a chapter: it may be edited during a run.

    Raises:
        ProjectError: It has not.
        StorageError: The file cannot be read.
    """
    content = view.find(OUTLINE) if chapter is not None else None
    shas = None if content is None else content.chapter_shas
    if chapter is not None and shas is not None and chapter > len(shas):
        raise ProjectError(
            f"{OUTLINE} has no chapter {chapter}",
            why=f"it has {counted(len(shas), 'chapter')}, and had more when the run began",
            fix="Take chapters away with `libriscribe2 chapter delete`, or run again.",
        )


def _expanded(name: str, view: ProjectView) -> Iterable[str]:
    """The files that a name or pattern stands for."""
    return view.names(name) if "*" in name else (name,)


def _brief_hashes(brief: Brief, keys: tuple[str, ...]) -> dict[str, str]:
    """The hashes of fields of a brief."""
    values = brief.model_dump(mode="json", include=set(keys))
    return {f"{BOOK_TOML}:{key}": setting_sha(values[key]) for key in keys}


@dataclass(frozen=True, slots=True)
class RunDecision:
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


EDITED: Final = "edited by you"
"""Why a file of the author's is left as it is."""


def decide(
    agent: type[Agent],
    unit: Unit,
    state: ArtifactState,
    *,
    again: bool = False,
    refresh: bool = False,
) -> RunDecision:
    """Whether a unit runs.

    Args:
        agent: The unit's stage.
        unit: The work.
        state: How its file stands.
        again: Whether the author asked for it to be written again.
        refresh: Whether what is stale is to be remade.
    """
    if again:
        return RunDecision(unit, runs=True, reason="rewritten as you asked", state="again")
    if state.kind == "edited":
        return RunDecision(unit, runs=False, reason=EDITED, state="edited")
    if state.kind != "stale":
        return RunDecision(unit, state.kind in ("missing", "old"), _PLAIN[state.kind], state.kind)
    changed = _what_changed(state)
    if (refresh and not state.own) or not agent.asks_model:
        return RunDecision(unit, runs=True, reason=changed, state="stale")
    reason = f"out of date: {changed}{'; the text is yours' if state.own else ''}"
    return RunDecision(unit, runs=False, reason=reason, state="stale")


def in_words(name: str) -> str:
    """An input as an author reads it."""
    return "a chapter before it" if _BEFORE_THE_FIRST.fullmatch(name) else name.replace(":", ": ")


_BEFORE_THE_FIRST: Final = re.compile(r".*/(?:0|-[0-9]+)[.][a-z]+")
"""Name of an input that a chapter had and none with its new number has, such as `chapters/-1.md`.

The number is kept, so that moving the chapter back makes it as fresh as it was.
"""


_PLAIN: Mapping[str, str] = {
    "missing": "not made yet",
    "old": "the last run ended before it was written",
    "fresh": "up to date",
}


def _what_changed(state: ArtifactState) -> str:
    """The inputs that changed, that came and that went, in words."""
    there = [name for name in state.changed if name not in (*state.came, *state.gone)]
    groups = ((there, "changed"), (state.came, "added"), (state.gone, "removed"))
    return ", ".join(f"{_named(names)} {what}" for names, what in groups if names)


def _named(changed: Iterable[str], most: int = 3) -> str:
    """Some inputs in words."""
    return first_of(list(dict.fromkeys(in_words(name) for name in changed)), most)


def units_of(agent: type[Agent], view: ProjectView) -> list[Unit]:
    """The units of a stage as far as they are known; none before the outline for chapters."""
    if not agent.per_chapter():
        return [agent.unit()]
    return [agent.unit(chapter) for chapter in range(1, Book(view).chapters() + 1)]


def book_status(
    stages: Iterable[type[Agent]], brief: Brief, view: ProjectView, *, refresh: bool = False
) -> list[RunDecision]:
    """How every unit of `stages` stands, and whether a run (with `refresh`) would make it.

    Chapters that no outline plans yet stand as one line for their stage. A missing file for which it
    is too late is left out, and so is one that is made on demand where nothing needs it.
    """
    stages, decisions = tuple(stages), list[RunDecision]()
    for agent in stages:
        units = units_of(agent, view)
        present = [_decision(agent, unit, brief, view, refresh=refresh) for unit in units]
        decisions.extend(one for one in present if not is_too_late(agent, one, view))
        if not units:
            unit = Unit(agent.name, None, agent.writes)
            decisions.append(
                RunDecision(unit, runs=True, reason=f"waits for {OUTLINE}", state="missing")
            )
    return _without_unneeded(stages, decisions, brief, view)


def check_artifacts(stages: Iterable[type[Agent]], view: ProjectView) -> None:
    """Read every artifact that is there, so that a damaged one stops a run before it pays.

    Raises:
        ProjectError: The first file that is empty, cut, not UTF-8 or of the wrong shape.
    """
    book = Book(view)
    book.author_notes()
    for agent in stages:
        for unit in units_of(agent, view):
            if not book.has(unit.output):
                _check_place(unit.output, view)
                continue
            if agent.shape is None:
                book.text(unit.output)
            else:
                book.load(unit.output, agent.shape)


def _check_place(name: str, view: ProjectView) -> None:
    """Refuse what stands where a missing file would be written.

    Raises:
        ProjectError: There is a folder, or something else that is no file.
    """
    if view.paths.resolve(name).exists():
        raise ProjectError(
            f"{name} is not a file",
            why="something else is in its place",
            fix="Move it away; the file is then made again.",
        )


def _without_unneeded(
    stages: Sequence[type[Agent]], decisions: list[RunDecision], brief: Brief, view: ProjectView
) -> list[RunDecision]:
    """The units without the missing ones that are made on demand and that nothing asks for."""
    by_name = {agent.name: agent for agent in stages}
    if not any(agent.lazy for agent in stages):
        return decisions
    order = Book(view).draft_order(brief)
    needed = {
        name
        for one in decisions
        if one.runs
        for name in by_name[one.unit.stage].awaits(one.unit, order)
    }
    return [
        one
        for one in decisions
        if one.state != "missing"
        or one.unit.chapter is None
        or one.unit.output in needed
        or not by_name[one.unit.stage].lazy
    ]


def is_too_late(agent: type[Agent], decision: RunDecision, view: ProjectView) -> bool:
    """Whether the time for a missing file is over, and there is no file to make it from either."""
    return decision.state == "missing" and (
        any(view.names(name) for name in agent.made_before)
        and not any(view.names(name) for name in agent.reads)
    )


def _decision(
    agent: type[Agent], unit: Unit, brief: Brief, view: ProjectView, *, refresh: bool
) -> RunDecision:
    """How one unit stands."""
    state = view.state(unit.output, input_hashes(agent, unit, brief, view))
    again = view.manifest.asked_again(unit.step)
    decision = decide(agent, unit, state, again=again, refresh=refresh)
    if decision.state == "missing" and agent.made_where:
        return replace(decision, reason=f"{decision.reason}; needs {agent.made_where}")
    return with_touched(decision, state, view)


def with_touched(decision: RunDecision, state: ArtifactState, view: ProjectView) -> RunDecision:
    """A chapter whose scene plans were changed, with the scenes that are touched.

    They alone are made again where nothing else that the chapter was made from is another.
    """
    number = decision.unit.chapter
    stale = decision.state == "stale" and number is not None and SCENES in state.changed
    if not stale or number is None or decision.unit.output != chapter_file(number):
        return decision
    book = Book(view)
    touched, scenes = book.touched_scenes(number), len(book.plan_shas(number))
    if not touched:
        return decision
    named = f"scene{'' if len(touched) == 1 else 's'} {', '.join(map(str, touched))}"
    reason = decision.reason.replace(f"{SCENES} changed", f"{SCENES} changed ({named})")
    alone = state.changed == (SCENES,) and len(touched) < scenes
    part = "+".join(f"scene{scene:02d}" for scene in touched) if alone else ""
    return replace(decision, reason=reason, unit=replace(decision.unit, part=part))
