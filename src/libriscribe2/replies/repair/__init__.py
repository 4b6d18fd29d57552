"""The repair parser: damaged JSON read in one linear pass, every change named."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from libriscribe2.replies.outcome import RepairOutcome, Trouble
from libriscribe2.replies.repair.cursor import (
    KEY_STATE,
    MAX_DEPTH,
    SEPARATOR_STATE,
    UNKNOWN,
    VALUE_STATE,
    Cursor,
    Frame,
    Halt,
    Policy,
    StringReader,
    doubtful_structure,
    early_end,
    lost_number,
    misplaced_by,
    note_leftover,
    schema_node,
    text_end,
)
from libriscribe2.replies.repair.patterns import (
    COMMA,
    COMMAS,
    ELEMENT,
    ELLIPSIS,
    GAP,
    KEY,
    NESTED_MEMBER,
    OPEN_QUOTES,
    OPERATOR,
    SEPARATORS,
    skip_space,
)
from libriscribe2.replies.repair.values import no_key, read_colon, read_key, read_literal, read_text
from libriscribe2.replies.strict_json import same_json


def conserved(
    text: str, start: int, outcome: RepairOutcome, contents: Sequence[tuple[int, int]]
) -> RepairOutcome:
    """The outcome of a parse, or its refusal when text is missing from its value.

    Args:
        text: The text.
        start: Where the damaged value begins.
        outcome: What the parser made of it.
        contents: Start and end of every stretch that became content, in order.
    """
    position = start
    for first, last in (*contents, (outcome.end, outcome.end)):
        if GAP.fullmatch(text, position, first) is None:
            lost = Trouble("ambiguous", position)
            return outcome if outcome.value is None else replace(outcome, value=None, trouble=lost)
        position = last
    return outcome


_OBJECT_ENDS: Final = "}｝"
_BRACKETS: Final = "}]｝］"


@dataclass(frozen=True, slots=True)
class Closing:
    """How to take one closing bracket.

    Attributes:
        pops: How many containers it ends.
        repair: The repair's name, or "" when the bracket is right.
        doubtful: Whether another explanation is as good.
    """

    pops: int
    repair: str = ""
    doubtful: bool = False


def plan_closing(text: str, position: int, stack: Sequence[bool], order: Sequence[str]) -> Closing:
    """Explain the closing bracket at `position`.

    Args:
        text: The text.
        position: Index of the bracket.
        stack: For each open container, outermost first, whether it is an object.
        order: The explanations, the preferred first, where several are as good.
    """
    is_object = text[position] in _OBJECT_ENDS
    options: dict[str, int] = {}
    if stack[-1] == is_object:
        if len(stack) > 1 or not _goes_on(text, position + 1, is_object=is_object):
            return Closing(1)
        return Closing(0, "extra_closer")
    if is_object in stack:
        depth = len(stack) - 1 - max(i for i, kind in enumerate(stack) if kind == is_object)
        options["missing_closer"] = depth + 1
    options["wrong_closer"] = 1
    options["extra_closer"] = 0
    scores = {
        name: _score(text, position + 1, stack[: len(stack) - pops])
        for name, pops in options.items()
    }
    best = max(scores.values())
    winners = [name for name in order if scores.get(name) == best]
    return Closing(options[winners[0]], winners[0], len(winners) > 1)


def _goes_on(text: str, position: int, *, is_object: bool) -> bool:
    """Whether members follow although the outermost object just ended."""
    comma = COMMA.match(text, position)
    following = KEY if is_object else NESTED_MEMBER
    return comma is not None and following.match(text, comma.end()) is not None


def _score(text: str, position: int, stack: Sequence[bool]) -> int:
    """How well the text goes on when these containers remain open: 2 well, 0 badly."""
    open_kinds = list(stack)
    while True:
        position = skip_space(text, position)
        char = text[position : position + 1]
        if not char or char not in _BRACKETS:
            break
        if not open_kinds or open_kinds.pop() != (char in _OBJECT_ENDS):
            return 0
        position += 1
    comma = COMMA.match(text, position)
    if comma is None:
        return 0 if open_kinds else 2
    if not open_kinds:
        return 0
    return 2 if open_kinds[-1] == (KEY.match(text, comma.end()) is not None) else 0


# A comment on a line of its own, or between a comma and what follows on the same line.
_OWN_PLACE: Final = re.compile(r",?[ \t\r]*\n\s*(?://|\#|/\*|<!--|\()|[ \t]*(?:/\*|<!--)[^\n]*\Z")
_MAX_DOUBTS: Final = 300
_OPENING: Final = "{[｛［"
_FIRST_KEY: Final = re.compile(r"""\{\s*["']([^"'\n]{1,60})["']\s*:""")


class RepairParser:
    """Reads one damaged value.

    Attributes:
        doubts: How often two readings were possible.
        cursor: The place in the text, with the record of what was read and changed.
    """

    def __init__(self, text: str, start: int, policy: Policy) -> None:
        """Prepare to read the value at `start`, with one of two readings where both exist."""
        self.doubts = 0
        self.cursor = Cursor(text, start, StringReader(text, structure_wins=policy.structure_wins))
        self._start = start
        self._policy = policy
        self._stack: list[Frame] = []
        self._root: Any = None
        self._members = 0

    def run(self) -> RepairOutcome:
        """Read the value; never raises."""
        cursor = self.cursor
        trouble: Trouble | None = None
        keep = True
        try:
            self._open(None)
            while self._stack:
                self._step(self._stack[-1])
        except Halt as halt:
            trouble, keep = halt.trouble, halt.keep
        if trouble is None:
            note_leftover(cursor)
        self.doubts += cursor.strings.doubts
        return RepairOutcome(
            value=self._root if keep else None,
            end=cursor.at,
            repairs=tuple(cursor.repairs),
            trouble=trouble or lost_number(cursor.repairs),
            members=self._members,
            work=cursor.at - self._start + cursor.strings.scanned,
        )

    def _step(self, frame: Frame) -> None:
        """Read one token in the state of the innermost container."""
        before, noted = self.cursor.at, len(self.cursor.repairs)
        char = self.cursor.skip()
        if not frame.is_object and len(self.cursor.repairs) > noted:  # comments were passed
            frame.remarks.append(len(frame.value))
            own_place = _OWN_PLACE.match(self.cursor.text, before, self.cursor.at)
            frame.ends_remarked = own_place is not None
        if not char:
            raise text_end(self.cursor, frame, len(self._stack))
        if frame.state == SEPARATOR_STATE:
            self._separator(frame, char)
        elif char in _BRACKETS:
            self._close(frame, char)
        elif char in SEPARATORS:
            self._extra_comma(frame)
        elif frame.state == KEY_STATE:
            self._key(frame, char)
        else:
            self._value(frame, char)

    def _open(self, frame: Frame | None, implied: Any = None) -> None:
        """Enter the container whose bracket stands here, or the one whose bracket is missing."""
        cursor = self.cursor
        if len(self._stack) >= MAX_DEPTH:
            raise cursor.halt("too_deep")
        char = cursor.text[cursor.at]
        if char in "｛［":
            cursor.note("full_width_punctuation", cursor.at)
        value: Any = implied
        if implied is None:
            value = {} if char in "{｛" else []
        is_object = isinstance(value, dict)
        node = schema_node(self._policy.schema, frame, value)
        behind_text = frame is not None and not frame.is_object and frame.plain_last
        if frame is None:
            self._root = value
        else:
            self._put(frame, value)
        state = KEY_STATE if is_object else VALUE_STATE
        inner = Frame(value, is_object, state, node, plain_last=behind_text)
        self._stack.append(inner)
        if implied is None or frame is None:
            cursor.at += 1
            return
        if len(frame.value) > 1:
            inner.width = len(frame.value[0])  # type: ignore[index]
        cursor.note("missing_opener", cursor.at)

    def _put(self, frame: Frame, value: Any, *, plain: bool = False) -> None:
        """Add a value to its container."""
        self._members += 1
        frame.state = SEPARATOR_STATE
        frame.comma = -1
        frame.plain_last = plain
        container = frame.value
        if isinstance(container, list):
            container.append(value)
        elif frame.key not in container:
            container[frame.key] = value
        elif not same_json(container[frame.key], value):
            raise self.cursor.halt("conflicting_keys", frame.key)

    def _extra_comma(self, frame: Frame) -> None:
        cursor = self.cursor
        if frame.state == VALUE_STATE and frame.is_object:
            raise cursor.halt("syntax", "a value is missing")
        cursor.note("extra_comma", cursor.at)
        run = COMMAS.match(cursor.text, cursor.at)
        cursor.at = run.end() if run else cursor.at + 1

    def _key(self, frame: Frame, char: str) -> None:
        """Read a key and its colon."""
        cursor = self.cursor
        cursor.check_key()
        if self._ends_before_item(frame):
            return
        items = self._list_that_goes_on(frame, char)
        if items is not None:
            frame.state, frame.comma = SEPARATOR_STATE, -1
            self._stack.append(Frame(items, is_object=False, state=VALUE_STATE, node=UNKNOWN))
            return
        key = read_key(cursor, char, len(self._stack))
        if self._policy.schema is not None:
            for _ in range(misplaced_by(self._stack, key)):  # the schema has it further out
                self._end_unclosed()
            frame = self._stack[-1]
        frame.key = key
        read_colon(cursor)
        self._members += 1
        frame.state = VALUE_STATE

    def _list_that_goes_on(self, frame: Frame, char: str) -> Any:
        """The list that the last value is, or begins as its first item, where another one stands."""
        cursor = self.cursor
        members: Any = frame.value
        last = members.get(frame.key)
        kinds: Any = {"{": dict, "[": list}.get(char, ())
        if isinstance(last, list) and last and isinstance(last[-1], kinds):
            cursor.note("extra_closer", cursor.at)
            return last
        key = _FIRST_KEY.match(cursor.text, cursor.at) if self._policy.siblings else None
        if not isinstance(last, dict) or key is None or key[1] not in last:
            return None
        cursor.note("missing_list_brackets", cursor.at)
        members[frame.key] = [last]
        return members[frame.key]

    def _ends_before_item(self, frame: Frame) -> bool:
        """End an object before the next item of its list, when its bracket is missing."""
        outer = self._outer()
        if outer is None or outer.is_object or not (frame.is_object and frame.value):
            return False
        if NESTED_MEMBER.match(self.cursor.text, self.cursor.at) is None:
            return False
        self._end_unclosed()
        outer.state = VALUE_STATE
        return True

    def _outer(self) -> Frame | None:
        """The container around the innermost one."""
        return self._stack[-2] if len(self._stack) > 1 else None

    def _end_unclosed(self) -> None:
        """End the innermost container, whose closing bracket is missing."""
        self.cursor.note("missing_closer", self.cursor.at)
        self._stack.pop()

    def _value(self, frame: Frame, char: str) -> None:
        """Read a value."""
        cursor = self.cursor
        if char in _OPENING:
            self._container(frame)
        elif (
            self._policy.siblings and (implied := frame.implied(cursor.text, cursor.at)) is not None
        ):
            self._open(frame, implied)
        elif cursor.is_fence():
            raise early_end(cursor, frame, len(self._stack))
        elif char in OPEN_QUOTES or cursor.is_escaped_quote():
            text, plain = read_text(cursor, in_object=frame.is_object, depth=len(self._stack))
            self._put(frame, text, plain=plain)
        elif ELLIPSIS.match(cursor.text, cursor.at):
            raise cursor.halt("ellipsis")
        else:
            self._put(frame, read_literal(cursor, frame))

    def _container(self, frame: Frame) -> None:
        """Enter a container; two braces are a template's."""
        cursor = self.cursor
        if cursor.text.startswith("{{", cursor.at):
            raise cursor.halt("template")
        outer = self._outer()
        if self._policy.siblings and outer is not None and outer.is_full(frame.value):
            self._end_unclosed()
            frame = outer
        self._open(frame)

    def _separator(self, frame: Frame, char: str) -> None:
        """Read what stands between two values, or the end of their container."""
        cursor = self.cursor
        if char in SEPARATORS:
            if char != ",":
                cursor.note("wrong_comma", cursor.at)
            frame.comma = cursor.at
            frame.state = KEY_STATE if frame.is_object else VALUE_STATE
            cursor.at += 1
        elif char in _BRACKETS:
            self._close(frame, char)
        elif char in ":：" and not frame.is_object:
            self._list_with_key(frame)
        elif cursor.is_fence() or cursor.is_prose():
            raise early_end(cursor, frame, len(self._stack))
        else:
            self._missing_comma(frame, char)

    def _missing_comma(self, frame: Frame, char: str) -> None:
        cursor = self.cursor
        if OPERATOR.match(cursor.text, cursor.at):
            raise cursor.halt("arithmetic")
        if self._ends_before_item(frame):
            return
        pattern = KEY if frame.is_object else ELEMENT
        cursor.check_string_before()
        if pattern.match(cursor.text, cursor.at) is None:
            raise no_key(cursor, char)
        cursor.note("missing_comma", cursor.at)
        frame.state = KEY_STATE if frame.is_object else VALUE_STATE

    def _list_with_key(self, frame: Frame) -> None:
        """A key inside a list: the list's closing bracket is missing before it."""
        parent = self._outer()
        items: Any = frame.value
        sure = frame.plain_last and len(items) > 1
        if parent is None or not parent.is_object or not sure:
            raise self.cursor.halt("ambiguous")
        parent.key = items.pop()
        parent.state = VALUE_STATE
        self._end_unclosed()
        self.cursor.at += 1

    def _close(self, frame: Frame, char: str) -> None:
        """Close a container, or explain a bracket that does not match."""
        cursor = self.cursor
        if frame.is_object and frame.state == VALUE_STATE:
            raise cursor.halt("syntax", "a value is missing")
        if frame.leaves_out(ends=char in "]］"):
            raise cursor.halt("ellipsis")
        if frame.comma >= 0 and frame.state != SEPARATOR_STATE:
            cursor.note("trailing_comma", frame.comma)
        kinds = [item.is_object for item in self._stack]
        self._apply(plan_closing(cursor.text, cursor.at, kinds, self._policy.closing), char)

    def _apply(self, closing: Closing, char: str) -> None:
        cursor = self.cursor
        if closing.repair:
            cursor.note(closing.repair, cursor.at)
            self.doubts += closing.doubtful
            if self.doubts > _MAX_DOUBTS:
                raise cursor.halt("ambiguous")
        if char in "｝］":
            cursor.note("full_width_punctuation", cursor.at)
        cursor.at += 1
        for _ in range(closing.pops):
            closed = self._stack.pop()
            if closed.width not in (0, len(closed.value)):
                raise cursor.halt("ambiguous")
        if closing.pops == 0:
            self._stack[-1].state = SEPARATOR_STATE


_MAX_REREAD: Final = 300_000
_DEFAULT: Final = Policy()
_CLOSERS: Final = ("missing_closer", "extra_closer", "wrong_closer")
_OTHERS: Final = (
    Policy(structure_wins=True),
    Policy(closing=("wrong_closer", "extra_closer", "missing_closer")),
    Policy(closing=("extra_closer", "missing_closer", "wrong_closer")),
)


def repair_json(
    text: str, start: int = 0, schema: Mapping[str, Any] | None = None
) -> RepairOutcome:
    """Read the damaged JSON value that begins at `start`.

    Args:
        text: The text.
        start: Index of the opening bracket.
        schema: The wanted JSON Schema; where a closing bracket is missing, its property names
            say which object a key belongs to.

    Where two readings are possible both are made: if only one comes out sound it is taken, if both
    do and they differ the value is refused as ambiguous.
    """
    first, doubts = _proven(text, start, _DEFAULT)
    chosen = _least_edited(text, start, first) if doubts else first
    is_closed = chosen.trouble is None and all(one.name not in _CLOSERS for one in chosen.repairs)
    if not is_closed and first.work <= _MAX_REREAD:
        shown, _ = _proven(text, start, Policy(siblings=True))
        added = [one.name for one in shown.repairs if one.name in ("missing_opener", *_CLOSERS)]
        if shown.trouble is None and len(added) == 1:
            return shown
    if schema and lacks_end(chosen):
        placed, _ = _proven(text, start, Policy(schema=schema))
        if placed.trouble is None and not lacks_end(placed):
            return placed
    return chosen


def lacks_end(outcome: RepairOutcome) -> bool:
    """Whether closing brackets had to be added at the end of the value."""
    last = outcome.repairs[-1] if outcome.repairs else None
    return last is not None and last.name == "missing_closer" and last.position == outcome.end


def _least_edited(text: str, start: int, first: RepairOutcome) -> RepairOutcome:
    """The sound reading that changes the fewest brackets; ambiguous when two are as good.

    A very long text is not read several times.
    """
    if first.work > _MAX_REREAD:
        return replace(first, value=None, trouble=Trouble("ambiguous", start))
    sound = [first] if first.trouble is None else []
    for policy in _OTHERS:
        other, _ = _proven(text, start, policy)
        if other.trouble is None and not any(same_json(other.value, o.value) for o in sound):
            sound.append(other)
    if not sound:
        return first
    sound.sort(key=lambda outcome: _edits(text, outcome))
    if len(sound) == 1 or _edits(text, sound[0]) < _edits(text, sound[1]):
        return sound[0]
    trouble = Trouble("ambiguous", sound[0].repairs[0].position)
    return replace(first, value=None, trouble=trouble, work=first.work * len(_OTHERS))


def _edits(text: str, outcome: RepairOutcome) -> int:
    """How many brackets a reading added, changed or dropped; what it leaves unread weighs more."""
    unread = COMMA.match(text, outcome.end) is not None
    return unread * 10 + sum(repair.name.endswith("_closer") for repair in outcome.repairs)


def _proven(text: str, start: int, policy: Policy) -> tuple[RepairOutcome, int]:
    """One reading with its conservation checked, and how many doubts it met."""
    parser = RepairParser(text, start, policy)
    outcome = conserved(text, start, parser.run(), parser.cursor.contents)
    doubt = doubtful_structure(text, outcome)
    if doubt is not None:
        outcome = replace(outcome, value=None, trouble=doubt)
    return outcome, parser.doubts
