"""A new book: its brief, the files that it is given, and what it shares with the book before it."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from slugify import slugify

from libriscribe2.checks.continuity.fact_rules import is_death
from libriscribe2.checks.continuity.story_bible import bible_of
from libriscribe2.commands.projects import kept_settings, locate, look_at, read_brief, stages_up_to
from libriscribe2.documents.decoding import DocumentError
from libriscribe2.engine.engine import RunRequest
from libriscribe2.errors import IncompleteError, ProjectError, UsageError
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.models.brief import Brief, CountRange, parse_counts
from libriscribe2.models.draft_order import fitting, names_its_kind
from libriscribe2.models.story import CharactersFile, SeriesFile, lasting_facts
from libriscribe2.models.story_bible import Attribute, Fact
from libriscribe2.project.artifacts import Book
from libriscribe2.project.atomic import atomic_write, make_folder, storage_errors
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.paths import (
    CHARACTERS,
    RESEARCH_SOURCES,
    SAMPLE_ENDINGS,
    SAMPLES,
    SERIES_CAST,
    SERIES_FACTS,
    SERIES_WORLD,
    WORLD,
    ProjectPaths,
    chapter_file,
)
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.texts import readable_json
from libriscribe2.settings.parts import check_models, with_evaluator
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import counted, plain_fault

OPTION_OF: Final = {
    "premise": "PREMISE",
    "audience": "--target-audience",
    "book_kind": "--kind",
    "as_json": "--json",
}


def option_of(key: str) -> str:
    """How the command line calls a key."""
    return OPTION_OF.get(key, f"--{key.replace('_', '-')}")


WORDS_OF_A_PAGE: Final = 275
"""Of a printed book of usual size."""

_SHOWN: Final = 60
"""Characters of a wrong value that an error repeats."""


def brief_from(options: Mapping[str, Any], command: str = "create") -> Brief:
    """The brief that the options ask for; None is an option that was not given.

    Raises:
        UsageError: A value is wrong; the error names the option.
    """
    given = {key: value for key, value in options.items() if value is not None}
    try:
        return _agreeing(Brief.model_validate(given))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        value = repr(first.get("input"))
        shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}..."
        raise UsageError(
            f"{option_of(str(first['loc'][0]))} {shown} cannot be used.",
            why=plain_fault(first),
            fix=f"See `libriscribe2 {command} --help`.",
        ) from error


def _agreeing(brief: Brief) -> Brief:
    """The brief, unless it says how many scenes chapters beyond the last have."""
    entries = parse_counts(brief.scenes_per_chapter) if brief.scenes_per_chapter else []
    most = CountRange.parse(brief.chapters or "1+").high
    if most is None or len(entries) <= most:
        return brief
    raise UsageError(
        f"--scenes-per-chapter {brief.scenes_per_chapter!r} is for {len(entries)} chapters.",
        why=f"--chapters {brief.chapters} asks for fewer.",
        fix="Give one entry per chapter; the last one applies to all that follow.",
    )


def kind_note(brief: Brief) -> str:
    """What to tell of a kind that was concluded from the category; else empty."""
    if brief.book_kind or names_its_kind(brief.category):
        return ""
    other = "non-fiction" if brief.kind == "fiction" else "fiction"
    return f"kind: {brief.kind}, by the category {brief.category!r}; `--kind {other}` changes that."


def with_drafting(brief: Brief, at_once: int) -> tuple[Brief, str]:
    """The brief with the order of drafting that suits it, where the author gave none.

    Args:
        brief: What was asked for.
        at_once: How many calls may be under way at once.

    Returns:
        The brief, and what to tell of an order that was chosen; "" where nothing was.
    """
    chosen = fitting(brief.kind, at_once)
    if "drafting" in brief.model_fields_set or chosen == brief.drafting:
        return brief, ""
    told = (
        f"drafting: {chosen}, because up to {at_once} calls may run at once; "
        f"`--drafting {brief.drafting}` writes one chapter after the other."
    )
    return brief.model_copy(update={"drafting": chosen}), told


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file of a new book.

    Attributes:
        name: Its name in the project, such as `samples/letters.md`.
        data: Its bytes.
    """

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class NewBook:
    """How a new project is made.

    Attributes:
        name: The folder's name; None makes one from the title or premise.
        until: Stages to run up to; none means all.
        given: Files that are there from the beginning: samples, and what a series shares.
    """

    name: str | None = None
    until: Sequence[str] = ()
    given: tuple[GivenFile, ...] = ()


