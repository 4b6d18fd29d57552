"""The records of the journal: what each one says and how it is spelled.

Every record is a JSON object whose `t` names its kind; the journal adds `at`, the time. A reader
skips kinds that it does not know.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Record = dict[str, Any]
"""One line of the journal."""


def run(run_id: str, *, version: str, command: str) -> Record:
    """A process starts working on the project."""
    return {"t": "run", "id": run_id, "version": version, "cmd": command}


def sent(key: str, *, step: str, model: str, est_usd: float | None = None) -> Record:
    """A request is about to leave; it costs `est_usd` US dollars at most, where that is known."""
    held = {} if est_usd is None else {"est_usd": est_usd}
    return {"t": "sent", "k": key, "step": step, "model": model, **held}


def done(key: str, completion: Mapping[str, Any]) -> Record:
    """A reply came; it is kept as it is, before anyone reads it."""
    return {"t": "done", "k": key, "completion": dict(completion)}


def fail(key: str, *, kind: str, status: int | None, usd: float = 0.0) -> Record:
    """A request brought no reply; `usd` US dollars may have been paid all the same."""
    return {"t": "fail", "k": key, "kind": kind, "status": status, "usd": usd}


def write(
    name: str,
    sha: str,
    *,
    step: str,
    inputs: Mapping[str, str | None],
    params: Mapping[str, Any],
    keys: Sequence[str],
) -> Record:
    """This content of a file is the program's own; said before the file is replaced."""
    made = {"step": step, "in": dict(inputs), "params": dict(params), "k": list(keys)}
    return {"t": "write", "p": name, "sha": sha, **made}


def placed(name: str, sha: str) -> Record:
    """The file has the content that `write` announced."""
    return {"t": "placed", "p": name, "sha": sha}


def adopt(name: str, sha: str, inputs: Mapping[str, str | None]) -> Record:
    """The author wants his own content of a file to count as the program's."""
    return {"t": "adopt", "p": name, "sha": sha, "in": dict(inputs)}


def reshaped(
    change: str,
    *,
    files: Mapping[str, Mapping[str, Any] | None],
    steps: Mapping[str, str | None],
    asked: Sequence[str] = (),
) -> Record:
    """The author changed the order of the chapters; several files changed together.

    Args:
        change: The id of the change (`structure_change.Change`).
        files: What is known of each file from now on: None for nothing; `from`, `step` and `in`
            where a file's content came from another name; `sha`, `step`, `in`, `params` and `k`
            (as in `write`) where the program put new content there.
        steps: New path of every step whose path is another now; None where the step is gone.
        asked: Steps that have to be done again because of the change.
    """
    made = {name: None if one is None else dict(one) for name, one in files.items()}
    return {
        "t": "reshaped",
        "id": change,
        "files": made,
        "steps": dict(steps),
        "again": list(asked),
    }


def exam(passages: Sequence[str], names: Sequence[str]) -> Record:
    """On these passages, and with these names in them, the book's judges are examined."""
    return {"t": "exam", "passages": list(passages), "names": list(names)}


def anew(step: str) -> Record:
    """What was replied to a step could not be used; the next run asks by new requests."""
    return {"t": "anew", "step": step}


def again(step: str) -> Record:
    """The author wants a step, and all below it, to be written again by new requests."""
    return {"t": "again", "step": step}
