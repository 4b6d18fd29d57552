"""The readings of a text: every value that stands in it, alone or joined, and how well it fits."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from libriscribe2.utils.choice import BARE, FULL, Judgement, judge
from libriscribe2.utils.placeholders import begins_like_template
from libriscribe2.utils.repair import lacks_end
from libriscribe2.utils.report import Repair
from libriscribe2.utils.schema_fit import resolve, types_of
from libriscribe2.utils.spans import Span

_JSON_LANGUAGES: Final = ("json", "jsonc", "json5", "jsonl")
_CUE_WINDOW: Final = 160
# What is said of an answer or a draft in the paragraph before it, in the languages of models.
_FINAL: Final = re.compile(
    r"\b(?:final|corrected|fixed|revised|updated|improved"
    r"|endgültig\w*|korrigiert\w*|überarbeitet\w*|définiti\w+|corrigée?|definitiv\w+|corregid\w+"
    r"|итог\w*|исправлен\w*)\b|\bafter:|最终|修正|最終|النهائي",
    re.IGNORECASE,
)
_DRAFT: Final = re.compile(
    r"\b(?:example|e\.g\.|draft|wrong|incorrect|previous"
    r"|entwurf|beispiel|brouillon|exemple|borrador|ejemplo|черновик|пример)\b"
    r"|\bbefore:|草稿|示例|下書き|مسودة",
    re.IGNORECASE,
)
# The same with no empty line between.
_LATER: Final = re.compile(r"\b(?:instead|actual|answer|result)\b", re.IGNORECASE)
_EARLIER: Final = re.compile(
    r"\b(?:schema|template|original|not like|don't|do not|instead of|input|old"
    r"|(?<!in the )(?<!json )(?<!requested )(?<!required )(?<!desired )format)\b",
    re.IGNORECASE,
)
_OPENS_QUOTATION: Final = re.compile(r"""[\s:,({\[]["']\Z|[“„«]\Z""")
_FENCE_LINE: Final = re.compile(r"(?:`{3,}|~{3,})[^\n]*\n\s*\Z")
_BETWEEN_ITEMS: Final = re.compile(
    r"[\s,;`]*+(?:json)?(?:(?:[-*]|\d+[.)])[ \t]++)?(?:[^\n{}]{1,60}:|(?<=[^\n{}]):)?\s*+"
)
_GUESSED: Final = frozenset({"unquoted_key", "unquoted_value"})


@dataclass(frozen=True, slots=True)
class Task:
    """What is read, and for what.

    Attributes:
        text: The text.
        wanted: The wanted JSON Schema, or None.
        strict: Take only what is valid as written.
        hinted: Whether the text can hold strong placeholders at all.
    """

    text: str
    wanted: Mapping[str, Any] | None
    strict: bool
    hinted: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """One candidate: a value of the text, or several joined, and how well it answers.

    Attributes:
        start: Where it begins.
        end: Where it ends, exclusive.
        judgement: How well the value fits.
        fence: The language of the fence around it; None outside fences.
        repairs: What was changed to read it.
        lossless: Whether nothing can be missing from it.
        cue: 1 when the words before it announce an answer, -1 an example or a draft.
    """

    start: int
    end: int
    judgement: Judgement
    fence: str | None = None
    repairs: tuple[Repair, ...] = ()
    lossless: bool = True
    cue: int = 0

    @property
    def rank(self) -> tuple[Any, ...]:
        """The order among readings: greater is better; of equals the first."""
        whole = self.judgement.level == FULL
        return (
            self.lossless and self.judgement.level,
            # Of values that all answer in full the announced one counts, not the longest.
            whole and self.cue,
            self.judgement.known,
            -self.judgement.faults,
            not self.repairs,
            self.cue,
            self.fence in _JSON_LANGUAGES,
            -self.start,
        )


def read_spans(task: Task, spans: Sequence[Span]) -> list[Reading]:
    """One reading for each span that has a value, and the spans joined where that fits better."""
    readings = []
    before = 0
    for span in spans:
        reading = None if span.nested else _read(task, span, before)
        before = span.end
        if reading is not None:
            readings.append(reading)
    joined = _joined(task, spans)
    if joined is None or any(item.judgement.rank >= joined.judgement.rank for item in readings):
        return readings
    return [joined]


def _read(task: Task, span: Span, before: int) -> Reading | None:
    """The reading of one span; None when it has no value."""
    cue = _cue(task.text[max(before, span.start - _CUE_WINDOW) : span.start])
    if span.outcome is None:
        real = not task.hinted and not begins_like_template(span.value)
        verdict = judge(span.value, task.wanted, strict=task.strict, real=real)
        return Reading(span.start, span.end, verdict, span.fence, cue=cue)
    if task.strict or span.outcome.value is None:
        return None
    repairs = span.outcome.repairs
    verdict = judge(span.outcome.value, task.wanted)
    if task.wanted is None and {one.name for one in repairs} >= _GUESSED:
        # "a { color: red }" in a sentence has no mark of JSON but its braces.
        verdict = replace(verdict, level=min(verdict.level, BARE))
    lossless = span.outcome.trouble is None
    if lossless and lacks_end(span.outcome):
        lossless = _is_whole(task, span, verdict)
    return Reading(span.start, span.end, verdict, span.fence, repairs, lossless, cue)


def _is_whole(task: Task, span: Span, verdict: Judgement) -> bool:
    """Whether a value is whole although its last bracket had to be added.

    With a schema it must be complete, and its last quote must not begin a quotation: the string
    was cut off there. Without one the bracket must not be as well missing further in, after an
    object that ends right before.
    """
    read = task.text[span.start : span.end].rstrip()
    if task.wanted is not None:
        return verdict.level == FULL and _OPENS_QUOTATION.search(read[-2:]) is None
    return not read.endswith("}")


def _cue(lead: str) -> int:
    """What the words before a value say of it: 1 an answer, -1 an example or a draft."""
    lead = _FENCE_LINE.sub("", lead)
    paragraph = lead.rstrip().rsplit("\n\n", 1)[-1]
    attached = lead.rsplit("\n\n", 1)[-1]
    later = _FINAL.search(paragraph) or _LATER.search(attached)
    earlier = _DRAFT.search(paragraph) or _EARLIER.search(attached)
    return bool(later) - bool(earlier)


def _joined(task: Task, spans: Sequence[Span]) -> Reading | None:
    """Objects in a row read as the wanted list, or as parts of the wanted object."""
    objects = [span for span in spans if isinstance(span.value, dict) and not span.nested]
    if task.wanted is None or task.strict or len(objects) < 2:  # one object is no row
        return None
    if "array" in types_of(resolve(task.wanted, task.wanted)):
        objects = _row(task.text, objects)
        value: Any = [span.value for span in objects]
        name = "missing_list_brackets"
    else:
        value = _merged(objects)
        name = "merged_parts"
    verdict = judge(value, task.wanted)
    if verdict.level < FULL:
        return None
    start = objects[0].start
    repair = Repair(name, lossless=True, position=start)
    return Reading(start, objects[-1].end, verdict, None, (repair,))


def _row(text: str, objects: Sequence[Span]) -> list[Span]:
    """The objects from the first on that only separators and short headings stand between."""
    row = list(objects[:1])
    for span in objects[1:]:
        if not _BETWEEN_ITEMS.fullmatch(text, row[-1].end, span.start):
            break
        row.append(span)
    return row


def _merged(objects: Sequence[Span]) -> dict[str, Any]:
    """The members of all objects; none when two of them share a key."""
    merged: dict[str, Any] = {}
    for span in objects:
        if merged.keys() & span.value.keys():
            return {}
        merged.update(span.value)
    return merged
