"""Versions of one chapter: what is said of one does not depend on those examined before."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.checks.prose import fresh

from libriscribe2.checks.gates.gate import GateContext, examined, measured
from libriscribe2.models.story import OutlineChapter, ScenePlan

AGAIN = " ".join(f"{fresh(n, 10).capitalize()}." for n in range(3))
MORAL = "In the end, she had learned what truly mattered."
BLOCKS = (
    "# The Lamp", "* * *", AGAIN, f"{AGAIN} She ran.", MORAL, f"{fresh(9, 30).capitalize()}.",
    "Mara went up. Mara lit it. Mara sat. Mara spoke. Mara left, and Marra came.",
    "Scene 3", "[insert the storm", "and what came of it] here", "<!-- one", "two -->", "",
    "As an AI, I was there.", "She was told that the lamp is out, is cold, has gone.",
    "He said “no", "Up there Mara goes to the top of the tower and lights the great lamp at last.",
    "\u706f\u5854\u706f\u5854\u706f\u5854\u706f\u5854\u706f\u5854\u706f\u5854\u706f\u5854\u3002",
    "Word count: 500", f"{fresh(4, 8)} {fresh(4, 8)} {fresh(4, 8)}",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(BLOCKS), max_size=9).map("\n\n".join)


def around() -> GateContext:
    return GateContext(
        number=2,
        outline=OutlineChapter(
            title="The Lamp",
            summary="Mara goes to the top of the tower and lights the great lamp at last.",
            beats=["Mara goes up and lights the lamp", f"{fresh(9, 6)} stands"],
        ),
        scenes=[ScenePlan(summary="It happens.")],
        before=f"{fresh(1, 20)}\n\n{AGAIN}",
        earlier=[f"# One\n\n{fresh(1, 20)}\n\n{AGAIN}", f"{fresh(4, 8)}\n\nShe ran."],
        people=["Mara Voss"],
        words=60,
    )


@settings(deadline=None)
@given(st.lists(TEXTS, min_size=2, max_size=4))
def test_a_version_is_examined_as_if_it_were_the_only_one(versions: list[str]) -> None:
    shared = around()
    for text in (*versions, versions[0]):
        assert measured(text, shared) == measured(text, around())
        whole = examined(text, around())
        assert examined(text, shared) == whole


@pytest.mark.parametrize("gap", ["\n\n", "\n", "\n \n"])
def test_a_remark_that_reaches_over_a_blank_line_is_found_where_it_begins(gap: str) -> None:
    text = f"She ran.\n\n[insert the storm{gap}and the wreck] He stayed.\n"
    found = [one for one in examined(text, GateContext()).findings if one.rule == "leak"]
    assert [(one.where.line, one.where.quote) for one in found] == [(3, "[insert the storm")]


def test_many_versions_of_one_paragraph_are_alike_in_any_order() -> None:
    versions = [f"{AGAIN} {word.capitalize()}." for word in ("one", "two", "three")]
    shared = GateContext(drafted=True)
    for first, second in pairwise((*versions, *reversed(versions))):
        (found,) = (
            one
            for one in examined(f"{first}\n\n{second}", shared).findings
            if one.severity == "error" and one.rule == "duplicate"
        )
        assert found.where.line == 3


def test_a_paragraph_in_another_script_is_found_again_in_an_english_chapter() -> None:
    letter = "\u706f\u5854\u5b88\u5728\u6d77\u8fb9\u627e\u5230\u4e86" * 4 + "\u3002"
    beside = GateContext(number=2, earlier=[f"# One\n\n{fresh(1, 90)}.\n\n{letter}\n"])
    told = examined(f"# Two\n\n{fresh(2, 90)}.\n\n{letter}\n", beside).findings
    assert [one.where.line for one in told if one.rule == "duplicate"] == [5]
