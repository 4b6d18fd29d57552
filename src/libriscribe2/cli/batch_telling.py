"""What `libriscribe2 batch` says of rows that were queued and books that were marked."""

from collections.abc import Sequence
from pathlib import Path

from libriscribe2.batch.queue import Enqueued
from libriscribe2.batch.rows import Fault
from libriscribe2.cli.render import Renderer
from libriscribe2.errors import UsageError
from libriscribe2.utils.quantities import counted


def tell_added(renderer: Renderer, name: str, found: Enqueued, *, as_json: bool) -> None:
    """What was queued, or every fault."""
    if as_json:
        faults = [{"row": one.place, "why": one.why} for one in found.faults]
        known = {"added": list(found.added), "known": list(found.known), "faults": faults}
        renderer.data_json({"batch": name, **known})
        return
    for fault in found.faults:
        renderer.warning(f"{fault.place}: {fault.why}")
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
        why=f"{faults[0].place}: {faults[0].why}",
        fix="Correct the rows and add the file again; rows that are queued already are left alone.",
    )


def tell_marked(renderer: Renderer, how: str, names: Sequence[str], *, as_json: bool) -> None:
    """Which books were marked."""
    if as_json:
        renderer.data_json({"books": list(names)})
    else:
        renderer.note(f"{counted(len(names), 'book')} {how}.")
