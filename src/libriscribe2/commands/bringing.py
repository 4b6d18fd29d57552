"""What an author brings along to a new book: an outline, a story bible, notes, all Markdown.

Headings and lists say what is what, not words: a chapter is a heading of the first level that has
more than one, and what a bible says stands below headings, files or folders that are called as the
files of a book are (`characters`, `places`, `rules`); everything else is a term under its heading.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from libriscribe2.commands.new_book import GivenFile
from libriscribe2.errors import UsageError
from libriscribe2.models.given import GivenChapter, GivenOutline, GivenPeople, GivenWorld
from libriscribe2.models.story import Character, Entry
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.paths import BOOK_NOTE, GIVEN_CAST, GIVEN_OUTLINE, GIVEN_WORLD
from libriscribe2.project.texts import readable_json
from libriscribe2.wording import counted

MOST_BYTES: Final = 5 * 2**20
"""Most that is brought along: ten novels of lore."""

_ENDINGS: Final = frozenset({".md", ".markdown", ".txt"})
_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_ITEM: Final = re.compile(r"( *)(?:[-*+]|\d{1,4}[.)])[ \t]+(.*)")
_NUMBERED: Final = re.compile(r"(?:[^\W\d_]+[ \t]+)?(\d{1,4})[ \t]*[.:)\u2013\u2014-][ \t]*(?=\S)")
_FIELD: Final = re.compile(
    r"(?:[-*+][ \t]+)?[*_]{0,2}([^\W\d_]+)[*_]{0,2}[ \t]*:[*_]{0,2}[ \t]+(.+)"
)
_NAMED: Final = re.compile(
    r"[*_]{0,2}(.{1,80}?)[*_]{0,2}(?::[*_]{0,2}|[ \t]+[\u2013\u2014-])[ \t]+(.+)"
)
_GROUPS: Final = {
    **dict.fromkeys(("characters", "cast", "people"), "characters"),
    **dict.fromkeys(("places", "locations"), "places"),
    "rules": "rules",
}
_FENCES: Final = ("```", "~~~")


@dataclass(slots=True)
class Section:
    """A heading and what stands below it, up to the next heading.

    Attributes:
        level: 1 to 6; 0 for what stands before the first heading.
        title: The heading.
        lines: The lines below it.
    """

    level: int
    title: str
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What stands below it, as it stands."""
        return "\n".join(self.lines).strip()


def sections_of(text: str) -> list[Section]:
    """The sections of a Markdown text, in order; a line inside a fence is no heading."""
    found, fence = [Section(0, "")], ""
    for line in text.splitlines():
        mark = line.lstrip()[:3]
        if mark in _FENCES and (not fence or mark == fence):
            fence = "" if fence else mark
        heading = None if fence else _HEADING.fullmatch(line)
        if heading:
            found.append(Section(len(heading[1]), _plain(heading[2].rstrip(" \t").rstrip("#"))))
        else:
            found[-1].lines.append(line)
    return found


def brought_outline(path: Path) -> tuple[str, GivenOutline]:
    """The book's title, where one heading stands above all chapters, and the chapters of a plan.

    Raises:
        UsageError: The file cannot be read, or makes no chapters.
    """
    sections = sections_of(_text(path))
    levels = Counter(one.level for one in sections if one.level)
    level = next((one for one in sorted(levels) if levels[one] > 1), 0)
    title = next((one.title for one in sections if 0 < one.level < (level or 7)), "")
    if level:
        chapters = list(_chapters(sections, level))
    else:
        chapters = [_chapter(number, text, []) for number, text in _items(sections[-1].lines)]
    if len(chapters) < 2 and not levels:
        raise UsageError(
            f"{path} makes no chapters.",
            why="it has neither two headings of one level nor a list",
            fix="Write a heading for each chapter, such as `## The Storm`, and below it what happens.",
        )
    if not chapters:
        only = next(one for one in sections if one.level)
        chapters, title = [_chapter(1, only.title, only.lines)], ""
    return title, GivenOutline(chapters=tuple(chapters))


