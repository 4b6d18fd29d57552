"""From what a user types to the calls that it means, for `libriscribe2 debug`."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from libriscribe2.commands.projects import locate, settings_of
from libriscribe2.engine.stages import all_stages
from libriscribe2.errors import UsageError
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.peek import is_project, peek
from libriscribe2.project.reply_rates import reply_rates
from libriscribe2.review.calls import Call, load_calls
from libriscribe2.wording import counted


def all_calls(paths: ProjectPaths) -> tuple[Call, ...]:
    """Every call of a project, oldest first.

    Raises:
        StorageError: The folder of its dumps cannot be read.
    """
    return load_calls(paths.debug)


def lost_dumps(paths: ProjectPaths) -> str:
    """Where the dumps of a project's calls were looked for in vain; "" where there are some.

    Raises:
        ProjectError: The project cannot be read.
        StorageError: As before.
    """
    calls = peek(paths).manifest.totals.calls
    if paths.debug.is_dir() or not calls:
        return ""
    return (
        f"The dumps of {counted(calls, 'call')} are not here: there is no folder {paths.debug}. "
        "It has the name of the project's folder and lies below the folder in which the book was "
        "made: if the project was renamed, rename it likewise."
    )


def call_numbered(paths: ProjectPaths, number: int) -> Call:
    """The call of that number.

    Raises:
        UsageError: There is none.
        StorageError: The folder of the dumps cannot be read.
    """
    calls = all_calls(paths)
    found = next((call for call in calls if call.number == number), None)
    if found is None:
        last = max((call.number for call in calls), default=0)
        known = f"they are numbered from 1 to {last}" if last else "there are none"
        raise UsageError(f"There is no dump {number} in {paths.debug}", why=known)
    return found


def calls_to_replay(target: str) -> Sequence[Call]:
    """The calls of a project, of one dump, or of a folder of dumps.

    Raises:
        UsageError: It is a folder without dumps.
        ProjectError: It is none of these.
        StorageError: It cannot be read.
    """
    all_stages()  # the shapes that dumps name have to be loaded
    path = Path(target)
    if path.suffix == ".json" and path.is_file():
        here = path.resolve()
        return [call for call in load_calls(here.parent) if call.path == here]
    if path.is_dir() and not is_project(ProjectPaths(path, path)):
        calls = load_calls(path)
        if not calls:
            raise UsageError(f"There are no dumps in {path}", fix="Name a project, or its dumps.")
        return calls
    return all_calls(locate(target, None, settings_of(None, {})))


def whole_call(call: Call) -> dict[str, Any]:
    """A call with everything that its dump says, as JSON."""
    return {**call.as_row(), "dump": call.dump.model_dump(mode="json")}


def stats_of(paths: ProjectPaths) -> tuple[list[dict[str, Any]], int]:
    """The four rates, and how many dumps could not be read.

    Raises:
        ProjectError: The project cannot be read.
        StorageError: As before.
    """
    calls, totals = all_calls(paths), peek(paths).manifest.totals
    whole = [call for call in calls if call.state not in ("damaged", "old")]
    read = (call.dump.model_dump() for call in whole)
    rates = reply_rates(read, totals.calls + totals.failed, totals.filtered)
    return [asdict(rate) for rate in rates], len(calls) - len(whole)
