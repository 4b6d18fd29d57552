"""Tokens of damaged JSON: patterns, escapes, tokens of strings."""

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import Final

# White space between tokens: Unicode spaces and the zero-width characters.
SPACE: Final = re.compile(r"[\s\u200b-\u200f\u2060\ufeff]*+")
# What follows most values: the next sound key, or brackets that close.
_PLAIN_NEXT: Final = re.compile(r'\s*+(?:,\s*+"[^"\\\n]{1,80}+"\s*+:|[}\]]\s*+[,}\]])')
OPEN_QUOTES: Final = "\"'“”„«‘’`＂「『‹״"
PAIRS: Final = dict(zip(OPEN_QUOTES, "\"'””“»’’`＂」』›״", strict=True))
"""What closes what each quote opens."""

QUOTED_KEY: Final = (
    r"""(?:\\?["“”„«＂「『״][^"“”„«»＂「」『』״\n\\]{1,80}\\?["“”»＂」』״]"""
    r"""|['‘’‹][^'‘’‹›\n\\]{1,80}['’‘›]|`[^`\n]{1,80}`)\s*[:：=]"""
)
_BARE_KEY: Final = r"""(?:[^\W\d]|\$)[\w$-]{0,60}["'”’]?\s*[:：](?!//)"""
_LITERAL: Final = r"(?:true|false|null|True|False|None|undefined)\b"
_OPEN_KEY: Final = rf"""["'][^\W\d][\w -]{{0,60}}:\s*(?:["'\[{{\d]|{_LITERAL})"""
KEY: Final = re.compile(rf"(?:{QUOTED_KEY}|{_BARE_KEY}|{_OPEN_KEY})")
# A key whose colon is missing, before a value on the same line.
COLONLESS_KEY: Final = re.compile(
    rf"""(?:"(?P<double>[^\W\d][\w -]{{0,60}})"|'(?P<single>[^\W\d][\w -]{{0,60}})'"""
    rf"""|(?P<bare>[^\W\d]\w{{0,60}}))[ \t]+(?=["'“\[{{]|[+-]?\.?\d|{_LITERAL})"""
)
# A key that the end of the text or of its fence cuts off.
_CUT_KEY: Final = re.compile(r"""["'“][\w -]{0,60}\s*(?:\Z|\n[ \t>]*(?:`{3}|~{3}))""")
# A member whose value also looks sound: strong evidence of structure.
MEMBER: Final = re.compile(
    rf"""{QUOTED_KEY}\s*(?:["'“„«‘`＂{{\[｛［]|[+-]?[\d.][\d.eE+-]*\s*[,}}\]\n]"""
    rf"""|{_LITERAL}\s*[,}}\]\n])"""
)
# Missing comma: a line break and a key, or a quoted key on the same line.
NEXT_MEMBER: Final = re.compile(
    rf"[ \t]*(?:(?://|\#)[^\n]*|/\*[^*]*\*/[ \t]*)?\r?\n\s*(?:{QUOTED_KEY}|{_BARE_KEY}|{_OPEN_KEY})"
    rf"|\s*{QUOTED_KEY}|[ \t]*\r?\n\s*\{{\s*{QUOTED_KEY}"
)
# An object where a key is wanted: the closing bracket before it is missing.
NESTED_MEMBER: Final = re.compile(rf"[{{｛]\s*(?:{QUOTED_KEY}|{_BARE_KEY})")
# A line of closing brackets and sound structure after it: the string before lost its quote.
LOST_CLOSE: Final = re.compile(
    rf"""\n[ \t]*[}}\]](?:\s*[}}\]]){{0,200}}+\s*+(?:\Z|`{{3}}|~{{3}}|,\s*(?:["'\[{{]|{_BARE_KEY}))"""
)
# Another JSON value begins on a line, perhaps in a fence or after a few words and a colon.
FRESH_START: Final = re.compile(
    rf"\n[ \t]*(?:(?:`{{3}}|~{{3}})\w*[ \t]*\n\s*|[^\W\d][^\n{{\[\"]{{0,80}}:[ \t]*)?[{{\[]\s*{QUOTED_KEY}"
)
FENCE_LINE: Final = re.compile(r"\s*\n[ \t>]*(?:`{3}|~{3})")
# A blank line and ordinary text: the JSON is over.
PARAGRAPH: Final = re.compile(r"[ \t]*\r?\n[ \t]*\r?\n\s*[^\W\d_]")
# The commas and semicolons of Latin, Chinese, Japanese and Arabic script.
SEPARATORS: Final = ",，、;；،؛"
SURE_COMMAS: Final = ",，،"
COMMAS: Final = re.compile(rf"[{SEPARATORS}](?:\s*+[{SURE_COMMAS}])*+")
COMMA: Final = re.compile(rf"\s*+[{SEPARATORS}]\s*+")
# A comma at the end of a string, and white space: it belongs behind the quote.
COMMA_INSIDE: Final = re.compile(rf"[{SEPARATORS}]\s+[\"'”]\s*\Z")
CLOSERS: Final = re.compile(r"(?:\s*+[}\]｝］]){1,210}+")
AFTER_CLOSERS: Final = re.compile(
    rf"\s*+(?:\Z|[,，;]|`{{3}}|~{{3}}|//|/\*|\#|(?:{QUOTED_KEY})|[\[{{]|(?:{_BARE_KEY})"
    r"|(?<=\n)[^\W\d_])"
)
# Words in brackets up to the end of a line are a remark, too; with a quote or a comma a tuple.
_REMARK: Final = r"""\((?=[^\W\d_])[^()\n"'“”„«»‘’,{\[]*\)(?=[ \t\r]*\n)"""
COMMENT: Final = re.compile(
    rf"//[^\n]*|\#[^\n]*|/\*.{{0,4000}}?\*/|<!--.{{0,4000}}?-->|{_REMARK}", re.DOTALL
)
COMMENT_START: Final = re.compile(rf"\s*+(?://|/\*|\#|<!--|{_REMARK})")
ELEMENT: Final = re.compile(
    r"""["'“”„«‘`＂「『‹{\[｛［]|\\"|[+-]?\.?\d|(?:true|false|null|True|False|None|undefined)\b|\Z"""
)
CONCATENATION: Final = re.compile(r"""\s*+\+\s*+(?=["'`“])""")
# A string that goes on in the next literal, on a line of its own, as in Python and C.
ADJACENT: Final = re.compile(
    r"""[ \t]*+\\?[ \t]*+\r?\n[ \t]*+
    (?=(?P<q>["'])(?:[^"'\\\n]|\\.|(?!(?P=q))["'])*+(?P=q)\s*+(?:[,}\]]|\\?[ \t]*\r?\n[ \t]*["']))""",
    re.VERBOSE,
)
# A word without quotes as an element of a list.
_BARE_ELEMENT: Final = re.compile(r"[^\W\d][\w' -]{0,60}\"?\s*[,\]]")
COLON: Final = re.compile(r"\s*+(?:[:：][:：=]?|=>?)")
_LEFT_OUT: Final = re.compile(r"\s*(?:\.{3}|…)\s*[,}\]]")
# A string that is computed with: no literal, but the string ends before the operator.
_OPERATION: Final = re.compile(
    r"""\s*+[+*/%]\s*+[\w.]+\s*[,}\]\n]|\s++(?:\.{1,2}|&|\|\|?|~)\s++["'`]"""
)
# What may stand between two contents of a value: brackets, quotes, separators, comments.
_QUOTE: Final = r"\"'“”„«»‘’`＂「」『』‹›״"
GAP: Final = re.compile(
    rf"""\\?[{_QUOTE}]{{0,3}}+
    (?:\\(?=\s) | [\s\u200b-\u200f\u2060\ufeff{{}}\[\]｛｝［］{SEPARATORS}:：=+>]++
      | {COMMENT.pattern})*+
    \\?[{_QUOTE}]{{0,3}}+""",
    re.VERBOSE | re.DOTALL,
)
ELLIPSIS: Final = re.compile(r"\.{2,}|…")
# The Greek question mark is a semicolon.
QUESTION: Final = re.compile(
    r"(?<=[\u0370-\u03ff\u1f00-\u1fff]);|[?？؟՞](?=[)\]\"'”’»」*_~]*(?:\s|\Z|[\u3040-\u9fff]))|[？؟፧᥅꘏꛷]"
)
_NEXT_KEYS: Final = (KEY, NESTED_MEMBER, COLONLESS_KEY, _CUT_KEY, COMMENT_START)
_NEXT_ELEMENTS: Final = (ELEMENT, _BARE_ELEMENT, COMMENT_START)
# The text, its fence or its line ends here, or a comment or another part begins.
_ENDS: Final = (
    re.compile(rf"{SPACE.pattern}\Z"), PARAGRAPH, FENCE_LINE, _LEFT_OUT, _OPERATION, CONCATENATION,
    COMMENT_START,
)  # fmt: skip
OPERATOR: Final = re.compile(r"\s*+(?:[*/%^&|<>]|[+-](?!\s*[,}\]]))")


