"""A small book, made through a project's store the way the pipeline makes one."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from libriscribe2.project.atomic import FileOps
from libriscribe2.project.lock import Machine, Rescue
from libriscribe2.project.paths import CONCEPT, OUTLINE, ProjectPaths, chapter_file
from libriscribe2.project.store import ProjectStore

CHAPTERS: Final = 2
FILES: Final = (CONCEPT, OUTLINE, *(chapter_file(n) for n in range(1, CHAPTERS + 1)))


def completion(reply: str) -> dict[str, Any]:
    """A completion as a client records it."""
    usage = {"input_tokens": 10, "output_tokens": 20, "known": True}
    return {"reply": reply, "usage": usage, "cost_usd": 0.5, "model": "m", "tool_calls": []}


class Model:
    """Answers requests, each of the same words with the same reply, and counts them.

    Attributes:
        paid: How often each key was asked for.
        known: Keys whose replies the store has acknowledged.
    """

    def __init__(self) -> None:
        self.paid: Counter[str] = Counter()
        self.known: set[str] = set()

    def ask(self, store: ProjectStore, step: str, prompt: str) -> str:
        """The reply to `prompt`: the call log's, or a new one."""
        words = f"{step} {store.call_log.generation(step)} {prompt}"
        key = hashlib.sha256(words.encode("utf-8")).hexdigest()
        known = store.call_log.find(key)
        if known is None:
            store.call_log.sent(key, step=step, model="m")
            self.paid[key] += 1
            known = completion(f"{step}: {key} {'a line of the book, ' * 5}")
            store.call_log.done(key, known)
            self.known.add(key)
        return str(known["reply"])


class BookMaker:
    """Makes the files of `FILES`, each from the one before.

    Attributes:
        paths: Where the book is.
        model: Who writes it.
    """

    def __init__(self, folder: Path) -> None:
        self.paths = ProjectPaths(folder / "book", folder / "debug")
        self.model = Model()
        self._rescue = Rescue(folder / "rescue")

    def machine(self, ops: FileOps) -> Machine:
        """A machine with `ops` and a rescue folder of its own."""
        return Machine(ops=ops, rescue=self._rescue)

    def run(self, ops: FileOps, *, refresh: bool = False) -> list[str]:
        """Make what is missing; return the state in which every file was found."""
        self.paths.root.mkdir(exist_ok=True)
        with ProjectStore.create(self.paths, self.machine(ops)) as store:
            return self.make_all(store, refresh=refresh)

    def resume(self, ops: FileOps, *, refresh: bool = False) -> list[str]:
        """As `run`, on a project that exists."""
        with ProjectStore.open(self.paths, self.machine(ops)) as store:
            return self.make_all(store, refresh=refresh)

    def make_all(self, store: ProjectStore, *, refresh: bool = False) -> list[str]:
        """Make every file that has to be made."""

        def asked(step: str) -> str:
            return self.model.ask(store, step, "".join(map(store.read_text, inputs)))

        states = []
        for name in FILES:
            inputs: Sequence[str] = () if name == CONCEPT else (CONCEPT,)
            if name.endswith(".md"):
                inputs = (OUTLINE,)
            states.append(self._make(store, name, inputs, asked, refresh=refresh))
        return states

    def _make(
        self,
        store: ProjectStore,
        name: str,
        inputs: Sequence[str],
        asked: Callable[[str], str],
        *,
        refresh: bool,
    ) -> str:
        hashes = {source: store.sha(source) for source in inputs}
        state = store.state(name, hashes).kind
        if state in ("missing", "old") or (state == "stale" and refresh):
            text = asked(f"{name}/draft") + asked(f"{name}/edit")
            if name.endswith(".json"):
                text = json.dumps({"text": text})
            if state == "stale":
                store.trash(name)
            store.write(name, f"{text}\n", step=name, inputs=hashes, params={})
        return state

    def contents(self) -> dict[str, bytes]:
        """The bytes of every file that is there."""
        found = {name: self.paths.root / name for name in FILES}
        return {name: path.read_bytes() for name, path in found.items() if path.exists()}
