"""References in a common style: Chicago in notes or by author and date, APA, and CSL-JSON."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from libriscribe2.models.brief import CitationStyle
from libriscribe2.models.notes import Note, Source, SourcesFile

_OBEYED: Final = re.compile(r"([\\`*_\[\]<>#&~|^$])")
_CLEAN_URL: Final = re.compile(r"https?://[^\s<>\\]+")
_ENDS: Final = (".", "?", "!", "…")
_FEW: Final = 3
_INNER: Final = str.maketrans({"“": "‘", "”": "’", '"': "'"})
"""Quotation marks inside of others."""

_NUMBERED: Final = re.compile(r"(page|paragraph|chapter) ([^\s,]+(?:, \u201c.*\u201d)?)")


@dataclass(frozen=True, slots=True)
class Words:
    """What a reference says besides names and titles, in English or in signs alone."""

    also: str = "and"
    undated: str = "n.d."
    accessed: str = "accessed {}"
    retrieved: str = "Retrieved {}, from {url}"
    section: str = "sec. “{}”"
    page: str = "{}"
    paragraph: str = "par. {}"
    chapter: str = "chap. {}"
    version: str = "version {}"
    others: str = "et al."
    in_english: bool = True


_ENGLISH: Final = Words()
_NUMBERS: Final = Words(page="p. {}")
_APA: Final = Words(also="&", section="“{}” section", page="p. {}", paragraph="para. {}")
_SIGNS: Final = Words(
    *("&", "s.a.", "[{}]", "{url} [{}]", "§ “{}”", "p. {}", "¶ {}", "{}.", "v. {}", "et al."),
    in_english=False,
)


@dataclass(frozen=True, slots=True)
class Name:
    """An author.

    Attributes:
        family: The family name, or the whole name of a body.
        given: The given names; "" for a body.
    """

    family: str
    given: str = ""

    @classmethod
    def of(cls, told: str) -> "Name":
        """Read `Family, Given`, `Given Family`, or `{A body}`."""
        if told.startswith("{"):
            return cls(told.strip("{}").strip())
        family, comma, given = told.partition(",")
        if comma:
            return cls(family.strip(), given.strip())
        words = told.split()
        first = next((at for at, word in enumerate(words[1:], 1) if word.islower()), len(words) - 1)
        return cls(" ".join(words[first:]), " ".join(words[:first]))

    @property
    def straight(self) -> str:
        """`Given Family`."""
        return f"{self.given} {self.family}".strip()

    @property
    def filed(self) -> str:
        """`Family, Given`."""
        return f"{self.family}, {self.given}" if self.given else self.family

    @property
    def short(self) -> str:
        """`Family, G. H.`."""
        initials = " ".join(
            "-".join(f"{part[0]}." for part in one.split("-") if part) for one in self.given.split()
        )
        return f"{self.family}, {initials}" if initials else self.family


class References:
    """Writes the references to some sources.

    Args:
        style: The style.
        sources: The sources that are cited, by id.
        english: Whether the book is in English; in others signs stand for words.
    """

    def __init__(
        self, style: CitationStyle, sources: Iterable[Source], *, english: bool = True
    ) -> None:
        self.style = style
        styles = {"apa": _APA, "numbers": _NUMBERS}
        self._words = styles.get(style, _ENGLISH) if english else _SIGNS
        self._letters: dict[str, str] = {}
        if style in ("author-date", "apa"):
            self._letters = self._told_apart(list(sources))

    def _told_apart(self, sources: Sequence[Source]) -> dict[str, str]:
        """The letter behind the year of each source whose author and year are another's, too."""
        same: dict[tuple[str, str], list[Source]] = {}
        for source in sorted(sources, key=self.order):
            same.setdefault((self._label(source), source.published[:4]), []).append(source)
        groups = [many for many in same.values() if len(many) > 1 and many[0].authors]
        return {one.id: chr(97 + at % 26) for many in groups for at, one in enumerate(many)}

    def order(self, source: Source) -> tuple[str, str, str]:
        """By which a list of sources is sorted: author or title, year, title."""
        names = [Name.of(one).filed for one in source.authors]
        title = source.title.casefold()
        return ((names[0] if names else title).casefold(), source.published, title)

    def locator(self, place: str, source: Source) -> str:
        """A place within a source; "" where it is the whole."""
        if not place or place == source.title:
            return ""
        found = _NUMBERED.fullmatch(place)
        form = getattr(self._words, found[1]) if found else self._words.section
        # What is quoted there stands within quotation marks of ours.
        inner = found[2].replace('"', "'") if found else place.translate(_INNER)
        return _filled(str(form), plain(inner))

    def full(self, source: Source, place: str = "") -> str:
        """The whole reference in one sentence, as notes and numbered lists have it."""
        authors = self._listed([plain(Name.of(one).straight) for one in source.authors])
        imprint = [plain(source.publisher), self._day(source.published)]
        told = ", ".join(one for one in imprint if one)
        if told and source.kind == "file":
            told = f"({told})"
        parts = [
            authors,
            self._title(source, ","),
            _filled(self._words.version, plain(source.version)) if source.version else "",
            told,
            self.locator(place, source),
            *self._found_at(source),
        ]
        return _joined(parts)

    def again(self, source: Source, place: str = "") -> str:
        """A reference to a source that a note before gave in full."""
        author = plain(Name.of(source.authors[0]).family) if source.authors else ""
        return _joined([author, self._title(source, ","), self.locator(place, source)])

    def quoted(self, note: Note) -> str:
        """The words of a note's source."""
        return f"“{plain(note.quote.translate(_INNER))}”"

    def in_text(self, source: Source, places: Sequence[str]) -> tuple[str, str]:
        """What stands in the text in brackets: author and year, and the places."""
        year = (source.published[:4] or self._words.undated) + self._letters.get(source.id, "")
        between = ", " if self.style == "apa" or not source.published else " "
        found = ", ".join(one for place in places if (one := self.locator(place, source)))
        return f"{self._label(source)}{between}{year}", found

    def entry(self, source: Source) -> tuple[str, str]:
        """A source in a list of sources: whom or what it is filed under, and the rest."""
        if self.style == "apa":
            return self._apa(source)
        names = [Name.of(one) for one in source.authors]
        filed = [plain(one.straight if at else one.filed) for at, one in enumerate(names)]
        head = self._listed(filed, inverted=True) or self._title(source, "")
        year = (source.published[:4] or self._words.undated) + self._letters.get(source.id, "")
        by_date = self.style == "author-date"
        version = _filled(self._words.version, plain(source.version)) if source.version else ""
        imprint = [plain(source.publisher), "" if by_date else self._day(source.published)]
        rest = [
            year if by_date else "",
            self._title(source, "") if names else "",
            version[:1].upper() + version[1:],
            ", ".join(one for one in imprint if one),
            ", ".join(self._found_at(source, capital=True)),
        ]
        return head, _stopped(rest, head)

    def _apa(self, source: Source) -> tuple[str, str]:
        names = [plain(Name.of(one).short) for one in source.authors]
        listed = ", ".join(names[:-1]) + (f", {self._words.also} " if len(names) > 1 else "")
        title = f"*{plain(source.title)}*"
        version = f"Version {plain(source.version)}"
        title += f" ({version})" if source.version and self._words.in_english else ""
        day = source.published[:4] or self._words.undated
        day += self._letters.get(source.id, "")
        if self._words.in_english and len(source.published) > 4:
            month_first = self._day(source.published).replace(f", {source.published[:4]}", "")
            day += f", {month_first.removesuffix(f' {source.published[:4]}')}"
        address, read = _address(source), self._day(source.retrieved, day_first=True)
        if address and read and source.kind == "web":
            address = _filled(self._words.retrieved, read).replace("{url}", address)
        head = listed + names[-1] if names else title
        own = {head.rstrip("."), plain(source.title)}
        publisher = "" if plain(source.publisher) in own else plain(source.publisher)
        return head, _stopped([f"({day})", title if names else "", publisher, address], head, ">")

    def _label(self, source: Source) -> str:
        """Author or title, as brackets in the text have it."""
        names = [plain(Name.of(one).family) for one in source.authors]
        if not names:
            return (
                f"*{plain(source.title)}*" if source.kind == "file" else f"“{plain(source.title)}”"
            )
        if len(names) > (2 if self.style == "apa" else _FEW):
            return f"{names[0]} {self._words.others}"
        return self._listed(names)

    def _listed(self, names: Sequence[str], *, inverted: bool = False) -> str:
        if len(names) < 2:
            return "".join(names)
        comma = "," if len(names) > 2 or inverted else ""
        return f"{', '.join(names[:-1])}{comma} {self._words.also} {names[-1]}"

    def _title(self, source: Source, closing: str) -> str:
        """Pages stand in quotation marks, which take in what closes them; files in italics."""
        title = plain(source.title)
        if source.kind == "file":
            return f"*{title}*"
        return f"“{title}{closing or ('' if title.endswith(_ENDS) else '.')}”"

    def _found_at(self, source: Source, *, capital: bool = False) -> list[str]:
        """When a page was read, and where it is; the name of an author's own file says nothing."""
        address = _address(source)
        if source.kind == "file":
            return [address]
        read = (
            _filled(self._words.accessed, self._day(source.retrieved)) if source.retrieved else ""
        )
        return [read[:1].upper() + read[1:] if capital else read, address]

    def _day(self, told: str, *, day_first: bool = False) -> str:
        """A date in words; as it stands where the book is in no English."""
        year, _, rest = told.partition("-")
        month, _, day = rest.partition("-")
        if not month or not self._words.in_english:
            return plain(told)
        try:
            named = date(2000, int(month), 1).strftime("%B")
        except ValueError:
            return plain(told)
        if not day.isdecimal():
            return f"{named} {year}"
        return f"{int(day)} {named} {year}" if day_first else f"{named} {int(day)}, {year}"


