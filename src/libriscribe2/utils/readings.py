"""All readings of one text, and the best of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from libriscribe2.utils.artifacts import around_artifacts, value_artifacts
from libriscribe2.utils.choice import BARE, FULL, PARTIAL, Judgement, judge
from libriscribe2.utils.placeholders import may_be_template
from libriscribe2.utils.refusals import refusal
from libriscribe2.utils.repair import RepairOutcome, Trouble
from libriscribe2.utils.report import (
    DIRECT_PARSE,
    JSON_REPAIR,
    MARKDOWN_BLOCK,
    OBJECT_EXTRACTION,
    TAG_EXTRACTION,
    ExtractionReport,
    Refusal,
    Repair,
)
from libriscribe2.utils.schema_fit import resolve, types_of
from libriscribe2.utils.spans import MAX_SPANS, Span, find_spans

_JSON_LANGUAGES: Final = ("json", "jsonc", "json5", "jsonl")
_CUE_WINDOW: Final = 160
_LATER: Final = re.compile(
    r"\b(?:final|corrected|fixed|revised|updated|improved|instead|actual|answer|result)\b",
    re.IGNORECASE,
)
_EARLIER: Final = re.compile(
    r"\b(?:example|e\.g\.|format|schema|template|draft|wrong|incorrect|previous|original|"
    r"not like|don't|do not|instead of|input|old)\b",
    re.IGNORECASE,
)
_BETWEEN_ITEMS: Final = re.compile(
    r"[\s,;`]*(?:json)?(?:(?:[-*]|\d+[.)])[ \t]+)?(?:[^\n{}]{1,60}:)?\s*"
)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One candidate: a span, or several spans as one list, and how well its value answers."""

    start: int
    end: int
    judgement: Judgement
    fence: str | None = None
    repairs: tuple[Repair, ...] = ()
    lossless: bool = True
    cue: int = 0

    @property
    def rank(self) -> tuple[Any, ...]:
        judgement = self.judgement
        return (
            self.lossless and judgement.level,
            judgement.known,
            -judgement.faults,
            not self.repairs,
            self.cue,
            self.fence in _JSON_LANGUAGES,
            -self.start,
        )


def best_reading(
    text: str, wanted: Mapping[str, Any] | None, *, strict: bool = False
) -> ExtractionReport:
    """The value of a text that answers best, or the refusal that helps most."""
    spans = find_spans(text, wanted)
    if len(spans) >= MAX_SPANS:
        return ExtractionReport(None, refusal=refusal("too_large"))
    readings = [
        reading
        for span, before in zip(spans, [0, *(span.end for span in spans)], strict=False)
        if (reading := _read(text, span, before, wanted, strict=strict)) is not None
    ]
    readings = _joined(text, spans, readings, wanted, strict=strict)
    lowest = BARE if wanted is None else PARTIAL
    usable = [
        item
        for item in readings
        if item.judgement.level >= lowest
        and not item.judgement.trouble
        and (item.judgement.level > BARE or _stands_alone(text, item))
    ]
    if not usable:
        return ExtractionReport(None, refusal=_refusal(text, spans, readings, strict=strict))
    best = max(usable, key=lambda item: item.rank)
    shadow = _larger_damage(best, spans, wanted)
    if shadow is not None:
        return ExtractionReport(None, refusal=_span_refusal(text, shadow, strict=strict))
    return _accepted(text, best, spans)


def _read(
    text: str, span: Span, before: int, wanted: Mapping[str, Any] | None, *, strict: bool
) -> _Reading | None:
    """The reading of one span; None when it has no value or is a part of something unread."""
    if span.nested:
        return None
    value, lossless = span.value, True
    repairs: tuple[Repair, ...] = ()
    real = span.outcome is None and not may_be_template(text, value)
    if span.outcome is not None:
        if strict or span.outcome.value is None:
            return None
        value, repairs = span.outcome.value, span.outcome.repairs
        lossless = span.outcome.trouble is None
    verdict = judge(value, wanted, strict=strict, real=real)
    if wanted is None and {"unquoted_key", "unquoted_value"} <= {one.name for one in repairs}:
        verdict = replace(verdict, level=min(verdict.level, BARE))
    if span.outcome is not None and lossless:
        known = wanted is not None and verdict.level == FULL
        lossless = known or not _may_be_misplaced(text, span.outcome)
    cue = _cue(text[max(before, span.start - _CUE_WINDOW) : span.start])
    return _Reading(span.start, span.end, verdict, span.fence, repairs, lossless, cue)


def _may_be_misplaced(text: str, outcome: RepairOutcome) -> bool:
    """Whether the bracket that was added at the end could as well be missing further in."""
    last = outcome.repairs[-1] if outcome.repairs else None
    added = last is not None and last.name == "missing_closer" and last.position == outcome.end
    return added and text[: outcome.end].rstrip().endswith("}")


def _cue(lead: str) -> int:
    """What the words before a value say of it: 1 an answer, -1 an example or a draft."""
    line = lead.rsplit("\n\n", 2)[-1] if lead.strip() else ""
    return bool(_LATER.search(line)) - bool(_EARLIER.search(line))


