"""Replies whose line breaks between the tokens are written as escapes."""

from libriscribe2.replies.cleanup import extract_with_report

_MEMBER = '\\n  "name": "Ada"'


def test_escaped_line_breaks_between_tokens_are_layout() -> None:
    for text, value in (
        ("{" + _MEMBER + "\\n}", {"name": "Ada"}),
        ("[{" + _MEMBER + "}]", [{"name": "Ada"}]),
        ("Here:\n[\\n {" + _MEMBER + "}]", [{"name": "Ada"}]),
    ):
        report = extract_with_report(text)
        assert report.value == value
        assert [repair.name for repair in report.repairs] == ["escaped_line_breaks"]


def test_a_very_long_text_with_escaped_line_breaks_is_refused() -> None:
    report = extract_with_report("[{" + "},\\n{".join([_MEMBER] * 20_000) + "}]")
    assert report.value is None
    assert report.refusal is not None
