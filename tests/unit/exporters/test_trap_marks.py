"""Every trap of Markdown that was found by trying, each alone through pandoc."""

import re
from pathlib import Path

import pytest
from tests.support.exported import converted, plain
from tests.support.hand_made import HandMade, png

pytest.importorskip("pypandoc")


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("# A\n\nHi @keeper.\n", "A Hi @keeper."),
        ("# A\n\n---\nkey: value\n---\n", "A key: value"),
        ("# A\n\n1986. A great year\n", "A A great year"),
        ("# A\n\nIt is $5 and $6 :smile: here\n", "A It is $5 and $6 :smile: here"),
        ("# A\n\na<br>b <b>c</b> <script>d</script>\n", "A a b c d"),
        ("# A\n\n<center>\n  b *c*\n</center>\n\n<!-- d -->\n\n<p>e</p>\n", "A b c e"),
        ("# A\n\n![alt](https://example.org/x.png)\n", "A [alt]"),
        ("# A\n\n&#x1F;&#x202E;&#xFFFE;x\n", "A x"),
    ],
)
def test_EX_3_what_is_written_is_what_is_read(tmp_path: Path, text: str, seen: str) -> None:
    assert plain(converted(tmp_path, text)) == seen


def test_EX_3_marks_without_a_blank_line_before_are_read(tmp_path: Path) -> None:
    html = converted(tmp_path, "# A\ntext\n## B\ntext\n- item\n\n* * *\n\n1986. Year\n")
    assert "<h2>B</h2>" in html
    assert "<li>item</li>" in html
    assert "<hr" in html
    assert 'start="1986"' in html


def test_EX_3_no_level_of_headings_is_skipped_and_no_id_is_the_texts(tmp_path: Path) -> None:
    html = converted(tmp_path, "# A\n\n#### B {#same}\n\n##### C\n\n## D\n\n#\n\n## \n")
    assert re.findall(r"<h(\d)", html) == ["1", "2", "3", "2"]
    assert 'id="same"' not in html


def test_EX_3_lists_and_quotations_are_nested_only_so_deep(tmp_path: Path) -> None:
    deep = "# A\n\n" + "> " * 300 + "deep\n\n" + "".join("  " * n + "- x\n" for n in range(100))
    html = converted(tmp_path, deep)
    assert html.count("<blockquote>") == 12
    assert html.count("<ul>") <= 24
    assert html.count("x</") + html.count("x\n") >= 100


def test_EX_3_a_picture_has_its_alternative_text_in_typst(tmp_path: Path) -> None:
    HandMade(tmp_path).write("images/a b.png", png())
    text = converted(tmp_path, '# A\n\n![a "b" \\\\](../images/a%20b.png)\n', "typst")
    assert r'#picture("picture-1.png", "a “b” \\")' in text
