"""Books of real models, played from the recordings in `tests/recorded/`."""

import json
import re
from contextlib import suppress
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

    Each is played once per session, whichever process comes first, and then copied.
    """
    if name not in BOOKS:
        kept = _of_session(desk.folder) / name
        if not kept.is_dir():
            own = Desk(desk.folder.with_name(f"{desk.folder.name}-{name}"))
            own.folder.mkdir(parents=True)
            own.run("create", "--model", f"recorded:{FOLDER / name}.json", "--project-name", name)
            kept.parent.mkdir(exist_ok=True)
            with suppress(OSError):  # another process was first
                own.folder.rename(kept)
        book = Desk(kept).project(name)
        BOOKS[name] = StoredBook(kept, (book.root, book.debug), Author())
    desk.folder.mkdir(parents=True, exist_ok=True)
    BOOKS[name].put(desk.folder)
    return desk.project(name)


def block(prompt: str, name: str) -> str:
    """What a block of a request holds; "" where there is none. Of several it is the last."""
    found = re.findall(rf"<{name}>\n(.*?)\n</{name}>", prompt, re.DOTALL)
    return found[-1] if found else ""


def _of_session(folder: Path) -> Path:
    """What all processes of one session of pytest share."""
    places = (one for one in folder.parents if re.fullmatch(r"pytest-\d+", one.name))
    return next(places, folder.parent) / "recorded"