@contextmanager
def begin_book(
    paths: ProjectPaths,
    brief: Brief,
    settings: Settings,
    choice: ModelChoice,
    new: NewBook,
) -> Iterator[tuple[ProjectStore, RunRequest]]:
    """A new project that this process holds while the block runs, and the run that writes it.

    What can be known to fail is looked at before the folder is made.

    Args:
        paths: Where it goes (`new_paths`).
        brief: What the author asks for.
        settings: The settings in force.
        choice: The default model and why it is the one.
        new: How it is made.

    Raises:
        UsageError: A stage cannot be used.
        ModelError: A key is missing, or nobody serves the model.
        StorageError: The folder cannot be written.
    """
    stages, only = stages_up_to(brief, new.until)
    check_models(settings, choice, with_evaluator(settings, brief, stages))
    with ProjectStore.create(paths) as store:
        place_files(paths, new.given)
        write_book_toml(paths.book_toml, brief.model_dump(), kept_settings(settings, choice))
        yield store, RunRequest(stages, only=only)


def place_files(paths: ProjectPaths, files: Sequence[GivenFile]) -> None:
    """Put files into a project.

    Raises:
        StorageError: The system refuses.
    """
    for file in files:
        path = paths.resolve(file.name)
        with storage_errors("write", path):
            make_folder(path.parent)
            atomic_write(path, file.data)


def read_author_file(file: Path, endings: Sequence[str], *, most: int, fix: str) -> bytes:
    """The bytes of a file.

    Args:
        file: The file.
        endings: The endings that it may have, in lower case.
        most: Most bytes that it may have.
        fix: What to do instead, for the errors.

    Raises:
        UsageError: There is no such file, it is empty, too large or of another kind.
        StorageError: The system refuses.
    """
    with storage_errors("read", file):
        if not file.exists():
            raise UsageError(f"There is no {file}", fix=fix)
        if not file.is_file():
            raise UsageError(f"{file} is not a file", fix=fix)
        if file.suffix.lower() not in endings:
            kinds = ", ".join(endings)
            raise UsageError(f"{file} has an unsupported format", why=f"only {kinds}", fix=fix)
        # What a file says of its size is no bound: it may grow, or have none as those of a device.
        with file.open("rb") as opened:
            data = opened.read(most + 1)
        size = max(file.stat().st_size, len(data))
        if size > most:
            raise UsageError(
                f"{file} is too large",
                why=f"it has {size // 2**20:,} MiB; the limit is {most // 2**20} MiB",
                fix=fix,
            )
    if not data.strip():
        raise UsageError(f"{file} is empty", fix=fix)
    return data


_LARGEST: Final = 50 * 2**20
_FIX: Final = f"Use texts of your own in these formats: {', '.join(SAMPLE_ENDINGS)}."


def read_samples(files: Iterable[Path]) -> tuple[GivenFile, ...]:
    """The samples that a command line names.

    Raises:
        UsageError: There is no such file, or its text cannot be read.
        StorageError: The system refuses.
    """
    found = dict[str, GivenFile]()
    for file in files:
        data = read_author_file(file, SAMPLE_ENDINGS, most=_LARGEST, fix=_FIX)
        _check_text(file, data)
        name = _free_name(file, found)
        found[name] = GivenFile(f"{SAMPLES}/{name}", data)
    return tuple(found.values())


def read_sources(given: Iterable[Path]) -> tuple[GivenFile, ...]:
    """The sources that a command line names: files, and what can be read in folders.

    Raises:
        UsageError: There is no such file, one cannot be a source, or a folder holds none.
        StorageError: The system refuses.
    """
    wanted = [path.expanduser() for path in given]
    if not wanted:
        return ()
    # The readers load libraries for Word and PDF, which most commands do not need.
    from libriscribe2.documents.source_reader import LARGEST_SOURCE, SOURCE_ENDINGS  # noqa: PLC0415

    fix = f"Name sources in these formats: {', '.join(SOURCE_ENDINGS)}."
    found = dict[str, GivenFile]()
    for path in wanted:
        with storage_errors("read", path):
            inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        files = [one for one in inside if one == path or _is_source(one, path, SOURCE_ENDINGS)]
        if not files:
            raise UsageError(f"{path} holds no source", fix=fix)
        for file in files:
            data = read_author_file(file, SOURCE_ENDINGS, most=LARGEST_SOURCE, fix=fix)
            own = file.name if file == path else file.relative_to(path).as_posix()
            name, number = own, 1
            while name in found:
                number += 1
                name = f"{number}-{own}"
            found[name] = GivenFile(f"{RESEARCH_SOURCES}/{name}", data)
    return tuple(found.values())


def _is_source(file: Path, folder: Path, endings: Sequence[str]) -> bool:
    """Whether a file of a folder is one that can be read and is not hidden."""
    hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return file.is_file() and file.suffix.lower() in endings and not hidden


