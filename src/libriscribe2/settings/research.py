"""Settings of research: the search engine, the limits of the web, and MCP servers."""

from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError

from libriscribe2.settings.numbers import NotBool, Seconds

QUERY: Final = "{query}"


def _search_url(value: str) -> str:
    url = value.strip()
    if url and (not _is_web(url) or QUERY in urlsplit(url).netloc or QUERY not in url):
        raise PydanticCustomError(
            "search_url",
            "A URL that starts with http:// or https:// and holds `{query}` behind the host is "
            "wanted",
        )
    return url


def _server_url(value: str) -> str:
    url = value.strip()
    if url and not _is_web(url):
        raise PydanticCustomError("url", "A URL that starts with http:// or https:// is wanted")
    return url


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return False


def _names(value: Any) -> Any:
    return tuple(value.split()) if isinstance(value, str) else value


VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class McpServerConfig(BaseModel):
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

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: str = ""
    args: Annotated[tuple[str, ...], BeforeValidator(_names)] = ()
    url: Annotated[str, AfterValidator(_server_url)] = ""
    env: Annotated[tuple[VariableName, ...], BeforeValidator(_names)] = ()
    start_seconds: Seconds = 20.0
    call_seconds: Seconds = 60.0

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if bool(self.command.strip()) == bool(self.url):
            raise PydanticCustomError("way", "Either `command` or `url` is wanted")
        return self


ServerName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,20}$")]


class ResearchConfig(BaseModel):
    """The `[research]` table.

    Attributes:
        search_url: Address of a search engine, with `{query}` where the query goes; empty leaves
            the web unsearched.
        search_kind: `json`: it answers as SearXNG does with `format=json`; `html`: it answers
            with a results page.
        fetch: Whether pages of the web may be fetched at all.
        max_page_mb: Largest page, in MB.
        page_seconds: Longest time of one request, its redirects included.
        mcp: MCP servers by name. A higher layer's servers replace those of a lower one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    search_url: Annotated[str, AfterValidator(_search_url)] = ""
    search_kind: Literal["json", "html"] = "json"
    fetch: bool = True
    max_page_mb: Annotated[int, NotBool, Field(ge=1, le=50)] = 5
    page_seconds: Annotated[float, NotBool, Field(gt=0, le=600, allow_inf_nan=False)] = 30.0
    mcp: dict[ServerName, McpServerConfig] = Field(default_factory=dict, max_length=20)
