"""Whether a book tells a story: by the author's own word, or by its category."""

import re
from typing import Final, Literal

Kind = Literal["fiction", "non-fiction"]

ORIGINAL_CATEGORIES: Final = frozenset(
    {
        "fiction",
        "non fiction",
        "business",
        "research paper",
        "academic",
        "technical",
        "biography",
        "history",
        "science",
    }
)
"""The categories that the original LibriScribe2 offered (spec, user surface), normalised."""

_OF_FACTS: Final = (ORIGINAL_CATEGORIES - {"fiction"}) | {
    "art",
    "autobiography",
    "cookbook",
    "cooking",
    "economics",
    "education",
    "essay",
    "essays",
    "finance",
    "guide",
    "health",
    "how to",
    "journalism",
    "law",
    "management",
    "manual",
    "mathematics",
    "medicine",
    "memoir",
    "nature",
    "parenting",
    "philosophy",
    "politics",
    "popular science",
    "programming",
    "psychology",
    "reference",
    "religion",
    "report",
    "self help",
    "sociology",
    "sports",
    "technology",
    "textbook",
    "travel",
    "true crime",
}
_NOT_A_STORY: Final = ("non fiction", "nonfiction")
_GAP: Final = re.compile(r"[\s_-]+")


def kind_of(category: str) -> Kind:
    """What a book of that category is; one that is not known to hold facts is a story."""
    name = _normalised(category)
    facts = name in _OF_FACTS or any(word in name for word in _NOT_A_STORY)
    return "non-fiction" if facts else "fiction"


def names_its_kind(category: str) -> bool:
    """Whether the category is a kind itself, such as `Fiction` or `Nonfiction`."""
    name = _normalised(category)
    return name == "fiction" or name in _NOT_A_STORY


def as_kind(value: object) -> object:
    """A kind as authors spell it, such as `Nonfiction`; what is no text stays as it is."""
    if not isinstance(value, str):
        return value
    name = _normalised(value)
    return "non-fiction" if name in _NOT_A_STORY else name


def _normalised(name: str) -> str:
    """A name in lower case, its words parted by single spaces."""
    return _GAP.sub(" ", name.casefold()).strip()
