"""`Agent`: ask, read through the shared pipeline, validate; the runner saves what comes out."""

import asyncio
import json
import logging
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

from pydantic import BaseModel

from libriscribe2.errors import IncompleteError, MaxRetriesExceededError
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.options import Attempt, CallOptions
from libriscribe2.models.brief import Brief
from libriscribe2.models.request_schema import Limits, request_schema
from libriscribe2.parsing import pydantic_parser
from libriscribe2.parsing.limits import within_limits
from libriscribe2.parsing.prose import prose_parser
from libriscribe2.project.artifacts import Book
from libriscribe2.project.debug_dump import DebugDumps
from libriscribe2.project.dump_record import dump_record
from libriscribe2.project.json_text import readable_json
from libriscribe2.prompts.loader import load_prompt, load_text
from libriscribe2.telemetry import JSON_EXTRACTION_WARNING, JSON_VALIDATION_ERROR
from libriscribe2.utils.json_utils import JSONProcessor

logger = logging.getLogger(__name__)

ModelT = TypeVar("ModelT", bound=BaseModel)
T = TypeVar("T")

SHORT_FIELDS: Final = (
    "title",
    "name",
    "role",
    "age",
    "place",
    "characters",
    "primary_keywords",
    "secondary_keywords",
    "genre_keywords",
    "alternatives",
)
"""Fields whose values are identifiers, not prose: emphasis around them is taken off."""


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


@dataclass(frozen=True)
class AgentContext:
    """What an agent works with.

    Attributes:
        brief: What the author asked for.
        book: The artifacts that are there.
        client: Asks the model of the agent's stage.
        dumps: Keeps every attempt for review.
        attempts: How many requests one question may take.
        temperature: The stage's configured temperature, or None.
        prompts: The project's own prompts, or None.
        again: Has a step ask the model anew in the next run, instead of replaying its replies.
        on_text: Hears prose while it arrives: the step and a piece of text.
    """

    brief: Brief
    book: Book
    client: LLMClient
    dumps: DebugDumps
    attempts: int = 3
    temperature: float | None = None
    prompts: Path | None = None
    again: Callable[[str], None] = field(default=lambda _step: None)
    on_text: Callable[[str, str], None] = field(default=lambda _step, _piece: None)


