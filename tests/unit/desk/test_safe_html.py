"""Chapters as HTML: nothing in them can run or fetch, judged by the parsed document."""

import pytest
from bs4 import BeautifulSoup

from libriscribe2.desk.drawn import prose_html

PAYLOADS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script>",
    '<iframe src="javascript:alert(1)"></iframe>',
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "[x](//evil.example/y)",
    "[x](/\\\\evil.example)",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](vbscript:msgbox(1))",
    "<javascript:alert(1)>",
    "![x](http://evil.example/a.png)",
    "![x](javascript:alert(1))",
    '![x"onerror="alert(1)](x)',
    "<a href=x onclick=alert(1)>x</a>",
    "<body onload=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<style>@import 'http://evil.example/a.css'</style>",
    '<link rel=stylesheet href="http://evil.example/a.css">',
    '<meta http-equiv=refresh content="0;url=http://evil.example">',
    '<base href="http://evil.example/">',
    '<object data="http://evil.example/a.swf"></object>',
    '<form action="http://evil.example"><button>x</button></form>',
    "<math><mtext></mtext><mglyph><style><img src=x onerror=alert(1)>",
    '<p style="background:url(http://evil.example)">x</p>',
    "<!--<img src=x onerror=alert(1)>-->",
    "`<script>alert(1)</script>`",
    "    <script>alert(1)</script>",
    '[x]: javascript:alert(1) "t"\n\n[x]',
    "\x00<scr\x00ipt>alert(1)</script>",
)
LIVE = (
    "script,img,svg,iframe,object,embed,style,link,meta,base,form,input,button,details,math,video"
)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_in_a_chapter_is_alive(payload: str) -> None:
    made = BeautifulSoup(
        prose_html(f"# T {payload}\n\nBefore. {payload}\n\n{payload}\n"), "html.parser"
    )
    assert made.select(LIVE) == []
    for tag in made.find_all(name=True):
        assert set(tag.attrs) <= {"href", "rel"}
        assert str(tag.get("href", "http:")).startswith(("http:", "https:", "mailto:"))
    assert "Before." in made.get_text()


def test_what_an_author_writes_is_kept() -> None:
    made = prose_html("# Title\n\n*a* **b** ~~c~~\n\n* * *\n\n> q\n\n| x |\n|---|\n| y |\n")
    for part in (
        "<h2>Title</h2>",
        "<em>a</em>",
        "<strong>b</strong>",
        "<s>c</s>",
        "<hr>",
        "<td>y</td>",
    ):
        assert part in made


def test_a_paragraph_of_two_million_letters_is_shown() -> None:
    assert len(prose_html("word " * 400_000)) > 1_900_000


def test_half_a_surrogate_does_no_harm() -> None:
    assert "\ufffd" in prose_html("a \ud800 b")


def test_a_paragraph_over_which_the_reader_would_sit_for_minutes_is_shown_as_it_is() -> None:
    html = prose_html("# T\n\n" + "[<b>" * 400_000)
    assert html.startswith("<pre># T\n\n[&lt;b&gt;")
    assert "<b>" not in html
