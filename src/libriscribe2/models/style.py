"""The style sheet of a book, and the voice of an author where there are samples: `style.json`."""

from collections.abc import Sequence
from operator import not_
from typing import Annotated, ClassVar, Final, Literal, get_args

from pydantic import Field

from libriscribe2.models.base import (
    Knowledge,
    Label,
    Name,
    Prose,
    Shape,
    Text,
    TextList,
    closed,
    many,
)
from libriscribe2.prose import shorten, weigh

MOST_RULES: Final = 12
MOST_HABITS: Final = 8
MOST_PASSAGES: Final = 3
PASSAGE_WORDS: Final = 180
"""Most words of a passage."""

MOST_VOICES: Final = 12
MOST_AVOIDED: Final = 8
SAMPLE_PARAGRAPHS: Final = 2
LINE_BUDGET: Final = 240
"""Most of a line of the sheet; the model that writes it is asked for less."""

AVOIDED_BUDGET: Final = 900
"""Most of the line of what the book avoids, which is a list."""

Aspect = Literal[
    "",
    "sentences",
    "paragraphs",
    "rhythm",
    "dialogue",
    "narration",
    "tense",
    "viewpoint",
    "diction",
    "imagery",
    "punctuation",
    "humour",
    "openings",
    "endings",
]
"""What a rule is about. The list holds form only: a rule about content is of no aspect."""

ASPECTS: Final[tuple[str, ...]] = get_args(Aspect)[1:]


class StyleNumbers(Shape):
    """How a text moves, counted by code.

    Attributes:
        words: How many words were counted.
        sentence_words: Mean words of a sentence.
        short_share: Share of sentences of at most five words.
        sentence_variation: Standard deviation of sentence lengths over their mean.
        paragraph_words: Mean words of a paragraph.
        paragraph_variation: Standard deviation of paragraph lengths over their mean.
        spoken_share: Share of the words that stand in quotation marks.
        vocabulary: Different words per word, over windows of 500.
    """

    words: int = Field(0, ge=0)
    sentence_words: float = Field(0.0, ge=0)
    short_share: float = Field(0.0, ge=0, le=1)
    sentence_variation: float = Field(0.0, ge=0)
    paragraph_words: float = Field(0.0, ge=0)
    paragraph_variation: float = Field(0.0, ge=0)
    spoken_share: float = Field(0.0, ge=0, le=1)
    vocabulary: float = Field(0.0, ge=0, le=1)


class StylePassage(Shape):
    """A passage of the author's own."""

    file: Label = Field("", description="The file that holds it")
    text: Text = Field(description="Its words")


class StyleRule(Shape):
    """One habit of an author, with words that show it."""

    aspect: Annotated[Aspect, closed(Aspect, "")] = Field(
        description="What of the form it is about"
    )
    rule: Text = Field(description="The habit as an instruction, in one sentence")
    quote: Text = Field(description="Words of the passages that show it, copied exactly")


class Habit(Shape):
    """One habit of an author who changed what was written, with words that show it."""

    aspect: Annotated[Aspect, closed(Aspect, "")] = Field(
        description="What of the form it is about"
    )
    rule: Text = Field(description="The habit as an instruction, in one sentence")
    before: Text = Field(description="Words of a passage as it was, copied exactly")
    after: Text = Field(description="Words of the same passage as it is now, copied exactly")


class Habits(Shape):
    """What the changes of an author show."""

    habits: list[Habit] = Field(
        description="The strongest first; an empty list where they show none",
        json_schema_extra={"maxItems": MOST_HABITS},
    )


class Voice(Shape):
    """How one person speaks."""

    name: Name = Field(description="The person's name as given")
    voice: Text = Field(description="What tells their speech from the others', in at most 20 words")


class StyleSheet(Shape):
    """How a book is written: what every scene has in common with every other."""

    person: Prose = Field(
        "", description="First, second or third person, and who narrates; at most 20 words"
    )
    tense: Prose = Field("", description="The tense of the narration, at most 10 words")
    distance: Prose = Field(
        "", description="How near to the viewpoint, and whose thoughts; at most 25 words"
    )
    spelling: Prose = Field("", description="Spelling and numbers; at most 15 words")
    diction: Prose = Field("", description="Register: which words it uses; at most 25 words")
    speech: Prose = Field("", description="How speech is punctuated and tagged; at most 20 words")
    avoids: TextList = many("What this book never does, at most 10 words each", most=MOST_AVOIDED)
    voices: list[Voice] = many("Each person who speaks more than once", most=MOST_VOICES)


