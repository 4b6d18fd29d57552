"""What another order of the chapters means for the files of a book.

Files of chapters whose text stays keep every byte; only their names change, and the journal is told
so, so that they are known as the program's own and are as fresh as they were. What an edit costs:

- `rename` and `merge` cost nothing: the story is the same, and two summaries are joined, as are
  the facts of two chapters.
- `split` costs a summary and the facts of each part. The chapters after it remember the new
  summaries, and are reported as stale once they are there.
- `insert` costs the new chapter: its plan, its text, its summary, its facts.
- `move`, `insert` and `delete` change what came before other chapters. Those that follow another
  chapter than before, or remembered one that is gone or new, are reported as stale; they are kept
  until `resume --refresh`.

A request shows the chapter's number and how many there are, and its step carries the number. After
an edit that changes either, the replies of chapters that are already written are no longer found by
their requests: the texts stay, but a chapter whose file is deleted then is asked for anew, and so
is one of which only some scenes had been written. Moving a chapter back finds its replies again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from libriscribe2.agents.agent_base import Unit
from libriscribe2.editing.splitting import raw_text
from libriscribe2.editing.structure import Edit, Slot, outline_text, scenes_text
from libriscribe2.editing.versions import check_in_place
from libriscribe2.engine.stages import PLANS, AgentType, input_hashes
from libriscribe2.errors import ProjectError
from libriscribe2.models.brief import Brief
from libriscribe2.project import records
from libriscribe2.project.artifacts import Book
from libriscribe2.project.manifest import FileRecord
from libriscribe2.project.paths import OUTLINE, SCENES, note_on, noted_place, number_in
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.structure_change import Change, ChangedView, Replacement, digest
from libriscribe2.project.texts import content_sha


@dataclass(frozen=True)
class Planner:
    """Works out what an edit does to a project; writes nothing.

    Attributes:
        view: The project as it is.
        brief: What the author asked for.
        stages: All stages there are, whether this book has them or not.
        before: How many chapters the book has.
    """

    view: ProjectView
    brief: Brief
    stages: tuple[AgentType, ...]
    before: int

    def plan(self, edit: Edit) -> Change:
        """The change of files that an edit comes to.

        Raises:
            ProjectError: A file is in the way, cannot be read, or was left unfinished by a crash.
        """
        self._check_names_are_free(len(edit.slots))
        self._check_newest_in_place(edit)
        files = self._replacements(edit.slots)
        change_id = uuid4().hex
        bare = records.reshaped(change_id, files={}, steps={})
        after = ChangedView(self.view, Change(change_id, edit.what, files, bare))
        record = records.reshaped(
            change_id,
            files=FileFactsAfter(self.view, after, self.brief, self.stages).of(edit, self.before),
            steps=step_moves(_by_chapter(self.stages), self._moves(edit.slots)),
            asked=self._asked(edit.slots),
        )
        return Change(change_id, edit.what, files, record)

    def _check_names_are_free(self, chapters: int) -> None:
        """Refuse to write over a file that belongs to no chapter."""
        for agent in _by_chapter(self.stages):
            for name in self.view.names(agent.writes):
                number = number_in(name, agent.writes)
                if number is not None and self.before < number <= chapters:
                    raise ProjectError(
                        f"{name} is in the way",
                        why=f"{OUTLINE} has {self.before} chapters, so it belongs to none",
                        fix="Move it out of the project, or give it a chapter in the outline.",
                    )

    def _check_newest_in_place(self, edit: Edit) -> None:
        """Refuse to work on a file whose newest content a crash kept from its place."""
        rewritten = [
            agent.unit(number).output
            for agent in _by_chapter(self.stages)
            for slot in edit.slots
            for number in slot.sources
            if agent.writes in slot.texts
        ]
        for name in (*PLANS, *rewritten):
            check_in_place(self.view, name, self.view.state(name, {}).kind)

    def _replacements(self, slots: Sequence[Slot]) -> tuple[Replacement, ...]:
        """The new content of every file that gets one."""
        texts = self._plans(slots)
        for agent in _by_chapter(self.stages):
            for number in range(1, max(self.before, len(slots)) + 1):
                slot = slots[number - 1] if number <= len(slots) else None
                texts[agent.unit(number).output] = None if slot is None else self._text(agent, slot)
        texts |= self._notes(slots)
        contents = ((name, self.view.read_bytes(name), text) for name, text in texts.items())
        return tuple(
            Replacement(name, digest(present), text)
            for name, present, text in contents
            if present != (None if text is None else text.encode("utf-8"))
        )

    def _plans(self, slots: Sequence[Slot]) -> dict[str, str | None]:
        """The plans that say something else than they do; another layout alone is no change."""
        texts = {OUTLINE: outline_text(self.view, slots)}
        if self.view.exists(SCENES):
            texts[SCENES] = scenes_text(self.view, slots)
        return {
            name: text
            for name, text in texts.items()
            if content_sha(name, text.encode("utf-8")) != self.view.sha(name)
        }

    def _text(self, agent: AgentType, slot: Slot) -> str | None:
        """What a chapter's file of one stage is going to hold."""
        if agent.writes in slot.texts:
            return slot.texts[agent.writes]
        if not slot.keeps_files or not slot.sources:
            return None
        return raw_text(self.view, agent.unit(slot.sources[0]).output)

    def _notes(self, slots: Sequence[Slot]) -> dict[str, str | None]:
        """The author's notes on chapters and scenes, each with the chapter that it is about.

        Where a chapter is divided or joined, its scenes have other numbers: what is said of them is
        then said of the chapter.
        """
        told = Book(self.view).author_notes()  # an error of its own says where one is no text
        about = {name: place for name in told if (place := noted_place(name)) is not None}
        texts: dict[str, str | None] = dict.fromkeys(about)
        for number, slot in enumerate(slots, start=1):
            whole = slot.keeps_files and len(slot.sources) == 1
            said: dict[str, list[str]] = {}
            for name, (chapter, scene) in about.items():
                if chapter in slot.sources:
                    new = note_on(number, scene if whole else None)
                    said.setdefault(new, []).append((self.view.read_bytes(name) or b"").decode())
            texts |= {name: "\n\n".join(parts) for name, parts in said.items()}
        return texts

    def _moves(self, slots: Sequence[Slot]) -> dict[int, int | None]:
        """The new number of every chapter; None for one that goes, or is now part of another."""
        moves: dict[int, int | None] = dict.fromkeys(range(1, self.before + 1))
        for number, slot in enumerate(slots, start=1):
            for source in slot.sources[:1]:
                moves[source] = number if moves[source] is None else moves[source]
        return moves

    def _asked(self, slots: Sequence[Slot]) -> tuple[str, ...]:
        """The step that plans scenes, where a new chapter has none."""
        if all(slot.sources or slot.plan is None or slot.scenes for slot in slots):
            return ()
        return tuple(agent.unit().step for agent in self.stages if agent.writes == SCENES)


