"""What a document says of itself: who wrote it, what it is called, when and where it came out."""

import json
import re
from calendar import month_abbr
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from lxml import etree

from libriscribe2.documents.decoding import tidy, tidy_line

_MOST_AUTHORS: Final = 30
_LONGEST: Final = 400
_LARGEST_DATA: Final = 2**20
_DATE: Final = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?:[-/.](\d\d?))?(?:[-/.](\d\d?))?(?!\d)")
_NAMED_DATE: Final = re.compile(
    r"(?<!\w)(?:(\d\d?)[ -]([A-Z][a-z]{2,8})[ -]|([A-Z][a-z]{2,8}) (\d\d?), )(\d{4})(?!\d)"
)
"""`2 August 2015`, `02-Aug-2015` and `August 2, 2015`."""

_FIELD: Final = re.compile(r"(?:(?<=\s)|\A)([A-Z]\w*(?:-\w+)*):\s")
_BY_LINE: Final = re.compile(r"[Bb]y ([A-Z][\w.'-]*(?:,? (?:and |& )?[A-Z][\w.'-]*){1,9})")
_MAILBOX: Final = re.compile(r"\s*<[^>]*>")
_FIRST_PARAGRAPHS: Final = 6
_FEWEST_FIELDS: Final = 3
_FIELDS: Final = {
    "title": "title",
    **dict.fromkeys(("author", "authors"), "author"),
    **dict.fromkeys(("created", "date", "published"), "date"),
    **dict.fromkeys(("publisher", "organization"), "publisher"),
    **{name: name for name in ("version", "url")},
}
"""What the fields above a text are called, and what `record_of` calls them."""

_AND: Final = re.compile(r" (?:and|&) ")
_ADDRESS: Final = re.compile(r"https?://|@")

_TITLES: Final = ("citation_title", "dc.title", "dcterms.title", "ld:title", "og:title")
_AUTHORS: Final = ("citation_author", "dc.creator", "dcterms.creator", "ld:author", "author")
_DATES: Final = (
    *("citation_publication_date", "citation_date", "dcterms.issued", "dc.date", "dcterms.date"),
    *("ld:date", "article:published_time", "date"),
)
_PUBLISHERS: Final = (
    *("citation_publisher", "dc.publisher", "dcterms.publisher", "ld:publisher", "og:site_name"),
)
_VERSIONS: Final = ("ld:version", "version")
_ADDRESSES: Final = ("canonical", "citation_public_url", "og:url")


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """What a document says of itself; "" and nothing where it does not.

    Attributes:
        title: What it is called.
        authors: Each as `Given Family` or `Family, Given`; a body in braces, `{W3C}`.
        date: When it was published, `2012`, `2012-04` or `2012-04-28`.
        publisher: Who published it, or the site.
        version: Its version or edition.
        address: Where it is on the web.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    date: str = ""
    publisher: str = ""
    version: str = ""
    address: str = ""


def record_of(said: Mapping[str, str]) -> DocumentRecord:
    """A record from fields by their names.

    Args:
        said: `title`, `author` (several with `;` or a line for each), `date`, `publisher`,
            `version` and `url`, as far as they are there.
    """
    return DocumentRecord(
        title=_line(said.get("title", "")),
        authors=_names(_divided(said.get("author", ""))),
        date=date_in(said.get("date", "")),
        publisher=_line(said.get("publisher", "")),
        version=_line(said.get("version", "")),
        address=_web_address(said.get("url", "")),
    )


def told_at_its_beginning(record: DocumentRecord, beginning: str) -> DocumentRecord:
    """A record with what a document says of itself in fields above its text, `Author: A. Nother`.

    Fields are those of one of its first paragraphs that has several of them, or its by-line; what
    the record has already stays.
    """
    paragraphs = [one.strip() for one in beginning.split("\n\n")[:_FIRST_PARAGRAPHS]]
    by = next((found[1] for one in paragraphs if (found := _BY_LINE.fullmatch(one))), "")
    record = replace(record, authors=record.authors or _names(_divided(by)))
    for paragraph in paragraphs:
        pieces = _FIELD.split(" ".join(paragraph.split()))
        told = dict(zip(map(str.casefold, pieces[1::2]), pieces[2::2], strict=True))
        if len(told) >= _FEWEST_FIELDS and {"author", "authors", "title"} & told.keys():
            said = {_FIELDS[key]: value for key, value in told.items() if key in _FIELDS}
            own = record_of(said | {"author": _MAILBOX.sub("", said.get("author", ""))})
            return DocumentRecord(
                *(getattr(record, one.name) or getattr(own, one.name) for one in fields(record))
            )
    return record


def date_in(text: str) -> str:
    """The first date in a text, as far as it is told; "" where there is none."""
    found = _DATE.search(text)
    if found is None:
        return ""
    if (named := _NAMED_DATE.search(text)) is not None:
        day, month = named[1] or named[4], (named[2] or named[3])[:3]
        if month in month_abbr[1:]:
            return f"{named[5]}-{list(month_abbr).index(month):02d}-{int(day):02d}"
    year, month, day = found.groups()
    if not month or not 1 <= int(month) <= 12:
        return str(year)
    return f"{year}-{int(month):02d}" + (f"-{int(day):02d}" if day and int(day) <= 31 else "")


def year_told_by(created: str, beginning: str) -> str:
    """The year in which a file was made, if its text names it, too.

    A file that was converted last year says nothing about when the text came out.
    """
    year = date_in(created)[:4]
    return year if year and re.search(rf"(?<!\d){year}(?!\d)", beginning) else ""


def html_record(html: str) -> DocumentRecord:
    """What a page says of itself in its `meta` elements and as JSON-LD."""
    head = _Head()
    parser = etree.HTMLParser(target=head, encoding="utf-8", huge_tree=True)
    parser.feed(html.encode("utf-8", "replace"))
    parser.close()
    said = head.said

    def first(names: Iterable[str]) -> str:
        return next((value for name in names for value in said.get(name, ()) if value), "")

    authors = next((said[name] for name in _AUTHORS if said.get(name)), [])
    return DocumentRecord(
        title=_line(first(_TITLES)),
        authors=_names(one for many in authors for one in _divided(many)),
        date=date_in(first(_DATES)),
        publisher=_line(first(_PUBLISHERS)),
        version=_line(first(_VERSIONS)),
        address=_web_address(first(_ADDRESSES)),
    )


@dataclass
class _Head:
    """Takes the tags of a page as they come, and keeps what they say of it."""

    said: dict[str, list[str]] = field(default_factory=dict)
    _data: list[str] | None = None
    _author: tuple[str, list[str]] | None = None
    """The tag that holds the name of an author, and the name so far."""
    _begun: bool = False
    """Whether the text has begun: who is named in it is not its author."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        marks = (attributes.get(key, "") for key in ("class", "itemprop", "rel"))
        if "author" in marks:
            self._author = None if self._begun else (tag, [])
        elif tag == "p":
            self._begun = True
        if tag == "meta":
            name = attributes.get("name") or attributes.get("property") or ""
            self._add(name.casefold(), attributes.get("content", ""))
        elif tag == "link" and attributes.get("rel", "").casefold() == "canonical":
            self._add("canonical", attributes.get("href", ""))
        elif tag == "script" and attributes.get("type", "").startswith("application/ld+json"):
            self._data = []

    def data(self, text: str) -> None:
        if self._data is not None:
            self._data.append(text)
        elif self._author is not None:
            self._author[1].append(text)

    def end(self, tag: str) -> None:
        if self._author is not None and tag == self._author[0]:
            self._add("author", " ".join("".join(self._author[1]).split()))
            self._author = None
        if tag == "script" and self._data is not None:
            text, self._data = "".join(self._data), None
            for thing in _things(text):
                self._take(thing)

    def comment(self, text: str) -> None:
        """A comment says nothing."""

    def close(self) -> None:
        """The page is at its end."""

    def _add(self, name: str, value: Any) -> None:
        if isinstance(value, str) and value.strip():
            self.said.setdefault(name, []).append(value)

    def _take(self, thing: Mapping[str, Any]) -> None:
        """A thing of schema.org: the first that has an author, a headline or a date is the page."""
        if "ld:is" in self.said or not {"author", "headline", "datePublished"} & thing.keys():
            return
        self.said["ld:is"] = [str(thing.get("@type"))]
        self._add("ld:title", thing.get("headline") or thing.get("name"))
        self._add("ld:date", thing.get("datePublished"))
        self._add("ld:version", thing.get("version"))
        for key in ("author", "publisher"):
            for name in _called(thing.get(key), is_body=key == "author"):
                self._add(f"ld:{key}", name)


