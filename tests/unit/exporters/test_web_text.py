"""Chapters as HTML: what is written is read, and nothing of it ever runs."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.hand_made import png

from libriscribe2.exporters.export_checks import prepared
from libriscribe2.exporters.web_text import WebText

ATTACKS = (
    *("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))"),
    *("![a](javascript:alert(1))", "<svg/onload=alert(1)>", "[a](data:text/html;base64,PHM+)"),
    *("<iframe src=//h>", "<a href='vbscript:x'>", "![a](https://h/x.png)", "`<script>`"),
    *(
        '[a](https://h "onmouseover=x")',
        "<style>*{}</style>",
        "|<b>|\n|-|\n|<script>x|",
        "&lt;b&gt;",
    ),
    *("[^1]\n\n[^1]: <script>x</script> [a](javascript:x)", "[^1]", "\n\n", "<!--", "-->", "# "),
)
_HARMLESS = {
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "em", "strong", "s", "code", "pre"),
    *("blockquote", "ul", "ol", "li", "a", "sup", "img", "section"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


class _Live(HTMLParser):
    """Collects what could run or load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _HARMLESS:
            self.found.append(tag)
        for name, value in attrs:
            address = (value or "").strip().lower()
            if name.startswith("on") or (name == "src" and not address.startswith("data:image/")):
                self.found.append(name)
            if name == "href" and not address.startswith(("https://", "#note-", "#ref-")):
                self.found.append(address)


@given(st.lists(st.sampled_from(ATTACKS), max_size=8).map(" ".join))
def test_EX_2_nothing_of_a_chapter_runs_or_loads(text: str) -> None:
    live = _Live()
    live.feed(WebText({}).chapter(prepared(text), 1))
    assert live.found == []


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# T\n\n#### Deep\n\n## Up\n", "<h2>T</h2>\n<h3>Deep</h3>\n<h3>Up</h3>\n"),
        ("a -- b --- c ...\n", "<p>a – b — c …</p>\n"),
        ('"No," (c) it\'s `--`\n', "<p>“No,” (c) it’s <code>--</code></p>\n"),
        ("a<br>b <b>c</b>\n", "<p>a<br>b c</p>\n"),
        ("<center>\nb &amp; c\n</center>\n", "<p>b &amp; c</p>"),
        (f"<p>\n&#{'1' * 4_400};\n</p>\n", f"<p>&amp;#{'1' * 4_400};</p>"),
        ("&#x202E;x\n", "<p>x</p>\n"),
        ("1986. A year\n", '<ol start="1986">\n<li>A year</li>\n</ol>\n'),
        ("![far](https://h/x.png)\n", "<p>[far]</p>\n"),
        ("[own](chapters/02.md)\n", '<p><a rel="noopener noreferrer">own</a></p>\n'),
    ],
)
def test_EX_2_what_is_written_is_what_is_read(text: str, html: str) -> None:
    assert WebText({}).chapter(text, 1) == html


def test_EX_2_notes_stand_at_the_end_with_ways_there_and_back() -> None:
    text = (
        "a[^x] b[^Y] c[^none] `[^x]`\n\n[^x]: One\nmore\n\n    And *two*.\n\n[^y]: Last\n\nAfter.\n"
    )
    html = WebText({}).chapter(text, 3)
    assert '<sup><a id="ref-3-1" href="#note-3-1"' in html
    assert '<li id="note-3-2"><p>Last</p>' in html
    assert "<p>One\nmore</p>\n<p>And <em>two</em>.</p>" in html
    assert "c[^none] <code>[^x]</code>" in html
    assert html.index("After.") < html.index("One")


def test_EX_2_a_picture_of_the_project_is_inside_the_page(tmp_path: Path) -> None:
    (tmp_path / "a b.png").write_bytes(png())
    web = WebText({"images/a b.png": tmp_path / "a b.png"})
    html = web.chapter('![A "map"](../images/a%20b.png)\n', 1)
    assert '<img src="data:image/png;base64,' in html
    assert 'alt="A &quot;map&quot;"' in html
