"""`python -m bench.plain`: passages of two books in both orders, and what is paid only once."""

import json
from pathlib import Path

import pytest
from bench import plain


def test_each_pair_comes_in_both_orders_and_the_key_stands_apart(tmp_path: Path) -> None:
    books = {"a": "She came. It was late. She left.", "b": "He came. Rain fell. He stayed."}
    for name, text in books.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    pair = {"about": "the arrival", "passages": [["She came", "late."], ["He came", "fell."]]}
    (tmp_path / "pairs.json").write_text(json.dumps([pair]), encoding="utf-8")
    places = [str(tmp_path / name) for name in ("a", "b", "pairs.json", "sheets")]
    plain.main(["sheets", *places])
    one, other = ((tmp_path / "sheets" / f"01{order}.md").read_text() for order in "xy")
    assert one.index("It was late.") < one.index("Rain fell.")
    assert other.index("Rain fell.") < other.index("It was late.")
    assert "She left" not in one + other
    assert all(question in one for question in plain.QUESTIONS)
    key = json.loads((tmp_path / "sheets" / "key.json").read_text())
    assert key == {"01x": ["a", "b"], "01y": ["b", "a"]}


def test_an_end_that_stands_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("One. One. Two.", encoding="utf-8")
    pair = {"about": "x", "passages": [["One.", "Two."], ["One.", "Two."]]}
    (tmp_path / "pairs.json").write_text(json.dumps([pair]), encoding="utf-8")
    places = [str(tmp_path / name) for name in ("a", "a", "pairs.json", "sheets")]
    with pytest.raises(SystemExit, match="2 times"):
        plain.main(["sheets", *places])


def test_a_book_that_is_there_is_not_asked_for_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("outline", "01", "02"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nFour words of prose.\n")
        (tmp_path / f"{name}.call.json").write_text(
            '{"prompt_tokens": 100, "completion_tokens": 10, "usd": 0.5}'
        )
    plain.main(
        [
            "write",
            "A keeper.",
            str(tmp_path),
            "--model",
            "none/at-all",
            "--chapters",
            "2",
            "--words",
            "200",
        ]
    )
    assert "300 tokens in, 30 out, 1.50 USD" in capsys.readouterr().out
    assert (tmp_path / "manuscript.md").read_text().count("Four words") == 2
