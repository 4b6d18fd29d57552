"""The place in a damaged text, and the record of what was read and changed up to it."""

from libriscribe2.utils.repair.outcome import Trouble
from libriscribe2.utils.repair.patterns import (
    COMMA_INSIDE,
    COMMENT,
    ELEMENT,
    ELLIPSIS_WORDS,
    KEY,
    OPEN_QUOTES,
    skip_space,
)
from libriscribe2.utils.repair.string_tokens import StringToken
from libriscribe2.utils.repair.strings import StringReader
from libriscribe2.utils.report import Repair

_FENCES = ("```", "~~~")
_MARGIN = 20
_TOKENS = frozenset('{}[],"')


class Halt(Exception):  # noqa: N818 - it ends a parse, it is no error of ours
    """The parse ends here.

    Attributes:
        trouble: Why, or None when the value is complete.
        keep: Whether the value that was read so far is worth keeping.
    """

    def __init__(self, trouble: Trouble | None, *, keep: bool = False) -> None:
        super().__init__()
        self.trouble = trouble
        self.keep = keep or trouble is None


class Cursor:
    """A position in one text.

    Attributes:
        text: The text.
        at: The position.
        strings: The reader of the text's strings.
        repairs: What was changed so far.
        contents: The stretches of text that became content so far.
    """

    def __init__(self, text: str, at: int, strings: StringReader) -> None:
        """Start at a position with nothing read."""
        self.text = text
        self.at = at
        self.strings = strings
        self.repairs: list[Repair] = []
        self.contents: list[tuple[int, int]] = []

    def note(self, name: str, position: int, *, lossless: bool = True) -> None:
        """Record one repair."""
        self.repairs.append(Repair(name, lossless, position))

    def check_key(self) -> None:
        """Check what looks like a key behind a text without quotes.

        Raises:
            Halt: It is the first key without quotes, on the line of that text: both can be one
                text, as in `"place": Kitchen, at night: nobody`.
        """
        last = next((one for one in reversed(self.repairs) if one.name != "wrong_comma"), None)
        if last is None or last.name != "unquoted_value" or self.text[self.at] in OPEN_QUOTES:
            return
        first, end = self.contents[-1]
        alone = all(one.name != "unquoted_key" for one in self.repairs)
        if alone and first == last.position and "\n" not in self.text[end : self.at]:
            raise self.halt("ambiguous")

    def check_string_before(self) -> None:
        """Check the string before a missing comma.

        Raises:
            Halt: The comma stands inside of it: one of its quotes is another string's.
        """
        if COMMA_INSIDE.search(self.text, max(0, self.at - _MARGIN), self.at):
            raise self.halt("ambiguous")

    def halt(self, kind: str, detail: str = "") -> Halt:
        """The exception that ends the parse here."""
        return Halt(Trouble(kind, self.at, detail))

    def skip(self) -> str:
        """Pass white space and comments; return the next character, "" at the end.

        Raises:
            Halt: A comment says that content is left out.
        """
        char = self.text[self.at : self.at + 1]
        if char in _TOKENS:
            return char
        while True:
            self.at = skip_space(self.text, self.at)
            char = self.text[self.at : self.at + 1]
            if char not in ("/", "#", "<"):
                return char
            comment = COMMENT.match(self.text, self.at)
            if comment is None:
                return char
            if ELLIPSIS_WORDS.search(comment.group()):
                raise self.halt("ellipsis")
            self.note("comment", self.at)
            self.at = comment.end()

    def accept(self, token: StringToken) -> str:
        """Take a string: record its content and repairs, pass it, return its text.

        Raises:
            Halt: The string is not closed or not to be trusted.
        """
        if not token.closed:
            self.at = token.end
            raise self.halt("cut_off")
        if token.trouble:
            raise self.halt(token.trouble)
        self.contents.append(token.inner)
        for name in token.repairs:
            self.note(name, self.at)
        self.at = token.end
        return token.text

    def read_string(self, role: str, depth: int) -> StringToken:
        """Read the string here, whose opening quote may carry a backslash.

        Args:
            role: "key", "member" or "element".
            depth: How many containers are open.
        """
        if self.text[self.at] != "\\":
            return self.strings.read(self.at, role, depth)
        token = self.strings.read_escaped(self.at, role, depth)
        if token is None:
            raise self.halt("ambiguous")
        return token

    def is_fence(self) -> bool:
        """Whether a fence stands here."""
        return self.text.startswith(_FENCES, self.at)

    def is_escaped_quote(self) -> bool:
        """Whether a quote with a backslash stands here."""
        return self.text.startswith('\\"', self.at)

    def is_prose(self) -> bool:
        """Whether ordinary text begins here, on a line of its own."""
        text, at = self.text, self.at
        line = text.rfind("\n", 0, at)
        alone = line >= 0 and not text[line:at].strip()
        if not alone or not text[at].isalpha() or ELEMENT.match(text, at):
            return False
        if KEY.match(text, at) is None:
            return True
        # "Note: ..." after a blank line; in an object whose other keys carry quotes.
        blank = not text[text.rfind("\n", 0, line) + 1 : line].strip()
        return blank and not any(one.name == "unquoted_key" for one in self.repairs)
