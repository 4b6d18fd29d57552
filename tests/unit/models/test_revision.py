"""Critiques and patches as models tell them."""

from libriscribe2.models.excerpts import shown_blocks
from libriscribe2.models.reviews import Critique, Patches


def test_words_outside_the_lists_are_no_ground_for_refusing_a_critique() -> None:
    told = Critique.model_validate(
        {"issues": [{"kind": "Boring", "severity": "CRITICAL", "quote": "x", "why": ""},
                    {"kind": " Stock ", "severity": "Error", "quote": "", "why": "w"}]}
    )  # fmt: skip
    assert [(one.kind, one.severity) for one in told.issues] == [
        ("", "warning"),
        ("stock", "error"),
    ]
    assert Critique.model_validate({}).issues == []


def test_a_patch_keeps_its_blanks_and_may_be_empty() -> None:
    (patch,) = Patches.model_validate({"patches": [{"find": " a ", "replace": ""}]}).patches
    assert (patch.find, patch.replace, patch.issue) == (" a ", "", 0)


def test_blocks_are_shown_under_their_names_as_far_as_they_fit() -> None:
    shown = {"book": "title: A", "empty": " ", "places": "\n\n<places>\n[]\n</places>"}
    assert shown_blocks(shown, 900) == "<book>\ntitle: A\n</book>\n\n<places>\n[]\n</places>"
    assert shown_blocks({"long": "x" * 99, **shown}, 60).startswith("<book>")
    assert shown_blocks(shown, 0) == ""
