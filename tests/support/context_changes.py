"""What changes in a recorded book, and whether a context knows it (the law with a list)."""

import json
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from libriscribe2.checks.text import plain, sentences

NARRATIVE: Final = frozenset(
    {"text_before", "text", "passages", "story_so_far", "ahead", "habits", "next", "text_after"}
    | {"concept", "whole_book", "promises", "ending", "chapter", "scene", "threads", "timeline"}
    | {"style", "book", "notes", "as_planned"}
)
"""Parts that tell what happens, or is to happen, in its order; all others tell what is so."""

DATED: Final = frozenset({"state", "places"})
"""Parts that say how all stood when the chapter began, and that what was told since counts: where the
context shows it, they are not out of date."""

PLANNED: Final = frozenset({"cast", "characters"})
"""Parts that say how all was planned before the book began, and that what was told since counts:
where the context tells the new value, they are not out of date."""

_MARK: Final = re.compile(r"\s*\[[^\]\n]*\]")
_SHORT: Final = 3
"""A word of so few letters begins many others."""

Place = tuple[int, int]
Groups = tuple[tuple[str, ...], ...]
"""Words of which a sentence has one of each group."""


@dataclass(frozen=True, slots=True)
class Told:
    """A line or a field of a context.

    Attributes:
        subject: Of whom or what it tells, where its list or its entry says so.
        text: What it says, in one line.
    """

    subject: str
    text: str

    @property
    def sentences(self) -> Iterator[str]:
        """What it says sentence by sentence, each with its subject; of a list of states, each."""
        for sentence in sentences(self.text):
            for one in filter(None, (one.strip() for one in sentence.split("; "))):
                yield one if self.subject in one else f"{self.subject}: {one}"


@dataclass(frozen=True, slots=True)
class Needed:
    """A scene that needs a change.

    Attributes:
        place: Its chapter and number.
        quote: The words of the scene that need it.
    """

    place: Place
    quote: str


@dataclass(frozen=True, slots=True)
class Change:
    """A change of state, as a reader of the finished text found it.

    Attributes:
        id: Its name.
        kind: What changes: a `person`, who `knows`, who `holds`, `where`, a `count` ...
        who: Whose state, or what thing's.
        change: What changes, in a sentence.
        place: The chapter and the scene in which it changes.
        quote: The words that tell it.
        old: The ways to state the old value; none where there was no value before.
        new: The ways to state the new one.
        needed: The scenes that need it.
    """

    id: str
    kind: str
    who: str
    change: str
    place: Place
    quote: str
    old: tuple[Groups, ...]
    new: tuple[Groups, ...]
    needed: tuple[Needed, ...]

    def with_one_scene_in(self, chapters: Container[int]) -> "Change":
        """The same, where some chapters have no more than one scene."""

        def at(place: Place) -> Place:
            return (place[0], 1) if place[0] in chapters else place

        needed = (replace(one, place=at(one.place)) for one in self.needed)
        return replace(self, place=at(self.place), needed=tuple(needed))


def read_changes(folder: Path) -> tuple[Change, ...]:
    """The changes of a recorded book; none without a list.

    `changes.json` is the list as its reader made it. `corrections.json` says, by an entry's id, what
    of it is to be read otherwise, and why: whole fields, or further ways to state a value
    (`old_also`, `new_also`); under `additions` it has entries of its own, and `gone` marks an entry
    whose passage the text does not have any more.

    Args:
        folder: The book's folder below `tests/recorded/`.
    """
    listed, corrected = folder / "changes.json", folder / "corrections.json"
    if not listed.exists():
        return ()
    fixes = json.loads(corrected.read_text("utf-8")) if corrected.exists() else {}
    read = [*json.loads(listed.read_text("utf-8")), *fixes.pop("additions", [])]
    unknown = fixes.keys() - {one["id"] for one in read}
    if unknown:
        raise ValueError(f"{corrected} corrects what is not in the list: {sorted(unknown)}")
    gone = {identifier for identifier, fix in fixes.items() if fix.get("gone")}
    kept = (one for one in read if one["id"] not in gone)
    return tuple(_change({**one, **fixes.get(one["id"], {})}) for one in kept)


def unmet_changes(
    place: Place, told: Mapping[str, Sequence[Told]], changes: Sequence[Change]
) -> Iterator[tuple[str, str]]:
    """What a context says that has changed, and what it does not say though the scene needs it.

    Args:
        place: The chapter and number of the scene.
        told: The lines and fields of each part of its prompt; under "" those of none, where the
            program's own words stand, too, so that only the book's are looked for there.
        changes: The changes of the book.
    """
    parts = ((part, own) for part, own in told.items() if part)
    said = [(part, one) for part, own in parts for line in own for one in line.sentences]
    everything = " ".join(line.text for own in told.values() for line in own)
    for change in (one for one in changes if one.place < place):
        # The text since the chapter's beginning counts, so it has to be there.
        since = change.place >= (place[0], 1)
        is_due = not since or not holds(everything, change.quote)
        is_told = not is_due or any(states(one, change.new) for _, one in said)
        old = [
            f"{p}: {one}"
            for p, one in said
            if p not in NARRATIVE
            and (p not in DATED or is_due)
            and (p not in PLANNED or not is_told)
            and _is_old(one, change)
        ]
        if old:
            yield f"{change.id} old: {change.change}", " | ".join(old)
        if any(one.place == place for one in change.needed):
            known = holds(everything, change.quote)
            if not known and not any(states(one, change.new) for _, one in said):
                yield f"{change.id} lacks: {change.change}", change.quote


def states(sentence: str, ways: Sequence[Groups]) -> bool:
    """Whether a sentence states a value in one of the ways to do so."""
    told = _plain(sentence)
    return any(all(any(_has(told, word) for word in group) for group in one) for one in ways)


def _is_old(sentence: str, change: Change) -> bool:
    return states(sentence, change.old) and not states(sentence, change.new)


def _has(told: str, word: str) -> bool:
    """Whether a sentence has a word, or one that begins with it where it is no very short one."""
    if word not in told:
        return False
    end = "" if len(word) > _SHORT else r"(?!\w)"
    return re.search(rf"(?<!\w){re.escape(word)}{end}", told) is not None


def holds(text: str, quote: str) -> bool:
    """Whether a text has the words of a quote, whatever its marks of notes and its line breaks."""
    return _without_marks(quote) in _without_marks(text)


def _without_marks(text: str) -> str:
    return _plain(_MARK.sub("", text))


def _plain(text: str) -> str:
    return " ".join(plain(text).casefold().split())


def _change(one: Mapping[str, Any]) -> Change:
    needed = ((two["chapter"], two["scene"], two["quote"]) for two in one["needed_in"])
    return Change(
        id=one["id"],
        kind=one["kind"],
        who=one["who"],
        change=one["change"],
        place=(one["chapter"], one["scene"]),
        quote=one["quote"],
        old=_ways(one, "old"),
        new=_ways(one, "new"),
        needed=tuple(Needed((chapter, scene), quote) for chapter, scene, quote in needed),
    )


def _ways(one: Mapping[str, Any], which: str) -> tuple[Groups, ...]:
    """The ways to state a value: the list's own, and those that a correction adds."""
    listed = [one[f"{which}_words"], *one.get(f"{which}_also", [])]
    return tuple(
        tuple(tuple(map(_plain, group)) for group in groups) for groups in listed if groups
    )
