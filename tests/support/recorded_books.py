"""Books of real models, played from the recordings in `tests/recorded/`."""

import json
from pathlib import Path
from typing import Any, Final

from tests.support.authors import Author
from tests.support.desk import Desk, ProjectFolder
from tests.support.kept_books import BOOKS, StoredBook

FOLDER: Final = Path(__file__).parents[1] / "recorded"
NAMES: Final = tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


def recording(name: str) -> dict[str, Any]:
    """What the file of a recording holds."""
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def played(desk: Desk, name: str) -> ProjectFolder:
    """Have the book of a recording at a desk, as `create` makes it.

    Each is played once per process and then copied.
    """
    if name not in BOOKS:
        desk.folder.mkdir(parents=True, exist_ok=True)
        model = f"recorded:{FOLDER / name}.json"
        desk.run("create", "--model", model, "--project-name", name)
        book = desk.project(name)
        BOOKS[name] = StoredBook(desk.folder, (book.root, book.debug), Author())
    else:
        BOOKS[name].put(desk.folder)
    return desk.project(name)
