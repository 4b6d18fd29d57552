"""HTML as blocks: any soup of tags is read, and its words come out in order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.documents.chapter_division import divide
from libriscribe2.documents.html_reader import Notes, read_book_page
from libriscribe2.documents.text_reader import markdown_blocks

TAGS = ["p", "div", "em", "b", "h1", "h2", "ul", "ol", "li", "blockquote", "a", "sup", "pre", "td"]
TOKENS = st.sampled_from(
    [f"<{tag}>" for tag in TAGS]
    + [f"</{tag}>" for tag in TAGS]
    + ["<br/>", "<hr/>", '<a href="#n">', '<p id="n">', "<img src='x.png'/>", "<!-- x -->", "</"]
    + ["ab", " cd ", "\n", "*", "&amp;", "<?pi?>", "<script>no</script>", "<p hidden>no</p>"]
)


@given(st.lists(TOKENS, max_size=40).map("".join))
def test_any_soup_of_tags_is_read(html: str) -> None:
    page = read_book_page(html, file="a.xhtml", starts={"n": "N"}, notes=Notes())
    assert all(one.text.strip() for one in page.blocks)
    assert all(one.text.startswith("# ") for one in divide(page.blocks).chapters)


@given(st.lists(st.sampled_from(["p", "div", "h2", "em", "li"]), max_size=12))
def test_words_come_out_in_order(tags: list[str]) -> None:
    html = "".join(f"<{tag}>word{n}</{tag}> " for n, tag in enumerate(tags))
    told = " ".join(one.text for one in read_book_page(html).blocks)
    found = [word for word in told.replace("*", " ").split() if word.startswith("word")]
    assert found == [f"word{n}" for n in range(len(tags))]


@pytest.mark.parametrize(
    ("html", "blocks"),
    [
        ("<h2>A<br/>B</h2>", ["A: B"]),
        ("<p>a<span class='italic'>b</span></p>", ["a*b*"]),
        ("<p>a<span class='capital'>b</span></p>", ["ab"]),
        ("<p style='display: none'>x</p><p>y</p>", ["y"]),
        ("<pre>one\n  two</pre>", ["one\\\ntwo"]),
        ("<pre>one\n<b>two</b></pre>", ["one\\\n**two**"]),
        ("<table><tr><td>a</td><td>b</td></tr></table>", ["a | b"]),
        ("<ul><li>a<ul><li>b</li></ul></li></ul>", ["- a", "  - b"]),
        ("<p>2 &lt; 3</p>", ["2 \\< 3"]),
        ("<p>a</p><nav><p>menu</p></nav>", ["a"]),
    ],
)
def test_markup_becomes_markdown(html: str, blocks: list[str]) -> None:
    assert [one.text for one in read_book_page(html).blocks] == blocks


@given(st.text(st.sampled_from("ab #*_-=>`~[]()!:^|\n 1."), max_size=60))
def test_any_markdown_is_read_and_loses_no_word(text: str) -> None:
    def letters(told: str) -> str:
        return "".join(one for one in told if one in "ab")

    blocks, pictures = markdown_blocks(text)
    if not pictures and "]" not in text:
        assert letters("".join(one.text for one in blocks)) == letters(text)