def _chapters(sections: Sequence[Section], level: int) -> Iterator[GivenChapter]:
    """The chapters of a plan: headings of a level, with all that is deeper."""
    below: list[Section] = []
    number = 0
    for one in [*sections, Section(level, "")]:
        if one.level > level and below:
            below.append(one)
        elif one.level <= level:
            if below:
                number += 1
                deeper = [
                    f"- {' '.join(filter(None, (f'{part.title}:' if part.text else part.title, part.text)))}".replace(
                        "\n", " "
                    )
                    for part in below[1:]
                ]
                yield _chapter(number, below[0].title, [*below[0].lines, *deeper])
            below = [one] if one.level == level else []


def _chapter(number: int, title: str, lines: Sequence[str]) -> GivenChapter:
    """A chapter: its paragraphs are the summary, its list is what has to happen."""
    named = _NUMBERED.match(title)
    if named is not None and int(named[1]) == number:
        title = title[named.end() :]
    if not lines and (parted := _NAMED.fullmatch(title)) is not None:
        title, lines = parted[1], [parted[2]]
    beats = tuple(text for _, text in _items(lines))
    prose = "\n".join(line for line in lines if not _ITEM.fullmatch(line)).strip()
    return GivenChapter(title=_plain(title), summary=prose or " ".join(beats), beats=beats)


def _items(lines: Iterable[str]) -> list[tuple[int, str]]:
    """The items of a list, numbered from 1; those inside another one belong to it."""
    items: list[list[str]] = []
    for line in lines:
        found = _ITEM.fullmatch(line)
        if found and (not found[1] or not items):
            items.append([found[2].strip()])
        elif items and line.strip():
            items[-1].append(found[2] if found else line.strip())
    return [(number, " ".join(parts)) for number, parts in enumerate(items, 1)]


@dataclass(slots=True)
class Bible:
    """What a story bible holds.

    Attributes:
        people: The fields of each person.
        places: Places.
        terms: All else, by its heading.
        rules: What holds without exception.
    """

    people: list[dict[str, str]] = field(default_factory=list)
    places: list[Entry] = field(default_factory=list)
    terms: list[Entry] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)


def brought_bible(path: Path) -> Bible:
    """What a file or a folder of files says of people, places, rules and terms.

    Raises:
        UsageError: There is nothing to read, or too much.
    """
    bible = Bible()
    files = _files(path)
    for file in files:
        place = file.relative_to(path.parent).as_posix()
        inside = [part.casefold() for part in (*file.relative_to(path).parent.parts, file.stem)]
        group = next((_GROUPS[part] for part in inside if part in _GROUPS), "")
        _read_into(bible, sections_of(_text(file)), group, place, file.stem)
    if not (bible.people or bible.places or bible.terms or bible.rules):
        raise UsageError(f"{path} holds no text.", fix="Name a Markdown file or a folder of them.")
    return bible


def _read_into(
    bible: Bible, sections: Sequence[Section], group: str, place: str, stem: str
) -> None:
    """Take what the sections of a file say."""
    groups = {0: group}
    for one in sections:
        above = next(
            groups[level]
            for level in sorted(groups, reverse=True)
            if level < one.level or not level
        )
        own = _GROUPS.get(one.title.casefold(), above)
        groups = {level: kept for level, kept in groups.items() if level < one.level or not level}
        groups[one.level] = own if one.level else group
        is_heading_of_group = one.title.casefold() in _GROUPS or not one.level
        if not one.text:
            continue
        if own == "rules":
            listed = [text for _, text in _items(one.lines)]
            bible.rules += listed or [one.text]
        elif own in {"characters", "places"} and is_heading_of_group and _items(one.lines):
            for _, text in _items(one.lines):
                parted = _NAMED.fullmatch(text)
                name, told = (parted[1], parted[2]) if parted else (text, "")
                _add(bible, own, _plain(name), told, place)
        else:
            title = one.title if one.level and not is_heading_of_group else ""
            title = title or stem.replace("_", " ").replace("-", " ")
            _add(bible, own, title, one.text, place)


def _add(bible: Bible, group: str, name: str, text: str, place: str) -> None:
    """Take one person, place or term; what it is told of says where it stands."""
    if group == "characters":
        bible.people.append(_person(name, text))
        return
    entry = Entry(name=name, description=f"{text or name} ({place})")
    (bible.places if group == "places" else bible.terms).append(entry)