def skip_space(text: str, position: int) -> int:
    """The index of the first character after the white space at `position`."""
    space = SPACE.match(text, position)
    return space.end() if space else position


def follows_member(text: str, position: int, depth: int) -> bool:
    """Whether what stands here can follow the value of a member.

    Args:
        text: The text.
        position: Just after the closing quote in question.
        depth: How many containers are open.
    """
    if _PLAIN_NEXT.match(text, position):
        return True
    comma = COMMA.match(text, position)
    if comma is not None:
        return _is_over(text, comma) or _stands(_NEXT_KEYS, text, comma.end())
    return _closes(text, position, depth) or _stands(
        (NEXT_MEMBER, ADJACENT, *_ENDS), text, position
    )


def follows_element(text: str, position: int, depth: int) -> bool:
    """Whether what stands here can follow an element of a list."""
    comma = COMMA.match(text, position)
    if comma is not None:
        return _is_over(text, comma) or _stands(_NEXT_ELEMENTS, text, comma.end())
    after = skip_space(text, position)
    opens_next = OPEN_QUOTES + "{[" if "\n" in text[position:after] else OPEN_QUOTES
    return (
        (after > position and text.startswith(tuple(opens_next), after))
        or text.startswith((":", "："), after)
        or _closes(text, position, depth)
        or _stands(_ENDS, text, position)
    )


