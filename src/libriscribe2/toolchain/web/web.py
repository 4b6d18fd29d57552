"""The web of one run: a search engine, and the pages that may be fetched."""

from collections.abc import Iterable, Sequence

from libriscribe2.toolchain.tool_error import ToolError
from libriscribe2.toolchain.web.engines import SearchEngine, SearchResult, results_of
from libriscribe2.toolchain.web.fetching import Fetched, Fetcher
from libriscribe2.toolchain.web.urls import same_url, target_of


class Web:
    """What a run may see of the web.

    A page is fetched only if its address came from a search result or from the author: what a
    page itself says never becomes an address.

    Args:
        fetcher: Sends the requests.
        engine: The search engine; None where none is configured.
        allowed: Addresses of the author's.
    """

    def __init__(
        self,
        fetcher: Fetcher | None = None,
        engine: SearchEngine | None = None,
        allowed: Iterable[str] = (),
    ) -> None:
        self.engine = engine
        self._fetcher = fetcher if fetcher is not None else Fetcher()
        self._allowed: set[str] = set()
        for url in allowed:
            self.allow(url)

    def allow(self, url: str) -> None:
        """Let a page be fetched; what is no address of a page is ignored.

        Whoever resumes a run allows the addresses of its finished searches again.
        """
        if same := same_url(url):
            self._allowed.add(same)

    def is_allowed(self, url: str) -> bool:
        """Whether a page may be fetched."""
        return bool(same := same_url(url)) and same in self._allowed

    async def page(self, url: str, types: Sequence[str]) -> Fetched:
        """Fetch a page.

        Args:
            url: Its address.
            types: The content types that can be read.

        Raises:
            ToolError: 403 where the address was not offered or is forbidden; else as `Fetcher.get`.
        """
        target_of(url)
        if not self.is_allowed(url):
            raise ToolError(
                403,
                "url_not_offered",
                f"{url[:200]} is not fetched: addresses come from search results or the author.",
                {"url": url[:200]},
            )
        return await self._fetcher.get(url, types)

    async def search(self, query: str) -> list[SearchResult]:
        """Ask the search engine; the addresses of its results may be fetched afterwards.

        Raises:
            ToolError: 501 where there is no engine; else as `Fetcher.get`.
        """
        if self.engine is None:
            raise ToolError(501, "search_not_configured", "No search engine is configured.")
        url = self.engine.url(query)
        try:
            answer = await self._fetcher.get(url, self.engine.types, trusted=target_of(url).origin)
            results = results_of(self.engine, answer)
        except ToolError as error:
            raise self.engine.without_keys(error) from None
        for result in results:
            self.allow(result.url)
        return results
