"""The one value among all candidates of a reply; a refusal where two answers are as good."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from libriscribe2.replies.candidates import MAX_SPANS, Span, find_spans
from libriscribe2.replies.choice import BARE, FULL, PARTIAL, Judgement, judge
from libriscribe2.replies.formatting import around_artifacts, value_artifacts, with_backslashes
from libriscribe2.replies.normalise import ASIDE_NAME, begins_line
from libriscribe2.replies.outcome import (
    DECODED_STRING,
    DIRECT_PARSE,
    JSON_REPAIR,
    MARKDOWN_BLOCK,
    OBJECT_EXTRACTION,
    TAG_EXTRACTION,
    ExtractionReport,
    Refusal,
    Repair,
    Trouble,
    refusal,
)
from libriscribe2.replies.remarks import gainsays, has_gap, is_a_share, miscounts, weighs, words_of
from libriscribe2.replies.repair import lacks_end
from libriscribe2.replies.schema_fit import properties_of, resolve, sole_list, types_at
from libriscribe2.replies.strict_json import same_json, strict_parse

_JSON_LANGUAGES: Final = ("json", "jsonc", "json5", "jsonl")
_WINDOW: Final = 160
# Words before and behind a value on its line: it stands in a sentence, as an example does.
_IN_A_SENTENCE: Final = re.compile(r"[^\W\d][^\S\n]*+\Z")
_SENTENCE_GOES_ON: Final = re.compile(r"[^\S\n]*+[.,;]|[^\S\n]++[^\W\d_]")
# A document that is shown; a draft in such tags may go on to calls, so the scanner of calls has it not.
_LAST_ASIDE: Final = re.compile(
    rf"<(?P<close>/?)(?:{ASIDE_NAME}|documents?)\s*>[^<>]*\Z", re.IGNORECASE
)
_OPENS_QUOTATION: Final = re.compile(r"""[\s:,({\[]["']\Z|[“„«]\Z""")
# "Part 1/3:" on the line of a value or right above it; above a list also "Part 1 of 3".
_PART: Final = re.compile(
    r"(?<![\d/.])(\d{1,2})(?: ?/ ?|(?P<word> [^\W\d_]{1,4} ))(\d{1,2})(?![\d/])[^\w\n]{0,4}\s*[`~]{0,4}(?:json)?\s*\Z"
)
# `<s>` is a token of chat templates.
_STRUCK: Final = re.compile(r"(?:(?<!~)~~|<(?:del|strike)>)\s*+\Z")
# A heading between items: it has a number, or ends with a colon.
_HEADING: Final = re.compile(r"[^\n{}\d]{0,40}(\d{1,3})[^\n{}\d]{0,20}|[^\n{}]{1,60}[:：]")
_GUESSED: Final = frozenset({"unquoted_key", "unquoted_value"})


@dataclass(frozen=True, slots=True)
class Task:
    """What is read, and for what.

    Attributes:
        text: The text.
        wanted: The wanted JSON Schema, or None.
        strict: Take only what is valid as written.
    """

    text: str
    wanted: Mapping[str, Any] | None
    strict: bool


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
        aside: Whether it stands in a sentence, or in an element of examples or results.
    """

    start: int
    end: int
    judgement: Judgement
    fence: str | None = None
    repairs: tuple[Repair, ...] = ()
    lossless: bool = True
    aside: bool = False

    @property
    def rank(self) -> tuple[Any, ...]:
        """The order among readings: greater is better; of equals the first."""
        fit, named = self.judgement, self.fence in _JSON_LANGUAGES
        whole = self.lossless and fit.level
        return whole, not self.aside, fit.known, -fit.faults, not self.repairs, named, -self.start


def read_spans(task: Task, spans: Sequence[Span]) -> list[Reading]:
    """One reading for each span that has a value, and the spans joined where that fits better."""
    found = [None if span.nested else _read(task, span) for span in spans]
    readings = [one for one in found if one is not None]
    joined = _joined(task, spans)
    if joined is None or any(item.judgement.rank >= joined.judgement.rank for item in readings):
        return readings
    return [joined]


def _read(task: Task, span: Span) -> Reading | None:
    """The reading of one span; None when it has no value."""
    lead = task.text[max(0, span.start - _WINDOW) : span.start]
    edge = _LAST_ASIDE.search(lead)
    aside = bool(edge and not edge["close"]) or bool(
        _IN_A_SENTENCE.search(lead) and _SENTENCE_GOES_ON.match(task.text, span.end)
    )
    value = span.value if span.outcome is None else span.outcome.value
    repairs = () if span.outcome is None else span.outcome.repairs
    if task.wanted is not None and not task.strict:
        mended = with_backslashes(value, task.text[span.start : span.end])
        lost = Repair("invalid_escape", lossless=True, position=span.start)
        value, repairs = mended, repairs if mended is value else (*repairs, lost)
    verdict = judge(value, task.wanted, strict=task.strict)
    if span.outcome is None:
        return Reading(span.start, span.end, verdict, span.fence, repairs, aside=aside)
    if task.strict or value is None:
        return None
    names = {one.name for one in repairs}
    if task.wanted is None and names >= _GUESSED:
        # "a { color: red }" in a sentence has no mark of JSON but its braces.
        verdict = replace(verdict, level=min(verdict.level, BARE))
    if "string_from_number" in verdict.applied and "number_format" in names:
        verdict = replace(verdict, trouble="ambiguous")  # its digits are not as they were written
    torn = lacks_end(span.outcome)
    lossless = _is_whole(task, span, verdict) if torn else span.outcome.trouble is None
    return Reading(span.start, span.end, verdict, span.fence, repairs, lossless, aside)


def _is_whole(task: Task, span: Span, verdict: Judgement) -> bool:
    """Whether a value is whole although its last bracket had to be added.

    With a schema it must be complete, and its last quote must not begin a quotation: the string
    was cut off there. Without one the bracket must not be as well missing further in, after an
    object that ends right before. Where the text itself ends, every member that the schema knows
    must be there, and a list or an object be closed right before.
    """
    outcome = span.outcome
    read = task.text[span.start : span.end].rstrip()
    if outcome is None or task.wanted is None:
        return outcome is not None and outcome.trouble is None and not read.endswith("}")
    if outcome.trouble is None:
        return verdict.level == FULL and _OPENS_QUOTATION.search(read[-2:]) is None
    open_ones = sum(one.position == outcome.end for one in outcome.repairs)
    known = len(properties_of(resolve(task.wanted, task.wanted)))
    closed = outcome.trouble.kind == "cut_off" and open_ones == 1 and read.endswith(("]", "}"))
    return closed and verdict.level == FULL and verdict.known == known > 1


def _joined(task: Task, spans: Sequence[Span]) -> Reading | None:
    """Objects in a row read as the wanted list, or as parts of the wanted object."""
    objects = [span for span in spans if isinstance(span.value, dict) and not span.nested]
    if task.wanted is None or task.strict or len(objects) < 2:  # one object is no row
        return None
    is_list = "array" in types_at(task.wanted, task.wanted)
    name = "" if is_list else sole_list(task.wanted)
    if (is_list or name) and not any(name in span.value for span in objects):
        row, items = _row(task.text, objects)
        if any(
            2 * len(one.value.keys() & row[0].value) > len(one.value) for one in objects[len(row) :]
        ):
            return None  # the row goes on behind what is no heading
        objects = row
        if any(span.start > objects[0].start and span.value is None for span in spans):
            return None  # one of them is damaged
        value: Any = {name: items} if name else items
        repair = "missing_list_brackets"
    else:
        members = [member for span in objects for member in span.value.items()]
        value, repair = dict(members), "merged_parts"
        if len(value) < len(members):
            return None  # two of them share a key
    verdict = judge(value, task.wanted)
    if verdict.level < FULL:
        return None
    start = objects[0].start
    repairs = (Repair(repair, lossless=True, position=start),)
    return Reading(start, objects[-1].end, verdict, None, repairs)


def _row(text: str, objects: Sequence[Span]) -> tuple[list[Span], Any]:
    """The objects from the first on that only separators and short headings stand between.

    With them their values, by number where each has a heading with one.
    """
    row: list[Span] = []
    numbers: list[str] = []
    for span in objects:
        lead = text[row[-1].end if row else 0 : span.start]
        between = words_of(lead) if row else ""
        if between and not _HEADING.fullmatch(between):
            break
        row.append(span)
        heading = _HEADING.fullmatch(words_of(lead[-_WINDOW:]).rpartition("\n")[2])
        if heading and heading[1]:
            numbers.append(heading[1])
    values = [span.value for span in row]
    if len(set(numbers)) == len(row):
        return row, dict(zip(numbers, values, strict=True))
    return row, None if numbers or miscounts(values) else values


def has_rival(best: Reading, usable: Sequence[Reading]) -> bool:
    """Whether another value answers as well as the best one, and the reply does not say which counts.

    Two options or a draft and its revision both fit a schema in full. Without a schema the first
    value is the answer.
    """
    verdict = best.judgement
    if verdict.level < FULL or not (verdict.known or isinstance(verdict.value, list)):
        return False
    return any(_is_rival(item, best) for item in usable)


def _is_rival(item: Reading, best: Reading) -> bool:
    verdict = item.judgement
    if item.start > best.start and _changes(verdict, best.judgement.value):
        return True
    small = 2 * verdict.known < best.judgement.known
    if (item.aside and not best.aside) or small or verdict.level < FULL:
        return False
    if same_json(verdict.value, best.judgement.value):
        return False
    # What needed repair before a sound value was a failed attempt at it.
    return item.lossless if item.start > best.start else not item.repairs


def _changes(patch: Judgement, value: Any) -> bool:
    """Whether an object has nothing but members of another one, and not all with its values."""
    members = patch.value if isinstance(value, dict) and isinstance(patch.value, dict) else {}
    known = patch.known == len(members) < len(value)
    return known and any(key in value and one != value[key] for key, one in members.items())


# A comma, and brackets too many, between a value and the next one: they are one list.
_GOES_ON: Final = re.compile(r"[\s\]}]*,\s*")
_LINE_REST: Final = re.compile(r"[^\S\n]*+(?:\n|\Z)")


def best_reading(
    text: str, wanted: Mapping[str, Any] | None, *, strict: bool = False
) -> ExtractionReport:
    """The value of a text that answers best, or the refusal that helps most."""
    spans = find_spans(text, wanted)
    if len(spans) >= MAX_SPANS:
        return ExtractionReport(None, refusal=refusal("too_large"))
    task = Task(text, wanted, strict)
    readings = read_spans(task, spans)
    usable = [item for item in readings if _is_usable(task, item)]
    if not usable:
        return ExtractionReport(None, refusal=_refusal(task, spans, readings))
    best = max(usable, key=lambda item: item.rank)
    outside = spans[0].start < best.start or best.end < spans[-1].start
    behind = next((span for span in spans if span.start >= best.end), None)
    if behind is not None and _GOES_ON.fullmatch(text, best.end, behind.start):
        return ExtractionReport(None, refusal=refusal("several_items", text, best.end))
    part = "one_item_list" in best.judgement.applied and outside
    if part or has_rival(best, usable):
        return ExtractionReport(None, refusal=refusal("several_items", text, best.start))
    shadow = _larger_damage(best, spans, wanted)
    if shadow is not None:
        return ExtractionReport(None, refusal=_span_refusal(task, shadow))
    return _accepted(task, best, spans)


def under_layers(report: ExtractionReport, names: Iterable[str]) -> ExtractionReport:
    """The report of a view, with the layers that were undone as its first repairs."""
    undone = tuple(Repair(name, lossless=True, position=0) for name in names)
    method = JSON_REPAIR if report.method == JSON_REPAIR else DECODED_STRING
    return report._replace(repairs=(*undone, *report.repairs), method=method)


def _is_usable(task: Task, item: Reading) -> bool:
    verdict = item.judgement
    lowest = BARE if task.wanted is None else PARTIAL
    if verdict.trouble or verdict.level < lowest:
        return False
    line = task.text[max(0, item.start - _WINDOW) : item.start].rpartition("\n")[2]
    if "one_item_list" in verdict.applied and line.strip() in ("-", "*", "+"):
        return False  # an item of YAML among others
    # A bare list has its lines for itself; "[1]" in a sentence is a footnote.
    alone = begins_line(task.text, item.start) and _LINE_REST.match(task.text, item.end)
    return verdict.level > BARE or bool(alone)


def _larger_damage(
    best: Reading, spans: Sequence[Span], wanted: Mapping[str, Any] | None
) -> Span | None:
    """A damaged value beside which the best one is an aside, or None.

    A small sound object ahead of a larger broken one is an example, and one of less than half its
    size after it is a remark. A value that fits a schema in full is the answer wherever it stands.
    """
    if wanted is not None and best.judgement.level == FULL and best.judgement.known:
        return None
    size = best.end - best.start
    for span in spans:
        if span.outcome is None or span.outcome.value is not None:
            continue
        later = span.start > best.start or best.judgement.level < FULL
        if span.end - span.start > (size if later else 2 * size):
            return span
    return None


def _accepted(task: Task, best: Reading, spans: Sequence[Span]) -> ExtractionReport:
    """The report of the chosen reading."""
    text, verdict = task.text, best.judgement
    applied = tuple(Repair(name, lossless=True, position=best.start) for name in verdict.applied)
    issues = (
        *around_artifacts(text[: best.start], text[best.end :]),
        *value_artifacts(text[best.start : best.end], verdict.value),
    )
    if len(spans) > 1:
        issues = (*issues, "several_values")
    others = [span for span in spans if not best.start <= span.start < best.end]
    before = _prose(text, 0, best.start, others)
    refused: Refusal | None = None
    if not best.lossless:
        outcome = next(span.outcome for span in spans if span.start == best.start)
        trouble = (outcome and outcome.trouble) or Trouble("cut_off", best.end)
        refused = refusal(trouble.kind, text, trouble.position, trouble.detail)
    elif task.wanted is not None and _is_doubted(task, best, others, before):
        refused = refusal("remark", text, best.end)
    return ExtractionReport(
        verdict.value,
        lossy=not best.lossless,
        method=_method(text, best),
        issues=issues,
        repairs=(*best.repairs, *applied),
        refusal=refused,
        before=before,
        after=_prose(text, best.end, len(text), others),
        unread=tuple(text[span.start : span.end] for span in others),
    )


def _is_doubted(task: Task, best: Reading, others: Sequence[Span], before: str) -> bool:
    """Whether what stands around the chosen value may change it, or says that it is a part."""
    text, value, wanted = task.text, best.judgement.value, task.wanted or {}
    again = (span for span in others if span.start >= best.end and same_json(span.value, value))
    end = max((span.end for span in again), default=best.end)
    behind = min((span.start for span in others if span.start >= end), default=len(text))
    rest = text[end:behind]
    after = words_of(rest)
    lead = text[max(0, best.start - _WINDOW) : best.start]
    part = _PART.search(lead)
    listed = isinstance(value, list) or bool(sole_list(wanted))
    if part is not None and int(part[1]) < int(part[3]) and (listed or not part["word"]):
        return True
    if any(span.start >= end and _is_list_of_objects(span.value) for span in others):
        return True
    aside = best.aside or has_gap(value) or rest.strip("` \t\r\n")[:1] in ("(", "（")
    return (
        _STRUCK.search(lead) is not None
        or (aside and bool(after))
        or weighs(after, value)
        or is_a_share(words_of(lead), value)
        or gainsays(before, after, value, wanted)
    )


def _prose(text: str, start: int, end: int, values: Sequence[Span]) -> str:
    """What is said between two places without its values; numbers in brackets are part of it."""
    inside = [
        span
        for span in values
        if start <= span.start < end
        and not (isinstance(span.value, list) and all(type(one) is int for one in span.value))
    ]
    starts = [start, *(span.end for span in inside)]
    ends = [*(span.start for span in inside), end]
    said = (words_of(text[one:other]) for one, other in zip(starts, ends, strict=True))
    return "\n\n".join(filter(None, said))


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _method(text: str, best: Reading) -> str:
    if best.repairs:
        return JSON_REPAIR
    if best.fence is not None:
        return MARKDOWN_BLOCK
    before, after = text[: best.start].rstrip(), text[best.end :].lstrip()
    if not before and not after:
        return DIRECT_PARSE
    tagged = before.endswith(">") and after.startswith("</")
    return TAG_EXTRACTION if tagged else OBJECT_EXTRACTION


def _refusal(task: Task, spans: Sequence[Span], readings: Sequence[Reading]) -> Refusal:
    """Why no reading is usable: the damage of the largest value first, then the wrong shape."""
    damaged = [span for span in spans if span.outcome is not None]
    judged = [item for item in readings if item.judgement.trouble]
    if damaged and (task.strict or not judged):
        return _span_refusal(task, max(damaged, key=lambda span: span.end - span.start))
    if judged:
        worst = max(judged, key=lambda item: (item.judgement.level, item.end - item.start))
        verdict = worst.judgement
        shown = "" if verdict.detail else task.text  # its place says less
        return refusal(verdict.trouble, shown, worst.start, verdict.detail)
    return refusal("no_json")


def _span_refusal(task: Task, span: Span) -> Refusal:
    """The refusal of one damaged span: the decoder's words in strict mode, else the repair's."""
    trouble = span.outcome.trouble if span.outcome is not None else None
    if trouble is not None and not task.strict:
        return refusal(trouble.kind, task.text, trouble.position, trouble.detail)
    failure = span.failure or strict_parse(task.text, span.start)
    return refusal(failure.kind, task.text, failure.position, failure.message)
