"""What the journal is told of the files of chapters that get another place or another text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from libriscribe2.editing.structure import Edit, Slot
from libriscribe2.engine.stages import AgentType
from libriscribe2.engine.staleness import input_hashes
from libriscribe2.engine.structure_entry import PLANS
from libriscribe2.engine.structure_inputs import (
    Hashes,
    carried,
    number_in,
    renaming,
    renewed,
)
from libriscribe2.models.brief import Brief
from libriscribe2.project.manifest import FileRecord
from libriscribe2.project.view import ProjectView

Known = dict[str, Mapping[str, Any] | None]
"""`files` of the journal's record, see `records.reshaped`."""


@dataclass(frozen=True)
class Knowledge:
    """Works out what is known of a book's files after an edit.

    Attributes:
        view: The project as it is.
        after: The project with its new content.
        brief: What the author asked for.
        stages: All stages there are.
    """

    view: ProjectView
    after: ProjectView
    brief: Brief
    stages: tuple[AgentType, ...]

    def of(self, edit: Edit, before: int) -> Known:
        """What is known of every chapter's files and of the two plans.

        Chapters that keep their number are named too: their requests told another number of
        chapters, or another text before them, so no recorded reply makes them any more.

        Args:
            edit: The edit.
            before: How many chapters there were.
        """
        known = self._of_plans()
        for agent in self._by_chapter:
            for number in range(1, max(before, len(edit.slots)) + 1):
                name = agent.unit(number).output
                slot = edit.slots[number - 1] if number <= len(edit.slots) else None
                made = None if slot is None else self._of_chapter(agent, number, slot, edit)
                if made is not None or name in self.view.manifest.files:
                    known[name] = made
        return known

    @property
    def _by_chapter(self) -> tuple[AgentType, ...]:
        return tuple(agent for agent in self.stages if agent.per_chapter())

    def _of_plans(self) -> Known:
        """What is known of outline and scenes; one that the author edited stays his."""
        known: Known = {}
        for agent in self.stages:
            name, unit = agent.writes, agent.unit()
            sha, made = self.after.sha(name), self.view.manifest.files.get(name)
            if name not in PLANS or sha is None or made is None:
                continue
            state = self.view.state(name, input_hashes(agent, unit, self.brief, self.view))
            if state.kind in ("fresh", "stale"):
                present = input_hashes(agent, unit, self.brief, self.after)
                inputs = renewed(made, state.changed, present, str)
                known[name] = _content(sha, unit.step, inputs, (made,))
        return known

    def _of_chapter(
        self, agent: AgentType, number: int, slot: Slot, edit: Edit
    ) -> Mapping[str, Any] | None:
        """What is known of one stage's file of a chapter."""
        if not slot.sources:
            return None
        if agent.writes in slot.texts:
            return self._of_text(agent, number, slot)
        if not slot.follows:
            return None
        source, unit = slot.sources[0], agent.unit(number)
        old = agent.unit(source).output
        made = self.view.manifest.files.get(old)
        if made is None:
            return None
        inputs: Hashes = carried(made.inputs, self._by_chapter, number - source)
        if edit.same_story:
            inputs = self._renewed(agent, number, (source,))
        elif self.brief.drafting == "redblack" and (number - source) % 2:
            inputs = self._in_other_wave(agent, number, inputs)
        return {"from": old, "step": unit.step, "in": inputs}

    def _in_other_wave(self, agent: AgentType, number: int, inputs: Hashes) -> Hashes:
        """The inputs of a chapter's file that now belongs to the other of two waves.

        It could be made from other chapters than it was. That alone is no change of the story: it
        is stale only if what it was made from has changed.
        """
        present = input_hashes(agent, agent.unit(number), self.brief, self.after)
        patterns = [one.writes for one in self._by_chapter]

        def by_chapter(name: str) -> bool:
            return any(number_in(name, pattern) is not None for pattern in patterns)

        kept = {
            name: sha
            for name, sha in inputs.items()
            if name in present or not by_chapter(name) or self.after.sha(name) != sha
        }
        return {name: sha for name, sha in present.items() if by_chapter(name)} | kept

    def _of_text(self, agent: AgentType, number: int, slot: Slot) -> Mapping[str, Any] | None:
        """What is known of a new text; it is the author's where a part of it was his."""
        names = [agent.unit(source).output for source in slot.sources]
        if any(self.view.state(name, {}).kind not in ("fresh", "stale") for name in names):
            return None
        unit = agent.unit(number)
        made = tuple(self.view.manifest.files[name] for name in names)
        sha = self.after.sha(unit.output)
        return _content(sha, unit.step, self._renewed(agent, number, slot.sources), made)

    def _renewed(self, agent: AgentType, number: int, sources: tuple[int, ...]) -> Hashes:
        """The inputs of a chapter's file where the story is the same."""
        inputs: Hashes = input_hashes(agent, agent.unit(number), self.brief, self.after)
        for source in sources:
            old = agent.unit(source)
            present = input_hashes(agent, old, self.brief, self.view)
            changed = self.view.state(old.output, present).changed
            rename = renaming(self._by_chapter, number - source)
            inputs = renewed(self.view.manifest.files[old.output], changed, inputs, rename)
        return inputs


def _content(
    sha: str | None, step: str, inputs: Hashes, made: tuple[FileRecord, ...]
) -> Mapping[str, Any]:
    """A new content of the program's own, made of texts that it knows."""
    keys = [key for one in made for key in one.keys]
    return {"sha": sha, "step": step, "in": inputs, "params": made[0].params, "k": keys}