class SheetReply(StyleSheet):
    """What a model settles where there are no samples."""

    paragraphs: list[Text] = Field(
        default_factory=list,
        description="Paragraphs in this style, 60 to 90 words each",
        json_schema_extra={"minItems": SAMPLE_PARAGRAPHS, "maxItems": SAMPLE_PARAGRAPHS},
    )


class SheetOfFacts(SheetReply):
    """The same of a book of facts."""

    person: Prose = Field(
        "", description="What the author calls themselves and the reader; at most 20 words"
    )
    tense: Prose = Field("", description="The tense of explanations and of events; 10 words")
    distance: Prose = Field(
        "", description="What the reader is taken to know, and how near they are; at most 25 words"
    )
    speech: Prose = Field("", description="How quotations are set and named; at most 20 words")
    voices: list[Voice] = many("People who speak in the book; mostly none", most=MOST_VOICES)


class StyleReply(StyleSheet):
    """What a model finds in the passages, and settles from them."""

    recorded_as: ClassVar = "ToldStyle"

    rules: list[StyleRule] = Field(
        description="The habits that tell this author from others, the strongest first",
        json_schema_extra={"maxItems": MOST_RULES},
    )


class StyleFile(Shape):
    """`style.json`: the sheet by a model; of samples numbers and passages by code, and rules.

    Without samples the passages are the sheet's own paragraphs.
    """

    sheet: StyleSheet = Field(default_factory=StyleSheet)
    numbers: StyleNumbers = Field(
        default_factory=StyleNumbers, exclude_if=lambda numbers: not numbers.words
    )
    passages: list[StylePassage] = Field(default_factory=list)
    rules: list[StyleRule] = Field(default_factory=list, exclude_if=not_)


def style_block(style: StyleFile, budget: int) -> str:
    """The style as the prompts show it.

    Args:
        style: The style.
        budget: Most that it takes, in the measure of `prose.weigh`. The last passages go first,
            then the last rules, the numbers and the last lines of the sheet; every part stands
            whole or not at all.
    """
    numbers = _numbers(style.numbers)
    lines = [*_sheet(style.sheet), *filter(None, [numbers]), *(f"- {r.rule}" for r in style.rules)]
    passages = [one.text for one in style.passages]
    for shown in range(len(passages), -1, -1):
        text = _joined(lines, passages[:shown])
        if weigh(text) <= budget:
            return text
    while lines and weigh("\n".join(lines)) > budget:
        lines.pop()
    return "\n".join(lines)


def _joined(lines: Sequence[str], passages: Sequence[str]) -> str:
    parts = ["\n".join(lines)]
    parts += [f"Passage {n}:\n{text}" for n, text in enumerate(passages, start=1)]
    return "\n\n".join(part for part in parts if part)


_LINES: Final = ("person", "tense", "distance", "spelling", "diction", "speech")


def _sheet(sheet: StyleSheet) -> list[str]:
    """The sheet, a line for each thing that it settles."""
    told = {name: getattr(sheet, name) for name in _LINES}
    lines = [f"{name}: {shorten(said, LINE_BUDGET)}" for name, said in told.items() if said]
    avoided = "; ".join(sheet.avoids[:MOST_AVOIDED])
    lines += [f"avoids: {shorten(avoided, AVOIDED_BUDGET)}"] if avoided else []
    voices = [(one.name, one.voice) for one in sheet.voices[:MOST_VOICES]]
    return lines + [f"{name} speaks: {shorten(voice, LINE_BUDGET)}" for name, voice in voices]


def _numbers(numbers: StyleNumbers) -> str:
    """The numbers in one line; nothing where nothing was counted."""
    if not numbers.words:
        return ""
    return (
        f"Sentences have {numbers.sentence_words:.0f} words on average, "
        f"{numbers.short_share:.0%} of them five or fewer; "
        f"paragraphs {numbers.paragraph_words:.0f}; "
        f"{numbers.spoken_share:.0%} of the words are spoken."
    )


STYLE: Final = Knowledge(
    "style", "style.json", StyleFile, style_block, budget=3_600, revision_budget=2_000
)
"""The style as a kind of knowledge: every scene and every revision is shown it."""