def follows(text: str, position: int, role: str, depth: int) -> bool:
    """Whether what stands here can follow a string.

    Args:
        text: The text.
        position: Just after the closing quote in question.
        role: "key", "member" or "element": what the string is.
        depth: How many containers are open.
    """
    if role == "key":
        return COLON.match(text, position) is not None
    if role == "member":
        return follows_member(text, position, depth)
    return follows_element(text, position, depth)


def _stands(patterns: Iterable[re.Pattern[str]], text: str, position: int) -> bool:
    """Whether one of several things stands here."""
    return any(pattern.match(text, position) for pattern in patterns)


def _is_over(text: str, comma: re.Match[str]) -> bool:
    """Whether after a comma the container ends, is cut off, or leaves content out."""
    after = comma.end()
    return (
        after == len(text)
        or text[after] in "}]｝］,，"
        or comma.group().count("\n") > 1
        or ELLIPSIS.match(text, after) is not None
    )


def _closes(text: str, position: int, depth: int) -> bool:
    """Whether closing brackets stand here and what comes after them makes sense."""
    closers = CLOSERS.match(text, position)
    if closers is None:
        return False
    count = sum(mark in "}]｝］" for mark in closers.group())
    return count >= depth or AFTER_CLOSERS.match(text, closers.end()) is not None


