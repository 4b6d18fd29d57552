"""The shelf, a new book with what it takes, a folder that is opened, a manuscript that is brought."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import quote, urlencode

from starlette.responses import JSONResponse, RedirectResponse, Response
from typing_extensions import override

from libriscribe2.app import AppOptions
from libriscribe2.commands.actions import Action, import_aside, manuscript_aside, new_book_aside
from libriscribe2.commands.book_state import ShelvedBook, shelf
from libriscribe2.commands.exporting import drawn_cover
from libriscribe2.commands.importing import ManuscriptImport, import_paths, open_import, take_over
from libriscribe2.commands.new_book import (
    WORDS_OF_A_PAGE,
    NewBook,
    begin_book,
    brief_from,
    with_drafting,
)
from libriscribe2.commands.projects import book_at, new_paths, read_brief, settings_of
from libriscribe2.commands.provider_keys import forget_key, keep_key, keys_in_force
from libriscribe2.commands.run_progress import Scale
from libriscribe2.commands.runs import OpenBook
from libriscribe2.desk.drawn import cover_svg
from libriscribe2.desk.visits import Visit, change, page, see_work
from libriscribe2.desk.workshop import Job, Quoted, model_of, servers
from libriscribe2.errors import LibriScribeError, UsageError
from libriscribe2.llm.providers import MANUAL_MODEL, PROVIDERS, ModelChoice, is_recorded
from libriscribe2.models.brief import SIZES, Brief
from libriscribe2.observe.run_files import recorders
from libriscribe2.project.paths import CHAPTER_FILES, ProjectPaths, project_name_from
from libriscribe2.prose import prose_words
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import counted

READING: Final = 250
"""Words that a reader takes in a minute."""

_MANUSCRIPTS: Final = (".md", ".txt", ".docx", ".epub")
_MOST_COVERS: Final = 100
_PICTURES: Final = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
}
_ROUNDED: Final = 30
_KEYS: Final = (
    *("premise", "title", "author", "genre", "category", "language", "tone", "person", "tense"),
    *("project_type", "chapters", "words", "audience", "book_kind"),
)
"""Keys of a brief that the form asks for."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of book, with the structure and the voice that suit it.

    Attributes:
        name: What it is called.
        about: What it sets, in words.
        keys: Keys of the brief.
    """

    name: str
    about: str
    keys: dict[str, str]


PRESETS: Final = (
    Preset("Literary", "close third, past; quiet turns", {
        "genre": "Literary", "person": "third person", "tense": "past", "tone": "quiet, exact"}),
    Preset("Mystery", "close third, past; clues planted and paid off", {
        "genre": "Mystery", "person": "third person", "tense": "past", "tone": "dry, watchful"}),
    Preset("Thriller", "short chapters, present; the clock runs", {
        "genre": "Thriller", "person": "third person", "tense": "present", "tone": "taut"}),
    Preset("Romance", "first person, past; two people, one obstacle", {
        "genre": "Romance", "person": "first person", "tense": "past", "tone": "warm, witty"}),
    Preset("Fantasy", "third person, past; a world with its own rules", {
        "genre": "Fantasy", "person": "third person", "tense": "past", "tone": "wonder, weight"}),
    Preset("Science fiction", "third person, past; one idea, followed through", {
        "genre": "Science fiction", "person": "third person", "tense": "past", "tone": "lucid"}),
    Preset("Historical", "third person, past; the period in its details", {
        "genre": "Historical", "person": "third person", "tense": "past", "tone": "grounded"}),
    Preset("Young adult", "first person, present; one summer that changes all", {
        "genre": "Young adult", "person": "first person", "tense": "present", "tone": "direct"}),
    Preset("Non-fiction", "chapters with one question each, facts with sources", {
        "category": "Guide", "book_kind": "non-fiction", "tone": "plain, exact"}),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OnShelf:
    """A book with what the shelf shows of it.

    Attributes:
        book: What a listing knows of it.
        share: How much of its words is there, in hundredths; None where nobody can tell.
        runs: Whether the desk works on it.
    """

    book: ShelvedBook
    share: int | None
    runs: bool


def show_shelf(visit: Visit) -> Response:
    """The books there are."""
    settings = visit.desk.settings
    found = [_on_shelf(visit, one, settings) for one in shelf(settings)]
    return visit.page("shelf", books=found, opened=sorted(visit.desk.opened))


def _on_shelf(visit: Visit, one: ShelvedBook, settings: Settings) -> OnShelf:
    paths = ProjectPaths(settings.projects_dir / one.book, settings.debug_dir / one.book)
    job = visit.desk.workshop.job_of(paths)
    share = None
    try:
        brief = read_brief(paths)
        whole = brief.words or brief.size.words
        share = 100 if one.state == "finished" else min(99, round(100 * one.words / whole))
    except LibriScribeError:
        pass
    return OnShelf(one, share, job is not None and job.runs)


def show_cover(visit: Visit) -> Response:
    """The cover that exports have; one of its own kind before there is a book."""
    brief, covers = visit.brief, visit.desk.covers
    title = visit.book.title(brief) or visit.keys["book"]
    own = visit.paths.resolve(brief.cover) if brief.cover else None
    changed = own.stat().st_mtime_ns if own is not None and own.is_file() else 0
    edition = settings_of(visit.paths.root, {}).export
    said = (str(visit.paths.root), brief.model_dump_json(), title, changed, edition)
    if said not in covers:
        if len(covers) >= _MOST_COVERS:
            covers.clear()
        try:
            covers[said] = drawn_cover(visit.paths, edition)
        except LibriScribeError:
            drawn = cover_svg(title, brief.author, brief.genre)
            if not visit.view.names(CHAPTER_FILES):
                return Response(drawn, media_type=_PICTURES[".svg"])
            covers[said] = ".svg", drawn.encode()
    kind, data = covers[said]
    return Response(data, media_type=_PICTURES.get(kind, _PICTURES[".png"]))


def show_keys(visit: Visit) -> Response:
    """The providers, and whether the key of each is there; no key is shown."""
    _ = visit.desk.settings  # what counts of a .env is in the environment then
    return visit.page("keys", keys=keys_in_force(os.environ), providers=PROVIDERS)


def set_key(visit: Visit) -> Response:
    """Keep the key of a provider."""
    keep_key(visit.form.get("provider", ""), visit.form.get("key", ""), os.environ)
    visit.desk.workshop.close_pool()
    return RedirectResponse("/keys", 303)


def drop_key(visit: Visit) -> Response:
    """Forget the key of a provider."""
    forget_key(visit.form.get("provider", ""), os.environ)
    visit.desk.workshop.close_pool()
    return RedirectResponse("/keys", 303)


def open_folder(visit: Visit) -> Response:
    """Put a folder elsewhere on the shelf for as long as the desk is open."""
    paths = book_at(visit.form.get("folder", ""), visit.desk.settings)
    name = paths.root.name
    visit.desk.opened[name] = paths
    return RedirectResponse(Visit(visit.desk, {"book": name}).at("plan"), 303)


class Reading(Job):
    """A manuscript that is being read, from which a book is made.

    Args:
        paths: Where the book goes.
        work: The manuscript.
        settings: The settings in force.
    """

    def __init__(self, paths: ProjectPaths, work: ManuscriptImport, settings: Settings) -> None:
        super().__init__(paths, Action("plan"), Scale())
        self.work = work
        self._settings = settings

    @override
    async def _run(self) -> None:
        self.enter()
        with open_import(self.paths) as store:
            choice, options = model_of(self._settings), AppOptions("desk import")
            book = OpenBook(store, self.work.brief, self._settings, choice, options)
            with recorders(self.paths, os.environ, lambda _said: None) as files:
                await take_over(book, self.work, (*files, self))


def take_manuscript(visit: Visit) -> Response:
    """Read a file that was brought along, in another process, and keep what is in it."""
    name = Path(visit.form.get("name", "")).name
    ending, desk = Path(name).suffix.lower(), visit.desk
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"manuscript{ending if ending in _MANUSCRIPTS else '.none'}"
        file.write_bytes(visit.upload)
        try:
            work = desk.workshop.aside(manuscript_aside, file)
        except LibriScribeError as error:
            told = ". ".join(one.rstrip(".") for one in (error.what, error.why) if one)
            for own in (str(file), file.name):
                told = told.replace(own, name)
            return JSONResponse({"fault": f"{told}. {error.fix}"}, 400)
    key = secrets.token_urlsafe(12)
    desk.manuscripts.clear()
    desk.manuscripts[key] = work
    return JSONResponse({"go": f"/import/{key}?{urlencode({'name': Path(name).stem})}"})


def show_manuscript(visit: Visit) -> Response:
    """What a manuscript holds, and what it takes to have it read."""
    work = _manuscript(visit)
    settings = visit.desk.settings
    choice, about = model_of(settings), (work.brief, work.questions)
    quoted = visit.desk.workshop.quote(
        about, settings, choice, import_aside, work, settings, choice
    )
    words = sum(prose_words(one.text) for one in work.manuscript.chapters)
    name = visit.asked.get("name", "")
    return visit.page("manuscript", work=work, quoted=quoted, words=size_in_words(words), name=name)


def read_manuscript(visit: Visit) -> Response:
    """Have a manuscript read, and make a book of it."""
    work, settings = _manuscript(visit), visit.desk.settings
    name = project_name_from(work.brief.title or visit.form.get("name", "") or "manuscript")
    paths = import_paths(work, settings, name)
    job, shown = Reading(paths, work, settings), visit.form.get("quote", "")
    visit.desk.workshop.start(job, shown, work.brief, work.questions)
    return RedirectResponse(f"/reading/{quote(paths.root.name)}", 303)


def show_reading(visit: Visit) -> Response:
    """How far the reading of a manuscript is."""
    root = visit.desk.settings.projects_dir / visit.keys["name"]
    job = visit.desk.workshop.jobs.get(str(root))
    if job is None or job.state == "done":
        return RedirectResponse(Visit(visit.desk, {"book": root.name}).at("plan"), 303)
    return visit.page("reading", job=job, work=" · ".join(job.progress.figures(job.seconds).told))


def _manuscript(visit: Visit) -> ManuscriptImport:
    """The manuscript that an address names.

    Raises:
        UsageError: It is not here any more.
    """
    found = visit.desk.manuscripts.get(visit.keys["key"])
    if found is None:
        raise UsageError("This manuscript is no longer here.", fix="Bring it again.")
    return found


def show_new(visit: Visit) -> Response:
    """The form for a new book."""
    return _new_page(visit, {"language": "English", "project_type": "novella"})


def quote_book(visit: Visit) -> Response:
    """The same form with what the book takes beside the button that starts it."""
    try:
        found = _wanted(visit)
        given = (found.brief, found.settings, found.choice, NewBook())
        quoted = visit.desk.workshop.quote(
            (_asked(visit),),
            found.settings,
            found.choice,
            new_book_aside,
            *given,
            drafting=found.brief.drafting,
        )
    except LibriScribeError as error:
        return _new_page(visit, visit.form, error=error, status=400)
    return _new_page(visit, visit.form, quoted=quoted, brief=found.brief)


def start_book(visit: Visit) -> Response:
    """Make the folder of a book whose estimate was shown, and have its plan made."""
    desk = visit.desk
    desk.workshop.check_free()
    try:
        found = _wanted(visit)
        paths = new_paths(found.brief, found.settings, None)
        desk.workshop.check_shown(visit.form.get("quote", ""), _asked(visit))
        with begin_book(paths, found.brief, found.settings, found.choice, found.new):
            pass
    except LibriScribeError as error:
        return _new_page(visit, visit.form, error=error, status=400)
    job = desk.workshop.go_on(Job(paths, Action("plan")))
    return see_work(Visit(desk, {"book": paths.root.name}), job)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A new book as it was asked for.

    Attributes:
        brief: What is asked for.
        settings: The settings in force.
        choice: Its model.
        new: How it is made.
    """

    brief: Brief
    settings: Settings
    choice: ModelChoice
    new: NewBook


