"""Which batch is meant, among those that are there."""

from collections.abc import Sequence

from libriscribe2.errors import ProjectError, UsageError


def one_of(known: Sequence[str], name: str | None, place: str) -> str:
    """The batch that is meant; without a name the only one.

    Args:
        known: All that are there.
        name: What the user typed, or None.
        place: Where they are, for messages.

    Raises:
        UsageError: No batch was named, and there are several.
        ProjectError: There is no such batch, or none at all.
    """
    names = ", ".join(known)
    if name is None and len(known) > 1:
        raise UsageError("Which batch?", why=f"there are: {names}", fix="Name one with --batch.")
    found = [batch for batch in known if name in (None, batch)]
    if not found:
        what = f"There is no batch {name!r}" if name else "There is no batch"
        add = "`libriscribe2 batch add FILE` makes one."
        fix = f"Choose from {names}; {add}" if known else add
        raise ProjectError(f"{what} in {place}", fix=fix)
    return found[0]
