"""What became of a reply: a value with its repairs, or a refusal as feedback for the model."""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

DIRECT_PARSE: Final = "direct_parse"
MARKDOWN_BLOCK: Final = "markdown_block_extraction"
OBJECT_EXTRACTION: Final = "object_extraction"
TAG_EXTRACTION: Final = "tagged_block_extraction"
DECODED_STRING: Final = "decoded_string"
JSON_REPAIR: Final = "json_repair"
FAILED: Final = "failed"
COUNTING_GAP: Final = "counting_gap"
"""Items of a list count from the start and skip a number: a refusal, or a label where they may."""


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
class Trouble:
    """Why damaged JSON was not repaired.

    Attributes:
        kind: A slug of `refusals`, such as "cut_off" or "ambiguous".
        position: Where in the text.
        detail: What exactly, or "".
    """

    kind: str
    position: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RepairOutcome:
    """The reading of one damaged value.

    Attributes:
        value: The value, also when it is lossy; None with most troubles.
        end: Where the parser stopped.
        repairs: What was changed, in the order of the text.
        trouble: Why the value is not to be trusted, or None.
        members: How many members and elements were read: 0 means it was hardly JSON.
        work: How many characters were looked at.
    """

    value: Any
    end: int
    repairs: tuple[Repair, ...]
    trouble: Trouble | None = None
    members: int = 0
    work: int = 0


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
    """The outcome of reading one reply.

    Attributes:
        value: The plain JSON value, or None. With `lossy` it is a reading that may lack content.
        lossy: Whether content of the reply may be missing from `value`.
        method: Name of the step that succeeded; "failed" when none did.
        issues: Labels of what was wrong around or in the JSON; empty for a clean reply.
        repairs: Every change that was made, in the order of the text.
        refusal: Why there is no trustworthy value; None when there is one.
        before: What is said before the value, without marks of fences and tags.
        after: What is said behind it.
        unread: The other values of the reply, as they stand there.
    """

    value: Any
    lossy: bool = False
    method: str = FAILED
    issues: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    refusal: Refusal | None = None
    before: str = ""
    after: str = ""
    unread: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether `value` is the whole answer of the reply."""
        return self.refusal is None and not self.lossy and self.value is not None


_SNIPPET_BEFORE: Final = 40
_SNIPPET_AFTER: Final = 30

_ADVICE: Final = {
    "empty": "Your reply was empty.",
    "no_json": "Your reply contained no JSON.",
    "markup_document": "Your reply was a markup document, not JSON.",
    "unclosed_reasoning": (
        "Your reply ended inside its reasoning. Close the reasoning block, keep it short, and "
        "then give the answer."
    ),
    "cut_off": (
        "Your JSON ended before it was complete. Write it shorter if you must, but to the end."
    ),
    "ellipsis": "Your JSON left content out with '...'. Write every element in full.",
    "arithmetic": (
        "Your JSON held an expression where JSON wants a literal value. Write the result itself."
    ),
    "template": "Your JSON held an unfilled placeholder. Fill every placeholder with real content.",
    "conflicting_keys": (
        "Your JSON used a key twice with different values. Use each key once per object."
    ),
    COUNTING_GAP: "Your JSON left out items of a list that it counts. Write every item.",
    "counted_twice": ("Your JSON gave two items of a list the same number. Write each item once."),
    "not_a_number": "Your JSON held NaN or Infinity. Use a number or null.",
    "ambiguous": (
        "Your JSON could be read in more than one way. Escape every double quote inside a "
        'string as \\" and put quotes around every key and string.'
    ),
    "placeholder": (
        "Your JSON repeated the placeholders of the format. Replace them with real content."
    ),
    "schema_echo": (
        "Your reply repeated the JSON Schema. Answer with a JSON value that follows the schema."
    ),
    "wrong_shape": "Your JSON had none of the requested fields.",
    "several_items": "Your reply held several items. Answer with exactly one JSON object.",
    "wrong_fields": "Your JSON could be read, but its fields are not as wanted.",
    "remark": (
        "Your reply said something beside the JSON that may change it, or asked a question. "
        "If the JSON is final, send it alone; else send it as it should be."
    ),
    "too_deep": "Your JSON was nested too deeply. Flatten it.",
    "too_large": "Your reply was too long. Write a shorter one.",
    "number_too_long": "Your JSON held a number with too many digits.",
    "lone_surrogate": "Your JSON held an incomplete \\u escape. Write the characters themselves.",
    "syntax": "Your JSON was not valid.",
}
"""What is told to the model, by the kind of the refusal; the first sentence is the reason."""

_CLOSING: Final = "Reply again with the whole JSON value, complete and valid, and nothing else."


def refusal(kind: str, text: str = "", position: int = 0, detail: str = "") -> Refusal:
    """The refusal of one kind, with the place quoted to the model.

    Args:
        kind: A key of the table above.
        text: The text that was read; "" when no place can be shown.
        position: Where in the text the trouble stands.
        detail: What exactly, such as the decoder's message or the key.
    """
    parts = [_ADVICE[kind]]
    reason = "the " + parts[0].removeprefix("Your ").partition(". ")[0].rstrip(".")
    if detail:
        reason = f"{reason}: {detail}"
        parts.append(f"The error was: {detail}.")
    if text:
        parts.append(f"The place is {where(text, position)}.")
    parts.append(_CLOSING)
    return Refusal(position, reason, " ".join(parts), kind)


def where(text: str, position: int) -> str:
    """A place as "line 3, column 7, near `...`", with at most 70 characters quoted."""
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    start = max(0, position - _SNIPPET_BEFORE)
    snippet = " ".join(text[start : position + _SNIPPET_AFTER].split())
    return f"line {line}, column {column}, near `{snippet}`"
