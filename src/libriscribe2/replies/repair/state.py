"""What a repair works with and results in: open brackets, policy, outcome."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from libriscribe2.replies.outcome import Repair
from libriscribe2.replies.schema_fit import branch_for, properties_of


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


KEY_STATE, VALUE_STATE, SEPARATOR_STATE = range(3)
MAX_DEPTH: Final = 200
UNKNOWN: Final[Mapping[str, Any]] = {}


@dataclass(slots=True)
class Frame:
    """One open container.

    Attributes:
        value: The container.
        is_object: Whether it is an object.
        state: What is read next: a key, a value or a separator.
        node: The schema of the container; empty when nothing is known of it.
        key: The key that the next value belongs to.
        comma: Where the comma stands after which nothing came yet, or -1.
        plain_last: Whether the last value was a string without any damage.
        remarks: For each comment on a line of its own, how many items stood before it.
    """

    value: dict[str, Any] | list[Any]
    is_object: bool
    state: int
    node: Mapping[str, Any]
    key: str = ""
    comma: int = -1
    plain_last: bool = False
    remarks: list[int] = field(default_factory=list)

    def leaves_out(self, *, ends: bool) -> bool:
        """Whether a comment in a place of its own stands for items of this list.

        Nothing follows it, or the number that counts the items jumps from before it to behind it.
        """
        items = self.value
        if not isinstance(items, list) or not self.remarks:
            return False
        if ends and items and self.remarks[-1] == len(items):
            return True
        return any(_jumps(items, at) for at in self.remarks if 0 < at < len(items))


def _jumps(items: Sequence[Any], at: int) -> bool:
    """Whether a number that counts the items before a place goes on by more than one behind it."""
    before, after = items[at - 1], items[at]
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    counts = [key for key, one in before.items() if type(one) is int and one in (at, at - 1)]
    return any(type(after.get(key)) is int and after[key] - before[key] > 1 for key in counts)


@dataclass(frozen=True, slots=True)
class Policy:
    """Which of two readings the parser takes where both are possible.

    Attributes:
        structure_wins: Sound structure after a quote ends a string, also inside a quotation.
        closing: The order in which a wrong closing bracket is explained.
        schema: The wanted JSON Schema, when its property names may say which object a key
            belongs to; None otherwise.
    """

    structure_wins: bool = False
    closing: tuple[str, ...] = ("missing_closer", "wrong_closer", "extra_closer")
    schema: Mapping[str, Any] | None = None


def schema_node(
    schema: Mapping[str, Any] | None, parent: Frame | None, value: Any
) -> Mapping[str, Any]:
    """The schema of a container that is just opened; empty when nothing is known of it."""
    if schema is None:
        return UNKNOWN
    if parent is None:
        return branch_for(schema, value, schema) or UNKNOWN
    if parent.is_object:
        node = properties_of(parent.node).get(parent.key)
    else:
        node = parent.node.get("items")
    return (branch_for(node, value, schema) or UNKNOWN) if node else UNKNOWN


def misplaced_by(stack: Sequence[Frame], key: str) -> int:
    """How many containers must have ended before a key, because only an outer object knows it."""
    frame = stack[-1]
    if not frame.node or key in properties_of(frame.node):
        return 0
    for depth, outer in enumerate(reversed(stack)):
        if outer.is_object and key in properties_of(outer.node) and key not in outer.value:
            return depth
    return 0
