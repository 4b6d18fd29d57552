"""A question looked up in sources or on the web, from the request to the notes of the book."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, Final

from libriscribe2.agents.researcher import ResearcherAgent
from libriscribe2.commands.projects import look_at, open_project
from libriscribe2.commands.runs import OpenBook
from libriscribe2.errors import IncompleteError, ProjectError, UsageError
from libriscribe2.llm.providers import DEMO_MODEL
from libriscribe2.models.brief import Brief
from libriscribe2.models.notes import SourcesFile, question_name
from libriscribe2.models.references import csl_items, with_csl
from libriscribe2.models.tooling import RunRecord
from libriscribe2.observe.events import EventConsumer
from libriscribe2.project.artifacts import Book
from libriscribe2.project.atomic import atomic_write, make_folder, read_regular, storage_errors
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.paths import (
    EXPORTS,
    RESEARCH_LIST,
    RESEARCH_NOTES,
    RESEARCH_RUN,
    RESEARCH_SOURCES,
    ProjectPaths,
    check_project_name,
)
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.research_files import add_notes, as_text, chain_files
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.texts import parse_json, readable_json, utf8
from libriscribe2.research.chain_model import CALLS_AVOIDED
from libriscribe2.research.research_chain import Findings
from libriscribe2.research.run_store import FileRunStore
from libriscribe2.settings.schema import Settings

LONGEST_QUESTION: Final = 1_000


def question_of(text: str) -> str:
    """A question in one line.

    Raises:
        UsageError: It is blank or too long.
    """
    question = " ".join(text.split())
    if not question:
        raise UsageError("The question is empty.", fix="Type what you want to know.")
    if len(question) > LONGEST_QUESTION:
        why = f"it has {len(question):,} characters; the limit is {LONGEST_QUESTION:,}"
        raise UsageError(
            "The question is too long.", why=why, fix="Split it into several questions."
        )
    return question


async def look_up(
    book: OpenBook, question: str, consumers: Sequence[EventConsumer] = ()
) -> Findings:
    """Run the chain of a question and put what it found into the notes.

    Args:
        book: The project, held by this process.
        question: The question (`question_of`).
        consumers: Receive every event.

    Raises:
        LibriScribeError: It could not be looked up; what was done is kept.
    """
    store = book.store
    is_first = not store.exists(RESEARCH_NOTES)
    notes, found = await book.ask(ResearcherAgent, lambda one: one.answer(question), consumers)
    add_notes(store, notes)
    if is_first and book.brief.is_researched:
        # The book's own research is still to come, although its file is there now.
        store.again(ResearcherAgent.unit().step)
    return found


def answer_record(book: OpenBook, question: str, found: Findings) -> dict[str, Any]:
    """What was found, and what the chain came to, as plain JSON."""
    return {
        "project": book.store.paths.root.name,
        "question": question,
        "chain": question_name(question),
        "answers": [one.model_dump(mode="json") for one in found.answers],
        "notes": [note.model_dump(mode="json") for note in found.notes],
        "verified": sum(note.is_fact for note in found.notes),
        "failures": list(found.failures),
        "unusable": list(found.unusable),
        **totals(found.record),
    }


def notes_record(paths: ProjectPaths) -> dict[str, Any]:
    """The notes and sources of a book as plain JSON."""
    book = Book(look_at(paths))
    return {
        "project": paths.root.name,
        "answers": [one.model_dump(mode="json") for one in book.answers()],
        "notes": [note.model_dump(mode="json") for note in book.notes()],
        "sources": [source.model_dump(mode="json") for source in book.sources()],
    }


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


DEMO_NAME: Final = "research-demo"
_SAMPLES: Final = resources.files("libriscribe2.commands") / "research_samples"


@contextmanager
def begin_demo(
    settings: Settings, name: str, question: str
) -> Iterator[tuple[ProjectStore, Brief]]:
    """A new project of non-fiction about a question, with the samples as its sources.

    Raises:
        UsageError: The name cannot be used.
        ProjectError: There is a project of that name.
        StorageError: The folder cannot be written.
    """
    root = settings.projects_dir / check_project_name(name)
    if root.exists():
        raise ProjectError(
            f"There is a project {name!r} already.",
            fix=f"Ask it: `libriscribe2 research {name} QUESTION`, or choose another name.",
        )
    paths = ProjectPaths(root, settings.debug_dir / name)
    brief = Brief(
        premise=question,
        category="Popular science",
        book_kind="non-fiction",
        project_type="short_story",
        chapters="2",
        scenes_per_chapter="2",
        words=1_200,
    )
    with ProjectStore.create(paths) as store:
        model = {"models": {"default": {"model": DEMO_MODEL}}}
        write_book_toml(paths.book_toml, brief.model_dump(), model)
        _put_samples(paths)
        yield store, open_project(store)


def _put_samples(paths: ProjectPaths) -> None:
    """Copy the samples into the folder of the author's own sources."""
    folder = paths.resolve(RESEARCH_SOURCES)
    with storage_errors("write", folder):
        make_folder(folder)
        for sample in sorted(_SAMPLES.iterdir(), key=lambda one: one.name):
            if sample.name.endswith(".md"):
                atomic_write(folder / sample.name, sample.read_bytes())


def write_csl(paths: ProjectPaths) -> Path:
    """Write the sources of a book as CSL-JSON to its exports.

    Raises:
        ProjectError: A file cannot be read.
        IncompleteError: There is no source yet.
        StorageError: The file cannot be written.
    """
    sources = Book(look_at(paths)).sources()
    if not sources:
        raise IncompleteError(
            "There are no sources yet.", fix=f"Run `libriscribe2 research {paths.called} QUESTION`."
        )
    target = paths.root / EXPORTS / f"{paths.root.name}.csl.json"
    with storage_errors("write", target):
        make_folder(target.parent)
        atomic_write(target, utf8(readable_json(csl_items(sources))))
    return target


def read_csl(paths: ProjectPaths, file: Path) -> tuple[int, list[str]]:
    """Take over what a CSL-JSON file, such as one of Zotero, says of the sources of a book.

    Returns:
        How many sources it changed, and the items that are none of them.

    Raises:
        ProjectError: The project or the file cannot be read.
        StorageError: A file cannot be read or written.
    """
    with storage_errors("read", file):
        data = read_regular(file)
    items = parse_json(str(file), data.decode("utf-8-sig", "replace"))
    with ProjectStore.open(paths) as store:
        known = SourcesFile(sources=list(Book(store).sources()))
        found, left = with_csl(known, items if isinstance(items, list) else [items])
        pairs = zip(known.sources, found.sources, strict=True)
        changed = sum(one != other for one, other in pairs)
        if changed:
            store.import_text(RESEARCH_LIST, as_text(found))
    return changed, left
