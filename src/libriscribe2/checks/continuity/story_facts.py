"""What the rules over a story look at, and what they share."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from libriscribe2.checks.rules import Rules
from libriscribe2.checks.text import ChapterText
from libriscribe2.models.findings import Finding, Place, Severity
from libriscribe2.models.story_bible import HARD_STANCES, Attribute, Fact, Thread, ThreadHit
from libriscribe2.project.paths import WORLD, chapter_file

_UNSURE: Final = frozenset({Attribute.COUNT, Attribute.INJURY})
"""Kinds of facts that may well have changed since the book before: a reader has to judge."""


@dataclass(frozen=True)
class Story:
    """What a book and the books before it state.

    Attributes:
        facts: The facts that hold in the story's world, in the order of the text: of the books
            before (chapter 0), the rules of the world, and the text.
        chapters: The written chapters.
        people: The full names of the cast.
        others: Names of places and terms.
        threads: What the plan owes its reader.
        hits: What each chapter that was read does with the threads.
        planned: How many chapters the book is to have.
        english: Whether rules that need English words may be used.
    """

    facts: Sequence[Fact]
    chapters: Sequence[ChapterText] = ()
    people: Sequence[str] = ()
    others: Sequence[str] = ()
    threads: Sequence[Thread] = ()
    hits: Mapping[int, Sequence[ThreadHit]] = field(default_factory=dict)
    planned: int = 0
    english: bool = True


CONTINUITY_RULES: Final[Rules[Story]] = Rules(__package__ or "")
"""The rules over stories; in a rule's fix, `{here}` and `{there}` are places as `file:line`."""


def findings_in(story: Story) -> list[Finding]:
    """What every rule finds in a story."""
    return [one for rule in CONTINUITY_RULES.all().values() for one in rule.findings(story)]


def contradiction(later: Fact, earlier: Fact, why: str, severity: Severity = "error") -> Finding:
    """Two statements that cannot both hold; the text of the later one is to be mended."""
    if (later.origin or earlier.origin) and later.attribute in _UNSURE:
        severity = "warning"
    return Finding(severity, place_of(later), why, other=place_of(earlier))


def place_of(fact: Fact) -> Place:
    """Where a fact stands; a rule of the world stands in the plan and has no quote."""
    file = (fact.origin or chapter_file(fact.chapter)) if fact.quote else WORLD
    return Place(
        file, fact.chapter, fact.scene, fact.line, fact.quote or fact.value, entity=fact.entity
    )


def hard(facts: Iterable[Fact]) -> list[Fact]:
    """The facts that hold in the story's world, in the order of the text."""
    firm = (fact for fact in facts if fact.stance in HARD_STANCES)
    return sorted(firm, key=lambda fact: fact.place)


def is_after(later: Fact, earlier: Fact) -> bool:
    """Whether one fact holds after the other in the story.

    By the story's own clock where both tell the day, else by the order of the text.
    """
    this, that = later.time.day, earlier.time.day
    if this is not None and that is not None and this != that:
        return this > that
    return later.place > earlier.place


def of_kind(facts: Iterable[Fact], attribute: Attribute) -> list[Fact]:
    """The facts of one kind."""
    return [fact for fact in facts if fact.attribute is attribute]


def by_entity(facts: Iterable[Fact], attribute: Attribute) -> dict[str, list[Fact]]:
    """The facts of one kind by whom or what they are about, in their order."""
    grouped: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in of_kind(facts, attribute):
        grouped[fact.entity].append(fact)
    return dict(grouped)
