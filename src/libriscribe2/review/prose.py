"""Markdown of a book as HTML that can do nothing: no raw HTML, no pictures, no scripts."""

from functools import lru_cache
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

from libriscribe2.exporters.paragraphs import too_long
from libriscribe2.exporters.prepass import harmless

_TAGS: Final = frozenset(
    {
        *("p", "br", "hr", "em", "strong", "s", "blockquote", "pre", "code", "a"),
        *("ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td"),
        *("h2", "h3", "h4", "h5", "h6"),
    }
)
_LOWEST: Final = 6


def _reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


@lru_cache(maxsize=256)
def prose_html(text: str) -> Markup:
    """A chapter as HTML; its headings begin at the second level, under the page's own.

    One with a paragraph over which the reader would sit for minutes is shown as plain text.
    """
    clean = harmless(text)
    if too_long(clean) is not None:
        return Markup("<pre>{}</pre>").format(clean)
    reader = _reader()
    tokens = reader.parse(clean)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + 1, _LOWEST)}"
    html = reader.renderer.render(tokens, reader.options, {})
    safe = nh3.clean(
        html, tags=set(_TAGS), attributes={"a": {"href"}}, url_schemes={"http", "https", "mailto"}
    )
    return Markup(safe)
