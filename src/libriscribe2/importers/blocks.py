"""The pieces of a manuscript, whatever format it came in."""

import re
from dataclasses import dataclass
from typing import Final

SCENE_BREAK: Final = "* * *"
_BREAK: Final = re.compile(
    r"[\s*#~\u2022\u00b7\u2042\u25c7\u25c6\u2756\u2726\u273b\u273d\u2766\u2619"
    r"\u2013\u2014\u2015_=+\u25ca\u2217\\-]{1,25}"
)


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a heading or a scene break.

    Attributes:
        text: Markdown; of a heading plain text.
        level: Level of a heading from 1 on; 0 for prose.
        start: Title of the chapter that a table of contents lets begin here; "" for none.
        note: Label of the note that it is a paragraph of; "" for none.
    """

    text: str
    level: int = 0
    start: str = ""
    note: str = ""

    @property
    def is_break(self) -> bool:
        """Whether it stands between two scenes."""
        return not self.level and is_scene_break(self.text)


@dataclass(frozen=True, slots=True)
class ManuscriptChapter:
    """A chapter that was written elsewhere.

    Attributes:
        title: Its heading, plain text; a number where it has none.
        text: Its Markdown, from its heading on.
    """

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A book that was written elsewhere.

    Attributes:
        chapters: Its chapters in order.
        title: What it calls itself; "" where it does not.
        author: Who wrote it; "" where it does not say.
        language: Its language as a code or a name; "" where it does not say.
        description: What it says of itself; "".
        left_out: What is not taken over, each in words.
        how: How its chapters were told apart, in words.
    """

    chapters: tuple[ManuscriptChapter, ...]
    title: str = ""
    author: str = ""
    language: str = ""
    description: str = ""
    left_out: tuple[str, ...] = ()
    how: str = ""


def is_scene_break(text: str) -> bool:
    """Whether a paragraph is nothing but the marks that stand between scenes."""
    return bool(text.strip()) and _BREAK.fullmatch(text) is not None
