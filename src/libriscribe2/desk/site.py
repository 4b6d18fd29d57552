"""The pages of a project: their addresses, their templates, and all of them as a folder."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from libriscribe2.commands.calls import CallFilter
from libriscribe2.desk.book_pages import book_data, older_versions, one_chapter, whole_book
from libriscribe2.desk.problem_pages import Problem, problem_page, problems
from libriscribe2.desk.report_page import ReportShelf, coverage_page, has_coverage, report_page
from libriscribe2.desk.run_pages import call_list, call_rows, one_call, overview
from libriscribe2.desk.snapshot import ProjectSource, Snapshot, take
from libriscribe2.errors import UsageError
from libriscribe2.project.atomic import storage_errors
from libriscribe2.wording import duration, price, stage_name, state_in_words, unit_in_words

_THOUSAND: Final = 1000
_MANY: Final = 100_000


def money(usd: float | None) -> str:
    """A price in US dollars; one that nobody knows is said to be unknown, never 0."""
    return "unknown" if usd is None else price(usd)


def number(value: float) -> str:
    """A count with commas; a large one in thousands."""
    return f"{value / _THOUSAND:,.0f}k" if value >= _MANY else f"{value:,.0f}"


def capitalised(text: str) -> str:
    """A text whose first letter is a capital, without the full stop at its end."""
    return (text[:1].upper() + text[1:]).rstrip(".")


def coded(text: str) -> Markup:
    """A text in which what stands between backticks is shown as code."""
    code = Markup("<code>%s</code>")
    parts = enumerate(text.split("`"))
    return Markup("").join(code % part if number % 2 else part for number, part in parts)


def moment(at: str) -> str:
    """A time stamp without the `T` and the `Z`."""
    return at.replace("T", " ").removesuffix("Z")


Page = tuple[str, ...]
"""Kind and keys: `("overview",)`, `("call", "0004-concept-try1")`, `("read", "03", "written")`."""


_SCREENS: Final = ("overview", "calls", "read", "book", "report", "problems")


@dataclass(frozen=True, slots=True)
class LiveAddresses:
    """Addresses on the server.

    Attributes:
        root: What stands before the address of every page; "" where the pages are the whole site.
    """

    root: str = ""

    def page(self, *page: str) -> str:
        """`/`, `/calls`, `/call/0004-concept-try1`."""
        way = () if page == ("overview",) else page
        return "/".join((self.root, *way)) if way or self.root else "/"

    def asset(self, name: str) -> str:
        """`/static/review.css`."""
        return f"/static/{name}"


class FolderAddresses:
    """Addresses between files of one folder, which work from `file://` too."""

    root = ""

    def page(self, *page: str) -> str:
        """`index.html`, `calls.html`, `call-0004-concept-try1.html`."""
        return "index.html" if page == ("overview",) else "-".join(page) + ".html"

    def asset(self, name: str) -> str:
        """`static/review.css`."""
        return f"static/{name}"


Addresses = LiveAddresses | FolderAddresses
"""How pages and files of the site are linked: on the server, or between files of a folder."""


@dataclass(frozen=True)
class Site:
    """The pages of one snapshot.

    Attributes:
        snapshot: The project.
        addresses: How the pages are linked.
        live: The `stamp` of the files that the pages are made from; "" where no server answers.
        reports: Measures the book; who shows it again and again keeps the shelf.
    """

    snapshot: Snapshot
    addresses: Addresses
    live: str = ""
    reports: ReportShelf = field(default_factory=ReportShelf)

    def pages(self) -> Iterator[Page]:
        """Every page there is."""
        yield from ((kind,) for kind in _SCREENS)
        if has_coverage(self.snapshot):
            yield ("coverage",)
        yield from (("call", call.id) for call in self.snapshot.calls)
        for entry in self.snapshot.chapters:
            yield "read", entry.key
            for version in older_versions(self.snapshot, entry.key):
                yield "read", entry.key, version.key

    def render(self, page: Page, wanted: CallFilter | None = None) -> str | None:
        """A page as HTML; None where there is no such page."""
        found = self._values(page, wanted or CallFilter())
        if found is None:
            return None
        template, values = found
        shared = {
            "site": self.addresses,
            "live": self.live,
            "snapshot": self.snapshot,
            "here": page[0],
            "of_facts": has_coverage(self.snapshot),
            "problem_count": sum(one.weight != "note" for one in self._problems),
        }
        return render_template(template, **shared, **values)

    @cached_property
    def _problems(self) -> list[Problem]:
        return problems(self.snapshot)

    def _values(self, page: Page, wanted: CallFilter) -> tuple[str, dict[str, Any]] | None:
        """The template of a page and what it shows."""
        match page:
            case ("overview",):
                return "overview.html", overview(self.snapshot)
            case ("calls",):
                return "calls.html", call_list(self.snapshot, wanted)
            case ("read",):
                return "read.html", whole_book(self.snapshot)
            case ("book",):
                return "book.html", book_data(self.snapshot)
            case ("coverage",):
                return "coverage.html", coverage_page(self.snapshot)
            case ("report",):
                return "report.html", report_page(self.snapshot, self.reports)
            case ("problems",):
                return "problems.html", problem_page(self._problems)
            case _:
                return self._one_of_many(page)

    def _one_of_many(self, page: Page) -> tuple[str, dict[str, Any]] | None:
        match page:
            case ("call", key):
                values, template = one_call(self.snapshot, key), "call.html"
            case ("read", key, *version):
                values = one_chapter(self.snapshot, key, *version)
                template = "chapter.html"
            case _:
                return None
        return None if values is None else (template, values)


def render_template(template: str, /, **values: Any) -> str:
    """A template with its values; all text in it is shown as text."""
    return _TEMPLATES.get_template(template).render(**values)


def plain_page(name: str, addresses: Addresses, **more: Any) -> str:
    """A page that shows nothing of a project: `enter`, `missing` or `error`."""
    shared = {"site": addresses, "live": "", "snapshot": None, "here": name}
    return render_template(f"{name}.html", **shared, **more)


def _environment() -> Environment:
    loader = PackageLoader("libriscribe2.desk")
    made = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "money": money,
        "span": duration,
        "number": number,
        "moment": moment,
        "capitalised": capitalised,
        "coded": coded,
        "state_in_words": state_in_words,
        "stage_name": stage_name,
        "unit_in_words": unit_in_words,
    }
    return made


_TEMPLATES: Final = _environment()


STATIC: Final = Path(__file__).parent / "static"
ASSETS: Final = frozenset({"icon.svg", "review.css", "review.js"})
"""The style sheet, script and picture of these pages."""

LIST: Final = "review-files.json"
"""Names the files of an export, so that the next one can clear them away."""

_ADDRESSES: Final = FolderAddresses()


def freeze(source: ProjectSource, folder: Path) -> int:
    """Write every page to a folder, and return how many there are.

    Args:
        source: The project.
        folder: A new or empty folder, or one that holds an earlier export and nothing else.

    Raises:
        UsageError: The folder holds something else.
        ProjectError: The project cannot be read.
        StorageError: The folder cannot be written.
    """
    snapshot = take(source, source.calls())
    site = Site(snapshot, _ADDRESSES)
    files = {_ADDRESSES.page(*page): site.render(page) for page in site.pages()}
    count = len(files)
    rows = call_rows(snapshot, CallFilter())
    files["calls.json"] = _json({"project": snapshot.name, "calls": rows})
    with storage_errors("write", folder):
        _clear(folder)
        # First of all: a folder of which half is written can be cleared away again.
        (folder / LIST).write_text(_json(sorted(files)), encoding="utf-8")
        shutil.copytree(STATIC, folder / "static", ignore=lambda _, names: {*names} - ASSETS)
        for name, text in files.items():
            (folder / name).write_bytes(str(text).encode("utf-8", "replace"))
    return count


def _clear(folder: Path) -> None:
    """Make room: an earlier export is removed, anything else is refused."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {path.name for path in folder.iterdir()}
    if not found:
        return
    known = _known(folder / LIST)
    if LIST not in found or found - known - {LIST, "static"}:
        raise UsageError(
            f"{folder} is not empty",
            why="it contains files that are not part of an earlier export",
            fix="Name a new folder for --export.",
        )
    for asset in ASSETS:
        (folder / "static" / asset).unlink(missing_ok=True)
    if (folder / "static").is_dir():
        (folder / "static").rmdir()
    for name in found & known:
        (folder / name).unlink()
    (folder / LIST).unlink()


def _known(path: Path) -> set[str]:
    """The names in the list of an earlier export; none where it cannot be read."""
    try:
        names = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):
        return set()
    return {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
