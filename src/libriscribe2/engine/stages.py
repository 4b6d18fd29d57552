"""The stages: which agents there are, and in what order they run."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module, metadata
from pkgutil import iter_modules

from libriscribe2 import agents
from libriscribe2.agents.agent_base import Agent
from libriscribe2.errors import LibriScribeError
from libriscribe2.models.brief import Brief

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
