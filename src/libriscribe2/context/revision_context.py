"""What a finished chapter is revised from: no more than it was written from."""

from collections.abc import Mapping
from typing import Final

from libriscribe2.checks.gates.gate import GateContext
from libriscribe2.context.knowledge_parts import knowledge_blocks
from libriscribe2.context.people_and_facts import facts_part, people_of, places_part, state_part
from libriscribe2.context.prompt_context import PromptContext
from libriscribe2.context.story_so_far import story_part
from libriscribe2.models.citations import facts
from libriscribe2.models.excerpts import book_lines, cards, chapter_block, rule_lines, to_json
from libriscribe2.models.story import ScenePlan
from libriscribe2.prose import lines_within, shorten

COMPARED: Final = 8
"""How many chapters the gates compare a text with: so many the reference ranges of the metrics stand for."""

# Characters of each block (`prose.weigh`).
CONCEPT_BUDGET: Final = 600
CHAPTER_BUDGET: Final = 3_000
CAST_BUDGET: Final = 2_400
RULES_BUDGET: Final = 2_000
PLACES_BUDGET: Final = 1_600
FACTS_BUDGET: Final = 800
STATE_BUDGET: Final = 1_400
STORY_BUDGET: Final = 1_800

_CARD: Final = ("name", "role", "personality", "motivation")


def gate_context(state: PromptContext, words: int) -> GateContext:
    """What the gates examine a model's draft beside: its plan, and the chapters nearest to it.

    Args:
        state: What the chapter was written from.
        words: Its wanted length.
    """
    nearest = sorted(state.texts, key=lambda n: (abs(n - state.number), n))[:COMPARED]
    before, after = state.order.before(state.number), state.order.after(state.number)
    world = state.world
    named = () if world is None else (*world.places, *world.terms)
    return GateContext(
        number=state.number,
        outline=state.chapter,
        scenes=state.scenes,
        before=state.texts.get(before or 0, ""),
        after=state.texts.get(after or 0, ""),
        earlier=tuple(state.texts[n] for n in sorted(nearest)),
        people=tuple(person.name for person in state.cast),
        others=tuple(entry.name for entry in named),
        words=words,
        language=state.brief.language,
        kind=state.brief.kind,
        notes=() if state.brief.kind == "fiction" else tuple(facts(state.notes)),
        sources={one.id: one.called for one in state.sources},
        drafted=True,
    )


def shown_for_revision(state: PromptContext) -> Mapping[str, str]:
    """The blocks that requests about the whole chapter show, by name, the most important first."""
    whole = _as_one(state)
    chapter = chapter_block(state.chapter, state.number, state.chapters)
    rules = rule_lines(state.world) if state.world is not None else []
    return {
        "book": book_lines(state.brief),
        "concept": _concept(state),
        **knowledge_blocks(state.known),
        "chapter": shorten(chapter, CHAPTER_BUDGET),
        "characters": cards(people_of(whole, state), _CARD, CAST_BUDGET),
        "facts": facts_part(whole, state, FACTS_BUDGET).text,
        "state": state_part(whole, state, STATE_BUDGET).text,
        "rules": "\n".join(lines_within(rules, RULES_BUDGET)),
        "places": places_part(whole, state, PLACES_BUDGET).text,
        "story_so_far": story_part(state, STORY_BUDGET).text,
    }


def _concept(state: PromptContext) -> str:
    """The idea in short."""
    fields = state.concept.model_dump()
    return to_json({name: shorten(text, CONCEPT_BUDGET) for name, text in fields.items()})


def _as_one(state: PromptContext) -> ScenePlan:
    """The plans of the chapter's scenes as one, for what concerns any of them."""
    people = (name for scene in state.scenes for name in scene.characters)
    return ScenePlan(
        summary=" ".join(scene.summary for scene in state.scenes) or state.chapter.summary,
        characters=list(dict.fromkeys(people)),
        place=", ".join(dict.fromkeys(scene.place for scene in state.scenes if scene.place)),
    )
