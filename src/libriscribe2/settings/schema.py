"""The settings: every section with its fields, bounds and defaults."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from typing_extensions import override

from libriscribe2.llm.limits.budget import UNKNOWN_USD_PER_MILLION
from libriscribe2.llm.server_addresses import fault_of_address
from libriscribe2.models.brief import Edition
from libriscribe2.models.notes import LONGEST_QUOTE


def _refuse_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise PydanticCustomError("not_a_number", "A number is needed, not true or false")
    return value


NotBool = BeforeValidator(_refuse_bool)
"""Refuses `true` and `false` where a number is wanted."""

Seconds = Annotated[float, NotBool, Field(gt=0, allow_inf_nan=False)]
"""A positive, finite time in seconds."""

Count = Annotated[int, NotBool, Field(ge=1)]
"""A whole number from 1."""

CountFromZero = Annotated[int, NotBool, Field(ge=0)]
"""A whole number from 0."""

Usd = Annotated[float, NotBool, Field(ge=0, allow_inf_nan=False)]
"""An amount of US dollars; 0 is one."""


QUERY: Final = "{query}"


def _search_url(value: str) -> str:
    url = value.strip()
    if url and (not _is_web(url) or QUERY in urlsplit(url).netloc or QUERY not in url):
        raise PydanticCustomError(
            "search_url",
            "A URL that starts with http:// or https:// and holds `{query}` behind the host is "
            "needed",
        )
    return url


def _server_url(value: str) -> str:
    url = value.strip()
    if url and not _is_web(url):
        raise PydanticCustomError("url", "A URL that starts with http:// or https:// is needed")
    return url


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return False


def _names(value: Any) -> Any:
    return tuple(value.split()) if isinstance(value, str) else value


def split_names(value: Any) -> Any:
    """A comma-separated string as a list of names; anything else unchanged."""
    if not isinstance(value, str):
        return value
    return [name.strip() for name in value.split(",") if name.strip()]


VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class _Table(BaseModel):
    """A table of a file: what it does not know is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class McpServerConfig(_Table):
    """A `[research.mcp.<name>]` table: a server whose tools join the catalog as `<name>_<tool>`.

    Attributes:
        command: The program that is started and spoken to over its standard streams.
        args: Its arguments.
        url: Address of a server that runs already; either this or `command`.
        env: Names of variables of the environment that the program gets besides the usual ones;
            never their values, so that no key stands in a file.
        start_seconds: Longest wait for its list of tools.
        call_seconds: Longest wait for one answer.
    """

    command: str = ""
    args: Annotated[tuple[str, ...], BeforeValidator(_names)] = ()
    url: Annotated[str, AfterValidator(_server_url)] = ""
    env: Annotated[tuple[VariableName, ...], BeforeValidator(_names)] = ()
    start_seconds: Seconds = 20.0
    call_seconds: Seconds = 60.0

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if bool(self.command.strip()) == bool(self.url):
            raise PydanticCustomError("way", "Either `command` or `url` is needed")
        return self


ServerName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,20}$")]


ResolverLayer = Literal[
    "templates",
    "auto_wiring",
    "micro_resolution",
    "semantic_fallback",
    "error_analysis",
    "error_verdict",
]
"""What settles a parameter that a plan does not, or mends a call that was refused."""


class ResearchConfig(_Table):
    """The `[research]` table.

    Attributes:
        search_url: Address of a search engine, with `{query}` where the query goes; empty leaves
            the web unsearched.
        search_kind: `json`: it answers as SearXNG does with `format=json`; `html`: it answers
            with a results page.
        fetch: Whether pages of the web may be fetched at all.
        without: Layers by which parameters of tools are not to be bound, or mended.
        max_page_mb: Largest page, in MB.
        page_seconds: Longest time of one request, its redirects included.
        longest_quote: Most words of the quote of a note; one with a longer quote is no fact.
        mcp: MCP servers by name. A higher layer's servers replace those of a lower one.
    """

    search_url: Annotated[str, AfterValidator(_search_url)] = ""
    search_kind: Literal["json", "html"] = "json"
    fetch: bool = True
    without: Annotated[tuple[ResolverLayer, ...], BeforeValidator(split_names)] = ()
    max_page_mb: Annotated[int, NotBool, Field(ge=1, le=50)] = 5
    page_seconds: Annotated[float, NotBool, Field(gt=0, le=600, allow_inf_nan=False)] = 30.0
    longest_quote: Annotated[int, NotBool, Field(ge=10, le=80)] = LONGEST_QUOTE
    mcp: dict[ServerName, McpServerConfig] = Field(default_factory=dict, max_length=20)


