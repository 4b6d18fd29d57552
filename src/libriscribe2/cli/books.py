"""`libriscribe2 books`: the shelf."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from libriscribe2.cli.frame import Frame, command_with_json
from libriscribe2.commands.book_state import shelf
from libriscribe2.commands.projects import here, loaded_for, project_names
from libriscribe2.errors import LibriScribeError
from libriscribe2.wording import cost


def has_books() -> bool:
    """Whether there is a book to list, or a fault that the listing tells."""
    try:
        return bool(project_names(loaded_for(None, {}).settings))
    except LibriScribeError:
        return True


def with_book_here(words: Sequence[str], typed: Sequence[str]) -> list[str] | None:
    """A command line with the name of the book that needs none.

    Args:
        words: The words after the program's name, of which a command misses one.
        typed: Those of the command itself, such as `chapter move`.

    Returns:
        None where a book was named, or there is none that goes without saying.
    """
    settings, place = loaded_for(None, {}).settings, 0
    for word in typed:
        place = words.index(word, place) + 1
    after = words[place:]
    paths = here(settings)
    if paths is None or any(name in after for name in (*project_names(settings), paths.root.name)):
        return None
    return [*words[:place], paths.typed or paths.root.name, *after]


@command_with_json
def books(frame: Frame) -> None:
    """List your books: title, words, state, cost, last change.

    Same as `libriscribe2` alone, once there is a book.
    """
    renderer, rows = frame.renderer, shelf(frame.settings())
    if renderer.told_json([asdict(one) for one in rows]):
        return
    cells = [
        (
            one.book,
            one.title,
            f"{one.words:,}",
            one.state,
            cost(one.cost_usd),
            _when(one.changed),
        )
        for one in rows
    ]
    renderer.table(("book", "title", "words", "state", "cost", "changed"), cells, whole=("book",))
    if not rows:
        renderer.note("There is no book here yet: `libriscribe2 create` begins one.")
        return
    first = rows[0]
    going_on = "view" if first.state == "finished" else "resume"
    if first.waiting:
        going_on = "answer"
    renderer.note(f"Next: `libriscribe2 {going_on} {first.book}`.")


def _when(changed: str) -> str:
    """A time by the user's clock: of today the hour, of any other day the date."""
    then, now = datetime.fromisoformat(changed).astimezone(), datetime.now().astimezone()
    return f"{then:%H:%M}" if then.date() == now.date() else f"{then:%Y-%m-%d}"
