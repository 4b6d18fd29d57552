"""A project for one agent: its artifacts, a scripted model, and what came of it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from tests.support.made_up_text import wanted_schema

from libriscribe2.agents.agent_base import Agent, AgentContext
from libriscribe2.llm.backend import Line, Request, ScriptedBackend
from libriscribe2.llm.call_records import ListOutbox, Piece
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.session import CallSession
from libriscribe2.models.brief import Brief
from libriscribe2.project.artifacts import Book
from libriscribe2.project.dumps import DebugDumps
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.records import scan
from libriscribe2.project.research_files import keep_record
from libriscribe2.project.store import ProjectStore
from libriscribe2.research.access import ResearchMeans

CONCEPT: Final = {"title": "The Log", "logline": "A keeper reads.", "description": "A long tale."}
CAST: Final = [{"name": "Mara Voss", "role": "keeper"}, {"name": "Jon Ide", "role": "pilot"}]
PLACES: Final = [
    {"name": "The Lamp Room", "description": "High and cold."},
    {"name": "The Slip", "description": "Wet stone."},
]


def outline(chapters: int, summary: str = "It happens.") -> dict[str, Any]:
    plan = [{"title": f"Part {n}", "summary": f"{n}: {summary}"} for n in range(1, chapters + 1)]
    return {"summary": "All of it.", "chapters": plan}


class AgentDesk:
    """A project folder in which agents are run one by one.

    Args:
        folder: Where the project goes.
        brief: What the author asked for; the premise is given.
    """

    def __init__(self, folder: Path, **brief: Any) -> None:
        self.paths = ProjectPaths(folder / "book", folder / "debug")
        self.brief = Brief(premise="A keeper finds a logbook.", **brief)
        self.calls: list[Request] = []
        self.stops = 0
        self.outbox = ListOutbox()
        self.means: dict[str, Any] = {}

    def put(self, name: str, value: Any) -> None:
        """Give the book an artifact."""
        path = self.paths.resolve(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, str) else json.dumps(value)
        path.write_text(text, encoding="utf-8")

    def planned(self, chapters: int = 3) -> None:
        """Give the book all that comes before its chapters."""
        self.put("concept.json", {"concept": CONCEPT})
        self.put("characters.json", {"characters": CAST})
        self.put("world.json", {"overview": "A coast.", "places": PLACES})
        self.put("outline.json", outline(chapters))
        scene = {"summary": "She lights it.", "characters": ["Mara Voss"], "place": "The Lamp Room"}
        plans = [{"chapter": n, "scenes": [scene, scene]} for n in range(1, chapters + 1)]
        self.put("scenes.json", {"chapters": plans})

    @contextmanager
    def hired(self, agent: type[Agent], *script: Line, attempts: int = 3) -> Iterator[Agent]:
        """The agent, with a model that answers by a script."""
        backend = ScriptedBackend(script)
        self.calls = backend.calls
        self.paths.root.mkdir(parents=True, exist_ok=True)
        (self.paths.root / "book.toml").touch()
        with ProjectStore.open(self.paths) as store:

            def stop() -> None:
                self.stops += 1

            session = CallSession(outbox=self.outbox)
            client = LLMClient(
                "",
                "",
                "m",
                backend=backend,
                call_log=store.call_log,
                session=session,
                dumps=DebugDumps(self.paths.debug),
            )
            yield agent(
                AgentContext(
                    brief=self.brief,
                    book=Book(store),
                    client=client,
                    attempts=attempts,
                    anew=store.call_log.anew,
                    stop=stop,
                    research=ResearchMeans(
                        paths=self.paths,
                        record=partial(keep_record, store),
                        generation=store.manifest.generation,
                        **self.means,
                    ),
                )
            )

    async def run(
        self, agent: type[Agent], *script: Line, chapter: int | None = None, attempts: int = 3
    ) -> BaseModel | str:
        """What the agent makes of a unit."""
        with self.hired(agent, *script, attempts=attempts) as worker:
            return await worker.execute(agent.unit(chapter))

    @property
    def pieces(self) -> list[tuple[str, str]]:
        """The pieces of prose that arrived, each with its step."""
        return [(one.step, one.text) for one in self.outbox if isinstance(one, Piece)]

    @property
    def anew(self) -> list[str]:
        """The steps that the next run asks anew."""
        return [
            str(one["step"])
            for one in scan(self.paths.journal.read_bytes()).records
            if one["t"] == "anew"
        ]

    def schema(self, call: int = 0) -> dict[str, Any]:
        """The properties that the schema in a request's prompt describes."""
        schema = wanted_schema(str(self.calls[call].messages[-1]["content"]))
        assert schema is not None
        assert schema == self.calls[call].schema
        properties: dict[str, Any] = schema["properties"]
        return properties

    def prompt(self, call: int = 0) -> str:
        """The user message of a request."""
        return str(self.calls[call].messages[1]["content"])

    def dumps(self) -> list[dict[str, Any]]:
        """What the debug dumps say, oldest first."""
        files = sorted(self.paths.debug.glob("*.json"))
        return [json.loads(path.read_text(encoding="utf-8"))["debug_info"] for path in files]
