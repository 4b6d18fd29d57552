"""All readings of one text, and the best of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from libriscribe2.utils.artifacts import around_artifacts, value_artifacts
from libriscribe2.utils.choice import BARE, FULL, PARTIAL, Judgement, judge
from libriscribe2.utils.refusals import refusal
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
from libriscribe2.utils.spans import Span, find_spans

_JSON_LANGUAGES: Final = ("json", "jsonc", "json5", "jsonl")
_CUE_WINDOW: Final = 160
_LATER: Final = re.compile(
    r"\b(?:final|corrected|fixed|revised|updated|improved|instead|actual|answer|result)\b", re.I
)
_EARLIER: Final = re.compile(
    r"\b(?:example|e\.g\.|format|schema|template|draft|wrong|incorrect|previous|original|"
    r"not like|don't|do not|instead of|input|old)\b",
    re.I,
)
_BETWEEN_ITEMS: Final = re.compile(r"[\s,;]*(?:(?:[-*]|\d+[.)])[ \t]+)?")


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
            self.fence in _JSON_LANGUAGES,
            self.cue,
            -self.start,
        )


def best_reading(
    text: str, wanted: Mapping[str, Any] | None, *, strict: bool = False
) -> ExtractionReport:
    """The value of a text that answers best, or the refusal that helps most."""
    spans = find_spans(text)
    readings = [
        reading
        for span, before in zip(spans, [0, *(span.end for span in spans)], strict=False)
        if (reading := _read(text, span, before, wanted, strict=strict)) is not None
    ]
    readings += _sequences(text, spans, wanted, strict=strict)
    lowest = BARE if wanted is None else PARTIAL
    usable = [
        item for item in readings if item.judgement.level >= lowest and not item.judgement.trouble
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
    """The reading of one span; None when it is damaged and has no value."""
    value, repairs, lossless = span.value, (), True
    if span.outcome is not None:
        if strict or span.outcome.value is None:
            return None
        value, repairs = span.outcome.value, span.outcome.repairs
        lossless = span.outcome.trouble is None
    verdict = judge(value, wanted, strict=strict)
    cue = _cue(text[max(before, span.start - _CUE_WINDOW) : span.start])
    return _Reading(span.start, span.end, verdict, span.fence, repairs, lossless, cue)


def _cue(lead: str) -> int:
    """What the words before a value say of it: 1 an answer, -1 an example or a draft."""
    line = lead.rsplit("\n\n", 2)[-1] if lead.strip() else ""
    return bool(_LATER.search(line)) - bool(_EARLIER.search(line))


def _sequences(
    text: str, spans: list[Span], wanted: Mapping[str, Any] | None, *, strict: bool
) -> list[_Reading]:
    """Objects in a row, one per line or separated by commas, read as the wanted list."""
    if wanted is None or strict or len(spans) < 2:  # noqa: PLR2004 - one object is no row
        return []
    found: list[_Reading] = []
    run: list[Span] = []
    for span in [*spans, Span(len(text), len(text), None)]:
        joined = run and _BETWEEN_ITEMS.fullmatch(text, run[-1].end, span.start)
        if isinstance(span.value, dict) and (joined or not run):
            run.append(span)
            continue
        if len(run) > 1:
            verdict = judge([item.value for item in run], wanted)
            repair = Repair("missing_list_brackets", lossless=True, position=run[0].start)
            found.append(_Reading(run[0].start, run[-1].end, verdict, None, (repair,)))
        run = [span] if isinstance(span.value, dict) else []
    return [item for item in found if isinstance(item.judgement.value, list)]


def _larger_damage(
    best: _Reading, spans: list[Span], wanted: Mapping[str, Any] | None
) -> Span | None:
    """A damaged value that is larger than the best one and comes after it, if that decides.

    The whole answer wins over an aside before it: a small sound object ahead of a large broken one
    is an example. A value that fits a schema in full is the answer wherever it stands.
    """
    if wanted is not None and best.judgement.level == FULL and best.judgement.known:
        return None
    size = best.end - best.start
    for span in spans:
        broken = span.outcome is not None and span.outcome.value is None
        if broken and span.start > best.start and span.end - span.start > size:
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
        trouble = next(
            span.outcome.trouble
            for span in spans
            if span.start == best.start and span.outcome is not None and span.outcome.trouble
        )
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


def _refusal(
    text: str, spans: list[Span], readings: list[_Reading], *, strict: bool
) -> Refusal:
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
