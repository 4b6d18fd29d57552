"""The heading with which a chapter begins."""

from typing import Final

from markdown_it import MarkdownIt

from libriscribe2.exporters.export_book import ExportChapter
from libriscribe2.exporters.prepass import prepared

_HEAD: Final = 4_000
"""Characters in which a heading at the beginning has to end."""

_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False})


def first_heading(text: str) -> str | None:
    """The plain text of a heading of level 1 at the very beginning; None where there is none."""
    tokens = _MARKDOWN.parse(text.lstrip("\n")[:_HEAD])
    if len(tokens) < 2 or (tokens[0].type, tokens[0].tag) != ("heading_open", "h1"):
        return None
    inner = tokens[1].children or []
    words = "".join(" " if one.type == "softbreak" else one.content for one in inner)
    return " ".join(words.split()) or None


def chapter_of(name: str, text: str, title: str) -> ExportChapter:
    """A chapter for the exporters; one without a heading gets `title` as its own.

    Args:
        name: Its file.
        text: Markdown as it stands in the file.
        title: Plain text.
    """
    body, plain = prepared(text), prepared(title)
    heading = first_heading(body)
    if heading is not None:
        return ExportChapter(name, heading, body)
    return ExportChapter(name, plain, f"# {_literal(plain)}\n\n{body}", added=2)


def _literal(title: str) -> str:
    """A title as Markdown that means just these characters."""
    escaped = (
        "\\" + one if one.isascii() and not one.isalnum() and one != " " else one for one in title
    )
    return "".join(escaped)
