"""What each scene of a finished book was written from, as its journal and its dumps keep it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Final

from pydantic import BaseModel
from tests.support.context_changes import Change, states
from tests.support.context_laws import Finding, RecordedScene, Source, findings, named_in, one_line

from libriscribe2.checks.continuity.fact_values import canonical_facts
from libriscribe2.checks.continuity.ledger import with_ends, world_at
from libriscribe2.checks.text import words
from libriscribe2.commands.calls import all_calls
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.context.prompt_parts import ContextManifest
from libriscribe2.context.scene_origin import chapter_origin
from libriscribe2.context.story_so_far import SCENE_BREAK
from libriscribe2.models.story import ConceptFile, OutlineFile, ScenePlan, ScenesFile, WorldFile
from libriscribe2.models.story_bible import Attribute, EndedFact, Fact, StoryBibleFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import (
    CONCEPT,
    OUTLINE,
    SCENES,
    WORLD,
    ProjectPaths,
    chapter_file,
    story_bible_file,
    summary_file,
)

FUTURE: Final = frozenset({"arc"})
"""What a card does not need: how a person will have changed at the end."""

LATEST_COUNTS: Final = frozenset(
    {Attribute.LOCATION, Attribute.AGE, Attribute.JOB, Attribute.RANK, Attribute.ALIVE}
)
"""Statements that end where a later one about the same begins."""

OF_PEOPLE: Final = frozenset(
    {Attribute.AGE, Attribute.EYES, Attribute.HAIR, Attribute.BIRTHDAY, Attribute.KIN}
    | {Attribute.KNOWS, Attribute.LEARNS, Attribute.PROMISE, Attribute.JOB, Attribute.ALIVE}
)
"""Statements that only people are the subject of."""

TRUSTED: Final = frozenset({"asserted", "remembered"})
"""Statements that the book stands behind. Deeds are none: the story so far tells of them."""

BETWEEN: Final = {"transition_in", "transition_out"}
"""What joins a scene to others, and does not happen in it."""

_ARTICLES: Final = frozenset({"the", "a", "an"})


@dataclass(frozen=True)
class RecordedBook:
    """A finished book with its dumps.

    Attributes:
        paths: Where it lies.
        changes: What changes in it, where somebody has made the list.
    """

    paths: ProjectPaths
    changes: tuple[Change, ...] = ()

    @cached_property
    def book(self) -> Book:
        """Its files."""
        return Book(look_at(self.paths))

    @cached_property
    def scenes(self) -> tuple[RecordedScene, ...]:
        """Its scenes in order."""
        return tuple(chain.from_iterable(map(self._of_chapter, range(1, self.book.chapters() + 1))))

    def findings(self) -> list[Finding]:
        """All that the contexts of its scenes break, scene by scene."""
        return [one for scene in self.scenes for one in findings(scene, self.listed)]

    @cached_property
    def listed(self) -> tuple[Change, ...]:
        """Its changes; in a chapter that was asked for at once, all are those of its one context."""
        once = Counter(scene.chapter for scene in self.scenes)
        return tuple(
            one.with_one_scene_in({n for n in once if once[n] == 1}) for one in self.changes
        )

    def _of_chapter(self, number: int) -> Iterator[RecordedScene]:
        origin = chapter_origin(look_at(self.paths), number)
        finished = _scenes_of(self.book.text(chapter_file(number)))
        drafts: list[str] = []
        for manifest in origin.scenes:
            prompt, reply = self._calls[manifest.key]
            text = finished[manifest.scene - 1] if len(finished) == len(origin.scenes) else reply
            if len(origin.scenes) == 1:
                text = SCENE_BREAK.join(finished)
            yield self._scene(manifest, prompt, text, drafts)
            drafts.append(reply)

    @cached_property
    def _calls(self) -> Mapping[str, tuple[str, str]]:
        """The messages and the reply of every request, by its key."""
        dumps = [call.dump for call in all_calls(self.paths)]
        return {
            one.key: ("\n\n".join(str(turn.content) for turn in one.prompt), str(one.clean))
            for one in dumps
        }

    def _scene(
        self, manifest: ContextManifest, prompt: str, text: str, drafts: Sequence[str]
    ) -> RecordedScene:
        chapter, plans = manifest.chapter, self._plans(manifest)
        earlier = [self.book.text(chapter_file(n)) for n in range(1, chapter)]
        prose = [one_line(one) for own in (*earlier, *drafts) for one in own.split("\n")]
        return RecordedScene(
            chapter=chapter,
            number=manifest.scene,
            budget=manifest.budget,
            parts=manifest.parts,
            prompt=prompt,
            text=text,
            bears=tuple(self._bears(manifest, drafts)),
            sources=self._sources_at(chapter),
            lists=self._lists,
            prose=tuple(prose),
            values=frozenset(one_line(fact.value) for fact in self._facts),
            before=earlier[-1] if earlier and not drafts else "",
            people=self._people,
            present=tuple(dict.fromkeys(name for plan in plans for name in plan.characters)),
            brought_in=tuple(self._brought_in(chapter, " ".join(prose))),
        )

    def _brought_in(self, chapter: int, before: str) -> Iterator[str]:
        """Those whom the reading of a chapter names first, and whom no earlier text names."""
        canon = self._canon.get(chapter)
        new = [one.name for one in canon.new_people] if canon else []
        new += [fact.entity for fact in canon.facts if fact.attribute in OF_PEOPLE] if canon else []
        yield from (name for name in dict.fromkeys(new) if name not in before)

    @cached_property
    def _artifacts(self) -> Mapping[str, Any]:
        """The files of the plan, and what is recorded of the chapters, as JSON."""
        shapes: dict[str, type[BaseModel]] = {
            CONCEPT: ConceptFile,
            OUTLINE: OutlineFile,
            SCENES: ScenesFile,
            WORLD: WorldFile,
        }
        has = {name: shape for name, shape in shapes.items() if self.book.has(name)}
        read = {name: self.book.load(name, shape) for name, shape in has.items()}
        told: dict[str, Any] = {name: one.model_dump(mode="json") for name, one in read.items()}
        told["book.toml"] = read_brief(self.paths).model_dump(mode="json")
        told["cast"] = [one.model_dump(mode="json") for one in self.book.characters()]
        for number, summary in self._summaries.items():
            told[f"summary of chapter {number}"] = summary
        for number, canon in self._canon.items():
            without_quotes = {"facts": {"__all__": {"quote"}}, "events": {"__all__": {"quote"}}}
            told[f"canon of chapter {number}"] = canon.model_dump(
                mode="json", exclude={**without_quotes, "threads": True}
            )
        return told

    @cached_property
    def _sources(self) -> tuple[Source, ...]:
        """Every text of them."""
        listed = chain.from_iterable(_leaves(name, one) for name, one in self._artifacts.items())
        return tuple(one for one in listed if one.line)

    def _sources_at(self, chapter: int) -> tuple[Source, ...]:
        """The same, with the places as the chapters before leave them."""
        there = (
            _leaves(WORLD, self._world(chapter).model_dump(mode="json")) if self._has_world else ()
        )
        others = (one for one in self._sources if not one.label.startswith(WORLD))
        return (*others, *(one for one in there if one.line))

    @property
    def _has_world(self) -> bool:
        return self.book.has(WORLD)

    def _world(self, chapter: int) -> WorldFile:
        return world_at(self.book.load(WORLD, WorldFile), self._ends, chapter)

    @cached_property
    def _ends(self) -> Mapping[int, Sequence[EndedFact]]:
        return {number: one.ended for number, one in self._canon.items()}

    @cached_property
    def _lists(self) -> Mapping[str, Sequence[str]]:
        """Every list of texts in them."""
        listed = chain.from_iterable(_lists(name, one) for name, one in self._artifacts.items())
        return {label: [*map(one_line, items)] for label, items in listed}

    @cached_property
    def _summaries(self) -> Mapping[int, str]:
        numbers = range(1, self.book.chapters() + 1)
        found = {n: self.book.found(summary_file(n)) for n in numbers}
        return {n: text for n, text in found.items() if text is not None}

    @cached_property
    def _canon(self) -> Mapping[int, StoryBibleFile]:
        numbers = range(1, self.book.chapters() + 1)
        return {
            n: self.book.load(story_bible_file(n), StoryBibleFile)
            for n in numbers
            if self.book.has(story_bible_file(n))
        }

    @cached_property
    def _people(self) -> tuple[str, ...]:
        """Everybody whom the cast, the plan or a reader of the text knows as a person."""
        cast = [person.name for person in self.book.characters()]
        if not cast:
            return ()  # a book of facts
        plans = self.book.load(SCENES, ScenesFile).chapters
        planned = [n for chapter in plans for scene in chapter.scenes for n in scene.characters]
        seen = [one.name for canon in self._canon.values() for one in canon.exit.people]
        stated = [fact.entity for fact in self._facts if fact.attribute in OF_PEOPLE]
        known = dict.fromkeys([*cast, *planned, *seen, *stated])
        last = Counter(name.split()[-1] for name in known)
        listed = [one.who for one in self.changes if one.kind == "person" and one.who]
        # `Mr Rudd` is whoever else has that name.
        known |= dict.fromkeys(one for one in listed if last[one.split()[-1]] != 1)
        return tuple(dict.fromkeys(one for one in known if one[:1].isupper()))

    @cached_property
    def _facts(self) -> tuple[Fact, ...]:
        facts = [fact for n, one in self._canon.items() for fact in one.of_chapter(n)]
        cast = [person.name for person in self.book.characters()]
        return tuple(with_ends(canonical_facts(facts, cast), self._ends))

    def _plans(self, manifest: ContextManifest) -> Sequence[ScenePlan]:
        """The plan of a scene, or those of all scenes of a chapter that was asked for at once."""
        planned = self.book.load(SCENES, ScenesFile).chapters[manifest.chapter - 1].scenes
        is_whole = len(chapter_origin(look_at(self.paths), manifest.chapter).scenes) == 1
        return planned if is_whole else [planned[manifest.scene - 1]]

    def _bears(self, manifest: ContextManifest, drafts: Sequence[str]) -> Iterator[Source]:
        """What bears on a scene, the most important first."""
        chapter = manifest.chapter
        plans = self._plans(manifest)
        outline = self.book.load(OUTLINE, OutlineFile)
        for label, one in (
            *(("scene", plan) for plan in plans),
            ("chapter", outline.chapters[chapter - 1]),
        ):
            fields = _leaves("", one.model_dump(mode="json"))
            yield from (Source(f"plan of the {label}", two.text, two.label) for two in fields)
        for number, draft in reversed([*enumerate(drafts, start=1)]):
            lines = [*enumerate(filter(None, draft.split("\n")), start=1)]
            label = f"scene {number} of the chapter, lines"
            yield from (Source(label, one, str(at)) for at, one in reversed(lines))
        told = _Told(plans)
        yield from self._named(told, chapter)
        for thread in outline.threads:
            yield Source(f"thread {thread.id}", thread.promise)
        for number in range(chapter - 1, 0, -1):
            if number in self._summaries:
                yield Source(f"summary of chapter {number}", self._summaries[number])
        yield from self._notes(told)
        yield from self._stated(told, chapter, manifest.scene)

    def _named(self, told: "_Told", chapter: int) -> Iterator[Source]:
        """The people and places of a plan, and the rules of the world."""
        people = named_in(told.text, self._people)
        for person in self.book.characters():
            if person.name in people:
                fields = person.model_dump(mode="json").items()
                yield from (
                    Source(f"card of {person.name}", str(one), name)
                    for name, one in fields
                    if one and name not in FUTURE
                )
        places = self._world(chapter).places if self._has_world else self.book.places()
        for entry in (*places, *self.book.terms()):
            if told.names(entry.name):
                yield Source(f"what is said of {entry.name}", entry.description)
        rules = self.book.load(WORLD, WorldFile).rules if self.book.has(WORLD) else []
        yield from _leaves("rule", rules)

    def _notes(self, told: "_Told") -> Iterator[Source]:
        """The notes of the research whose ids a plan names."""
        for note in self.book.notes():
            if note.id in told.text:
                yield Source(f"note {note.id}", note.claim)

    def _stated(self, told: "_Told", chapter: int, scene: int) -> Iterator[Source]:
        """What the chapters before state of whom and what a plan names, and what still holds."""
        people = named_in(told.text, self._people)
        held: dict[object, Fact] = {}
        for fact in self._facts:
            named = fact.entity in people or told.names(fact.entity)
            lasts = fact.stance in TRUSTED and fact.attribute is not Attribute.ACTS
            lasts = lasts and not self._is_told_by_exit(fact, chapter)
            if named and lasts and fact.chapter < chapter and not 0 < fact.until < chapter:
                single = fact.attribute in LATEST_COUNTS
                held[fact.entity, fact.attribute, "" if single else fact.value] = fact
        gone = [one for one in self.changes if one.place < (chapter, scene)]
        for fact in reversed(held.values()):
            said = f"{fact.entity}: {fact.value}"
            if not any(states(said, one.old) and not states(said, one.new) for one in gone):
                label = f"chapter {fact.chapter}, {fact.entity}, {fact.attribute}: {fact.value}"
                yield Source(label, fact.value, quote=fact.quote)

    def _is_told_by_exit(self, fact: Fact, chapter: int) -> bool:
        """Whether a chapter tells at its end where somebody is, as late as a statement does."""
        ends = (one.exit.people for n, one in self._canon.items() if fact.chapter <= n < chapter)
        left = {one.name for people in ends for one in people if one.place}
        return fact.attribute is Attribute.LOCATION and fact.entity in left


def _scenes_of(text: str) -> list[str]:
    """The scenes of a finished chapter, without its title."""
    return text.partition("\n")[2].split(SCENE_BREAK)


class _Told:
    """All that happens by some plans, as one text.

    Args:
        plans: The plans.
    """

    def __init__(self, plans: Sequence[ScenePlan]) -> None:
        told = [one.model_dump(mode="json", exclude=BETWEEN) for one in plans]
        self.text = " ".join(one.text for plan in told for one in _leaves("", plan))
        self._words = f" {' '.join(words(self.text))} "

    def names(self, name: str) -> bool:
        """Whether it has a name, with or without its article."""
        own = [word for word in words(name) if word not in _ARTICLES]
        return bool(own) and f" {' '.join(own)} " in self._words


def _leaves(label: str, value: Any) -> Iterator[Source]:
    """Every text of a value, with where it stands."""
    for name, one in _inside(value):
        yield from _leaves(f"{label} {name}".strip() if label else name, one)
    if isinstance(value, str) and value:
        yield Source(label, value)


def _lists(label: str, value: Any) -> Iterator[tuple[str, list[str]]]:
    """Every list of texts in a value."""
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        yield label, value
    for name, one in _inside(value):
        yield from _lists(f"{label} {name}", one)


def _inside(value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [(str(name), one) for name, one in value.items()]
    if isinstance(value, list):
        return [(_name_of(one, at), one) for at, one in enumerate(value, start=1)]
    return ()


def _name_of(one: Any, at: int) -> str:
    """What an item of a list is called: by its name where it has one."""
    return str(one["name"]) if isinstance(one, Mapping) and one.get("name") else str(at)
