"""The voice of an author, taken from texts of their own: `style.json`."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Final, Literal, get_args

from pydantic import BeforeValidator, Field

from libriscribe2.models.base import Shape, Text
from libriscribe2.models.knowledge import Knowledge
from libriscribe2.prose import weigh

MOST_RULES: Final = 12
MOST_PASSAGES: Final = 3
PASSAGE_WORDS: Final = 180
"""Most words of a passage."""

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


def _aspect(said: Any) -> str:
    """An aspect as it is called here; one that is not on the list is none."""
    name = said.casefold().strip() if isinstance(said, str) else ""
    return name if name in ASPECTS else ""


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

    file: str = Field("", description="The file that holds it")
    text: Text = Field(description="Its words")


class StyleRule(Shape):
    """One habit of an author, with words that show it."""

    aspect: Annotated[Aspect, BeforeValidator(_aspect)] = Field(
        description="What of the form it is about"
    )
    rule: Text = Field(description="The habit as an instruction, in one sentence")
    quote: Text = Field(description="Words of the passages that show it, copied exactly")


class StyleReply(Shape):
    """What a model finds in the passages."""

    recorded_as: ClassVar = "ToldStyle"

    rules: list[StyleRule] = Field(
        description="The habits that tell this author from others, the strongest first",
        json_schema_extra={"maxItems": MOST_RULES},
    )


class StyleFile(Shape):
    """`style.json`: numbers and passages by code, rules by a model with quotes that were found."""

    numbers: StyleNumbers = Field(default_factory=StyleNumbers)
    passages: list[StylePassage] = Field(default_factory=list)
    rules: list[StyleRule] = Field(default_factory=list)


def style_block(style: StyleFile, budget: int) -> str:
    """The voice as the prompts show it.

    Args:
        style: The voice.
        budget: Most that it takes, in the measure of `prose.weigh`. The last passages go first,
            then the last rules, then the numbers; every part stands whole or not at all.
    """
    numbers = _numbers(style.numbers)
    rules = [f"- {one.rule}" for one in style.rules]
    passages = [one.text for one in style.passages]
    for shown in range(len(passages), -1, -1):
        text = _joined(numbers, rules, passages[:shown])
        if weigh(text) <= budget:
            return text
    for shown in range(len(rules) - 1, -1, -1):
        text = _joined(numbers, rules[:shown], [])
        if weigh(text) <= budget:
            return text
    return ""


def _joined(numbers: str, rules: Sequence[str], passages: Sequence[str]) -> str:
    parts = [numbers, "\n".join(rules)]
    parts += [f"Passage {n}:\n{text}" for n, text in enumerate(passages, start=1)]
    return "\n\n".join(part for part in parts if part)


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
    "style", "style.json", StyleFile, style_block, budget=3_200, revision_budget=1_300
)
"""The voice as a kind of knowledge: every scene and every revision is shown it."""
