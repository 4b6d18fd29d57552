"""Patches: exactly one place, nothing lost, never worse."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.checks.prose import fresh

from libriscribe2.checks.gates.gate import GateContext, GateFigures, examined
from libriscribe2.checks.patching import MOST_CHANGE, apply, patched
from libriscribe2.models.reviews import Patch
from libriscribe2.prose import count_words

MARK = "[@n-0123456789ab]"
TEXT = f"""# The Lamp

Mara climbed the stairs. The wind pulled at the door{MARK}, and the lamp swung.

* * *

<!-- libriscribe2: allow R1 -->
Jon waited below. The wind pulled at the boats. 灯塔守护者发现地图。
"""

PIECES = st.sampled_from(
    [
        "Mara", "climbed the stairs", "The wind pulled at the", "door", MARK, "* * *", "\n\n", " ",
        "# The Lamp", "# Two", "<scene>", "```", "waited", "below.", "灯塔", "地图", "<!--", "-->",
        "[@n-1]", "lamps", "lamp", "[", "#", "*", "n-0123456789ab]", "\n",
    ]
)  # fmt: skip
WORDS = st.lists(PIECES, max_size=5).map(" ".join) | st.lists(PIECES, max_size=5).map("".join)
PATCH = st.builds(Patch, find=WORDS, replace=WORDS)


def flat(_text: str) -> GateFigures:
    return GateFigures({})


def words_of(text: str) -> GateFigures:
    """A judge to whom every `very` is a fault."""
    return GateFigures({"very": float(text.split().count("very"))})


def test_T10_a_patch_whose_words_stand_once_is_applied_there() -> None:
    done = apply(TEXT, Patch(find="Mara climbed the stairs.", replace="Mara took the stairs."))
    assert done.reason == ""
    assert done.text == TEXT.replace("climbed", "took")


def test_T10_words_that_stand_nowhere_or_twice_or_in_a_word_are_refused() -> None:
    told = {
        find: apply(TEXT, Patch(find=find, replace="x")).reason
        for find in ("the wind pulled", "The wind pulled at the", "lam", "  ", "stair")
    }
    assert "do not stand" in told["the wind pulled"]
    assert "more than once" in told["The wind pulled at the"]
    assert "inside a word" in told["stair"]
    assert "no words" in told["  "]
    assert apply(TEXT, Patch(find="aa", replace="b")).text == TEXT
    assert "more than once" in apply("aaa bbb", Patch(find="aa", replace="c")).reason


TYPESET = "# The Lamp\n\n\u201cIt\u2019s late,\u201d she said \u2014 and the\nlamp went out. \u201cJon\u2019s lamp.\u201d\n\nHe waited\u2026\n"


@pytest.mark.parametrize(
    ("find", "replace", "made"),
    [
        (
            '"It\'s late," she said',
            '"It\'s early," said she',
            "\u201cIt\u2019s early,\u201d said she",
        ),
        ("and the lamp went out.", "and it's dark--now.", "and it\u2019s dark\u2014now."),
        ("She said - and the lamp", "x", ""),
        ("He waited...", 'He waited... "Jon?"', "He waited\u2026 \u201cJon?\u201d"),
        (
            "\u201cJon\u2019s lamp.\u201d",
            "\"'Jon's,' she said.\"",
            "\u201c\u2018Jon\u2019s,\u2019 she said.\u201d",
        ),
    ],
)
def test_a_patch_is_found_as_a_quote_is_and_takes_on_the_typography_of_the_text(
    find: str, replace: str, made: str
) -> None:
    done = apply(TYPESET, Patch(find=find, replace=replace))
    assert (made in done.text, done.reason == "") == (True, bool(made))


def test_words_that_differ_in_typography_from_two_places_are_refused() -> None:
    text = "She said \u201cit\u2019s late\u201d. He said \u201cit\u2019s late\u201d."
    assert "more than once" in apply(text, Patch(find='said "it\'s late"', replace="x")).reason


def test_a_text_with_plain_marks_gets_plain_marks() -> None:
    done = apply(
        '"It\'s late," she said.', Patch(find="late", replace="late\u2019s \u201cend\u201d")
    )
    assert done.text == '"It\'s late\'s "end"," she said.'


def test_words_without_blanks_between_them_can_be_patched() -> None:
    done = apply(TEXT, Patch(find="守护者", replace="看守人"))
    assert "灯塔看守人发现地图" in done.text


def test_a_mark_a_break_a_comment_and_the_title_outlive_every_patch() -> None:
    door = f"at the door{MARK}, and"
    for find, replace in (
        (door, "at the door, and"),
        (door, f"at the door{MARK} or window{MARK}, and"),
        ("swung.\n\n* * *\n\n<!-- libriscribe2", "swung.\n\n<!-- libriscribe2"),
        ("allow R1", "allow R2"),
        ("# The Lamp", "# A Lamp"),
        ("swung.", "swung.\n\n* * *\n\nAgain."),
        ("swung.", "swung.\n\n## Below"),
        ("swung.", "swung. <scene>"),
        ("Mara climbed", "```\nMara climbed"),
    ):
        done = apply(TEXT, Patch(find=find, replace=replace))
        assert (done.text, done.reason != "") == (TEXT, True), (find, replace)
    moved = apply(TEXT, Patch(find=door, replace=f"at the door and the hatch{MARK}, and"))
    assert moved.reason == ""


def test_a_comment_that_reaches_over_paragraphs_outlives_every_patch() -> None:
    text = "She ran. <!-- one\n\ntwo\n\nthree --> He stayed.\n"
    for find, replace in (("two", "two -->"), ("three", "<!-- three"), ("--> He", "He")):
        assert apply(text, Patch(find=find, replace=replace)).reason == (
            "it makes or loses a scene break, the mark of a note or a comment"
        )
    assert apply(text, Patch(find="He stayed", replace="He left")).reason == ""


def test_a_quotation_keeps_its_beginning_and_its_end() -> None:
    said = "Jon said: \u201cNever go back.\u201d And he left.\n\n\u201cWhy?\u201d asked Mara."
    half = apply(said, Patch(find="Never go back.\u201d And he left.", replace="And he left."))
    assert "quotation" in half.reason
    whole = apply(said, Patch(find="\u201cNever go back.\u201d And", replace="nothing. And"))
    assert not whole.reason
    german = "\u201eNie wieder\u201c, sagte Jon. Er ging."
    assert not apply(german, Patch(find="Er ging.", replace="\u201eNie\u201c, rief er.")).reason
    assert "quotation" in apply('"No," he said. "Go."', Patch(find='"Go."', replace='Go."')).reason


def test_a_leaked_heading_may_be_taken_out() -> None:
    text = "# The Lamp\n\n## Scene 1\n\nMara climbed."
    assert apply(text, Patch(find="## Scene 1", replace="")).text == "# The Lamp\n\nMara climbed."


def test_what_is_taken_out_leaves_one_gap() -> None:
    assert apply("A b. C d. E f.", Patch(find="C d.", replace="")).text == "A b. E f."
    assert apply("A b.\n\nC d.\n\nE f.\n", Patch(find="C d.", replace="")).text == "A b.\n\nE f.\n"
    assert apply("A b. C d.\n\nE f.", Patch(find="C d.", replace="")).text == "A b.\n\nE f."
    assert apply("A b. C d.", Patch(find="A b.", replace="")).text == "C d."
    assert apply("A b. C d.\n", Patch(find="C d.", replace="")).text == "A b.\n"


def test_T11_a_patch_that_makes_a_gate_worse_is_not_kept() -> None:
    patches = [
        Patch(find="Jon waited", replace="very very Jon waited"),
        Patch(find="Mara climbed", replace="Mara took"),
    ]
    done = patched(TEXT + fresh(1, 80), patches, words_of)
    assert [patch.find for patch in done.kept] == ["Mara climbed"]
    assert [reason for _, reason in done.refused] == ["worse by: very"]


def test_T11_a_degraded_rewrite_is_rejected_by_the_gates() -> None:
    around = GateContext(words=300)
    first, second = fresh(2, 40).capitalize() + ".", fresh(3, 40).capitalize() + "."
    text = f"{fresh(4, 110)}.\n\n{first}\n\n{second}\n\n{fresh(5, 110)}."
    looped = patched(
        text, [Patch(find=second, replace=first)], lambda one: examined(one, around).figures
    )
    assert looped.text == text
    assert "duplicate" in looped.refused[0][1]
    better = patched(
        text, [Patch(find=second, replace=fresh(6, 38))], lambda one: examined(one, around).figures
    )
    assert len(better.kept) == 1


def test_T11_a_mended_text_is_kept_where_a_gate_gets_better() -> None:
    around = GateContext()
    said = fresh(7, 30).capitalize() + "."
    text = f"{fresh(8, 300)}.\n\n{said}\n\n{fresh(9, 60)}. {said} {fresh(10, 30)}."
    tail = fresh(10, 30)
    done = patched(
        text,
        [Patch(find=f"{said} {tail}", replace=tail)],
        lambda one: examined(one, around).figures,
    )
    assert done.text.count(said) == 1


def test_every_version_is_measured_once() -> None:
    text = " ".join(f"Sentence {n} is very plain." for n in range(30))
    measured: list[str] = []

    def judge(version: str) -> GateFigures:
        measured.append(version)
        return words_of(version)

    patches = [
        Patch(find=f"Sentence {n} is very", replace=f"Sentence {n} is {word}")
        for n, word in enumerate(("most", "very very", "quite", "rather", "very very", "oddly"))
    ]
    done = patched(text, patches, judge)
    assert (len(done.kept), len(done.refused)) == (4, 2)
    assert len(measured) == len(set(measured)) == 1 + len(patches)


def test_all_patches_together_keep_the_length() -> None:
    text = ". ".join(fresh(n, 10).capitalize() for n in range(20))
    parts = text.split(". ")
    done = patched(text, [Patch(find=part, replace="") for part in parts], flat)
    assert len(done.kept) == 2
    assert abs(count_words(done.text) - 200) <= MOST_CHANGE * 200
    assert {reason for _, reason in done.refused} == {"it changes the length too much"}


@settings(deadline=None)
@given(st.lists(PATCH, max_size=6))
def test_T10_no_list_of_patches_loses_a_mark_or_breaks_anything(patches: list[Patch]) -> None:
    done = patched(TEXT, patches, flat)
    for lasting in (MARK, "* * *", "<!-- libriscribe2: allow R1 -->"):
        assert done.text.count(lasting) == 1
    assert done.text.startswith("# The Lamp\n")
    assert len(done.kept) + len(done.refused) == len(patches)
    assert "<scene>" not in done.text
    assert "```" not in done.text


@settings(deadline=None)
@given(PATCH, st.sampled_from([TEXT, "", "a", f"{TEXT}\n{TEXT}"]))
def test_T10_text_outside_the_words_that_match_is_unchanged(patch: Patch, text: str) -> None:
    done = apply(text, patch)
    find, replace = patch.find.strip(), patch.replace.strip()
    if done.reason:
        assert done.text == text
    else:
        before, after = text.split(find)
        left, right = done.text[: len(before.rstrip())], done.text[len(before.rstrip()) :]
        assert left == before.rstrip()
        assert right.strip() in {
            f"{replace}{after}".strip(),
            f"{replace} {after}".strip(),
            after.strip(),
        }


def test_a_patch_of_an_error_is_refused_for_no_lesser_fault() -> None:
    """The first line is chat; without it the opening is like another chapter's."""
    text = (
        "Here is chapter 4:\n\nThe seventh wave did not break." + "\n\nMara counted the waves." * 12
    )

    def judge(version: str) -> GateFigures:
        return GateFigures({"edge": 0.0 if version.startswith("Here") else 0.3, "length": 0.0})

    patch = Patch(issue=2, find="Here is chapter 4:", replace="")
    refused = patched(text, [patch], judge)
    assert [reason for _, reason in refused.refused] == ["worse by: edge"]
    assert patched(text, [patch], judge, errors={2}).text.startswith("The seventh wave")


