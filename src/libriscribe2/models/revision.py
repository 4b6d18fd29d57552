"""What is wrong with a text and what mends it: issues, a critique, patches."""

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from libriscribe2.models.base import Shape, listed

MOST_ISSUES: Final = 8
"""Most issues of a critique that are looked at: more than these nobody mends in one round."""

MOST_PATCHES: Final = 16

Severity = Literal["info", "warning", "error"]
"""How bad an issue is; information is never sent back to a model."""

Fault = Literal[
    "", "contradiction", "unclear", "repetition", "explained", "stock", "dialogue", "plan", "fact"
]
"""What a critic may find."""


def _severity(said: Any) -> Any:
    """A severity; any other word is a warning."""
    return listed(said, get_args(Severity), "warning")


def _fault(said: Any) -> Any:
    """A kind of fault; any other word is no kind."""
    return listed(said, get_args(Fault), "")


class Issue(BaseModel):
    """One thing that is wrong with a chapter.

    Attributes:
        kind: What it is, such as `duplicate` or `name`.
        severity: How bad it is.
        detector: Who found it: the name of a gate, or `critique`.
        quote: The words of the text that show it; "" where it concerns the whole chapter.
        line: The line of the text where they begin, from 1.
        why: What is wrong, in one sentence.
        fix: What would mend it, in one sentence.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    severity: Severity
    detector: str
    quote: str = ""
    line: int = Field(1, ge=1)
    why: str
    fix: str = ""

    @property
    def can_be_patched(self) -> bool:
        """Whether a change to a passage may mend it, and whether that is worth a request."""
        return bool(self.quote) and self.severity != "info"


class ToldIssue(Shape):
    """One issue as a critic tells it."""

    kind: Annotated[Fault, BeforeValidator(_fault)] = Field("", description="What kind it is")
    severity: Annotated[Severity, BeforeValidator(_severity)] = Field(
        "warning", description="`error` where a reader stumbles, `warning` where the text is weaker"
    )
    quote: str = Field(description="The words of the text that show it, copied exactly")
    why: str = Field(description="What is wrong, in one sentence")
    fix: str = Field("", description="What would mend it, in one sentence")


class Critique(Shape):
    """What a critic finds in a text; nothing is an answer, too."""

    issues: list[ToldIssue] = Field(
        default_factory=list,
        description="What is wrong, the worst first; an empty list where nothing is",
        json_schema_extra={"maxItems": MOST_ISSUES},
    )


class Patch(Shape):
    """One passage of a text and what is to stand there instead."""

    issue: int = Field(0, description="Number of the issue that it mends")
    find: str = Field(
        description="Words of the text, copied exactly, enough of them to stand there only once"
    )
    replace: str = Field(description="What is to stand there instead; empty takes the words out")


class Patches(Shape):
    """Changes that mend a text."""

    patches: list[Patch] = Field(
        default_factory=list,
        description="The changes; an empty list where none would be better than the text",
        json_schema_extra={"maxItems": MOST_PATCHES},
    )
