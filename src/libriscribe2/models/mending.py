"""Shapes of what an edited chapter changes, and of what later chapters are mended by."""

from pydantic import Field

from libriscribe2.models.base import Prose, Shape
from libriscribe2.models.reviews import MOST_PATCHES, Patch
from libriscribe2.models.story_bible import ExitState, StatedEvent, StatedFact, StatementChange


class ReadingChange(Shape):
    """What an edit changes in the reading of a chapter; nothing is an answer, too."""

    changes: list[StatementChange] = Field(
        default_factory=list,
        description="What is no longer so, or new, in the story; empty where only words changed",
    )
    gone: list[int] = Field(
        default_factory=list, description="Numbers of the statements that the text no longer makes"
    )
    facts: list[StatedFact] = Field(
        default_factory=list, description="Statements that only the new passages make"
    )
    events: list[StatedEvent] = Field(
        default_factory=list, description="What happens for good in the new passages only"
    )
    summary: Prose = Field("", description="The summary put right; empty where it still holds")
    exit: ExitState = Field(
        default_factory=ExitState,
        description="How the chapter leaves those present; empty where nothing changed in it",
    )


class Contradicting(Shape):
    """Which sentences contradict what is so now."""

    sentences: list[int] = Field(
        default_factory=list, description="Their numbers; an empty list where none does"
    )


class MendedPassages(Shape):
    """Changes by which a later chapter agrees with an edited one."""

    patches: list[Patch] = Field(
        default_factory=list,
        description="The changes; an empty list where nothing contradicts",
        json_schema_extra={"maxItems": MOST_PATCHES},
    )
    facts: list[StatedFact] = Field(
        default_factory=list, description="Noted statements as the new words make them"
    )
    summary: Prose = Field("", description="The summary put right; empty where it still holds")
