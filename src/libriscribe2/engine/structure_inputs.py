"""What a file counts as made from once the chapters have another order."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from libriscribe2.agents.agent_context import Unit
from libriscribe2.engine.stages import AgentType
from libriscribe2.project.manifest import FileRecord

Hashes = Mapping[str, str | None]

_BEFORE_THE_FIRST: Final = re.compile(r".*/(?:0|-[0-9]+)[.][a-z]+")
"""Name of an input that a chapter had and none with its new number has, such as `chapters/-1.md`.

The number is kept, so that moving the chapter back makes it as fresh as it was.
"""


def carried(inputs: Hashes, agents: Iterable[AgentType], shift: int) -> dict[str, str | None]:
    """The inputs of a chapter's file under the names that they have for its new number.

    A neighbour keeps its distance: what was made from the chapter before it is compared with the
    chapter that is before it now, and is stale if that is another one.

    Args:
        inputs: What the file was made from, by name.
        agents: The stages that make a file per chapter.
        shift: The new number less the old one.
    """
    rename = renaming(agents, shift)
    return {rename(name): sha for name, sha in inputs.items()}


def renewed(
    made: FileRecord, changed: Iterable[str], present: Hashes, rename: Callable[[str], str]
) -> dict[str, str | None]:
    """The present inputs of a file, but for those that had changed before: it stays stale.

    Args:
        made: What is known of the file.
        changed: The inputs that differed before the order changed.
        present: What it would be made from now.
        rename: The new name of an input (`renaming`).
    """
    inputs = dict(present)
    for name in changed:
        if name in made.inputs:
            inputs[rename(name)] = made.inputs[name]
        else:
            inputs.pop(rename(name), None)
    return inputs


def renaming(agents: Iterable[AgentType], shift: int) -> Callable[[str], str]:
    """How the names of chapters' files change when all numbers change by `shift`."""
    patterns = {agent.writes: agent for agent in agents}

    def rename(name: str) -> str:
        for pattern, agent in patterns.items():
            number = _number(name, pattern, "-?[0-9]+")
            if number is not None:
                new = number + shift
                return agent.unit(new).output if new > 0 else pattern.replace("*", str(new))
        return name

    return rename


def number_in(name: str, pattern: str) -> int | None:
    """The number at the `*` of a pattern; None where the name does not fit it."""
    return _number(name, pattern, "[0-9]+")


def in_words(name: str) -> str:
    """An input as an author reads it."""
    return "a chapter before it" if _BEFORE_THE_FIRST.fullmatch(name) else name.replace(":", ": ")


def step_moves(
    agents: Iterable[AgentType], moves: Mapping[int, int | None]
) -> dict[str, str | None]:
    """The new path of every step of chapters whose number changes; None where a chapter goes."""

    def step(agent: AgentType, number: int | None) -> str | None:
        unit: Unit | None = None if number is None else agent.unit(number)
        return None if unit is None else unit.step

    return {
        agent.unit(old).step: step(agent, new)
        for agent in agents
        for old, new in moves.items()
        if new != old
    }


def _number(name: str, pattern: str, digits: str) -> int | None:
    before, _, after = pattern.partition("*")
    match = re.fullmatch(f"{re.escape(before)}({digits}){re.escape(after)}", name)
    return None if match is None else int(match[1])