_SIMPLE: Final = dict(zip("\"\\/bfnrt'`", "\"\\/\b\f\n\r\t'`", strict=True))
_FOREIGN_LETTER: Final = re.compile(r"\\[A-Zac-eg-mo-qsv-z]")
# What Markdown and LaTeX escape.
_MARKS: Final = "!#$%&*+-.<=>@[]^_{|}~"
_ESCAPE: Final = re.compile(
    r"\\(?:u(?P<four>[0-9A-Fa-f]{4})|U(?P<eight>[0-9A-Fa-f]{8})|x(?P<two>[0-9A-Fa-f]{2})"
    r"|u\{(?P<braced>[0-9A-Fa-f]{1,6})\}|(?P<line>\r?\n)|(?P<one>.)|\Z)",
    re.DOTALL,
)
_PATH: Final = re.compile(
    r"(?:(?<![^\W_])[A-Za-z]:|\\|(?<!\S)\.{1,2}|%\w{1,40}%|~)(?:\\[^\s\\/:*?\"<>|]+(?: [^\s\\/:*?\"<>|]+(?=\\))*)+\\?"
)
# Folders of a path whose names begin like JSON's escapes: nobody can tell what was meant.
_DRIVE: Final = re.compile(r"(?<![^\W_])[A-Za-z]:(?:\\[bfnrt][^\s\\/:*?\"<>|]+){2}")
_COMMAND: Final = re.compile(r"\\(?:\\|[A-Za-z]{2,})")
# What a string that was cut off inside a \u escape ends with.
_TORN: Final = re.compile(r"(?<!\\)(?:\\\\)*+\\u[0-9A-Fa-f]{0,3}\Z")
_MAX_CODE: Final = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Unescaped:
    """The text of a string, and what was unusual about its escapes.

    Attributes:
        text: The string's value.
        repair: "" or the name of the most telling repair.
        trouble: "ambiguous" when a backslash can be an escape or a character, or "".
    """

    text: str
    repair: str = ""
    trouble: str = ""


def unescape(raw: str) -> Unescaped:
    """Decode what stands between the quotes of a damaged string."""
    if "\\" not in raw:
        return Unescaped(raw)
    foreign = _has_foreign(raw)
    spans = [match.span() for match in _PATH.finditer(raw)] if foreign else []
    in_path = {place for span in spans for place in range(*span) if raw[place] == "\\"}
    commands = foreign and _FOREIGN_LETTER.search(raw) is not None
    parts: list[str] = []
    repair = ""
    position = 0
    for found in _ESCAPE.finditer(raw):
        start = found.start()
        parts.append(raw[position:start])
        if start in in_path:
            parts.append("\\")
            position, repair = start + 1, "backslash_path"
            continue
        text, name = _one(found, commands=commands)
        parts.append(text)
        repair = repair or name
        position = found.end()
    text = "".join([*parts, raw[position:]])
    mixed = repair and _mixes_meanings(raw, in_path)
    torn = repair and raw.rfind("\\") not in in_path and _TORN.search(raw)
    trouble = "ambiguous" if mixed or torn or (not foreign and _DRIVE.search(raw)) else ""
    # Halves of a character that stand side by side become one; one alone stays.
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return Unescaped(joined, repair, trouble)


def _mixes_meanings(raw: str, in_path: Set[int]) -> bool:
    """Whether commands such as LaTeX's stand beside what may be line breaks or commands too."""
    outside = [found[0][1] for found in _COMMAND.finditer(raw) if found.start() not in in_path]
    return any(letter not in _SIMPLE and letter not in "uUx" for letter in outside) and any(
        letter in "nrt" for letter in outside
    )


