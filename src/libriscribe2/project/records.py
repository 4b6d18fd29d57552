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


def sent(key: str, *, step: str, model: str) -> Record:
    """A request is about to leave."""
    return {"t": "sent", "k": key, "step": step, "model": model}


def done(key: str, completion: Mapping[str, Any]) -> Record:
    """A reply came; it is kept as it is, before anyone reads it."""
    return {"t": "done", "k": key, "completion": dict(completion)}


def fail(key: str, *, kind: str, status: int | None) -> Record:
    """A request brought no reply."""
    return {"t": "fail", "k": key, "kind": kind, "status": status}


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


def again(step: str) -> Record:
    """The author wants a step, and all below it, to be written again by new requests."""
    return {"t": "again", "step": step}
