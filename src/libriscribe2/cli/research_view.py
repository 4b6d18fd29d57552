"""Notes and chains as a person reads them."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from pydantic import JsonValue

from libriscribe2.errors import ProjectError
from libriscribe2.models.notes import Note, Source
from libriscribe2.models.tooling import Binding, PlanStep, RunRecord, StepResult
from libriscribe2.project.paths import RESEARCH_RUN
from libriscribe2.project.research_files import chain_files
from libriscribe2.project.view import ProjectView
from libriscribe2.research.chain_model import CALLS_AVOIDED
from libriscribe2.research.run_store import FileRunStore
from libriscribe2.wording import cost, counted, duration, one_line

_LONGEST_VALUE: Final = 70


def note_rows(notes: Iterable[Note], sources: Iterable[Source]) -> list[tuple[str, ...]]:
    """Notes as rows of a table."""
    titles = {source.id: source.title for source in sources}
    return [
        (
            note.id,
            "yes" if note.verified else f"no: {note.reason}",
            note.claim,
            titles.get(note.source, note.source),
            note.locator,
        )
        for note in notes
    ]


def last_chain(view: ProjectView) -> RunRecord:
    """The chain that was worked on last, be it unfinished.

    Raises:
        ProjectError: There is none, or its file cannot be read.
    """
    files = chain_files(view.paths)
    path = files[-1] if files else view.paths.resolve(RESEARCH_RUN)
    record = FileRunStore(path).load()
    if record is None:
        raise ProjectError(
            "No chain was run for this book yet.",
            fix="Ask something: `libriscribe2 research PROJECT QUESTION`.",
        )
    return record


def totals(record: RunRecord) -> dict[str, Any]:
    """What a chain came to; a price of None is not known."""
    results = record.results.values()
    states = Counter(result.status for result in results)
    prices = [result.cost_usd for result in results]
    layers = Counter(binding.layer for result in results for binding in result.bindings)
    return {
        "steps": len(record.plan.steps),
        "done": states["done"],
        "failed": states["failed"],
        "skipped": states["skipped"],
        "tool_calls": sum(result.tool_calls for result in results),
        "llm_calls": sum(result.llm_calls for result in results),
        "llm_calls_avoided": int(record.metrics.get(CALLS_AVOIDED, 0)),
        "cost_usd": None if None in prices else sum(price or 0.0 for price in prices),
        "bindings": dict(sorted(layers.items())),
    }


def chain_record(record: RunRecord) -> dict[str, Any]:
    """A chain with its sums, as JSON."""
    return {"totals": totals(record), **record.model_dump(mode="json")}


def chain_text(record: RunRecord) -> str:
    """A chain as lines: every step with what it was given, what came of it and what it took."""
    lines = [*_request(record), ""]
    for step in record.plan.steps:
        lines += _step(step, record.results.get(step.step_id))
    sums = totals(record)
    layers = ", ".join(f"{count} {layer}" for layer, count in sums["bindings"].items())
    lines += [
        "",
        f"{counted(sums['steps'], 'step')}: {sums['done']} done, {sums['failed']} failed, "
        f"{sums['skipped']} skipped",
        f"bindings: {layers or 'none'}",
        f"questions to a model: {sums['llm_calls']}, {cost(sums['cost_usd'])}; "
        f"LLM calls avoided by auto-wiring: {sums['llm_calls_avoided']}",
    ]
    return "\n".join(lines)


def _request(record: RunRecord) -> Iterator[str]:
    yield f"plan {record.plan.plan_id}"
    for line in record.plan.original_request.splitlines():
        if line.strip():
            yield f"  {one_line(line)}"


def _step(step: PlanStep, result: StepResult | None) -> list[str]:
    """A step: head line, bindings, corrections, reason of a failure."""
    needs = f" after {', '.join(step.depends_on)}" if step.depends_on else ""
    state = result.status if result is not None else "not run yet"
    head = f"{step.step_id}  {step.tool}{needs}: {state}"
    if result is None:
        return [head]
    if result.status != "skipped":
        head += (
            f" ({counted(result.tool_calls, 'call')}, {counted(result.llm_calls, 'question')}, "
            f"{cost(result.cost_usd)}, {duration(result.seconds)})"
        )
    lines = [head, *map(_binding, result.bindings)]
    for correction in result.corrections:
        changed = ", ".join(f"{key} = {_shown(value)}" for key, value in correction.changes.items())
        why = one_line(f"{correction.error}; {correction.reason}")
        lines.append(f"    corrected: {changed or 'the same again'} ({why})")
    if result.error:
        lines.append(f"    {one_line(result.error)}")
    return lines


def _binding(binding: Binding) -> str:
    origin = f" from {binding.step}" if binding.step else ""
    return f"    {binding.parameter} = {_shown(binding.value)}  [{binding.layer}{origin}]"


def _shown(value: JsonValue) -> str:
    """A value in a few words."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return counted(len(value), "item")
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."
