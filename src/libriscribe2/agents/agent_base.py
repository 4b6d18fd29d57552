"""`Agent`: ask, read through the shared pipeline, validate; the runner saves what comes out."""

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol, TypeVar

from pydantic import BaseModel
from typing_extensions import override

from libriscribe2.errors import IncompleteError, LibriScribeError, MaxRetriesExceededError
from libriscribe2.llm.attempt import Attempt, AttemptConsumer, log_cleanup
from libriscribe2.llm.backend import schema_text
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.session import ReplyAwaitedError, RunStoppedError
from libriscribe2.models.base import Shape, request_schema
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.project.artifacts import Book
from libriscribe2.project.texts import readable_json
from libriscribe2.prompts.loader import Prompt, load_prompt, load_text
from libriscribe2.prose import round_words
from libriscribe2.replies.cleanup import validate_json_with_pydantic
from libriscribe2.replies.formatting import detect_markdown_artifacts
from libriscribe2.replies.parsers import ReplyReader, safe_extract_json
from libriscribe2.replies.schema_fit import Limits
from libriscribe2.research.access import ResearchMeans


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of work of a stage, with one file as its outcome.

    Attributes:
        stage: The stage's name.
        chapter: The chapter's number from 1, or None where the stage works on the whole book.
        output: Name of the file that it makes, such as `chapters/03.md`.
        part: The part of it that is made again, such as `scene02`; "" for all of it.
    """

    stage: str
    chapter: int | None
    output: str
    part: str = ""

    @property
    def step(self) -> str:
        """Path of the work, such as `chapters/ch03`; calls add their own part."""
        return self.stage if self.chapter is None else f"{self.stage}/ch{self.chapter:02d}"

    def at(self, part: str) -> str:
        """Path of one question of the work; "" is its only one."""
        return f"{self.step}/{part}" if part else self.step


@dataclass(frozen=True, slots=True)
class RevisionDecision:
    """Whether a revised chapter is kept, and why, in words for the author."""

    keeps: bool
    reason: str


class DraftEvaluator(Protocol):
    """Decides whether a revised chapter is kept."""

    async def decide(self, chapter: int, draft: str, revised: str) -> RevisionDecision:
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
        evaluator: Decides about revised chapters; None leaves it to the gates.
        whole_chapters: Whether a chapter is asked for at once, and not scene by scene.
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
    evaluator: DraftEvaluator | None = None
    whole_chapters: bool = False


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
        plans: The hash of the plan of each scene of a chapter, in order.
        settled: Where only a part was made again: the inputs that this part alone works from.
        declined: Why a chapter does without notes that are at home in it, by their ids.
        unsupported: What a judge found unsupported and still stands, by the words of the text.
        draft: The text before it was revised, which is kept; "" where it was not.
    """

    keys: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    prompts: dict[str, str] = field(default_factory=dict)
    remark: str = ""
    manifests: list[dict[str, Any]] = field(default_factory=list)
    allow: tuple[str, ...] = ()
    plans: list[str] = field(default_factory=list)
    settled: frozenset[str] | None = None
    declined: dict[str, str] = field(default_factory=dict)
    unsupported: dict[str, str] = field(default_factory=dict)
    draft: str = ""

    def as_params(self) -> dict[str, Any]:
        """What the journal keeps of it beside the keys."""
        told = {"packs": self.manifests, "allow": list(self.allow), "plans": self.plans}
        told |= {"declined": self.declined, "unsupported": self.unsupported}
        told |= {"partly": self.settled is not None}
        said = {name: value for name, value in told.items() if value}
        return {"models": self.models, "prompts": self.prompts, **said}

    def add(self, attempt: Attempt) -> None:
        """Note a reply that is used."""
        if attempt.result["status"] == "success":
            request, completion = attempt.call.request, attempt.call.completion
            model = completion.model or request.model
            self.keys.append(request.key())
            if model not in self.models:
                self.models.append(model)


_NONE: Final[Mapping[str, str]] = {}
T = TypeVar("T")
ModelT = TypeVar("ModelT", bound=BaseModel)

FEWEST_WORDS: Final = 20
"""Fewer words than these are no scene, summary or critique, whatever was asked."""

