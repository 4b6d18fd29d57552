"""What `libriscribe2 batch` says of rows that were queued and books that were marked."""

from collections.abc import Sequence
from pathlib import Path

from libriscribe2.batch.queue import BookQueue, Enqueued
from libriscribe2.batch.rows import Fault
from libriscribe2.cli.render import Renderer
from libriscribe2.errors import UsageError
from libriscribe2.wording import counted


def tell_added(renderer: Renderer, name: str, found: Enqueued, *, as_json: bool) -> None:
    """What was queued, or every fault."""
    if as_json:
        faults = [{"row": one.place, "why": one.why} for one in found.faults]
        known = {"added": list(found.added), "known": list(found.known), "faults": faults}
        renderer.data_json({"batch": name, **known})
        return
    for fault in found.faults:
        renderer.fault(f"{fault.place}: {fault.why}")
    if not found.faults:
        known_too = f", {len(found.known):,} known already" if found.known else ""
        renderer.data(name)
        renderer.note(
            f"{counted(len(found.added), 'book')} queued{known_too}. "
            f"Write them with `libriscribe2 batch run --batch {name}`."
        )


def refused(source: Path, faults: Sequence[Fault]) -> UsageError:
    """The refusal of a file with rows at fault."""
    rows = len({fault.place for fault in faults})
    return UsageError(
        f"{counted(rows, 'row')} of {source} cannot be queued, so nothing was",
        fix="Correct the rows and add the file again; rows that are queued already are left alone.",
    )


def tell_paused(renderer: Renderer, queue: BookQueue, *, off: bool, shared: bool) -> None:
    """That no book of a batch begins, or that they begin again, and who begins them."""
    run = f"`libriscribe2 batch run --batch {queue.name}`"
    if not off:
        workers = f", or let workers do so by `libriscribe2 batch pause --batch {queue.name} --off`"
        renderer.note(f"Paused. Go on with {run}{workers if shared else ''}.")
    elif shared:
        renderer.note("No longer paused: workers go on with it.")
    elif queue.is_running():
        renderer.note("No longer paused: books begin again.")
    else:
        renderer.note(f"No longer paused. Go on with {run}.")


def tell_marked(renderer: Renderer, how: str, names: Sequence[str], *, as_json: bool) -> None:
    """Which books were marked."""
    if as_json:
        renderer.data_json({"books": list(names)})
    else:
        renderer.note(f"{counted(len(names), 'book')} {how}.")