def _things(text: str) -> Iterator[Mapping[str, Any]]:
    """The objects of JSON-LD."""
    try:
        told = json.loads(text) if len(text) <= _LARGEST_DATA else None
    except (ValueError, RecursionError):
        return
    for one in told if isinstance(told, list) else [told]:
        graph = one.get("@graph") if isinstance(one, dict) else None
        for thing in graph if isinstance(graph, list) else [one]:
            if isinstance(thing, dict):
                yield thing


def _called(value: Any, *, is_body: bool) -> Iterator[str]:
    """The names of persons and bodies."""
    for one in value if isinstance(value, list) else [value]:
        name = one.get("name") if isinstance(one, dict) else one
        if isinstance(name, str):
            body = is_body and isinstance(one, dict) and "Organization" in str(one.get("@type"))
            yield f"{{{name}}}" if body else name


def _divided(authors: str) -> list[str]:
    """The names of a line; commas divide only whole names: `Family, Given` is one."""
    told = (one.strip() for one in re.split(r"[;\n]", authors))
    pieces = [name for one in told if one for name in _joined_by_and(one)]
    names = pieces[0].split(",") if len(pieces) == 1 else []
    if len(names) > 1 and all(" " in one.strip() and not one.endswith(".") for one in names):
        return names
    return pieces


def _joined_by_and(names: str) -> list[str]:
    """`Ann Lee and Bo Ek` are two; of a body's name such words are a part."""
    found = [one.split() for one in _AND.split(names)]
    whole = all(len(one) > 1 and all(word[0].isupper() for word in one) for one in found)
    return [" ".join(one) for one in found] if whole else [names]


def _names(said: Iterable[str]) -> tuple[str, ...]:
    names = dict.fromkeys(_line(one) for one in said if not _ADDRESS.search(one))
    return tuple(name for name in names if name)[:_MOST_AUTHORS]


def _web_address(text: str) -> str:
    line = _line(text)
    return line if line.startswith(("https://", "http://")) and " " not in line else ""


def _line(text: str) -> str:
    line = tidy_line(tidy(text))
    return line if len(line) <= _LONGEST else ""