Hashes = Mapping[str, str | None]

FileFacts = dict[str, Mapping[str, Any] | None]
"""`files` of the journal's record, see `records.reshaped`."""


@dataclass(frozen=True)
class FileFactsAfter:
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

    def of(self, edit: Edit, before: int) -> FileFacts:
        """What is known of every chapter's files and of the two plans.

        Chapters that keep their number are named too: their requests told another number of
        chapters, or another text before them, so no recorded reply makes them any more.

        Args:
            edit: The edit.
            before: How many chapters there were.
        """
        files = self._of_plans()
        for agent in _by_chapter(self.stages):
            for number in range(1, max(before, len(edit.slots)) + 1):
                name = agent.unit(number).output
                slot = edit.slots[number - 1] if number <= len(edit.slots) else None
                made = None if slot is None else self._of_chapter(agent, number, slot, edit)
                if made is not None or name in self.view.manifest.files:
                    files[name] = made
        return files

    def _of_plans(self) -> FileFacts:
        """What is known of outline and scenes; one that the author edited stays his."""
        files: FileFacts = {}
        for agent in self.stages:
            name, unit = agent.writes, agent.unit()
            sha, made = self.after.sha(name), self.view.manifest.files.get(name)
            if name not in PLANS or sha is None or made is None:
                continue
            state = self.view.state(name, input_hashes(agent, unit, self.brief, self.view))
            if state.kind in ("fresh", "stale"):
                present = input_hashes(agent, unit, self.brief, self.after)
                inputs = renewed(made, state.changed, present, str)
                files[name] = _content(sha, unit.step, inputs, (made,))
        return files

    def _of_chapter(
        self, agent: AgentType, number: int, slot: Slot, edit: Edit
    ) -> Mapping[str, Any] | None:
        """What is known of one stage's file of a chapter."""
        if not slot.sources:
            return None
        if agent.writes in slot.texts:
            return self._of_text(agent, number, slot)
        if not slot.keeps_files:
            return None
        source, unit = slot.sources[0], agent.unit(number)
        old = agent.unit(source).output
        made = self.view.manifest.files.get(old)
        if made is None:
            return None
        inputs: Hashes = carried(made.inputs, _by_chapter(self.stages), number - source)
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
        patterns = [one.writes for one in _by_chapter(self.stages)]

        def by_chapter(name: str) -> bool:
            return any(number_in(name, pattern) is not None for pattern in patterns)

        unchanged = {
            name: sha
            for name, sha in inputs.items()
            if name in present or not by_chapter(name) or self.after.sha(name) != sha
        }
        return {name: sha for name, sha in present.items() if by_chapter(name)} | unchanged

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
            rename = renaming(_by_chapter(self.stages), number - source)
            inputs = renewed(self.view.manifest.files[old.output], changed, inputs, rename)
        return inputs


def _by_chapter(stages: Iterable[AgentType]) -> tuple[AgentType, ...]:
    """The stages that make a file per chapter."""
    return tuple(agent for agent in stages if agent.per_chapter())


def _content(
    sha: str | None, step: str, inputs: Hashes, made: tuple[FileRecord, ...]
) -> Mapping[str, Any]:
    """A new content of the program's own, made of texts that it knows."""
    keys = [key for one in made for key in one.keys]
    return {"sha": sha, "step": step, "in": inputs, "params": made[0].params, "k": keys}


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
        place = noted_place(name)
        if place is not None:
            return note_on(place[0] + shift, place[1])
        for pattern, agent in patterns.items():
            number = number_in(name, pattern, "-?[0-9]+")
            if number is not None:
                new = number + shift
                return agent.unit(new).output if new > 0 else pattern.replace("*", str(new))
        return name

    return rename


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
