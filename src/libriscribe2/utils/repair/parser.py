"""The repair parser: one iterative pass over damaged JSON, with an explicit stack.

It reads what the text says and records each liberty it takes; where it would have to guess it
stops. Closing brackets that are missing at the very end of the text make the value lossy: nobody
can tell a forgotten bracket from a reply that was cut off.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.utils.repair.closers import Closing, plan_closing
from libriscribe2.utils.repair.outcome import RepairOutcome, Trouble
from libriscribe2.utils.repair.patterns import (
    COLON,
    COMMENT,
    CONCATENATION,
    ELLIPSIS,
    ELLIPSIS_WORDS,
    ELEMENT,
    FENCE_LINE,
    KEY,
    NESTED_MEMBER,
    OPEN_QUOTES,
    OPERATOR,
    SPACE,
)
from libriscribe2.utils.repair.scalars import read_scalar
from libriscribe2.utils.repair.strings import StringReader, StringToken
from libriscribe2.utils.report import Repair
from libriscribe2.utils.strict_json import same_json

MAX_DEPTH: Final = 200
_OPENING: Final = "{[｛［"
_CLOSING: Final = "}]｝］"
_COMMAS: Final = ",，;；、"
_FENCES: Final = ("```", "~~~")
KEY_STATE, VALUE_STATE, SEPARATOR_STATE = range(3)


class Halt(Exception):  # noqa: N818 - it ends a parse, it is no error of ours
    """The parse ends here; the trouble says why, or is None when the value is complete."""

    def __init__(self, trouble: Trouble | None, *, keep: bool = False) -> None:
        super().__init__()
        self.trouble = trouble
        self.keep = keep


@dataclass(slots=True)
class Frame:
    """One open container."""

    value: dict[str, Any] | list[Any]
    is_object: bool
    state: int
    key: str = ""
    comma: int = -1
    last_string: bool = False


@dataclass(frozen=True, slots=True)
class Policy:
    """Which of two readings the parser takes where both are possible.

    Attributes:
        structure_wins: Sound structure after a quote ends a string, also inside a quotation.
        closing: The order in which a wrong closing bracket is explained.
    """

    structure_wins: bool = False
    closing: tuple[str, ...] = ("missing_closer", "wrong_closer", "extra_closer")


class RepairParser:
    """Reads one damaged value.

    Attributes:
        doubts: How often two readings were possible.
    """

    def __init__(self, text: str, start: int, policy: Policy) -> None:
        """Prepare one parse.

        Args:
            text: The text.
            start: Index of the opening bracket.
            policy: The reading to take where two are possible.
        """
        self.doubts = 0
        self.contents: list[tuple[int, int]] = []
        self._text = text
        self._start = self._at = start
        self._policy = policy
        self._strings = StringReader(text, structure_wins=policy.structure_wins)
        self._stack: list[Frame] = []
        self._repairs: list[Repair] = []
        self._root: Any = None
        self._members = 0
        self._lossy: Trouble | None = None

    def run(self) -> RepairOutcome:
        """Read the value; never raises."""
        trouble: Trouble | None = None
        keep = True
        try:
            self._open(None)
            while self._stack:
                self._step(self._stack[-1])
        except Halt as halt:
            trouble, keep = halt.trouble, halt.keep or halt.trouble is None
        self.doubts += self._strings.doubts
        trouble = trouble or self._lossy
        value = self._root if keep else None
        work = max(self._at - self._start, 1)
        return RepairOutcome(
            value, self._at, tuple(self._repairs), trouble, self._members, work
        )

    def _note(self, name: str, position: int, *, lossless: bool = True) -> None:
        self._repairs.append(Repair(name, lossless, position))

    def _step(self, frame: Frame) -> None:
        """Read one token in the state of the innermost container."""
        char = self._skip_space()
        if not char:
            self._at_end(frame)
        elif frame.state == SEPARATOR_STATE:
            self._separator(frame, char)
        elif char in _CLOSING:
            self._close(frame, char)
        elif char in _COMMAS:
            self._extra_comma(frame)
        elif frame.state == KEY_STATE:
            self._key(frame, char)
        else:
            self._value(frame, char)

    def _skip_space(self) -> str:
        """Pass white space and comments; return the next character, "" at the end."""
        text = self._text
        while True:
            space = SPACE.match(text, self._at)
            if space is not None:
                self._at = space.end()
            char = text[self._at : self._at + 1]
            if char not in ("/", "#", "<"):
                return char
            comment = COMMENT.match(text, self._at)
            if comment is None:
                return char
            self._comment(comment.group())
            self._at = comment.end()

    def _comment(self, comment: str) -> None:
        if ELLIPSIS_WORDS.search(comment):
            raise Halt(Trouble("ellipsis", self._at))
        self._note("comment", self._at)

    def _at_end(self, frame: Frame) -> None:
        """The text ends inside containers."""
        whole = frame.state == SEPARATOR_STATE
        for _ in self._stack:
            self._note("missing_closer", self._at, lossless=False)
        raise Halt(Trouble("cut_off", self._at), keep=whole)

    def _early_end(self, frame: Frame) -> None:
        """The containers end before more text: their closing brackets were forgotten."""
        if frame.state != SEPARATOR_STATE:
            raise Halt(Trouble("cut_off", self._at))
        for _ in self._stack:
            self._note("missing_closer", self._at)
        self._stack.clear()
        raise Halt(None)

    def _open(self, frame: Frame | None) -> None:
        """Enter the container whose bracket stands here."""
        if len(self._stack) >= MAX_DEPTH:
            raise Halt(Trouble("too_deep", self._at))
        char = self._text[self._at]
        is_object = char in "{｛"
        if char in "｛［":
            self._note("full_width_punctuation", self._at)
        value: Any = {} if is_object else []
        if frame is None:
            self._root = value
        else:
            self._put(frame, value)
        self._stack.append(Frame(value, is_object, KEY_STATE if is_object else VALUE_STATE))
        self._at += 1

    def _put(self, frame: Frame, value: Any, *, is_string: bool = False) -> None:
        """Add a value to its container."""
        self._members += 1
        frame.state = SEPARATOR_STATE
        frame.comma = -1
        frame.last_string = is_string
        container = frame.value
        if isinstance(container, list):
            container.append(value)
        elif frame.key not in container:
            container[frame.key] = value
        elif not same_json(container[frame.key], value):
            raise Halt(Trouble("conflicting_keys", self._at, frame.key))

    def _extra_comma(self, frame: Frame) -> None:
        if frame.state == VALUE_STATE and frame.is_object:
            raise Halt(Trouble("syntax", self._at, "a value is missing"))
        self._note("extra_comma", self._at)
        self._at += 1

    def _key(self, frame: Frame, char: str) -> None:
        """Read a key and its colon."""
        if NESTED_MEMBER.match(self._text, self._at) and self._ends_before_item():
            return
        if char in OPEN_QUOTES and not self._is_fence():
            token = self._key_token()
            key, end = token.text, token.end
        else:
            key, end = self._bare_key(frame, char)
        frame.key = key
        self._at = end
        after = self._skip_space()
        colon = COLON.match(self._text, self._at)
        if colon is not None:
            if colon.group().strip() != ":":
                self._note("wrong_colon", self._at)
            self._at = colon.end()
        elif not after:
            raise Halt(Trouble("cut_off", self._at))
        elif ELEMENT.match(self._text, self._at):
            self._note("missing_colon", self._at)
        else:
            raise Halt(Trouble("syntax", self._at, "a colon is missing"))
        frame.state = VALUE_STATE

    def _ends_before_item(self) -> bool:
        """End an object before the next item of its list, when its bracket is missing."""
        if len(self._stack) < 2 or self._stack[-2].is_object:  # noqa: PLR2004 - needs a parent
            return False
        if not self._stack[-1].value:
            return False
        self._note("missing_closer", self._at)
        self._stack.pop()
        self._stack[-1].state = VALUE_STATE
        return True

    def _key_token(self) -> StringToken:
        """A quoted key, also one that lost its closing quote."""
        text, start = self._text, self._at
        colon = text.find(":", start, start + 80)
        name = text[start + 1 : colon].strip() if colon > 0 else ""
        if name.replace("_", "").replace(" ", "").isalnum() and text[colon - 1] != text[start]:
            self._note("missing_quote", start)
            self.contents.append((start + 1, colon))
            return StringToken(name, colon)
        token = self._strings.read(start, "key", len(self._stack))
        if not token.closed or (token.repairs and "\n" in token.text):
            token = self._short_key(token)
        self._accept(token)
        return token

    def _short_key(self, token: StringToken) -> StringToken:
        """A key up to its first closing quote on this line, its colon missing."""
        text, start = self._text, self._at
        end = text.find(text[start], start + 1)
        if end < 0 or "\n" in text[start:end]:
            raise Halt(Trouble("cut_off" if not token.closed else "ambiguous", start))
        return StringToken(text[start + 1 : end], end + 1, inner=(start + 1, end))

    def _bare_key(self, frame: Frame, char: str) -> tuple[str, int]:
        """A key without quotes."""
        found = KEY.match(self._text, self._at)
        if found is None:
            raise self._unexpected(frame, char)
        name = found.group().rstrip().rstrip(":：=").rstrip()
        bare = name.rstrip("\"'”’")
        self._note("unquoted_key" if bare == name else "missing_quote", self._at)
        self.contents.append((self._at, self._at + len(bare)))
        return bare, self._at + len(name)

    def _accept(self, token: StringToken) -> None:
        """Record a string's content and repairs."""
        if token.trouble:
            raise Halt(Trouble(token.trouble, self._at))
        self.contents.append(token.inner)
        for name in token.repairs:
            self._note(name, self._at)

    def _value(self, frame: Frame, char: str) -> None:
        """Read a value."""
        if char in _OPENING:
            if self._text.startswith("{{", self._at):
                raise Halt(Trouble("template", self._at))
            self._open(frame)
        elif char in OPEN_QUOTES and not self._is_fence():
            self._string(frame)
        elif ELLIPSIS.match(self._text, self._at):
            raise Halt(Trouble("ellipsis", self._at))
        elif self._is_fence():
            self._early_end(frame)
        else:
            self._scalar(frame)

    def _string(self, frame: Frame) -> None:
        """Read a string, and those joined to it by a plus sign."""
        role = "member" if frame.is_object else "element"
        parts: list[str] = []
        while True:
            token = self._strings.read(self._at, role, len(self._stack))
            if not token.closed:
                self._at = token.end
                raise Halt(Trouble("cut_off", self._at))
            self._accept(token)
            parts.append(token.text)
            self._at = token.end
            plus = CONCATENATION.match(self._text, self._at)
            if plus is None:
                break
            self._note("string_concatenation", self._at)
            self._at = plus.end()
        self._put(frame, "".join(parts), is_string=True)

    def _scalar(self, frame: Frame) -> None:
        scalar = read_scalar(self._text, self._at, in_list=not frame.is_object)
        if scalar.trouble == "not_a_number":
            self._note("not_a_number", self._at, lossless=False)
            self._lossy = self._lossy or Trouble("not_a_number", self._at)
        elif scalar.trouble:
            raise Halt(Trouble(scalar.trouble, self._at))
        elif scalar.end == len(self._text):
            raise Halt(Trouble("cut_off", self._at))
        elif scalar.repair:
            self._note(scalar.repair, self._at)
        self.contents.append((self._at, scalar.end))
        self._at = scalar.end
        self._put(frame, scalar.value)

    def _separator(self, frame: Frame, char: str) -> None:
        """Read what stands between two values, or the end of their container."""
        if char in _COMMAS:
            if char != ",":
                self._note("wrong_comma", self._at)
            frame.comma = self._at
            frame.state = KEY_STATE if frame.is_object else VALUE_STATE
            self._at += 1
        elif char in _CLOSING:
            self._close(frame, char)
        elif char in ":：" and not frame.is_object:
            self._list_with_key(frame)
        elif self._is_fence() or self._is_prose():
            self._early_end(frame)
        else:
            self._missing_comma(frame, char)

    def _missing_comma(self, frame: Frame, char: str) -> None:
        pattern = KEY if frame.is_object else ELEMENT
        if ELLIPSIS.match(self._text, self._at):
            raise Halt(Trouble("ellipsis", self._at))
        if OPERATOR.match(self._text, self._at):
            raise Halt(Trouble("arithmetic", self._at))
        if pattern.match(self._text, self._at) is None:
            raise self._unexpected(frame, char)
        self._note("missing_comma", self._at)
        frame.state = KEY_STATE if frame.is_object else VALUE_STATE

    def _list_with_key(self, frame: Frame) -> None:
        """A key inside a list: the list's closing bracket is missing before it."""
        parent = self._stack[-2] if len(self._stack) > 1 else None
        items = frame.value
        if parent is None or not parent.is_object or not frame.last_string:
            raise Halt(Trouble("ambiguous", self._at))
        if not isinstance(items, list) or len(items) < 2:  # noqa: PLR2004 - one item is no list
            raise Halt(Trouble("ambiguous", self._at))
        parent.key = items.pop()
        self._note("missing_closer", self._at)
        self._stack.pop()
        parent.state = VALUE_STATE
        self._at += 1

    def _close(self, frame: Frame, char: str) -> None:
        """Close a container, or explain a bracket that does not match."""
        if frame.is_object and frame.state == VALUE_STATE:
            raise Halt(Trouble("syntax", self._at, "a value is missing"))
        if frame.comma >= 0 and frame.state != SEPARATOR_STATE:
            self._note("trailing_comma", frame.comma)
        closing = plan_closing(
            self._text, self._at, [item.is_object for item in self._stack], self._policy.closing
        )
        self._apply(closing, char)

    def _apply(self, closing: Closing, char: str) -> None:
        if closing.repair:
            self._note(closing.repair, self._at)
            self.doubts += closing.doubtful
        if char in "｝］":
            self._note("full_width_punctuation", self._at)
        self._at += 1
        for _ in range(closing.pops):
            self._stack.pop()
        if closing.pops == 0 and self._stack:
            self._stack[-1].state = SEPARATOR_STATE

    def _is_fence(self) -> bool:
        return self._text.startswith(_FENCES, self._at)

    def _is_prose(self) -> bool:
        """Whether ordinary text begins here, on a line of its own."""
        text, at = self._text, self._at
        line = text.rfind("\n", 0, at)
        alone = line >= 0 and not text[line:at].strip()
        if not alone or KEY.match(text, at) or ELLIPSIS.match(text, at):
            return False
        return text[at].isalpha() and not ELEMENT.match(text, at)

    def _unexpected(self, frame: Frame, char: str) -> Halt:
        """Why the parse ends at a character that fits nowhere."""
        text, at = self._text, self._at
        if ELLIPSIS.match(text, at):
            return Halt(Trouble("ellipsis", at))
        if frame.state == KEY_STATE and (text.startswith(("{{", "{%", "${"), at) or char == "<"):
            return Halt(Trouble("template", at))
        return Halt(Trouble("syntax", at, f"unexpected {char!r}"))


def parse_damaged(text: str, start: int, policy: Policy) -> tuple[RepairOutcome, RepairParser]:
    """Run one parse; the parser tells its doubts and the content it used."""
    parser = RepairParser(text, start, policy)
    return parser.run(), parser
