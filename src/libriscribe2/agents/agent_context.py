"""What an agent is given, its unit of work, and what it notes of what it used."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from libriscribe2.llm.client import LLMClient
from libriscribe2.models.brief import Brief
from libriscribe2.project.artifacts import Book
from libriscribe2.research.access import ResearchMeans


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of work of a stage, with one file as its outcome.

    Attributes:
        stage: The stage's name.
        chapter: The chapter's number from 1, or None where the stage works on the whole book.
        output: Name of the file that it makes, such as `chapters/03.md`.
    """

    stage: str
    chapter: int | None
    output: str

    @property
    def step(self) -> str:
        """Path of the work, such as `chapters/ch03`; calls add their own part."""
        return self.stage if self.chapter is None else f"{self.stage}/ch{self.chapter:02d}"

    def at(self, part: str) -> str:
        """Path of one question of the work; "" is its only one."""
        return f"{self.step}/{part}" if part else self.step


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is decided about a revised chapter.

    Attributes:
        keeps: Whether the revised text is kept.
        told: Why, in words for the author.
    """

    keeps: bool
    told: str


class DraftJudge(Protocol):
    """Decides whether a revised chapter is kept."""

    async def rule(self, chapter: int, draft: str, revised: str) -> Ruling:
        """The decision; where none can be had, the revised text is kept.

        Args:
            chapter: The chapter's number.
            draft: Its text before the revision.
            revised: Its text after it, which is another one.

        Raises:
            LibriScribeError: A request failed for another reason than its reply.
        """
        ...


@dataclass(frozen=True)
class AgentContext:
    """What an agent works with.

    Attributes:
        brief: What the author asked for.
        book: The artifacts that are there.
        client: Asks the model of the agent's stage.
        attempts: How many requests one question may take.
        temperature: The stage's configured temperature, or None.
        prompts: The project's own prompts, or None.
        anew: Has a step ask the model anew in the next run, instead of replaying its replies.
        stop: Lets nothing new be sent, because a part of the work has failed.
        research: What research may use.
        judge: Decides about revised chapters; None leaves it to the gates.
    """

    brief: Brief
    book: Book
    client: LLMClient
    attempts: int = 3
    temperature: float | None = None
    prompts: Path | None = None
    anew: Callable[[str], None] = field(default=lambda _step: None)
    stop: Callable[[], None] = field(default=lambda: None)
    research: ResearchMeans = field(default_factory=ResearchMeans)
    judge: DraftJudge | None = None


@dataclass
class MadeFrom:
    """What an artifact was made from, for the journal.

    Attributes:
        keys: Keys of the calls whose replies were used, in order.
        models: The models that answered, in order.
        prompts: Hash of each prompt's wording, by name.
        remark: What the author should know of how it went, in one line; "" for nothing.
        manifests: The manifest of every scene's context as plain JSON, in order (`ContextManifest`).
        allow: What the author let stand of a plan at that time: it decides what is mended.
    """

    keys: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    prompts: dict[str, str] = field(default_factory=dict)
    remark: str = ""
    manifests: list[dict[str, Any]] = field(default_factory=list)
    allow: tuple[str, ...] = ()

    def as_params(self) -> dict[str, Any]:
        """What the journal keeps of it beside the keys."""
        packs = {"packs": self.manifests} if self.manifests else {}
        allow = {"allow": list(self.allow)} if self.allow else {}
        return {"models": self.models, "prompts": self.prompts, **packs, **allow}

    def add(self, key: str, model: str) -> None:
        """Note a reply that was used."""
        self.keys.append(key)
        if model not in self.models:
            self.models.append(model)
