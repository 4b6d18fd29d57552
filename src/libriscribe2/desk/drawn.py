"""What is drawn for a page: covers and curves as SVG, a book's Markdown as HTML that can do nothing."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from libriscribe2.exporters.export_checks import harmless, too_long
from libriscribe2.models.story_bible import Thread

_PALETTES: Final = (
    ("#23395b", "#8fb8de", "#f2d0a9"),
    ("#3d2c2e", "#c08552", "#f3e9dc"),
    ("#1f3d36", "#6fa287", "#f0ead2"),
    ("#4a2545", "#c880b7", "#fbe8e7"),
    ("#5c1a1b", "#d9826a", "#f7e6d4"),
    ("#1b2a41", "#c9a227", "#edf2f4"),
)
_LINE: Final = 13
"""Most characters of a line of a cover's title, but for a longer word."""


WIDE: Final = 1000
"""Width of a chart in its own units."""

_HIGH: Final = 150
_STEPS: Final = 10


def cover_svg(title: str, author: str, genre: str) -> str:
    """A cover from a book's title; the same title gives the same cover."""
    mark = hashlib.sha256(title.encode()).digest()
    dark, middle, light = _PALETTES[mark[0] % len(_PALETTES)]
    shapes = "".join(
        _stroke(mark[4 + 2 * n], mark[5 + 2 * n], n, middle) for n in range(3 + mark[1] % 4)
    )
    lines = _lines(title)
    size = 34 if len(lines) < 4 else 27
    told = Markup("").join(
        Markup('<tspan x="120" dy="{}">{}</tspan>').format(0 if n == 0 else size * 1.2, line)
        for n, line in enumerate(lines)
    )
    text = Markup(
        '<text x="120" y="86" font-size="{}" font-weight="600">{}</text>'
        '<text x="120" y="336" font-size="14" letter-spacing="1">{}</text>'
        '<text x="120" y="36" font-size="10" letter-spacing="3">{}</text>'
    ).format(size, told, author, genre.upper())
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 360" width="240" height="360">'
        f'<rect width="240" height="360" fill="{dark}"/>{shapes}'
        f'<g fill="{light}" text-anchor="middle" font-family="Georgia, serif">{text}</g>'
        f'<rect x="10" y="10" width="220" height="340" fill="none" stroke="{light}" '
        'stroke-opacity=".45"/></svg>'
    )


def _stroke(one: int, other: int, number: int, colour: str) -> str:
    """A hill or a wave of the cover's lower half."""
    top, bend = 190 + number * 26 + one % 20, other % 90
    return (
        f'<path d="M0 {top} C {40 + bend} {top - 40}, {150 - bend} {top + 40}, 240 {top - 12} '
        f'V360 H0 Z" fill="{colour}" fill-opacity="{0.16 + 0.07 * number:.2f}"/>'
    )


def _lines(title: str) -> list[str]:
    """A title in lines of a cover, the last cut where there is no room."""
    lines, line = list[str](), ""
    for word in title.split():
        if line and len(line) + 1 + len(word) > _LINE:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line][:6]


def tension_svg(values: Sequence[int | None]) -> Markup:
    """The tension of a plan, chapter by chapter, from 0 to 10; a table beside it says the same."""
    count = len(values)
    places = [
        (_x(n, count), _HIGH - 12 - (_HIGH - 30) * value / _STEPS, n + 1, value)
        for n, value in enumerate(values)
        if value is not None
    ]
    if len(places) < 2:
        return Markup("")
    path = " ".join(f"{'L' if n else 'M'}{x:.1f} {y:.1f}" for n, (x, y, _, _) in enumerate(places))
    first, last = places[0][0], places[-1][0]
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5"/>'
        f'<text x="{x:.1f}" y="{_HIGH - 0.5}" text-anchor="middle">{number}</text>'
        for x, y, number, _ in places
    )
    told = ", ".join(f"chapter {number}: {value}" for _, _, number, value in places)
    return Markup(
        f'<svg class="tension" viewBox="0 0 {WIDE} {_HIGH + 6}" role="img" '
        f'aria-label="Tension, {told}">'
        f'<path class="area" d="{path} L{last:.1f} {_HIGH - 14} L{first:.1f} {_HIGH - 14} Z"/>'
        f'<path class="curve" d="{path}"/>{dots}</svg>'
    )