def _has_foreign(raw: str) -> bool:
    """Whether any escape is not JSON's own: then backslashes were not escaped here."""
    return any(found["one"] and found["one"] not in _SIMPLE for found in _ESCAPE.finditer(raw))


def _one(found: re.Match[str], *, commands: bool) -> tuple[str, str]:
    """The text of one escape, and the repair that it took; beside commands marks keep theirs."""
    digits = found["four"] or found["eight"] or found["two"] or found["braced"]
    if digits and int(digits, 16) <= _MAX_CODE:
        return chr(int(digits, 16)), "" if found["four"] else "foreign_escape"
    if found["line"]:
        return "", "line_continuation"
    simple = found["one"]
    if simple in _SIMPLE and not (commands and simple in "bf"):  # nobody means a form feed
        return _SIMPLE[simple], "foreign_escape" if simple in "'`" else ""
    if simple and simple in _MARKS and not commands:
        return simple, "foreign_escape"
    return found.group(), "invalid_escape"


LOST_QUOTE: Final = "missing_closing_quote"
CONTROL: Final = re.compile(r"[\x00-\x1f]")
# A fence that ends and another one: a string that holds them stands in two blocks.
FENCES_WITHIN: Final = re.compile(r"\n```[ \t]*\n(?:[^\n]*\n){0,4}?```\w+[ \t]*\n")
_TEMPLATE: Final = re.compile(r"\$\{[^}]*\}")
_BLANK: Final = " \t\r\n,，"


@dataclass(frozen=True, slots=True)
class StringToken:
    """A string as read.

    Attributes:
        text: Its value.
        end: Index just after it.
        closed: Whether its end was found; without, the text is cut off.
        repairs: Names of what was changed.
        inner: Start and end of its content in the source.
        trouble: A refusal kind, or "".
    """

    text: str
    end: int
    closed: bool = True
    repairs: tuple[str, ...] = ()
    inner: tuple[int, int] = (0, 0)
    trouble: str = ""


def unread(text: str, start: int) -> StringToken:
    """The token of the string at `start` whose end is not there."""
    return StringToken("", len(text), closed=False, inner=(start + 1, start + 1))


def string_token(text: str, start: int, end: int, *, lost: bool = False) -> StringToken:
    """The token of the string between two quotes.

    Args:
        text: The text.
        start: Index of the opening quote.
        end: Index of the closing quote.
        lost: Whether the closing quote is missing and `end` is where it should stand.
    """
    quote = text[start]
    raw = text[start + 1 : end]
    if quote == "«":  # French puts a space on either side of its content
        raw = raw.strip(" \u00a0\u202f")
    if lost:
        raw = _without_tail(raw)
    content_end = start + 1 + len(raw)
    value = unescape(raw)
    template = quote == "`" and _TEMPLATE.search(raw) is not None
    return StringToken(
        value.text,
        content_end if lost else end + 1,
        repairs=_repairs(raw, value.repair, quote, quote if lost else text[end], lost=lost),
        inner=(start + 1, end if quote == "«" else content_end),
        trouble="template" if template else value.trouble,
    )


def _repairs(raw: str, escapes: str, quote: str, closing: str, *, lost: bool) -> tuple[str, ...]:
    """The names of what is unusual about a string."""
    found = {
        LOST_QUOTE: lost,
        escapes: bool(escapes),
        "single_quotes": quote == "'",
        "foreign_quotes": quote not in "\"'" or closing not in "\"'",
        "unescaped_inner_quotes": PAIRS[quote] in raw.replace("\\" + PAIRS[quote], ""),
        "raw_control_character": CONTROL.search(raw) is not None,
    }
    return tuple(name for name, present in found.items() if present)


def _without_tail(raw: str) -> str:
    """The content of a string that lost its quote, without the brackets on lines after it."""
    content = raw.rstrip(_BLANK)
    while (line := content.rfind("\n")) >= 0 and not content[line:].strip(_BLANK + "}]"):
        content = content[:line].rstrip(_BLANK)
    return content