BOOK_KEYS: Final = ("title", "category", "book_kind", "genre", "audience", "language", "tone")
"""Fields of the brief in every `<book>` block (`book_lines`): a change of one makes what was written
from it out of date."""


class Agent:
    """Makes one artifact, or one per chapter.

    Class attributes say what the pipeline has to know; order, concurrency, listing in the
    command line and staleness follow from them.

    Attributes:
        recorded_as: Its name in dumps where that is not the class's: older dumps have it.
        name: The stage's name, and the name of its prompt and of its entry in `models`.
        also_called: Other names under which the command line and `models` know the stage.
        reads: Artifacts of other stages that it works from; `chapters/*.md` means all of them.
        reads_earlier: Artifacts that it looks up, such as those of earlier chapters: a chapter's
            units wait for each other by them. They set no order between stages that look at each other.
        brief_keys: Fields of the brief that it works from.
        writes: The artifact; a `*` stands for the chapter's two-digit number.
        shape: The model that the artifact is validated with; None for prose.
        asks_model: Whether it calls a model; what only code makes is remade freely.
        auto_refresh: Whether what has become stale is remade without being asked, as soon as
            something that is not written yet works from it: plans and records, never prose.
        lazy: Whether a missing file is made only where something that is going to be made
            works from it; done again together with the same chapter's unit of such a reader.
        prompts: Names of its prompts; only its own name where none is given.
        of_chapters: Whether its one file has a part for each chapter, which can be done again alone.
        made_before: Artifacts with which the time for it ends: once there is one, a missing file is
            made on request alone, or from files of the author's that it reads.
        made_where: What there has to be for it to have anything to do (see `no_op_reason`); "" for nothing.
        wanted_if: What of the brief says whether the book has it, such as `worldbuilding`; "" where
            every book has it.
        heeds: Name of the author's notes on it, such as `outline`; "" where no notes concern it.
    """

    recorded_as: ClassVar[str] = ""
    name: ClassVar[str]
    also_called: ClassVar[tuple[str, ...]] = ()
    of_chapters: ClassVar[bool] = False
    reads: ClassVar[tuple[str, ...]] = ()
    reads_earlier: ClassVar[tuple[str, ...]] = ()
    brief_keys: ClassVar[tuple[str, ...]] = ()
    writes: ClassVar[str]
    shape: ClassVar[type[BaseModel] | None] = None
    asks_model: ClassVar[bool] = True
    auto_refresh: ClassVar[bool] = False
    lazy: ClassVar[bool] = False
    prompts: ClassVar[tuple[str, ...]] = ()
    made_before: ClassVar[tuple[str, ...]] = ()
    made_where: ClassVar[str] = ""
    wanted_if: ClassVar[str] = ""
    heeds: ClassVar[str] = ""

    # The original's names of what reads every reply to an agent.
    safe_extract_json = staticmethod(safe_extract_json)
    _detect_llm_formatting_issues = staticmethod(detect_markdown_artifacts)

    def __init__(self, context: AgentContext) -> None:
        self.context = context
        self.brief = context.brief
        self.book = context.book
        self.made_from = MadeFrom()
        self.author_notes = self.book.author_notes() if self.heeds else {}  # for the whole unit

    @classmethod
    def per_chapter(cls) -> bool:
        """Whether there is one unit per chapter."""
        return "*" in cls.writes

    @classmethod
    def wanted(cls, brief: Brief) -> bool:
        """Whether the book that the author asked for has this stage."""
        return not cls.wanted_if or bool(getattr(brief, cls.wanted_if))

    @classmethod
    def inputs(cls, unit: Unit, order: DraftOrder) -> tuple[str, ...]:
        """Files that the unit works from; a pattern stands for all files of a stage.

        When one of them changes, what was made from it is stale.
        """
        del unit, order
        return cls.reads

    @classmethod
    def awaits(cls, unit: Unit, order: DraftOrder) -> tuple[str, ...]:
        """Files that have to be settled before the unit runs: its inputs and what it looks up.

        What is only looked up makes nothing stale: of a book's facts a chapter is shown few,
        and a change in the others does not concern it.
        """
        return cls.inputs(unit, order)

    @classmethod
    def unit(cls, chapter: int | None = None) -> Unit:
        """The stage's unit for a chapter, or for the book."""
        number = "" if chapter is None else f"{chapter:02d}"
        return Unit(cls.name, chapter, cls.writes.replace("*", number))

    def no_op_reason(self) -> str:
        """Why there is nothing to do in this run and no file is made, in words; "" where there is."""
        return ""

    @abstractmethod
    async def execute(self, unit: Unit) -> BaseModel | str:
        """Make the unit's artifact; the caller validates and saves it.

        Returns:
            A model for a JSON artifact, text for a prose one.

        Raises:
            IncompleteError: No usable reply came; nothing is to be saved.
        """

    def ask(
        self,
        unit: Unit,
        model: type[ModelT],
        *,
        prompt: str = "",
        part: str = "",
        limits: Limits | None = None,
        **values: str,
    ) -> Coroutine[Any, Any, ModelT]:
        """Ask for a value of a shape: the conversation, to be awaited.

        Args:
            unit: The work that asks.
            model: The wanted shape.
            prompt: The prompt; the agent's own where none is named.
            part: Name of the question within the unit, such as `critique`.
            limits: Counts and choices of this request, for the schema.
            **values: The prompt's values.

        Raises:
            MaxRetriesExceededError: No attempt brought a value of that shape.
        """
        return self.ask_about(unit, model, prompt or self.name, values, part=part, limits=limits)

    def ask_about(  # noqa: PLR0913 - a question with all that it shows
        self,
        unit: Unit,
        model: type[ModelT],
        prompt: str,
        values: Mapping[str, str],
        also: Mapping[str, str] = _NONE,
        *,
        part: str = "",
        limits: Limits | None = None,
        in_parts: bool = False,
    ) -> Coroutine[Any, Any, ModelT]:
        """As `ask`; `also` has values without a hole; `in_parts` holds no reply to its limits."""
        schema = request_schema(model, limits)
        loaded, (system, user) = self._render(prompt, values, also)
        user["content"] += self._noted(unit.at(part))[0]
        if not loaded.shared:
            system["content"] += f"\n\n{load_text('format_rules.txt')}"
        user["content"] += schema_text(schema)
        options = self._options(unit, part, schema=schema, in_text=loaded.shared)
        parser = ReplyReader.for_shape(model, {} if in_parts else limits or {})
        return self._think((system, user), parser, options)

    def write_prose(
        self,
        unit: Unit,
        values: Mapping[str, str],
        *,
        words: int,
        prompt: str = "",
        part: str = "",
        also: Mapping[str, str] = _NONE,
    ) -> Coroutine[Any, Any, str]:
        """Ask for text: the conversation, to be awaited; pieces are reported while they come.

        Args:
            unit: The work that asks.
            values: The prompt's values, without `words`.
            words: The wanted length. A reply of a handful of words is a remark in place of the
                text and is refused.
            prompt: The prompt; the agent's own where none is named.
            part: Name of the question within the unit.
            also: Values for which a prompt need have no hole.

        Raises:
            MaxRetriesExceededError: No attempt brought any text.
        """
        options = self._options(unit, part, prose=True, streamed=True)
        told = {**values, "words": str(round_words(words))}
        _, messages = self._render(prompt or self.name, told, also)
        messages[1]["content"] += self._noted(unit.at(part))[0]
        parser = ReplyReader.for_prose(min(FEWEST_WORDS, words // 4 + 1))
        return self._think(messages, parser, options)

    def as_text(self, made: BaseModel) -> str:
        """The text of a JSON artifact."""
        return self._validate_and_clean_json_output(made)

    def _validate_and_clean_json_output(self, value: BaseModel) -> str:
        """A JSON artifact's text: validated once more, readable, without wrappers.

        Raises:
            IncompleteError: The value does not have the artifact's shape; nothing is saved.
        """
        clean = value.model_dump(mode="json")
        valid, errors = self._validate_json(clean)
        if not valid:
            what = f"The stage {self.name!r} made nothing that can be saved."
            fix = "Ask again with `libriscribe2 redo`; `libriscribe2 debug list` shows the replies."
            raise IncompleteError(what, why="; ".join(errors), fix=fix)
        return readable_json(clean)

    def _validate_json(self, data: object) -> tuple[bool, list[str]]:
        """Whether data have the artifact's shape, and what is wrong with them by field."""
        return validate_json_with_pydantic(data, self.shape or Shape)

    def _log_json_extraction_warning(self, issues: Iterable[str]) -> None:
        """Say what had to be cleaned away; a clean reply says nothing."""
        log_cleanup(type(self).__name__, issues)

    def _dump_raw_response(self, attempt: Attempt) -> None:
        """Keep an attempt for review, apart from the book; a replayed one is kept once."""
        self.context.client.with_options(CallOptions(stage=self.name)).record(attempt)

    def _consumer(self) -> AttemptConsumer:
        """Who takes the attempts of its conversations."""
        return self.made_from

    def _think(
        self, messages: Iterable[dict[str, Any]], parser: Callable[[str], Any], options: CallOptions
    ) -> Coroutine[Any, Any, Any]:
        """The conversation, to be awaited."""
        client = self.context.client.with_options(options, self._consumer())
        return client.think_with_retry(messages, parser, self.context.attempts)

    def _options(self, unit: Unit, part: str, **fields: Any) -> CallOptions:
        """How this agent's calls are made."""
        return CallOptions(
            step=unit.at(part),
            agent=self.recorded_as or type(self).__name__,
            temperature=self.context.temperature,
            stage=self.name,
            **fields,
        )

    def _render(
        self, prompt: str, values: Mapping[str, str], also: Mapping[str, str]
    ) -> tuple[Prompt, tuple[dict[str, Any], dict[str, Any]]]:
        """A prompt, and its messages with its values."""
        loaded = load_prompt(prompt, kind=self.brief.kind, overrides=self.context.prompts)
        self.made_from.prompts[loaded.name] = loaded.sha
        rules = load_text("format_rules.txt").strip()
        messages, said = loaded.filled(values, {**also, "format_rules": rules})
        self.remark(said)
        return loaded, messages

    def remark(self, said: str) -> None:
        """Add to what the author should know of how it went, once."""
        if said not in self.made_from.remark:
            self.made_from.remark = "; ".join(filter(None, (self.made_from.remark, said)))

    def _noted(self, step: str) -> tuple[str, bool]:
        """The author's notes that a question has to heed, as a block, and whether any are cut."""
        if not self.author_notes:
            return "", False
        from libriscribe2.context.notes import noted  # noqa: PLC0415 -- few books have notes

        return noted(self.author_notes, step, self.heeds)

    async def together(self, work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
        """The results of all, in order.

        After a failure nothing new is sent, but what is under way is waited for: a request that is
        already paid for must not be lost to a sibling's failure.

        Args:
            work: What is done; none of it has begun.

        Raises:
            Exception: One failed; a failure of its own is preferred to having been stopped.
        """

        def ended(part: asyncio.Task[T]) -> None:
            error = None if part.cancelled() else part.exception()
            if isinstance(error, LibriScribeError) and not isinstance(error, ReplyAwaitedError):
                self.context.stop()

        tasks = list(map(asyncio.ensure_future, work))
        for task in tasks:
            task.add_done_callback(ended)
        every = asyncio.gather(*tasks, return_exceptions=True)
        try:
            results = await every
        finally:
            if every.cancel():
                with suppress(asyncio.CancelledError):
                    await every
        failed = [result for result in results if isinstance(result, BaseException)]
        if failed:
            stops = (RunStoppedError, ReplyAwaitedError)
            raise next((f for f in failed if not isinstance(f, stops)), failed[0])
        return [result for result in results if not isinstance(result, BaseException)]


@contextmanager
def same_command() -> Iterator[None]:
    """Say of a question without a usable reply that the command which asked it asks it again."""
    try:
        yield
    except MaxRetriesExceededError as error:
        error.fix = "run the same command to ask again; `libriscribe2 debug list` shows the replies"
        raise


class ConsultedAgent(Agent):
    """Answers what a command asks it (`engine.Engine.consult`); no file of the book is made."""

    writes = ""

    @override
    async def execute(self, unit: Unit) -> str:
        """Refuse: there is no artifact to make.

        Raises:
            LibriScribeError: Always.
        """
        raise LibriScribeError(f"{type(self).__name__} makes no file of the book.")