def _wanted(visit: Visit) -> Wanted:
    """What the form asks for.

    Raises:
        LibriScribeError: Something cannot be used, or there is no model.
    """
    model = visit.form.get("other_model", "").strip() or visit.form.get("model", "")
    settings = settings_of(None, {"models.default": model or None, "no_input": True})
    given: dict[str, Any] = {name: visit.form.get(name, "").strip() or None for name in _KEYS}
    if not (given["words"] or "0").isdecimal():
        raise UsageError("The number of words is not a number.", fix="Write it in figures.")
    given["words"] = int(given["words"] or 0) or None
    if is_recorded(settings.models.default.model):
        # Other books never pass this room.
        from libriscribe2.commands.recordings import played_book  # noqa: PLC0415

        keys, settings, choice, files = played_book({}, settings)
        return Wanted(brief_from(keys), settings, choice, NewBook(given=tuple(files)))
    if given["premise"] is None:
        raise UsageError("What is your book about?", fix="A sentence or two is enough.")
    brief, _ = with_drafting(brief_from(given), settings.pipeline.max_concurrency)
    return Wanted(brief, settings, model_of(settings), NewBook())


def _asked(visit: Visit) -> tuple[tuple[str, str], ...]:
    """All that the form says of the book: an estimate is good for exactly this."""
    names = (*_KEYS, "model", "other_model")
    return tuple((name, visit.form.get(name, "").strip()) for name in names)


