"""The story bible: who and what there is, where the text says so, who knows what; a new name for anybody."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from libriscribe2.checks.continuity.story_bible import StoryBible, bible_of
from libriscribe2.commands.chapter_edits import NewName, chosen_forms, forms_in, places_of, rename
from libriscribe2.commands.hand_edits import version_of
from libriscribe2.desk.book_pages import named_in
from libriscribe2.desk.snapshot import artifact, read_chapters, readable
from libriscribe2.desk.visits import Visit, change, page
from libriscribe2.errors import UsageError
from libriscribe2.models.story import WorldFile
from libriscribe2.models.story_bible import Attribute, Fact
from libriscribe2.project.paths import CHARACTERS, WORLD

_MOST_HITS: Final = 200
_KNOWLEDGE: Final = (Attribute.KNOWS, Attribute.LEARNS)


@dataclass(frozen=True, slots=True)
class BibleEntry:
    """Somebody or something of the book.

    Attributes:
        name: The name.
        kind: `person`, `place` or `term`.
        about: What the plan says.
        place: The way to the entry in its file.
        facts: What the text says, in its order.
        chapters: How often each chapter names it.
    """

    name: str
    kind: str
    about: str
    place: str
    facts: list[Fact]
    chapters: dict[int, int]


def show_bible(visit: Visit) -> Response:
    """All entries, with where they stand in the text."""
    bible = readable(lambda: bible_of(visit.brief, visit.view), None)
    world = artifact(visit.book, WORLD, WorldFile)
    entries = _entries(visit, bible)
    known = {one.name for one in entries}
    others = defaultdict[str, list[Fact]](list)
    for fact in bible.facts if bible is not None else ():
        if fact.entity not in known:
            others[fact.entity].append(fact)
    return visit.page(
        "bible",
        entries=entries,
        others=dict(sorted(others.items())),
        rules=world.rules if world is not None else [],
        knows=_who_knows(bible),
        chapters=list(range(1, visit.book.chapters() + 1)),
        seen={name: version_of(visit.view, name) for name in (CHARACTERS, WORLD)},
        read=bible is not None,
        changed=bible.changed if bible is not None else (),
    )


def _entries(visit: Visit, bible: StoryBible | None) -> list[BibleEntry]:
    facts = defaultdict[str, list[Fact]](list)
    for fact in sorted(bible.facts, key=lambda one: one.place) if bible is not None else ():
        facts[fact.entity].append(fact)
    texts, book = read_chapters(visit.view, {}), visit.book
    named = [
        *(
            (one.name, "person", one.role, f"characters.{n}")
            for n, one in enumerate(book.characters())
        ),
        *(
            (one.name, "place", one.description, f"places.{n}")
            for n, one in enumerate(book.places())
        ),
        *((one.name, "term", one.description, f"terms.{n}") for n, one in enumerate(book.terms())),
    ]
    return [
        BibleEntry(
            name,
            kind,
            about,
            place,
            facts.get(name, []),
            {int(key): count for key, count in named_in(name, texts).items()},
        )
        for name, kind, about, place in named
    ]


def _who_knows(bible: StoryBible | None) -> dict[str, dict[int, list[Fact]]]:
    """What each person learns, by chapter."""
    found = defaultdict[str, dict[int, list[Fact]]](dict)
    for fact in bible.facts if bible is not None else ():
        if fact.attribute in _KNOWLEDGE:
            found[fact.entity].setdefault(fact.chapter, []).append(fact)
    return dict(sorted(found.items()))


def show_rename(visit: Visit) -> Response:
    """What a new name would change, place by place."""
    old, new = visit.asked.get("old", "").strip(), visit.asked.get("new", "").strip()
    if not old or not new:
        raise UsageError("Give the old name and the new one.")
    forms = forms_in(visit.paths, NewName(old, new))
    wanted = chosen_forms(forms, (), likely=True)
    hits = places_of(visit.paths, wanted)
    return visit.page(
        "rename", old=old, new=new, forms=forms, hits=hits[:_MOST_HITS], count=len(hits)
    )


def rename_all(visit: Visit) -> Response:
    """Change a name in every file, in the forms that were chosen."""
    name = NewName(visit.form.get("old", ""), visit.form.get("new", ""))
    forms = forms_in(visit.paths, name)
    chosen = [f"{one.old}={one.new}" for one in forms if visit.form.get(f"form:{one.old}") == "on"]
    rename(visit.paths, name, chosen_forms(forms, chosen, likely=False))
    return visit.go("bible")


SCREEN: Final = (
    page("/b/{book}/bible", show_bible),
    page("/b/{book}/rename", show_rename),
    change("/b/{book}/rename", rename_all),
)