class Agent:
    """Makes one artifact, or one per chapter.

    Class attributes say what the pipeline has to know; order, concurrency, listing in the
    command line and staleness follow from them.

    Attributes:
        name: The stage's name, and the name of its prompt and of its entry in `models`.
        also_called: Other names under which the command line and `models` know the stage.
        reads: Artifacts of other stages that it works from; `chapters/*.md` means all of them.
        reads_earlier: Artifacts of earlier chapters that a chapter works from; they make its
            units wait for each other and set no order between stages.
        brief_keys: Fields of the brief that it works from.
        writes: The artifact; a `*` stands for the chapter's two-digit number.
        shape: The model that the artifact is validated with; None for prose.
        asks_model: Whether it calls a model; what only code makes is remade freely.
    """

    name: ClassVar[str]
    also_called: ClassVar[tuple[str, ...]] = ()
    reads: ClassVar[tuple[str, ...]] = ()
    reads_earlier: ClassVar[tuple[str, ...]] = ()
    brief_keys: ClassVar[tuple[str, ...]] = ()
    writes: ClassVar[str]
    shape: ClassVar[type[BaseModel] | None] = None
    asks_model: ClassVar[bool] = True

    def __init__(self, context: AgentContext) -> None:
        self.context = context
        self.brief = context.brief
        self.book = context.book

    @classmethod
    def per_chapter(cls) -> bool:
        """Whether there is one unit per chapter."""
        return "*" in cls.writes

    @classmethod
    def wanted(cls, brief: Brief) -> bool:
        """Whether the book that the author asked for has this stage."""
        del brief
        return True

    @classmethod
    def inputs(cls, unit: Unit) -> tuple[str, ...]:
        """Files that the unit works from; a pattern stands for all files of a stage."""
        del unit
        return cls.reads

    @classmethod
    def unit(cls, chapter: int | None = None) -> Unit:
        """The stage's unit for a chapter, or for the book."""
        number = "" if chapter is None else f"{chapter:02d}"
        return Unit(cls.name, chapter, cls.writes.replace("*", number))

    @abstractmethod
    async def execute(self, unit: Unit) -> BaseModel | str:
        """Make the unit's artifact; the caller validates and saves it.

        Returns:
            A model for a JSON artifact, text for a prose one.

        Raises:
            IncompleteError: No usable reply came; nothing is to be saved.
        """

    async def ask(
        self,
        unit: Unit,
        model: type[ModelT],
        *,
        prompt: str = "",
        part: str = "",
        limits: Limits | None = None,
        **values: str,
    ) -> ModelT:
        """Ask for a value of a shape.

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
        schema = request_schema(model, limits)
        system, user = self._render(prompt or self.name, values)
        system["content"] += f"\n\n{load_text('format_rules.txt')}"
        wanted = json.dumps(schema, ensure_ascii=False)
        user["content"] += f"\n\nAnswer by this schema.\n\n<json_schema>{wanted}</json_schema>"
        options = self._options(unit, part, schema=schema)
        parser = within_limits(pydantic_parser(model, emphasis_fields=SHORT_FIELDS), limits or {})
        return await self._think((system, user), parser, options)  # type: ignore[no-any-return]

    async def write_prose(
        self, unit: Unit, *, prompt: str = "", part: str = "", **values: str
    ) -> str:
        """Ask for text; its pieces are told to `context.on_text` while they come.

        Raises:
            MaxRetriesExceededError: No attempt brought any text.
        """
        step = _step(unit, part)
        options = self._options(
            unit, part, prose=True, on_piece=lambda piece: self.context.on_text(step, piece)
        )
        messages = self._render(prompt or self.name, values)
        return await self._think(messages, prose_parser(), options)  # type: ignore[no-any-return]

    def safe_extract_json(
        self, content: str, model: type[BaseModel] | None = None
    ) -> dict[str, Any] | None:
        """The JSON object in a reply, validated and normalised; None where there is none."""
        self._log_json_extraction_warning(self._detect_llm_formatting_issues(content))
        found = JSONProcessor.extract_json_from_llm_response(content, schema=model)
        if found is None or model is None:
            return found
        valid, errors = JSONProcessor.validate_json_with_pydantic(found, model)
        if valid:
            return model.model_validate(found).model_dump()
        logger.error("%s: %s: %s: %.200r", JSON_VALIDATION_ERROR, self.name, errors, content)
        return None

    def as_text(self, made: BaseModel) -> str:
        """The text of a JSON artifact."""
        return self._validate_and_clean_json_output(made)

    def _validate_and_clean_json_output(self, value: BaseModel) -> str:
        """A JSON artifact's text: validated once more, readable, without wrappers.

        Raises:
            pydantic.ValidationError: The value does not have the artifact's shape.
        """
        shape = type(value) if self.shape is None else self.shape
        clean = shape.model_validate(value.model_dump()).model_dump(mode="json")
        return readable_json(clean)

    def _detect_llm_formatting_issues(self, content: str) -> list[str]:
        """Names of what stands around or in the JSON of a reply and should not."""
        return JSONProcessor.detect_markdown_artifacts(content)

    def _log_json_extraction_warning(self, issues: Iterable[str]) -> None:
        """Say what had to be cleaned away; a clean reply says nothing."""
        named = sorted(issues)
        if named:
            logger.warning("%s: %s: %s", JSON_EXTRACTION_WARNING, type(self).__name__, named)

    def _dump_raw_response(self, attempt: Attempt) -> None:
        """Keep an attempt for review, apart from the book; a replayed one is kept once."""
        record = dump_record(attempt.call.agent, self.name, attempt)
        self._log_json_extraction_warning(record.formatting_issues)
        if record.feedback and record.content_type == "json":
            told = (JSON_VALIDATION_ERROR, record.agent_name, record.validation_errors)
            logger.error("%s: %s: %s: %.200r", *told, record.raw_response)
        if not (attempt.call.replayed and self.context.dumps.has(record.key)):
            self.context.dumps.write(record)

    async def _think(
        self, messages: Iterable[dict[str, str]], parser: Callable[[str], Any], options: CallOptions
    ) -> Any:
        """The conversation; a step whose attempts all failed is asked anew by the next run."""
        client = self.context.client.with_options(options)
        try:
            return await client.think_with_retry(messages, parser, self.context.attempts)
        except MaxRetriesExceededError as error:
            self.context.again(options.step)
            error.what = f"The stage {self.name!r} got no usable reply: {error.what}"
            error.fix = "run `libriscribe2 resume`: it asks anew; the replies are in the dumps"
            raise

    def _options(self, unit: Unit, part: str, **fields: Any) -> CallOptions:
        """How this agent's calls are made."""
        return CallOptions(
            step=_step(unit, part),
            agent=type(self).__name__,
            temperature=self.context.temperature,
            on_attempt=self._dump_raw_response,
            **fields,
        )

    def _render(self, prompt: str, values: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
        """A prompt's messages with its values."""
        loaded = load_prompt(prompt, kind=self.brief.kind, overrides=self.context.prompts)
        return loaded.render(**values)


def _step(unit: Unit, part: str) -> str:
    """Path of one question."""
    return f"{unit.step}/{part}" if part else unit.step


async def together(work: Iterable[Awaitable[T]]) -> list[T]:
    """The results of all, in order; every one is awaited before the first failure is raised.

    A sibling's failure must not cancel a request that is already paid for.
    """
    results = await asyncio.gather(*work, return_exceptions=True)
    failed = [result for result in results if isinstance(result, BaseException)]
    if failed:
        raise next((f for f in failed if isinstance(f, IncompleteError)), failed[0])
    return [result for result in results if not isinstance(result, BaseException)]
