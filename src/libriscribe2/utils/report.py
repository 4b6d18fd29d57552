"""What the cleanup pipeline found in one reply: a value, a value with a flag, or a refusal."""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

DIRECT_PARSE: Final = "direct_parse"
MARKDOWN_BLOCK: Final = "markdown_block_extraction"
OBJECT_EXTRACTION: Final = "object_extraction"
TAG_EXTRACTION: Final = "tagged_block_extraction"
DECODED_STRING: Final = "decoded_string"
JSON_REPAIR: Final = "json_repair"
FAILED: Final = "failed"


class Repair(NamedTuple):
    """One named change that turned damaged text into JSON; a tuple, because there can be many.

    Attributes:
        name: The kind of damage, such as "trailing_comma".
        lossless: Whether all content of the reply survived the change.
        position: Where in the cleaned text, in characters.
    """

    name: str
    lossless: bool
    position: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a reply was not turned into a value.

    Attributes:
        position: Where in the cleaned text the trouble stands, in characters.
        reason: One line for a log or an error message.
        feedback: A sentence or two addressed to the model, for the next turn.
        kind: A stable slug of the reason, such as "cut_off" or "arithmetic".
    """

    position: int
    reason: str
    feedback: str
    kind: str = ""


class ExtractionReport(NamedTuple):
    """The outcome of reading one reply, a tuple because that is the quickest to make.

    Attributes:
        value: The plain JSON value, or None. With `lossy` it is a reading that may lack content.
        lossy: Whether content of the reply may be missing from `value`.
        method: Name of the step that succeeded; "failed" when none did.
        issues: Labels of what was wrong around or in the JSON; empty for a clean reply.
        repairs: Every change that was made, in the order of the text.
        refusal: Why there is no trustworthy value; None when there is one.
    """

    value: Any
    lossy: bool = False
    method: str = FAILED
    issues: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    refusal: Refusal | None = None

    @property
    def ok(self) -> bool:
        """Whether `value` is the whole answer of the reply."""
        return self.refusal is None and not self.lossy and self.value is not None
