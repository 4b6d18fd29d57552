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

# kind -> (reason for the log, advice to the model)
_KINDS: Final[dict[str, tuple[str, str]]] = {
    "empty": ("the reply is empty", "Your reply was empty."),
    "no_json": ("no JSON value in the reply", "Your reply contained no JSON."),
    "markup_document": (
        "the reply is an HTML or XML document",
        "Your reply was a markup document, not JSON.",
    ),
    "unclosed_reasoning": (
        "the reasoning block never ends and no answer follows it",
        "Your reply ended inside its reasoning. Close the reasoning block, keep it short, "
        "and then give the answer.",
    ),
    "cut_off": (
        "the JSON is cut off",
        "Your JSON ended before it was complete. Write it shorter if you must, but to the end.",
    ),
    "ellipsis": (
        "the JSON leaves content out with an ellipsis",
        "Your JSON left content out with '...'. Write every element in full.",
    ),
    "arithmetic": (
        "the JSON holds an expression",
        "Your JSON held an expression where JSON wants a literal value. Write the result itself.",
    ),
    "template": (
        "the JSON holds an unfilled template hole",
        "Your JSON held an unfilled placeholder. Fill every placeholder with real content.",
    ),
    "conflicting_keys": (
        "a key stands twice with different values",
        "Your JSON used a key twice with different values. Use each key once per object.",
    ),
    "not_a_number": (
        "the JSON holds NaN or Infinity",
        "Your JSON held NaN or Infinity. Use a number or null.",
    ),
    "ambiguous": (
        "the damaged JSON can be read in more than one way",
        "Your JSON could be read in more than one way. Escape every double quote inside a string "
        'as \\" and put quotes around every key and string.',
    ),
    "placeholder": (
        "the JSON holds placeholder text instead of content",
        "Your JSON repeated the placeholders of the format. Replace them with real content.",
    ),
    "schema_echo": (
        "the reply repeats the schema instead of answering",
        "Your reply repeated the JSON Schema. Answer with a JSON value that follows the schema.",
    ),
    "wrong_shape": (
        "the JSON has none of the wanted fields",
        "Your JSON had none of the requested fields.",
    ),
    "several_items": (
        "several items where one object is wanted",
        "Your reply held several items. Answer with exactly one JSON object.",
    ),
    "wrong_fields": (
        "fields are missing or not as wanted",
        "Your JSON could be read, but its fields are not as wanted.",
    ),
    "remark": (
        "what is said behind the JSON may change it",
        "Your reply said something behind the JSON that may change it, or asked a question. "
        "If the JSON is final, send it alone; else send it as it should be.",
    ),
    "too_deep": ("the JSON is nested too deeply", "Your JSON was nested too deeply. Flatten it."),
    "too_large": ("the reply is too large", "Your reply was too long. Write a shorter one."),
    "number_too_long": (
        "a number has too many digits",
        "Your JSON held a number with too many digits.",
    ),
    "lone_surrogate": (
        "a string holds half of a surrogate pair",
        "Your JSON held an incomplete \\u escape. Write the characters themselves.",
    ),
    "syntax": ("the JSON has an error that cannot be repaired", "Your JSON was not valid."),
}
_CLOSING: Final = "Reply again with the whole JSON value, complete and valid, and nothing else."


def refusal(kind: str, text: str = "", position: int = 0, detail: str = "") -> Refusal:
    """The refusal of one kind, with the place quoted to the model.

    Args:
        kind: A key of the table above.
        text: The text that was read; "" when no place can be shown.
        position: Where in the text the trouble stands.
        detail: What exactly, such as the decoder's message or the key.
    """
    reason, advice = _KINDS[kind]
    parts = [advice]
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