def as_table(value: Any) -> Any:
    """The short forms of an entry as a table; a table unchanged.

    `"a"`, `"a, b"` and `["a", "b"]` all name the model first and its fallbacks after it. A short
    form says everything about both, so `"a"` also clears fallbacks of a lower layer.
    """
    if isinstance(value, Mapping | StageModel):
        return value
    names = split_names(value)
    if not isinstance(names, list | tuple):
        names = [value]
    return {"model": names[0] if names else "", "fallbacks": list(names[1:])}


class StageModel(BaseModel):
    """The model of one stage.

    Attributes:
        model: The name as LiteLLM spells it, or `offline`; empty takes the default's.
        fallbacks: Tried in this order when `model` cannot answer.
        temperature: From 0 to 2; None takes the default's, and there leaves it to the provider.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    model: str = ""
    fallbacks: Annotated[
        tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(split_names)
    ] = ()
    temperature: Annotated[float, NotBool, Field(ge=0, le=2)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_short_form(cls, value: Any) -> Any:
        return as_table(value)


class ModelsConfig(BaseModel):
    """The `[models]` table: `default` and one optional entry per stage."""

    model_config = ConfigDict(frozen=True, extra="allow")

    __pydantic_extra__: dict[str, StageModel] = Field(init=False)

    default: StageModel = StageModel()

    def stages(self) -> Mapping[str, StageModel]:
        """The entries besides `default`, by the stage's name."""
        return dict(self.__pydantic_extra__)

    def for_stage(self, stage: str) -> StageModel:
        """What `stage` uses: its own entry, completed from `default`.

        A stage that names a model has its own fallbacks; one that names none takes the default's
        model and fallbacks. `model` is empty where nobody has chosen one.
        """
        own = self.__pydantic_extra__.get(stage, self.default)
        temperature = own.temperature if own.temperature is not None else self.default.temperature
        source = own if own.model else self.default
        return StageModel(model=source.model, fallbacks=source.fallbacks, temperature=temperature)


ENV_PREFIX: Final = "LIBRISCRIBE2_"
ENV_DELIMITER: Final = "__"

LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]


def _upper(value: Any) -> Any:
    return value.strip().upper() if isinstance(value, str) else value


def _folder(value: Path) -> Path:
    try:
        return value.expanduser()
    except RuntimeError as error:
        raise PydanticCustomError("home", "The home folder is not known") from error


def _http_url(value: str) -> str:
    url = value.strip()
    fault = fault_of_address(url) if url else ""
    if fault:
        raise PydanticCustomError("url", "{fault}", {"fault": fault})
    return url


def _named(value: Any) -> Any:
    if isinstance(value, str) and not value.strip():
        raise PydanticCustomError("blank", "A path is needed")
    return value


Folder = Annotated[Path, BeforeValidator(_named), AfterValidator(_folder)]
"""A folder; `~` is the home folder, a relative one starts at the working directory."""


class LlmConfig(_Table):
    """The `[llm]` table: how a model is reached and how long it is waited for.

    Attributes:
        base_url: Address of an OpenAI-compatible server, for every model; empty leaves it to
            LiteLLM, which knows `OPENAI_BASE_URL` and its like.
        timeout_seconds: Longest wait for one whole reply.
        first_token_seconds: Longest wait for the first piece of a reply.
        between_tokens_seconds: Longest silence inside a reply.
        retries: How often the same request is sent again after a passing failure, beyond the
            first time: 4 means at most 5 requests. A 429 that says when to come back is obeyed
            and not counted.
        requests_per_minute: Most requests to one model with one key, from all processes of this
            machine; None is no limit.
        kilo_tokens_per_minute: The same for thousands of tokens, sent and wanted.
        response_format_in_chapters: Whether requests within a chapter send `response_format`, too,
            for a model that does not keep to a schema in the text. Each shape then begins a
            provider's cache anew.
    """

    base_url: Annotated[str, AfterValidator(_http_url)] = ""
    timeout_seconds: Seconds = 360.0
    first_token_seconds: Seconds = 120.0
    between_tokens_seconds: Seconds = 60.0
    retries: CountFromZero = 4
    requests_per_minute: Count | None = None
    kilo_tokens_per_minute: Count | None = None
    response_format_in_chapters: bool = False


class PipelineConfig(_Table):
    """The `[pipeline]` table: how a book is worked on.

    Attributes:
        max_concurrency: Most requests under way at once.
        max_attempts: Most requests in one conversation whose replies a parser refuses, the first
            included: 3 means at most 2 corrections.
        whole_chapters: Whether a chapter is asked for at once, and not scene by scene; None: only
            of the model `manual`, where somebody pastes each request.
    """

    max_concurrency: Annotated[int, NotBool, Field(ge=1, le=64)] = 4
    max_attempts: Count = 3
    whole_chapters: bool | None = None


class RevisionConfig(_Table):
    """The `[revision]` table: what decides about a revised chapter.

    Attributes:
        evaluator: Whether a model that passed its calibration decides, after the gates, if a
            revised chapter is kept: one to which it prefers the draft is not.
    """

    evaluator: bool = False


