"""The seam of all notations: the text, what a notation reports of it, JSON read whole."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from libriscribe2.replies.outcome import refusal
from libriscribe2.replies.repair import repair_json
from libriscribe2.replies.repair.state import RepairOutcome
from libriscribe2.replies.strict_json import strict_parse

JsonObject: TypeAlias = Mapping[str, Any]
Schemas: TypeAlias = Mapping[str, JsonObject]

LOOK: Final = 1
FAILURE: Final = 20
REPAIR: Final = 200
# A value that never ends is looked for up to the end of the text: so much, and one for each so many
# characters.
UNCLOSED: Final = 1_000
UNCLOSED_PER: Final = 80


@dataclass(frozen=True, slots=True)
class ReadCall:
    """One tool call as a format read it.

    Attributes:
        name: The tool's name.
        arguments: Argument names to values, complete.
        beside: Members of the call's object that are neither its name nor its arguments.
    """

    name: str
    arguments: dict[str, Any]
    beside: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """What stands behind an opener.

    Attributes:
        end: Where the region ends, in characters; the scan goes on there.
        calls: The calls of the region. A region without calls is a wrapper or a control token.
        text: What the region says to the user, or "".
        issue: What is wrong with a call that is not returned, such as a cut-off one; or "".
    """

    end: int
    calls: tuple[ReadCall, ...] = ()
    text: str = ""
    issue: str = ""


@dataclass(slots=True)
class Source:
    """A reply under scan, with searches that stay linear however often a format asks.

    Attributes:
        text: The reply.
        schemas: JSON Schema of the parameters, by tool name.
        tools: Names of the tools that exist; empty if the caller did not say.
        effort_left: What damage and looking ahead may still cost; see `spend`.
        verdicts_left: For how many regions the sentence before them is still judged.
    """

    text: str
    schemas: Schemas = field(default_factory=dict)
    tools: frozenset[str] = frozenset()
    effort_left: int = 40_000
    verdicts_left: int = 1_000
    _found: dict[re.Pattern[str], tuple[int, re.Match[str] | None]] = field(default_factory=dict)
    _last: dict[str, tuple[int, int]] = field(default_factory=dict)

    def search(self, pattern: re.Pattern[str], start: int) -> re.Match[str] | None:
        """The first match of `pattern` at or after `start`.

        The last answer for each pattern is kept: a closer that is missing is missed once, not
        once for each of a hundred thousand openers.
        """
        asked, match = self._found.get(pattern, (-1, None))
        if 0 <= asked <= start and (match is None or start <= match.start()):
            return match
        match = pattern.search(self.text, start)
        self._found[pattern] = (start, match)
        return match

    def part(self, text: str) -> "Source":
        """A part of the text as a source of its own, with what is left of the budgets."""
        return Source(text, self.schemas, self.tools, self.effort_left, self.verdicts_left)

    def settle(self, part: "Source") -> None:
        """Take over what a part has spent."""
        self.effort_left, self.verdicts_left = part.effort_left, part.verdicts_left

    def last(self, word: str, end: int) -> int:
        """Where `word` stands last before `end`; -1 if nowhere.

        Places are asked for in the order of the text, so that none is looked through twice.
        """
        seen, place = self._last.get(word, (0, -1))
        found = self.text.rfind(word, max(0, seen - len(word) + 1), end)
        place = found if found >= 0 else place
        self._last[word] = (end, place)
        return place

    def spend(self, cost: int) -> bool:
        """Take part of the effort that one reply is worth; false once it is used up.

        Clean replies cost nothing. The budget bounds the time of hostile ones.
        """
        self.effort_left -= cost
        return self.effort_left > 0

    def property_schema(self, tool: str, name: str) -> JsonObject | None:
        """The JSON Schema of one parameter of a tool, if it is known."""
        properties = self.schemas.get(tool, {}).get("properties", {})
        schema = properties.get(name) if isinstance(properties, Mapping) else None
        return schema if isinstance(schema, Mapping) else None


TAG_START: Final = r"<(?![^<>!]*+(?:<|\Z))"
"""How a tag or token in angle brackets begins: it ends before another begins."""

CONTROL: Final = 900
"""The rank of control tokens, which say nothing by themselves."""


@dataclass(frozen=True, slots=True, eq=False)
class ToolFormat:
    """One way in which models write tool calls.

    Attributes:
        name: For logs and tests.
        opener: Pattern without capturing groups that matches where a region begins.
        read: Reads the region: `read(source, start, body)` with the places where the opener
            begins and ends; None if no call and no wrapper stands there.
        rank: Its place among the notations: where several could begin, the lowest is tried first.
        begins: Pattern of what every opener begins with; it is looked for before the openers are.
    """

    name: str
    opener: str
    read: Callable[[Source, int, int], Found | None]
    rank: int = 0
    begins: str = TAG_START


def no_call(_source: Source, _start: int, body: int) -> Found:
    """Read a control token, which says nothing."""
    return Found(body)


def after_space(text: str, start: int) -> int:
    """The first place at or after `start` that is no white space."""
    match = _SPACE.match(text, start)
    return match.end() if match else start


_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class WholeJson:
    """The reading of a text.

    Attributes:
        value: The value; None unless `ok`.
        ok: Whether the text is one value, with all its content.
        advice: What is wrong, said to the model; "" if `ok`.
    """

    value: Any
    ok: bool
    advice: str = ""


def whole_json(text: str, *, was_closed: bool = False) -> WholeJson:
    """Read a text that should be one JSON object or list, and nothing else.

    Args:
        text: The text.
        was_closed: Whether a mark behind the text shows that its author had finished; brackets
            that are missing at its end are then forgotten ones, not cut off.

    Returns:
        The value, or why there is none.
    """
    plain = text.strip()
    parsed = strict_parse(plain)
    if parsed.end == len(plain):
        return WholeJson(parsed.value, ok=True)
    if plain[:1] not in {"{", "["}:
        return WholeJson(None, ok=False, advice="It is not JSON.")
    outcome = repair_json(plain)
    trouble = outcome.trouble
    if trouble is not None and not (was_closed and _lacks_only_closers(outcome)):
        advice = refusal(trouble.kind, plain, trouble.position, trouble.detail).feedback
        return WholeJson(None, ok=False, advice=advice)
    if plain[outcome.end :].strip() or outcome.value is None:
        return WholeJson(None, ok=False, advice="There is other text behind the JSON value.")
    return WholeJson(outcome.value, ok=True)


def _lacks_only_closers(outcome: RepairOutcome) -> bool:
    return (
        outcome.trouble is not None
        and outcome.trouble.kind == "cut_off"
        and outcome.value is not None
        and all(repair.lossless or repair.name == "missing_closer" for repair in outcome.repairs)
    )
