"""A rich book of any length as the state of a pack: every sentence says where it stands."""

from dataclasses import replace
from functools import lru_cache
from typing import Final

from libriscribe2.context.prompt_context import PromptContext
from libriscribe2.context.scene_context import SceneContext, scene_context
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import Drafting, DraftOrder
from libriscribe2.models.story import (
    Character,
    ConceptModel,
    Entry,
    OutlineChapter,
    OutlineFile,
    ScenePlan,
    WorldFile,
)
from libriscribe2.models.story_bible import (
    Attribute,
    CharacterState,
    ExitState,
    Fact,
    StatedEvent,
    StoryTime,
    Thread,
    ThreadHit,
)
from libriscribe2.models.style import StyleFile, StylePassage, StyleRule

PEOPLE: Final = (
    *("Mara Voss", "Jon Ide", "Edda Krall", "Tomas Rill", "Nila Osei", "Per Lund"),
    *("Ruth Amsel", "Igor Dahl"),
)
PLACES: Final = ("The Lamp Room", "The Slip", "Krall House", "The Weir", "Lower Quay", "The Mill")
SCENES: Final = 3
FACTS: Final = 24


@lru_cache(maxsize=4096)
def told(mark: str, sentences: int) -> str:
    """So many sentences, each of which carries the mark."""
    return " ".join(
        f"In {mark} the keeper turned line {n} of the logbook over and said nothing of the tide."
        for n in range(1, sentences + 1)
    )


def cast() -> tuple[Character, ...]:
    return tuple(
        Character(
            name=name,
            role=f"keeper number {at} of the light",
            age=str(30 + at),
            appearance=f"{name} has a burnt sleeve and a coat that was somebody else's.",
            personality=f"{name} counts the stairs aloud and never finishes a meal in company.",
            motivation=f"{name} wants the logbook closed before the assessor comes back.",
            conflict=f"{name} signed the false entry and cannot say for whom it was done.",
        )
        for at, name in enumerate(PEOPLE, start=1)
    )


@lru_cache(maxsize=8)
def outline(chapters: int) -> OutlineFile:
    threads = [
        Thread(id=f"thread-{n}", promise=told(f"promise {n}", 1), setup=n, payoff=chapters - n + 1)
        for n in range(1, min(9, chapters // 2 + 1))
    ]
    return OutlineFile(
        summary=told("the whole book", 8),
        promises=[told(f"promise {n}", 1) for n in range(1, 5)],
        ending="Mara burns the logbook and keeps the one page that clears Jon.",
        threads=threads,
        chapters=[
            OutlineChapter(
                title=f"Part {n}",
                summary=told(f"the plan of part {n}", 7),
                pov=PEOPLE[n % 2],
                purpose=told(f"the purpose of part {n}", 1),
                beats=[told(f"beat {b} of part {n}", 1) for b in range(1, 5)],
                entry_state=told(f"the entry of part {n}", 2),
                exit_state=told(f"the exit of part {n}", 2),
                story_time=f"day {n}",
            )
            for n in range(1, chapters + 1)
        ],
    )


def scene(number: int, at: int) -> ScenePlan:
    """The plan of a scene; its people and its place go round."""
    return ScenePlan(
        summary=told(f"scene {at} of part {number}", 3),
        goal="Mara wants the key of the lamp room.",
        conflict="Jon has sworn to keep it.",
        turn=f"The key of part {number} is the wrong one.",
        outcome=f"Jon keeps the key in scene {at}.",
        characters=[PEOPLE[(number + at + n) % len(PEOPLE)] for n in range(3)],
        place=PLACES[(number + at) % len(PLACES)],
        time=f"day {number}, evening",
        exit_state=told(f"the end of scene {at} of part {number}", 1),
    )


@lru_cache(maxsize=512)
def chapter_text(number: int) -> str:
    """A finished chapter of some 1,800 words."""
    scenes = (
        "\n\n".join(told(f"paragraph {p} of part {number}", 6) for p in range(1, 7))
        for _ in range(SCENES)
    )
    return f"# Part {number}\n\n" + "\n\n* * *\n\n".join(scenes)


@lru_cache(maxsize=512)
def facts(number: int) -> tuple[Fact, ...]:
    """What a chapter states: of everybody where they are, what they have and know."""
    kinds = (Attribute.LOCATION, Attribute.POSSESSION, Attribute.KNOWS)
    return tuple(
        Fact(
            entity=PEOPLE[at % len(PEOPLE)],
            attribute=kinds[at // len(PEOPLE)],
            value=f"has: the paper of part {number} number {at}, folded twice and sealed",
            chapter=number,
            line=at + 1,
            quote=f"the paper of part {number}",
        )
        for at in range(FACTS)
    )


def state(number: int, chapters: int, mode: Drafting = "sequential") -> PromptContext:
    """All that chapter `number` of a rich book may be written from."""
    order = DraftOrder(mode, chapters)
    known, recorded = order.known(number), order.known(number)
    rules = [StyleRule(aspect="rhythm", rule=told(f"rule {n}", 1), quote="q") for n in range(8)]
    return PromptContext(
        brief=Brief(premise="A keeper finds a logbook.", title="The Log", words=chapters * 3000),
        concept=ConceptModel(
            title="The Log", logline=told("the logline", 2), description=told("the concept", 14)
        ),
        outline=outline(chapters),
        number=number,
        scenes=tuple(scene(number, at) for at in range(1, SCENES + 1)),
        order=order,
        cast=cast(),
        world=WorldFile(
            overview="A coast.",
            places=[Entry(name=name, description=told(name, 3)) for name in PLACES],
            rules=[told(f"law {n}", 2) for n in range(1, 6)],
        ),
        known={
            "style": StyleFile(
                passages=[StylePassage(text=told(f"sample {n}", 10)) for n in range(1, 4)],
                rules=rules,
            )
        },
        texts={n: chapter_text(n) for n in known},
        summaries={n: told(f"the summary of part {n}", 9) for n in known if n < number},
        facts=tuple(fact for n in recorded for fact in facts(n)),
        events={
            n: (
                StatedEvent(
                    what=told(f"the event of part {n}", 1), quote="q", time=StoryTime(day=n)
                ),
            )
            for n in recorded
        },
        exits={
            n: ExitState(
                people=[CharacterState(name=PEOPLE[0], place="The Weir", state=f"left by {n}")]
            )
            for n in recorded
        },
        hits={n: (ThreadHit(thread=f"thread-{n}", move="set up", quote="q"),) for n in recorded},
        habits=told("the habits", 10),
    )


def contexts(number: int, chapters: int, mode: Drafting = "sequential") -> list[SceneContext]:
    """The contexts of a chapter's scenes, each after the scenes before it are written."""
    one = state(number, chapters, mode)
    written = [
        "\n\n".join(told(f"draft {at} of part {number}", 6) for _ in range(6))
        for at in range(1, SCENES)
    ]
    return [scene_context(one, at, written[:at]) for at in range(SCENES)]


def shuffled(one: PromptContext) -> PromptContext:
    """The same knowledge, gathered in another order."""
    return replace(
        one,
        texts=dict(reversed(list(one.texts.items()))),
        summaries=dict(reversed(list(one.summaries.items()))),
        events=dict(reversed(list(one.events.items()))),
        exits=dict(reversed(list(one.exits.items()))),
        hits=dict(reversed(list(one.hits.items()))),
    )
