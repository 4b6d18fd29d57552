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

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from libriscribe2.editing.structure import Edit, Slot, outline_text, scenes_text
from libriscribe2.editing.structure_known import Knowledge
from libriscribe2.engine.stages import AgentType
from libriscribe2.engine.structure_entry import PLANS
from libriscribe2.engine.structure_inputs import number_in, step_moves
from libriscribe2.errors import ProjectError
from libriscribe2.models.brief import Brief
from libriscribe2.project import records
from libriscribe2.project.hashing import content_sha
from libriscribe2.project.paths import OUTLINE, SCENES
from libriscribe2.project.structure_change import Change, Replacement, digest
from libriscribe2.project.structure_view import ChangedView
from libriscribe2.project.user_text import decode_text
from libriscribe2.project.view import ProjectView


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
            files=Knowledge(self.view, after, self.brief, self.stages).of(edit, self.before),
            steps=step_moves(self._by_chapter, self._moves(edit.slots)),
            asked=self._asked(edit.slots),
        )
        return Change(change_id, edit.what, files, record)

    @property
    def _by_chapter(self) -> tuple[AgentType, ...]:
        """The stages that make a file per chapter."""
        return tuple(agent for agent in self.stages if agent.per_chapter())

    def _check_names_are_free(self, chapters: int) -> None:
        """Refuse to write over a file that belongs to no chapter."""
        for agent in self._by_chapter:
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
            for agent in self._by_chapter
            for slot in edit.slots
            for number in slot.sources
            if agent.writes in slot.texts
        ]
        for name in (*PLANS, *rewritten):
            if self.view.state(name, {}).kind == "old":
                raise ProjectError(
                    f"{name} is not up to date: a run ended before it was in place",
                    fix=f"Run `libriscribe2 resume {self.view.paths.called}` first.",
                )

    def _replacements(self, slots: Sequence[Slot]) -> tuple[Replacement, ...]:
        """The new content of every file that gets one."""
        texts = self._plans(slots)
        for agent in self._by_chapter:
            for number in range(1, max(self.before, len(slots)) + 1):
                slot = slots[number - 1] if number <= len(slots) else None
                texts[agent.unit(number).output] = None if slot is None else self._text(agent, slot)
        found = ((name, self.view.read_bytes(name), text) for name, text in texts.items())
        return tuple(
            Replacement(name, digest(present), text)
            for name, present, text in found
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
        if not slot.follows or not slot.sources:
            return None
        name = agent.unit(slot.sources[0]).output
        data = self.view.read_bytes(name)
        if data is None:
            return None
        decode_text(name, data)  # an error of its own says where a file is no text
        return data.decode("utf-8")

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
