"""`libriscribe2 research` and `citations`: questions looked up, and whether their notes still hold."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from pydantic import JsonValue
from typer.core import TyperGroup
from typing_extensions import override

from libriscribe2.app import AppOptions
from libriscribe2.checks.note_check import CitationReport, check_citations
from libriscribe2.cli.frame import (
    BudgetOptions,
    Frame,
    ModelOptions,
    ProjectNameOption,
    RequiredProjectArgument,
    command,
    command_group,
    command_with_json,
)
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import command_line, consult, held_book
from libriscribe2.commands.projects import free_name, look_at, read_brief
from libriscribe2.commands.researching import (
    DEMO_NAME,
    answer_record,
    begin_demo,
    chain_record,
    last_chain,
    look_up,
    notes_record,
    question_of,
    read_csl,
    totals,
    write_csl,
)
from libriscribe2.commands.runs import OpenBook
from libriscribe2.errors import IncompleteError
from libriscribe2.llm.providers import DEMO_MODEL, ModelChoice
from libriscribe2.models.notes import AnsweredQuestion, Note, Source
from libriscribe2.models.tooling import Binding, PlanStep, RunRecord, StepResult
from libriscribe2.project.artifacts import Book
from libriscribe2.wording import cost, counted, duration, one_line


class _AskingGroup(TyperGroup):
    """Takes a first word that is no command of its own for a project that is asked about."""

    @override
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = ["ask", *args]
        return super().parse_args(ctx, args)


app = command_group(
    "research",
    "Research a question in your sources or on the web, and show the notes.\n\n"
    'Example: libriscribe2 research my-book "When was the lighthouse lit?"',
    cls=_AskingGroup,
)

QuestionArgument = Annotated[str, typer.Argument(metavar="QUESTION", help="What to find out.")]


@app.command()
@command_with_json
def ask(
    frame: Frame,
    project: RequiredProjectArgument,
    question: QuestionArgument,
    *,
    options: BudgetOptions,
) -> None:
    """Research a question, answer it, and add the findings to the book's notes.

    `ask` may be left out. The answer is made of the notes alone and has their marks; where they do
    not say it, neither does the answer.

    A model plans which tools are used. Every note has a quote, which is looked up in its source; a
    note whose quote is not found is saved as not verified, and no chapter uses it. A question that
    was answered before is not asked again.
    """
    asked = question_of(question)
    paths = frame.project(project, options=options)
    settings = frame.settings(options, paths)
    with held_book(paths, settings) as book:
        _look_up(frame.renderer, book, asked)


@app.command()
@command_with_json
def show(
    frame: Frame,
    project: RequiredProjectArgument,
    run: Annotated[bool, typer.Option("--run", help="Show the last chain, step by step.")] = False,
) -> None:
    """List the notes of a book, or show the chain of tools that ran last."""
    renderer = frame.renderer
    paths = frame.project(project)
    view = look_at(paths)
    if run:
        chain = last_chain(view)
        if not renderer.told_json({"project": paths.root.name, **chain_record(chain)}):
            renderer.data(chain_text(chain))
        return
    if renderer.told_json(notes_record(paths)):
        return
    notes, sources = Book(view).notes(), Book(view).sources()
    for one in Book(view).answers():
        renderer.note(f"{one.question}\n  {answer_text(one)}")
    columns = ("note", "verified", "claim", "source", "place")
    renderer.table(columns, note_rows(notes, sources))
    verified = sum(note.is_fact for note in notes)
    renderer.note(f"{len(notes)} notes, {verified} verified.")


@app.command()
@command_with_json
def demo(frame: Frame, question: QuestionArgument, project_name: ProjectNameOption = None) -> None:
    """Research a question in three sample sources with the stand-in author, without a key."""
    asked = question_of(question)
    settings = frame.settings(ModelOptions(mock=True))
    name = project_name or free_name(settings, DEMO_NAME)
    with begin_demo(settings, name, asked) as (store, brief):
        choice = ModelChoice(DEMO_MODEL, "the demo needs no key")
        book = OpenBook(store, brief, settings, choice, AppOptions(command_line()))
        _look_up(frame.renderer, book, asked)


def _look_up(renderer: Renderer, book: OpenBook, question: str) -> None:
    """Look a question up, and print what was found and what the chain came to."""
    paths = book.store.paths
    again = f"Ask {paths.root.name} the same question again to continue."
    asked = partial(look_up, book, question)
    found = consult(renderer, book, asked, f"Interrupted. {again}", live=True)
    if renderer.told_json(answer_record(book, question, found)):
        return
    columns = ("note", "verified", "claim", "source", "place")
    renderer.table(columns, note_rows(found.notes, Book(book.store).sources()))
    for one in found.answers:
        renderer.data(f"\n{answer_text(one)}")
    verified = sum(note.is_fact for note in found.notes)
    for line in (*found.failures, *found.unusable):
        renderer.warning(line)
    sums = totals(found.record)
    renderer.note(
        f"{counted(len(found.notes), 'note')}, {verified} verified; "
        f"{counted(sums['llm_calls'], 'question')} to a model, "
        f"{sums['llm_calls_avoided']} avoided by auto-wiring, {cost(sums['cost_usd'])}."
    )
    renderer.note(f"See the chain with `libriscribe2 research show {paths.called} --run`.")


_LONGEST_VALUE: Final = 70


def note_rows(notes: Iterable[Note], sources: Iterable[Source]) -> list[tuple[str, ...]]:
    """Notes as rows of a table."""
    titles = {source.id: source.title for source in sources}
    return [
        (
            note.id,
            "yes" if note.is_fact else f"no: {note.reason}",
            note.claim,
            titles.get(note.source, note.source),
            note.locator,
        )
        for note in notes
    ]


def answer_text(one: AnsweredQuestion) -> str:
    """The answer to a question, or that there is none."""
    if one.verdict == "not":
        return "The sources do not say."
    return f"{one.answer or 'See the notes.'}{' (in part)' if one.verdict == 'partly' else ''}"


def chain_text(record: RunRecord) -> str:
    """A chain as lines: every step with what it was given, what came of it and what it took."""
    lines = [*_chain_request(record), ""]
    for step in record.plan.steps:
        lines += _chain_step(step, record.results.get(step.step_id))
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


def _chain_request(record: RunRecord) -> Iterator[str]:
    yield f"plan {record.plan.plan_id}"
    for line in record.plan.original_request.splitlines():
        if line.strip():
            yield f"  {one_line(line)}"


def _chain_step(step: PlanStep, result: StepResult | None) -> list[str]:
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
        lines.append(f"    corrected: {changed or 'unchanged'} ({why})")
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


citations = command_group("citations", "Check the notes of a book and exchange its sources.")


@citations.command("check")
@command_with_json
def check_notes(frame: Frame, project: RequiredProjectArgument) -> int:
    """Look up every quote again, and list what no note supports.

    No network is used. A note is no longer valid if its saved text was changed, or if its source
    file was changed and lacks the quote. The exit code is 5 if a note is not valid, a mark in a
    chapter refers to no verified note, or a statement of a book of facts is not supported by its
    notes: a number that they do not have, or what a model found when the chapter was written.
    Names that no note has are listed; they do not affect the exit code.
    """
    renderer = frame.renderer
    paths = frame.project(project)
    report = check_citations(look_at(paths), read_brief(paths))
    if not renderer.told_json({"project": paths.root.name, **_citation_record(report)}):
        _tell_citations(renderer, report)
    return 0 if report.holds else IncompleteError.exit_code


@citations.command("export")
@command
def export_sources(frame: Frame, project: RequiredProjectArgument) -> None:
    """Write the sources as CSL-JSON, which Zotero, pandoc and others read."""
    renderer = frame.renderer
    renderer.data(str(write_csl(frame.project(project))))


@citations.command("import")
@command
def import_sources(
    frame: Frame,
    project: RequiredProjectArgument,
    file: Annotated[Path, typer.Argument(help="CSL-JSON, such as Zotero exports it.")],
) -> None:
    """Take over what a CSL-JSON file says of the book's sources.

    An item is that of a source if it has its id, its address, its file's name as the note, or its
    title. Other items are listed.
    """
    renderer = frame.renderer
    changed, left = read_csl(frame.project(project), file)
    for name in left:
        renderer.warning(f"no source of the book: {one_line(name)}")
    renderer.note(f"{counted(changed, 'source')} changed. See research/sources.json.")


def _citation_record(report: CitationReport) -> dict[str, Any]:
    """The report as JSON."""
    return {
        "holds": report.holds,
        "notes": [
            {
                "id": one.note.id,
                "claim": one.note.claim,
                "source": one.place,
                "locator": one.note.locator,
                "holds": one.holds,
                "reason": one.reason,
                "remark": one.remark,
                "cited": one.note.id in report.cited,
            }
            for one in report.notes
        ],
        "unverified": report.unverified,
        "unsupported": [asdict(one) for one in report.unsupported],
        "marks": [
            {"chapter": one.chapter, "mark": one.mark, "reason": one.reason} for one in report.marks
        ],
        "claims": [
            {
                "chapter": one.chapter,
                "sentence": one.sentence,
                "claims": list(one.names),
            }
            for one in report.claims
        ],
    }


def _tell_citations(renderer: Renderer, report: CitationReport) -> None:
    """What does not hold, what is not supported, and the sums."""
    rows: list[tuple[str, ...]] = [
        ("note", one.note.id, one.place, one.reason, one.note.claim) for one in report.broken
    ]
    rows += [
        ("statement", "", f"chapter {one.chapter}", one.why, one.sentence)
        for one in report.unsupported
    ]
    rows += [("mark", one.mark, f"chapter {one.chapter}", one.reason, "") for one in report.marks]
    rows += [
        (
            "claim",
            ", ".join(one.names),
            f"chapter {one.chapter}",
            "no note supports it",
            one.sentence,
        )
        for one in report.claims
    ]
    if rows:
        renderer.table(("what", "which", "where", "why", "text"), rows)
    for remark in dict.fromkeys(f"{one.place}: {one.remark}" for one in report.notes if one.remark):
        renderer.warning(remark)
    renderer.note(
        f"{counted(len(report.notes), 'note')}, {len(report.broken)} no longer valid; "
        f"{counted(len(report.marks), 'mark')} without a note; "
        f"{counted(len(report.unsupported), 'statement')} that no note supports; "
        f"{counted(len(report.claims), 'sentence')} with names that no note has."
    )
