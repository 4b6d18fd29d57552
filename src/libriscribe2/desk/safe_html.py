"""Markdown of a book as HTML that can do nothing: no raw HTML, no pictures, no scripts."""

from collections.abc import Iterable
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from libriscribe2.exporters.export_checks import harmless, too_long

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


def line_anchor(text: str, line: int) -> str:
    """The name by which `prose_html` knows the block of a text in which a line stands."""
    lines = text.split("\n")[:line]
    while len(lines) > 1 and lines[-2].strip():
        lines.pop()
    return f"line-{max(1, len(lines))}"


def prose_html(text: str, *, anchored: bool = False) -> Markup:
    """A chapter as HTML; its headings begin at the second level, under the page's own.

    One with a paragraph over which the reader would sit for minutes is shown as plain text.

    Args:
        text: Its Markdown.
        anchored: Whether every block is named after its first line (`line_anchor`), so that
            other pages can lead to it.
    """
    clean = harmless(text)
    if too_long(clean) is not None:
        return Markup("<pre>{}</pre>").format(clean)
    reader = _reader()
    tokens = reader.parse(clean)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + 1, _LOWEST)}"
    if anchored:
        _name_blocks(tokens)
    html = reader.renderer.render(tokens, reader.options, {})
    safe = nh3.clean(
        html,
        tags=set(_TAGS),
        # `//host` takes the scheme of the page, a path its place: both would lead elsewhere.
        url_relative="deny",
        # No text can name itself: its own HTML is not read as such.
        attributes={"a": {"href"}, "*": {"id"}},
        url_schemes={"http", "https", "mailto"},
    )
    return Markup(safe)


def _name_blocks(tokens: Iterable[Token]) -> None:
    """Name the outermost block that begins on a line after that line."""
    named: set[int] = set()
    for token in tokens:
        if token.map is None or token.nesting < 0 or token.hidden or token.type == "inline":
            continue
        line = token.map[0] + 1
        if line not in named:
            token.attrSet("id", f"line-{line}")
            named.add(line)