def plain(text: str) -> str:
    """A text in one line that means just its characters in Markdown."""
    return _OBEYED.sub(r"\\\1", " ".join(text.split()))


def _filled(form: str, value: str) -> str:
    return form.replace("{}", value)


def _address(source: Source) -> str:
    url = source.place if source.kind == "web" else source.url
    return f"<{url}>" if _CLEAN_URL.fullmatch(url) else plain(url)


def _joined(parts: Iterable[str]) -> str:
    """Parts with commas between them, and a full stop; one in closing quotes has its comma."""
    text = ""
    for part in (part for part in parts if part):
        between = " " if text.endswith(",”") or part.startswith("(") else ", "
        text += f"{between}{part}" if text else part
    return text.removesuffix(",”") + ".”" if text.endswith(",”") else f"{text}."


def _stopped(parts: Iterable[str], head: str, unstopped: str = "") -> str:
    """Parts of an entry behind its head, each with a full stop unless it ends with `unstopped`."""
    text = "" if head.endswith((".", ".”", "?”", "!”")) else "."
    for part in (part for part in parts if part):
        ends = (*_ENDS, ".”", "?”", "!”", *unstopped)
        stop = "" if part.rstrip("*").endswith(ends) else "."
        text += f" {part}{stop}"
    return text


def csl_items(sources: Iterable[Source]) -> list[dict[str, Any]]:
    """Sources as CSL-JSON, which Zotero, pandoc and others read."""
    return [{key: value for key, value in _csl(one).items() if value} for one in sources]