def _new_page(
    visit: Visit,
    given: Any,
    *,
    quoted: Quoted | None = None,
    brief: Brief | None = None,
    error: LibriScribeError | None = None,
    status: int = 200,
) -> Response:
    said = {name: given.get(name, "") for name in (*_KEYS, "model", "other_model", "preset")}
    sizes = [(name, one, size_in_words(one.words)) for name, one in SIZES.items()]
    words = (brief.words or brief.size.words) if brief is not None else 0
    return visit.page(
        "new",
        status=status,
        given=said,
        presets=PRESETS,
        sizes=sizes,
        models=_models(),
        quoted=quoted,
        length=size_in_words(words) if words else "",
        error=error,
    )


def size_in_words(words: int) -> str:
    """What a number of words means for who holds the book."""
    minutes = round(words / READING)
    if minutes >= 2 * _ROUNDED:
        read = counted(round(minutes / 60), "hour")
    else:
        read = counted(minutes, "minute")
    return (
        f"{words:,} words, about {max(1, round(words / WORDS_OF_A_PAGE)):,} pages, {read} to read"
    )


def _models() -> list[tuple[str, str, str]]:
    """The models that can be asked: value, name and state."""
    found = [
        (one.default_model, one.title, "key set")
        for one in PROVIDERS
        if one.default_model and any(os.environ.get(key, "").strip() for key in one.keys)
    ]
    for server in servers():
        found += [(name, server.name, "found on this machine") for name in server.models[:3]]
    found.append((MANUAL_MODEL, "Any chat window", "you copy and paste; costs nothing here"))
    return found


SCREEN: Final = (
    page("/", show_shelf),
    page("/new", show_new),
    change("/new/quote", quote_book),
    change("/new/start", start_book),
    change("/open", open_folder),
    page("/keys", show_keys),
    change("/keys", set_key),
    change("/keys/forget", drop_key),
    change("/import", take_manuscript),
    page("/import/{key}", show_manuscript),
    change("/import/{key}", read_manuscript),
    page("/reading/{name}", show_reading),
    page("/b/{book}/cover", show_cover),
)
