"""Where in a structured reply a value stands, which says what it should be about."""

from dataclasses import dataclass, replace

KINDS = {
    "characters": "character",
    "cast": "character",
    "people": "character",
    "persons": "character",
    "protagonist": "character",
    "antagonist": "character",
    "places": "place",
    "locations": "place",
    "settings": "place",
    "terms": "term",
    "glossary": "term",
    "institutions": "term",
    "chapters": "chapter",
    "threads": "thread",
    "scenes": "scene",
    "sections": "scene",
}
"""What the objects under a property are."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a reply.

    Attributes:
        key: The property's name in lower case; of a list's item, the list's.
        kind: What the object around it is: `character`, `place`, `term`, `chapter`, `thread`, `scene`, or
            `book` at the top.
        index: The object's index in its list.
        total: How many objects that list has.
        chapter: The index of the chapter around a scene, or None.
        chapters: How many chapters the reply has, or 0.
        item: The index in a list of plain values.
    """

    key: str = ""
    kind: str = "book"
    index: int = 0
    total: int = 1
    chapter: int | None = None
    chapters: int = 0
    item: int = 0

    def property(self, name: str) -> "Spot":
        """The spot of a property of the object here."""
        return replace(self, key=name.lower())

    def inside(self) -> "Spot":
        """The object here, whose properties come next."""
        kind = KINDS.get(self.key)
        if kind is None or kind == self.kind:
            return self
        return replace(self, kind=kind)

    def element(self, index: int, total: int) -> "Spot":
        """An object of the list here."""
        kind = KINDS.get(self.key, self.kind)
        spot = replace(self, kind=kind, index=index, total=total, item=index)
        if kind == "chapter":
            return replace(spot, chapter=index, chapters=total)
        return spot