def _check_text(file: Path, data: bytes) -> None:
    # The readers load libraries for Word and PDF, which most commands do not need.
    from libriscribe2.documents.source_reader import read_source  # noqa: PLC0415

    try:
        read_source(file.name.lower(), data)
    except DocumentError as error:
        raise UsageError(str(error), fix=_FIX) from error


def _free_name(file: Path, taken: Iterable[str]) -> str:
    """A name for the copy; a title or a foreign script must not become a path."""
    stem, ending = slugify(file.stem, max_length=60) or "sample", file.suffix.lower()
    number, name, known = 1, f"{stem}{ending}", set(taken)
    while name in known:
        number += 1
        name = f"{stem}-{number}{ending}"
    return name


_TAKEN_OVER: Final = (
    *("genre", "category", "book_kind", "language", "audience", "tone", "author"),
    *("person", "tense", "spelling"),
)
"""Keys of the brief that the next book has from the one before, unless its author says otherwise."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The book before.

    Attributes:
        name: The name of its project.
        keys: Keys of the brief that the new book has from it.
        files: What the new book is given.
        facts: How many of its facts the new book is shown and compared with.
    """

    name: str
    keys: Mapping[str, Any]
    files: tuple[GivenFile, ...]
    facts: int


def read_earlier(project: str, settings: Settings) -> Earlier:
    """What a book gives to the next one; it is only read.

    Raises:
        ProjectError: There is no such project, or it has neither people nor a world yet.
    """
    paths = locate(project, None, settings)
    view, brief = look_at(paths), read_brief(paths)
    book = Book(view)
    bible = _bible(paths, brief, view, settings)
    dead = _dead(bible)
    cast = [one for one in book.characters() if one.name not in dead]
    files = [_json(SERIES_FACTS, bible)]
    if cast:
        files.append(_json(SERIES_CAST, CharactersFile(characters=cast)))
    if book.has(WORLD):
        files.append(GivenFile(SERIES_WORLD, book.raw(WORLD)))
    if len(files) == 1:
        raise ProjectError(
            f"{paths.root.name} has nothing to share yet.",
            why=f"there is neither {CHARACTERS} nor {WORLD}",
            fix=f"Finish it first: `libriscribe2 resume {paths.called}`.",
        )
    return Earlier(paths.root.name, _keys(paths, brief), tuple(files), len(bible.facts))


def continued(brief: Brief, earlier: Earlier | None) -> Brief:
    """The brief of a new book, with what its author leaves open taken from the book before."""
    if earlier is None:
        return brief
    said = brief.model_fields_set
    return brief.model_copy(
        update={key: value for key, value in earlier.keys.items() if key not in said}
    )


def earlier_note(earlier: Earlier | None) -> str:
    """What to tell of the book before; "" where there is none."""
    if earlier is None:
        return ""
    shared = [
        name
        for name in (CHARACTERS, WORLD)
        if any(f.name.endswith(f"/{name}") for f in earlier.files)
    ]
    facts = counted(earlier.facts, "fact")
    return f"after {earlier.name}: shares {' and '.join(shared)}; {facts} to keep to."


def _keys(paths: ProjectPaths, brief: Brief) -> dict[str, Any]:
    """What the next book's brief has from this one's."""
    keys: dict[str, Any] = {key: value for key in _TAKEN_OVER if (value := getattr(brief, key))}
    if brief.series:
        keys["series"] = brief.series
        if brief.series_number.isdecimal():
            keys["series_number"] = str(int(brief.series_number) + 1)
    return {**keys, "follows": paths.root.name}


def _bible(paths: ProjectPaths, brief: Brief, view: ProjectView, settings: Settings) -> SeriesFile:
    """What holds at a book's end; of one that was not read for its facts, what it was given."""
    from libriscribe2.checks.continuity.ledger import facts_in_force  # noqa: PLC0415 -- only a series pays

    book, beside = Book(view), settings.projects_dir / "book"
    try:
        bible = bible_of(brief, view)
        told = [*bible.before, *bible.facts]
    except IncompleteError:
        told = book.stated_before()

    def file_of(fact: Fact) -> str:
        own = fact.origin or chapter_file(fact.chapter)
        return Path(os.path.relpath(paths.root / own, beside)).as_posix()

    return lasting_facts(paths.root.name, facts_in_force(told, book.chapters() + 1), file_of)


def _dead(bible: SeriesFile) -> set[str]:
    """Who has died; the facts are the last word of the book."""
    return {
        fact.entity
        for fact in bible.facts
        if fact.attribute is Attribute.ALIVE and is_death(fact.as_fact())
    }


def _json(name: str, value: SeriesFile | CharactersFile) -> GivenFile:
    return GivenFile(name, readable_json(value.model_dump(mode="json")).encode())