def _csl(source: Source) -> dict[str, Any]:
    names = [Name.of(one) for one in source.authors]
    return {
        "id": source.id,
        "type": "webpage" if source.kind == "web" else "document",
        "title": source.title,
        "author": [
            {"family": one.family, "given": one.given} if one.given else {"literal": one.family}
            for one in names
        ],
        "issued": _csl_date(source.published),
        "accessed": _csl_date(source.retrieved) if source.kind == "web" else {},
        "publisher": source.publisher,
        "version": source.version,
        "URL": source.place if source.kind == "web" else source.url,
        "note": "" if source.kind == "web" else source.place,
    }


def _csl_date(told: str) -> dict[str, Any]:
    parts = [int(one) for one in told.split("-") if one.isdecimal()]
    return {"date-parts": [parts]} if parts else {}


def with_csl(file: SourcesFile, items: Iterable[Any]) -> tuple[SourcesFile, list[str]]:
    """Sources with what CSL-JSON says of them, and the ids or titles of items that fit none.

    An item is that of a source if it has its id, its address, its file's name as the note, or its
    title.
    """
    sources = {source.id: source for source in file.sources}
    keys: dict[str, str] = {}
    for source in file.sources:
        for key in (source.title, source.url, source.place, source.id):
            keys[key.casefold()] = source.id
    left: list[str] = []
    for item in (one for one in items if isinstance(one, dict)):
        told = [item.get(key) for key in ("id", "URL", "note", "title")]
        found = next((keys[one.casefold()] for one in map(str, told) if one.casefold() in keys), "")
        if found:
            sources[found] = sources[found].model_copy(update=_from_csl(item, sources[found]))
        else:
            left.append(str(item.get("title") or item.get("id")))
    return SourcesFile(sources=list(sources.values())), left


def _from_csl(item: dict[str, Any], source: Source) -> dict[str, Any]:
    names = [one for one in item.get("author") or [] if isinstance(one, dict)]
    parts = (item.get("issued") or {}).get("date-parts") or [[]]
    day = [str(one) for one in parts[0] if str(one).isdecimal()]
    told: dict[str, Any] = {
        "title": item.get("title"),
        "authors": tuple(_from_name(one) for one in names if _from_name(one)),
        "published": "-".join(one.zfill(2) for one in day),
        "publisher": item.get("publisher") or item.get("container-title"),
        "version": item.get("version") or item.get("edition"),
        "url": item.get("URL") if source.kind == "file" else "",
    }
    return {key: value if key == "authors" else str(value) for key, value in told.items() if value}


def _from_name(name: dict[str, Any]) -> str:
    family, given = str(name.get("family") or ""), str(name.get("given") or "")
    particle = str(name.get("non-dropping-particle") or "")
    family = f"{particle} {family}".strip()
    if family and given:
        return f"{family}, {given}"
    body = str(name.get("literal") or family or given)
    return f"{{{body}}}" if body else ""