def _x(place: int, count: int) -> float:
    return WIDE * (place + 0.5) / max(1, count)


def threads_svg(threads: Sequence[Thread], chapters: int) -> Markup:
    """Each thread as a line from its set-up to its pay-off."""
    if not threads or not chapters:
        return Markup("")
    row, parts = 36, list[str]()
    for n, one in enumerate(threads):
        y, start = 26 + n * row, _x(min(one.setup, chapters) - 1, chapters)
        end = _x(min(one.payoff or chapters, chapters) - 1, chapters)
        kind = "paid" if one.payoff else "open"
        parts.append(
            f'<line class="{kind}" x1="{start:.1f}" y1="{y}" x2="{end:.1f}" y2="{y}"/>'
            f'<circle cx="{start:.1f}" cy="{y}" r="6"/>'
        )
        if one.payoff:
            parts.append(f'<rect x="{end - 6:.1f}" y="{y - 6}" width="12" height="12"/>')
        label = Markup('<text x="{}" y="{}">{}</text>').format(
            f"{min(start, WIDE - 260) + 12:.1f}", y - 9, one.id
        )
        parts.append(label)
    high = len(threads) * row + 4
    return Markup(
        f'<svg class="threads" viewBox="0 0 {WIDE} {high}" role="img" '
        f'aria-label="Threads from set-up to pay-off; the list below says the same">'
        f"{''.join(parts)}</svg>"
    )


def bars_svg(values: Sequence[tuple[str, float]], what: str) -> Markup:
    """Columns side by side, such as the words of each chapter."""
    most = max((value for _, value in values), default=0)
    if not most:
        return Markup("")
    wide = WIDE / len(values)
    told = ", ".join(f"{name}: {value:,.0f}" for name, value in values)
    columns = "".join(
        f'<rect x="{n * wide + wide * 0.15:.1f}" y="{_HIGH - 16 - 120 * value / most:.1f}" '
        f'width="{wide * 0.7:.1f}" height="{120 * value / most:.1f}"/>'
        f'<text x="{(n + 0.5) * wide:.1f}" y="{_HIGH - 1}" text-anchor="middle">{n + 1}</text>'
        for n, (_, value) in enumerate(values)
    )
    label = Markup('aria-label="{}"').format(f"{what}, {told}")
    return Markup(
        f'<svg class="bars" viewBox="0 0 {WIDE} {_HIGH + 4}" role="img" {label}>{columns}</svg>'
    )


def range_svg(value: float, low: float | None, high: float | None) -> Markup:
    """A value beside the range that published books have."""
    most = max(value, high if high is not None else 0, low or 0) * 1.15 or 1
    start = 200 * (low or 0) / most
    end = 200 * (high if high is not None else most) / most
    inside = (low or 0) <= value <= (high if high is not None else value)
    return Markup(
        '<svg class="range" viewBox="0 0 200 14" aria-hidden="true">'
        '<rect class="rail" y="6" width="200" height="2"/>'
        f'<rect class="band" x="{start:.1f}" y="3" width="{max(2.0, end - start):.1f}" height="8"/>'
        f'<circle class="{"in" if inside else "out"}" cx="{200 * value / most:.1f}" cy="7" r="5"/></svg>'
    )


_TAGS: Final = frozenset(
    {
        *("p", "br", "hr", "em", "strong", "s", "blockquote", "pre", "code", "a"),
        *("ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td"),
        *("h2", "h3", "h4", "h5", "h6"),
    }
)
_LOWEST: Final = 6


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
    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
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