def _person(name: str, text: str) -> dict[str, str]:
    """A person: lines that begin with the name of a field are that field, the rest is background."""
    told: dict[str, str] = {"name": name}
    rest: list[str] = []
    for line in text.splitlines():
        found = _FIELD.fullmatch(line.strip())
        key = found[1].casefold() if found else ""
        if found and key in Character.model_fields and key != "name":
            told[key] = found[2].strip()
        else:
            rest.append(line)
    background = "\n".join(rest).strip()
    return {**told, **({"background": background} if background else {})}


def brought(
    keys: Mapping[str, Any], outline: Path | None, bible: Path | None, notes: Path | None
) -> tuple[dict[str, Any], tuple[GivenFile, ...]]:
    """The keys of a brief with what follows from the texts, and the files that hold them.

    Raises:
        UsageError: A text cannot be used, or says another number of chapters.
    """
    found, plan = dict(keys), None
    if outline is not None:
        title, plan = brought_outline(outline)
        count = str(len(plan.chapters))
        if found.get("chapters") not in (None, count):
            raise UsageError(
                f"{outline} has {counted(len(plan.chapters), 'chapter')}, and --chapters asks for "
                f"{found['chapters']}.",
                fix="Leave out --chapters.",
            )
        found |= {"chapters": count, "title": found.get("title") or title or None}
    lore = brought_bible(bible) if bible is not None else None
    return found, brought_files(plan, lore, notes)


def brought_files(
    outline: GivenOutline | None, bible: Bible | None, notes: Path | None
) -> tuple[GivenFile, ...]:
    """The files of a new book that hold what was brought along.

    Raises:
        UsageError: The notes cannot be read, or are too long for a request.
    """
    found: dict[str, object] = {}
    if outline is not None:
        found[GIVEN_OUTLINE] = outline.model_dump(mode="json")
    if bible is not None and bible.people:
        found[GIVEN_CAST] = GivenPeople(characters=tuple(bible.people)).model_dump(mode="json")
    if bible is not None and (bible.places or bible.terms or bible.rules):
        world = GivenWorld(
            places=tuple(bible.places), terms=tuple(bible.terms), rules=tuple(bible.rules)
        )
        found[GIVEN_WORLD] = world.model_dump(mode="json")
    files = [GivenFile(name, readable_json(value).encode()) for name, value in found.items()]
    if notes is not None:
        from libriscribe2.commands.noting import check_room  # noqa: PLC0415 - few bring notes

        text = _text(notes).strip()
        check_room(str(notes), text)
        files.append(GivenFile(BOOK_NOTE, f"{text}\n".encode()))
    return tuple(files)


def _files(path: Path) -> list[Path]:
    """The texts of a folder in the order of their names, or the one file.

    Raises:
        UsageError: There are none, or they are too large.
    """
    with storage_errors("read", path):
        if path.is_file():
            return [path]
        found = [
            one
            for one in sorted(path.rglob("*"))
            if one.is_file()
            and one.suffix.lower() in _ENDINGS
            and not any(part.startswith(".") for part in one.relative_to(path).parts)
        ]
        size = sum(one.stat().st_size for one in found)
    if not found:
        raise UsageError(
            f"There are no texts in {path}", fix="Name a .md file or a folder of them."
        )
    if size > MOST_BYTES:
        raise _too_large(path, size)
    return found


def _text(path: Path) -> str:
    """The text of a file.

    Raises:
        UsageError: It is missing, no text, empty or too large.
    """
    with storage_errors("read", path):
        if not path.is_file():
            raise UsageError(f"There is no file {path}", fix="Name a Markdown file.")
        with path.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise _too_large(path, path.stat().st_size)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        why = f"byte {error.start}: {error.reason}"
        raise UsageError(f"{path} is not UTF-8 text", why=why, fix="Save it as UTF-8.") from error
    if not text.strip():
        raise UsageError(f"{path} is empty", fix="Leave it out, or write something there.")
    return text


def _too_large(path: Path, size: int) -> UsageError:
    return UsageError(
        f"{path} is too large",
        why=f"it has {size // 2**20:,} MiB; the limit is {MOST_BYTES // 2**20} MiB",
        fix="Bring what the book needs; put the rest into research/sources/.",
    )


def _plain(text: str) -> str:
    """A heading or a name without emphasis."""
    return re.sub(r"[*_`]+", "", text).strip()
