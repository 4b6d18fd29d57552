"""The best of the readings of a text, or the refusal that helps the model most."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from libriscribe2.utils.artifacts import around_artifacts, value_artifacts
from libriscribe2.utils.choice import BARE, FULL, PARTIAL
from libriscribe2.utils.lines import begins_line
from libriscribe2.utils.placeholders import has_hints
from libriscribe2.utils.readings import Reading, Task, read_spans
from libriscribe2.utils.refusals import refusal
from libriscribe2.utils.repair import Trouble
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
from libriscribe2.utils.rivals import has_rival
from libriscribe2.utils.spans import MAX_SPANS, Span, find_spans
from libriscribe2.utils.strict_json import strict_parse

_LINE_REST: Final = re.compile(r"[^\S\n]*+(?:\n|\Z)")


def best_reading(
    text: str, wanted: Mapping[str, Any] | None, *, strict: bool = False
) -> ExtractionReport:
    """The value of a text that answers best, or the refusal that helps most."""
    spans = find_spans(text, wanted)
    if len(spans) >= MAX_SPANS:
        return ExtractionReport(None, refusal=refusal("too_large"))
    task = Task(text, wanted, strict, has_hints(text))
    readings = read_spans(task, spans)
    usable = [item for item in readings if _is_usable(task, item)]
    if not usable:
        return ExtractionReport(None, refusal=_refusal(task, spans, readings))
    best = max(usable, key=lambda item: item.rank)
    if has_rival(best, usable):
        return ExtractionReport(None, refusal=refusal("several_items", text, best.start))
    shadow = _larger_damage(best, spans, wanted)
    if shadow is not None:
        return ExtractionReport(None, refusal=_span_refusal(task, shadow))
    return _accepted(task, best, spans)


def under_layers(report: ExtractionReport, names: tuple[str, ...], method: str) -> ExtractionReport:
    """The report of a view, with the layers that were undone as its first repairs."""
    undone = tuple(Repair(name, lossless=True, position=0) for name in names)
    kept = report.method if report.method == JSON_REPAIR else method
    return report._replace(repairs=(*undone, *report.repairs), method=kept)


def _is_usable(task: Task, item: Reading) -> bool:
    verdict = item.judgement
    lowest = BARE if task.wanted is None else PARTIAL
    if verdict.trouble or verdict.level < lowest:
        return False
    return verdict.level > BARE or _stands_alone(task.text, item)


def _stands_alone(text: str, item: Reading) -> bool:
    """Whether a value has its lines for itself; "[1]" in a sentence is a footnote."""
    return begins_line(text, item.start) and _LINE_REST.match(text, item.end) is not None


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
    refused: Refusal | None = None
    if not best.lossless:
        outcome = next(span.outcome for span in spans if span.start == best.start)
        trouble = (outcome and outcome.trouble) or Trouble("cut_off", best.end)
        refused = refusal(trouble.kind, text, trouble.position, trouble.detail)
    return ExtractionReport(
        verdict.value,
        lossy=not best.lossless,
        method=_method(text, best),
        issues=issues,
        repairs=(*best.repairs, *applied),
        refusal=refused,
    )


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
        return refusal(worst.judgement.trouble, task.text, worst.start)
    return refusal("no_json")


def _span_refusal(task: Task, span: Span) -> Refusal:
    """The refusal of one damaged span: the decoder's words in strict mode, else the repair's."""
    trouble = span.outcome.trouble if span.outcome is not None else None
    if trouble is not None and not task.strict:
        return refusal(trouble.kind, task.text, trouble.position, trouble.detail)
    failure = span.failure or strict_parse(task.text, span.start)
    return refusal(failure.kind, task.text, failure.position, failure.message)