class BudgetConfig(_Table):
    """The `[budget]` table: what may be spent; None is no cap.

    Attributes:
        max_cost: US dollars over the life of the project.
        max_calls: Requests over the life of the project, failed ones included.
        max_minutes: Minutes of one run.
        unknown_usd_per_million: What a million tokens count as where the price is unknown.
    """

    max_cost: Usd | None = None
    max_calls: CountFromZero | None = None
    max_minutes: Annotated[float, NotBool, Field(ge=0, allow_inf_nan=False)] | None = None
    unknown_usd_per_million: Usd = UNKNOWN_USD_PER_MILLION


class BatchConfig(_Table):
    """The `[batch]` table: how many books are written.

    Attributes:
        dsn: Address of the PostgreSQL database that several machines share; empty keeps batches
            in a folder of this one. It is shown nowhere.
        journal: Where the journals of its books are: `database`, which is the default where there
            is one, beside their folders; `folder` in their folders alone, which all machines then
            have to share.
        books: Books at once, each in a process of its own.
        max_tries: Most runs of a book that ended for a passing reason and made no progress, the
            first included.
        retry_seconds: Pause before the second run; each further one is twice as long. So long
            rests a machine that cannot write books, before it tries once more.
        funding: How a cap on all books is divided: `in_order`, one book after the other up to what
            the finished ones let expect, or `even`, the same for each.
        heartbeat_seconds: Between two signs of life of a worker.
        stalled_seconds: Without a sign of life, after which others take a worker's books over.
        poll_seconds: Between two looks of an idle worker at the queue.
        stop_seconds: How long calls under way may take to end when a batch's run or a worker is
            stopped; a second signal does not wait for them.
        book_stop_seconds: The same for the process of a book, to which its batch says it.
        spool: Folder in which the calls of books wait to be sent together; `batch run` sets it
            for their processes. None sends each at once.
        provider_quiet_seconds: Without another call, after which those that wait are sent as one
            batch of the provider.
        provider_poll_seconds: Before the first look at such a batch; later ones are further apart,
            up to 30 times as far.
    """

    dsn: SecretStr = SecretStr("")
    journal: Literal["folder", "database"] = "database"
    books: Annotated[int, NotBool, Field(ge=1, le=64)] = 2
    max_tries: Count = 5
    retry_seconds: Seconds = 30.0
    funding: Literal["in_order", "even"] = "in_order"
    heartbeat_seconds: Seconds = 10.0
    stalled_seconds: Seconds = 30.0
    poll_seconds: Seconds = 1.0
    stop_seconds: Seconds = 60.0
    book_stop_seconds: Annotated[float, Field(ge=0)] = 0.0
    spool: Folder | None = None
    provider_quiet_seconds: Seconds = 5.0
    provider_poll_seconds: Seconds = 10.0


class Settings(BaseSettings):
    """Everything that can be configured.

    `Settings()` is the defaults and nothing else: only `load_settings` looks at files and at the
    environment, so that no two parts of a run can see different settings.

    Attributes:
        models: Which model does what.
        llm: How a model is reached.
        pipeline: How a book is worked on.
        revision: What decides about a revised chapter.
        budget: What may be spent.
        research: Where facts are looked for.
        projects_dir: Where books live.
        debug_dir: Where the dumps of attempts go.
        batch: How many books are written.
        export: How a book is made into files.
        batches_dir: Where batches live.
        log_level: Least severe log message that is kept.
        no_input: Never ask a question on the terminal.
        plan_retry_enabled: Whether a plan that cannot be parsed is asked for again.
        plan_retry_max: How often it is asked for again after the first time.
    """

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        env_prefix=ENV_PREFIX,
        env_nested_delimiter=ENV_DELIMITER,
        enable_decoding=False,
    )

    models: ModelsConfig = ModelsConfig()
    llm: LlmConfig = LlmConfig()
    pipeline: PipelineConfig = PipelineConfig()
    revision: RevisionConfig = RevisionConfig()
    budget: BudgetConfig = BudgetConfig()
    research: ResearchConfig = ResearchConfig()
    batch: BatchConfig = BatchConfig()
    export: Edition = Edition()
    projects_dir: Folder = Path("projects")
    debug_dir: Folder = Path("debug")
    batches_dir: Folder = Path("batches")
    log_level: Annotated[LogLevel, BeforeValidator(_upper)] = "INFO"
    no_input: bool = False
    plan_retry_enabled: bool = True
    plan_retry_max: CountFromZero = 2

    @override
    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        *_others: PydanticBaseSettingsSource,
        **_named: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The arguments alone; `load_settings` has merged the layers into them."""
        del settings_cls
        return (init_settings,)
