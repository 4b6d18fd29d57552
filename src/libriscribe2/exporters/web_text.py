"""A chapter as HTML that holds nothing but text: no markup of the chapter's own ever gets in."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

import nh3
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from libriscribe2.exporters.book_markdown import (
    KINDS,
    LINES,
    SMALL_CAPS,
    book_parser,
    mark_lines,
    project_path,
    without_tags,
)
from libriscribe2.exporters.export_checks import TYPES, harmless

_TAGS: Final = frozenset(
    {
        *("h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "em", "strong", "s", "code", "pre"),
        *("blockquote", "ul", "ol", "li", "a", "sup", "img", "figure"),
        *("table", "thead", "tbody", "tr", "th", "td", "section", "div", "span"),
        *("ruby", "rt", "rp"),
    }
)
_ATTRIBUTES: Final = {
    "a": {"href", "id"},
    "li": {"id"},
    "img": {"src", "alt"},
    "ol": {"start"},
    "section": {"class"},
    "div": {"class"},
    "p": {"class"},
    "span": {"class"},
    "th": {"style"},
    "td": {"style"},
}
_ALIGNED: Final = re.compile(r"text-align:(?:left|right|center)")
_LINK: Final = re.compile(r"(?:https?://|mailto:|#(?:note|ref|cite|source)-\d)")
_CITED: Final = re.compile(r"(cite|source):(\d+)")
_PICTURE: Final = re.compile(r"data:image/(?:png|jpeg|gif);base64,|\.\./media/picture-\d+\.[a-z]+$")
_BREAK: Final = re.compile(r"<br\s*/?>", re.IGNORECASE)


class WebText:
    """Turns chapters into HTML.

    Args:
        images: Pictures of the project by their path in it.
    """

    def __init__(self, images: Mapping[str, Path]) -> None:
        self._images = images
        self._cited = set[str]()
        self._renderer = RendererHTML()
        self._markdown = book_parser()
        self._markdown.renderer = self._renderer
        rules: dict[str, Any] = {
            **self._renderer.rules,
            "image": self._image,
            "note_reference": lambda tokens, at, _options, env: _mark(tokens[at], env["place"]),
            "ruby_close": lambda tokens, at, _options, _env: _reading(tokens[at].meta["said"]),
            "html_inline": lambda tokens, at, _options, _env: _tag(tokens[at].content),
            "html_block": lambda tokens, at, _options, _env: _paragraph(tokens[at].content),
        }
        self._renderer.rules = rules

    def chapter(self, text: str, place: int) -> str:
        """The HTML of a chapter; its headings begin at level 2.

        Args:
            text: Markdown that went through `prepass`.
            place: Its number among the parts of the book, for the ids of its notes.
        """
        env: dict[str, Any] = {"notes": {}, "used": [], "place": place}
        tokens = self._markdown.parse(text, env)
        _lower(tokens)
        mark_lines(tokens)
        self._link_citations(tokens)
        body = self._renderer.render(tokens, self._markdown.options, env)
        # A character reference may have brought in what the prepass took out.
        return harmless(_safe(body + self._notes(env)))

    def _link_citations(self, tokens: Sequence[Token]) -> None:
        """Let citations and references lead to each other: `cite:1` to `source:1` and back."""
        for token in (one for block in tokens for one in block.children or []):
            found = _CITED.fullmatch(str(token.attrs.get("href", "")))
            if token.type == "link_open" and found:
                other = "source" if found[1] == "cite" else "cite"
                token.attrs["href"] = f"#{other}-{found[2]}"
                own = f"{found[1]}-{found[2]}"
                if own not in self._cited:
                    self._cited.add(own)
                    token.attrs["id"] = own

    def _notes(self, env: dict[str, Any]) -> str:
        """The notes of a chapter as a list; "" where it has none."""
        if not env["used"]:
            return ""
        place = env["place"]
        items = []
        for mark, label in enumerate(env["used"], start=1):
            note = self._markdown.render(env["notes"][label], {"notes": {}, "used": []})
            back = f'<a href="#ref-{place}-{mark}">↩</a>'
            items.append(f'<li id="note-{place}-{mark}">{note}{back}</li>')
        return f'<section class="notes"><ol>{"".join(items)}</ol></section>'

    def _image(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        """A picture of the project inside the page; any other as its alternative text."""
        token = tokens[at]
        inner = list(token.children or [])
        alt = escape(self._renderer.renderInlineAsText(inner, options, env))
        file = self._images.get(project_path(str(token.attrs.get("src", ""))))
        if file is None:
            return f"[{alt}]"
        return f'<img src="{self.source(file)}" alt="{alt}">'

    def source(self, file: Path) -> str:
        """Where the page finds a picture of the project: in itself."""
        data = b64encode(file.read_bytes()).decode("ascii")
        return f"data:{TYPES[file.suffix.lower()]};base64,{data}"


def _mark(token: Token, place: int) -> str:
    """The raised number that leads to a note."""
    mark = token.meta["mark"]
    return f'<sup><a id="ref-{place}-{mark}" href="#note-{place}-{mark}">{mark}</a></sup>'


def _reading(said: str) -> str:
    """The reading of characters, in brackets where a reader shows none beside them."""
    return f"<rp>（</rp><rt>{said}</rt><rp>）</rp></ruby>"


def _tag(tag: str) -> str:
    """What stays of a tag of the chapter's own: only a line break."""
    return "<br>" if _BREAK.fullmatch(tag) else ""


def _paragraph(block: str) -> str:
    """What stays of a block of HTML."""
    words = without_tags(block)
    return f"<p>{escape(words)}</p>" if words else ""


def _lower(tokens: Sequence[Token]) -> None:
    """Put every heading one level lower, below the book's title, and skip no level."""
    last = 1
    for token in tokens:
        if token.type == "heading_open":
            last = min(int(token.tag[1]) + 1, last + 1, 6)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{last}"


def _safe(body: str) -> str:
    """HTML of the known tags and attributes only."""
    return nh3.clean(
        body,
        tags=set(_TAGS),
        attributes={name: set(names) for name, names in _ATTRIBUTES.items()},
        attribute_filter=_kept,
        url_schemes={"http", "https", "mailto", "data"},
        link_rel="noopener noreferrer",
    )


def _kept(tag: str, name: str, value: str) -> str | None:
    """The value of an attribute, or None where it is none of ours."""
    patterns = {("a", "href"): _LINK, ("img", "src"): _PICTURE}
    if name == "class":
        return value if value in (*KINDS, LINES, SMALL_CAPS, "notes") else None
    if name == "style":
        return value if _ALIGNED.fullmatch(value) else None
    pattern = patterns.get((tag, name))
    return value if pattern is None or pattern.match(value) else None
