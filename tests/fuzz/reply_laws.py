"""What holds for every text that a model or a search engine may send, whatever it is.

No reader raises. No reader makes up text: the letters and digits of all that it returns stand in
the text that it was given, in their order. What was read once is read the same again.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from libriscribe2.parsing.sections import multi_section_parser
from libriscribe2.parsing.tool_calls import parse_llm_response
from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.replies.strict_json import same_json
from libriscribe2.research.web.result_pages import SearchResultItem, parse_search_results
from libriscribe2.utils.json_utils import JSONProcessor

HEADERS: Final = ("[Plan]", "[Critique]")
# Escapes, entities and percent codes stand for characters that the text does not show.
_CODES: Final = ("\\", "&", "%")


def _texts(value: Any) -> Iterator[str]:
    """The keys and strings of a JSON value."""
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            pending += [*node, *node.values()]
        elif isinstance(node, list):
            pending += node


def assert_from(source: str, texts: Iterable[str]) -> None:
    """Every text's letters and digits stand in the source, in their order."""
    if any(code in source for code in _CODES):
        return
    for text in texts:
        rest = iter(source)
        assert all(char in rest for char in text if char.isalnum()), text


def json_law(text: str) -> None:
    """`extract_with_report` and `clean_llm_response`."""
    report = extract_with_report(text)
    assert report.ok is (report.refusal is None)
    JSONProcessor.detect_markdown_artifacts(text)
    cleaned = JSONProcessor.clean_llm_response(text)
    assert JSONProcessor.clean_llm_response(cleaned) == cleaned
    if not report.ok:
        assert report.refusal is not None
        assert report.refusal.feedback
        return
    assert_from(text, _texts(report.value))
    again = extract_with_report(json.dumps(report.value))
    assert again.ok, again.refusal
    assert same_json(again.value, report.value)


def sections_law(text: str) -> None:
    """`multi_section_parser` with headers, with patterns and between dividers."""
    for headers, patterns in ((HEADERS, False), (None, False), ((r"\[\w+\]",), True)):
        for mode in ("ALL", "ANY"):
            result = multi_section_parser(text, headers, patterns, mode)
            if result["status"] == "error":
                assert result["feedback"]
                continue
            found = result.get("sections", result.get("data"))
            assert_from(text + "".join(HEADERS), _texts(found))


def tool_calls_law(text: str) -> None:
    """`parse_llm_response`."""
    response = parse_llm_response(text)
    calls = response.tool_calls or []
    assert_from(text, [call.name for call in calls])
    assert_from(text, _texts([call.arguments for call in calls]))
    if not calls and response.content is not None:
        assert_from(text, [response.content])


def search_law(text: str) -> None:
    """`parse_search_results`."""
    page = parse_search_results(text)
    if page["status"] == "error":
        assert page["feedback"]
        return
    items: list[SearchResultItem] = page["data"]
    for item in items:
        assert item.url.startswith(("http://", "https://"))
    assert_from(text, [part for item in items for part in (item.title, item.snippet)])


LAWS: Final[tuple[Callable[[str], None], ...]] = (
    json_law,
    sections_law,
    tool_calls_law,
    search_law,
)


def check(data: bytes) -> None:
    """Hold the law that the first byte chooses on the text of the others."""
    if data:
        law = LAWS[data[0] % len(LAWS)]
        law(data[1:].decode("utf-8", errors="replace"))