def _joined(
    text: str,
    spans: list[Span],
    readings: list[_Reading],
    wanted: Mapping[str, Any] | None,
    *,
    strict: bool,
) -> list[_Reading]:
    """The readings, with objects in a row read as the wanted list or as parts of one object."""
    objects = [span for span in spans if isinstance(span.value, dict) and not span.nested]
    if wanted is None or strict or len(objects) < 2:  # one object is no row
        return readings
    if "array" in types_of(resolve(wanted, wanted)):
        row = _row(text, objects)
        verdict = judge([item.value for item in row], wanted)
        name = "missing_list_brackets"
    else:
        row = objects
        verdict = judge(_merged(row), wanted)
        name = "merged_parts"
    if verdict.level < FULL or max(item.judgement.rank for item in readings) >= verdict.rank:
        return readings
    repair = Repair(name, lossless=True, position=row[0].start)
    return [_Reading(row[0].start, row[-1].end, verdict, None, (repair,))]


def _row(text: str, objects: list[Span]) -> list[Span]:
    """The objects from the first on that only separators and short headings stand between."""
    row = objects[:1]
    for span in objects[1:]:
        if not _BETWEEN_ITEMS.fullmatch(text, row[-1].end, span.start):
            break
        row.append(span)
    return row


def _merged(objects: list[Span]) -> dict[str, Any]:
    """The members of all objects; none when two of them share a key."""
    merged: dict[str, Any] = {}
    for span in objects:
        if merged.keys() & span.value.keys():
            return {}
        merged.update(span.value)
    return merged


def _stands_alone(text: str, item: _Reading) -> bool:
    """Whether a value has its lines for itself; "[1]" in a sentence is a footnote."""
    before = text[text.rfind("\n", 0, item.start) + 1 : item.start]
    line_end = text.find("\n", item.end)
    after = text[item.end : line_end if line_end >= 0 else len(text)]
    return not before.strip() and not after.strip()


def _larger_damage(
    best: _Reading, spans: list[Span], wanted: Mapping[str, Any] | None
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
        extent = span.end - span.start
        later = span.start > best.start or best.judgement.level < FULL
        if extent > (size if later else 2 * size):
            return span
    return None


def _accepted(text: str, best: _Reading, spans: list[Span]) -> ExtractionReport:
    """The report of the chosen reading."""
    verdict = best.judgement
    applied = tuple(Repair(name, lossless=True, position=best.start) for name in verdict.applied)
    body = text[best.start : best.end]
    issues = (
        *around_artifacts(text[: best.start], text[best.end :]),
        *value_artifacts(body, verdict.value),
    )
    if len(spans) > 1:
        issues = (*issues, "several_values")
    refused: Refusal | None = None
    if not best.lossless:
        outcome = next(span.outcome for span in spans if span.start == best.start)
        trouble = (outcome and outcome.trouble) or Trouble("cut_off", best.end)
        refused = refusal(trouble.kind, text, trouble.position, trouble.detail)
    return ExtractionReport(
        verdict.value,
        not best.lossless,
        _method(text, best),
        issues,
        (*best.repairs, *applied),
        refused,
    )


def _method(text: str, best: _Reading) -> str:
    if best.repairs:
        return JSON_REPAIR
    if best.fence is not None:
        return MARKDOWN_BLOCK
    before, after = text[: best.start].rstrip(), text[best.end :].lstrip()
    if not before and not after:
        return DIRECT_PARSE
    tagged = before.endswith(">") and after.startswith("</")
    return TAG_EXTRACTION if tagged else OBJECT_EXTRACTION


def _refusal(text: str, spans: list[Span], readings: list[_Reading], *, strict: bool) -> Refusal:
    """Why no reading is usable: the damage of the largest value first, then the wrong shape."""
    damaged = [span for span in spans if span.outcome is not None]
    judged = [item for item in readings if item.judgement.trouble]
    if damaged and (strict or not judged):
        return _span_refusal(text, max(damaged, key=lambda s: s.end - s.start), strict=strict)
    if judged:
        worst = max(judged, key=lambda item: (item.judgement.level, item.end - item.start))
        return refusal(worst.judgement.trouble, text, worst.start)
    return refusal("no_json")


def _span_refusal(text: str, span: Span, *, strict: bool) -> Refusal:
    failure, outcome = span.failure, span.outcome
    if failure is not None and (strict or outcome is None or outcome.trouble is None):
        kind = "syntax" if failure.kind == "syntax" else failure.kind
        return refusal(kind, text, failure.position, failure.message)
    trouble = outcome.trouble if outcome is not None else None
    if trouble is None:
        return refusal("syntax", text, span.start)
    return refusal(trouble.kind, text, trouble.position, trouble.detail)


def under_layers(report: ExtractionReport, names: tuple[str, ...], method: str) -> ExtractionReport:
    """The report of a view, with the layers that were undone as its first repairs."""
    undone = tuple(Repair(name, lossless=True, position=0) for name in names)
    kept = report.method if report.method == JSON_REPAIR else method
    return replace(report, repairs=(*undone, *report.repairs), method=kept)
