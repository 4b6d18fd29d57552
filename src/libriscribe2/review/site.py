"""The pages by address: the same page functions for the live server and for the static folder."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Protocol

from jinja2 import Environment, PackageLoader, StrictUndefined

from libriscribe2.commands.calls import CallFilter
from libriscribe2.errors import LibriScribeError
from libriscribe2.review import figures
from libriscribe2.review.pages.book_data import book_data
from libriscribe2.review.pages.call_pages import call_list, one_call
from libriscribe2.review.pages.overview import overview
from libriscribe2.review.pages.problems import Problem, problem_page, problems
from libriscribe2.review.pages.reading import (
    older_versions,
    one_chapter,
    whole_book,
)
from libriscribe2.review.pages.report import report_page
from libriscribe2.review.reports import ReportShelf
from libriscribe2.review.snapshot import Snapshot
from libriscribe2.wording import duration

Page = tuple[str, ...]
"""Kind and keys: `("overview",)`, `("call", "0004-concept-try1")`, `("read", "03", "written")`."""


_SCREENS: Final = ("overview", "calls", "read", "book", "report", "problems")


class Addresses(Protocol):
    """How pages and files of the site are linked."""

    def page(self, *page: str) -> str:
        """The address of a page."""
        ...

    def asset(self, name: str) -> str:
        """The address of a style sheet, script or picture."""
        ...


class LiveAddresses:
    """Addresses on the server."""

    def page(self, *page: str) -> str:
        """`/`, `/calls`, `/call/0004-concept-try1`."""
        return "/" if page == ("overview",) else "/" + "/".join(page)

    def asset(self, name: str) -> str:
        """`/static/review.css`."""
        return f"/static/{name}"


class FolderAddresses:
    """Addresses between files of one folder, which work from `file://` too."""

    def page(self, *page: str) -> str:
        """`index.html`, `calls.html`, `call-0004-concept-try1.html`."""
        return "index.html" if page == ("overview",) else "-".join(page) + ".html"

    def asset(self, name: str) -> str:
        """`static/review.css`."""
        return f"static/{name}"


@dataclass(frozen=True)
class Site:
    """The pages of one snapshot.

    Attributes:
        snapshot: The project.
        addresses: How the pages are linked.
        live: Whether a server answers.
        reports: Measures the book; who shows it again and again keeps the shelf.
    """

    snapshot: Snapshot
    addresses: Addresses
    live: bool
    reports: ReportShelf = field(default_factory=ReportShelf)

    def pages(self) -> Iterator[Page]:
        """Every page there is."""
        yield from ((kind,) for kind in _SCREENS)
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
            "problem_count": sum(one.weight != "note" for one in self._problems),
        }
        return _TEMPLATES.get_template(template).render(**shared, **values)

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


def error_page(error: LibriScribeError, addresses: Addresses) -> str:
    """The page that is shown in place of a project that cannot be read."""
    template = _TEMPLATES.get_template("error.html")
    return template.render(error=error, site=addresses, live=False, snapshot=None, here="error")


def plain_page(name: str, addresses: Addresses) -> str:
    """A page that shows nothing of a project: `enter` or `missing`."""
    template = _TEMPLATES.get_template(f"{name}.html")
    return template.render(site=addresses, live=False, snapshot=None, here=name)


def _environment() -> Environment:
    loader = PackageLoader("libriscribe2.review")
    made = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "money": figures.money,
        "span": duration,
        "number": figures.number,
        "moment": figures.moment,
        "capitalised": figures.capitalised,
        "coded": figures.coded,
    }
    return made


_TEMPLATES: Final = _environment()
