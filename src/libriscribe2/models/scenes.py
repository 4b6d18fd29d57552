"""Scene plans: `scenes.json`."""

from pydantic import Field, model_validator

from libriscribe2.models.base import Shape, Text, TextList
from libriscribe2.models.moves import TargetWords


class ScenePlan(Shape):
    """A scene (or a section of non-fiction) before it is written."""

    summary: Text = Field(description="What happens, from first to last moment")
    goal: str = Field("", description="What the viewpoint wants here; the section's question")
    conflict: str = Field("", description="What stands against it; the difficulty to explain")
    turn: str = Field("", description="The moment after which nothing goes as it was meant to")
    outcome: str = Field("", description="What is different at the end; the section's answer")
    characters: TextList = Field(default_factory=list, description="Who is present, by name")
    place: str = Field("", description="Where it happens, by name")
    time: str = Field("", description="When it happens, such as `day 3, evening`")
    mode: str = Field("", description="How it is told: dialogue, action, summary, example ...")
    reveals: TextList = Field(
        default_factory=list, description="What the reader learns here and nowhere before"
    )
    withholds: TextList = Field(
        default_factory=list, description="What is known to somebody and not told yet"
    )
    entry_state: str = Field("", description="Where everybody is, and how, as it begins")
    exit_state: str = Field("", description="The same as it ends")
    transition_in: str = Field("", description="How it follows from what came before")
    transition_out: str = Field("", description="What leads on to what comes next")
    target_words: TargetWords = Field(0, description="Its length in words; 0 for an even share")


class ChapterScenes(Shape):
    """The scenes of one chapter, as a model plans them."""

    scenes: list[ScenePlan] = Field(min_length=1, description="The chapter's scenes in order")


class PlannedChapter(ChapterScenes):
    """The scenes of one chapter, as the file keeps them."""

    chapter: int = Field(ge=1, description="Chapter number, from 1")
    title: str = ""
    scenes: list[ScenePlan] = Field(description="None while the chapter waits for its plan")


class ScenesFile(Shape):
    """`scenes.json`: every chapter's scenes, in order."""

    chapters: list[PlannedChapter] = Field(min_length=1)

    @model_validator(mode="after")
    def _numbered(self) -> "ScenesFile":
        numbers = [chapter.chapter for chapter in self.chapters]
        if numbers != list(range(1, len(numbers) + 1)):
            raise ValueError(f"chapters are numbered {numbers}, not 1 to {len(numbers)}")
        return self
