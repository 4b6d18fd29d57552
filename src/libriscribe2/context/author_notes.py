"""What a request shows of the author's own notes, nearest first where there is not room for all."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from libriscribe2.context.prompt_parts import block, frame
from libriscribe2.project.paths import BOOK_NOTE, note_file, noted_place
from libriscribe2.project.project_view import natural_order
from libriscribe2.prose import shorten, weigh

BUDGET: Final = 4_000
"""Most that the block takes, in the measure of `prose.weigh`; a chapter's other parts leave it free."""

BLOCK: Final = "author_notes"
REMARK: Final = (
    "The author's own notes on what you are working on. They outrank all that is shown above, the "
    "plan too: where they differ from it, they hold. Heed them, and do not quote or mention them."
)

_CHAPTERS: Final = re.compile(r"\bch(\d+)(?:-(\d+))?")
_SCENE: Final = re.compile(r"\bscene(\d+)")


def noted(notes: Mapping[str, str], step: str, stage: str) -> tuple[str, bool]:
    """The notes that concern a question, as a block, and whether any of them are cut.

    Args:
        notes: The author's notes by the name of their file.
        step: Path of the question, such as `chapters/ch07/scene02`: it says whom it concerns.
        stage: The name of the notes on the work that asks.
    """
    left = BUDGET - frame(BLOCK, remark=REMARK)
    shown: list[str] = []
    cut = False
    for name, label in _concerning(notes, step, stage):
        line = f"{label}: {notes[name]}"
        text = shorten(line, left) if left > len(label) + 2 else ""
        cut = cut or text != line
        left -= weigh(text) + 2
        shown.append(text)
    return block(BLOCK, "\n\n".join(filter(None, reversed(shown))), remark=REMARK), cut


def _concerning(notes: Mapping[str, str], step: str, stage: str) -> Iterator[tuple[str, str]]:
    """The files that concern a question, the nearest first, each with what it is about."""
    about = {note_file(stage): "On this task", BOOK_NOTE: "On the whole book"}
    if found := _CHAPTERS.search(step):
        chapters = range(int(found[1]), int(found[2] or found[1]) + 1)
        asked = int(scene[1]) if (scene := _SCENE.search(step)) else None
        for name in sorted(notes, key=natural_order, reverse=True):
            chapter, of = noted_place(name) or (0, None)
            if chapter in chapters and (None in (asked, of) or of == asked):
                label = "On chapter" if of is None else f"On scene {of} of chapter"
                about = {name: f"{label} {chapter}", **about}
        about = dict(sorted(about.items(), key=lambda one: "scene" not in one[1]))
    return ((name, label) for name, label in about.items() if name in notes)