def test_a_patch_of_an_error_that_makes_another_one_is_refused() -> None:
    def judge(version: str) -> GateFigures:
        return GateFigures({"leak": float(version.count("chapter")), "repetition": 5.0})

    patch = Patch(issue=1, find="Jon waited below.", replace="In this chapter Jon waited below.")
    assert not patched(TEXT, [patch], judge, errors={1}).kept


def test_a_clause_that_mends_a_long_chapter_stays_and_padding_is_refused() -> None:
    """In the book's own words: its chapter had 1,280 words of 900, and the mend was refused."""
    text = " ".join(
        [*(f"{fresh(n, 9).capitalize()}." for n in range(140)), "Winifred blotted the line."]
    )

    def judge(version: str) -> GateFigures:
        return GateFigures({"length": count_words(version) / 900})

    clause = "The company had kept them in the carriages all day, until the heating went."
    mend = Patch(issue=1, find="Winifred blotted", replace=f"{clause} Winifred blotted")
    assert patched(text, [mend], judge).kept
    padding = [
        Patch(find=fresh(n, 9).capitalize(), replace=f"{fresh(n, 9).capitalize()}. {clause}")
        for n in range(12)
    ]
    done = patched(text, padding, judge)
    assert len(done.kept) == 3
    assert {reason for _, reason in done.refused} == {"worse by: length"}
