"""Each gate finds what is planted, and nothing in a sound text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.checks.prose import fresh

from libriscribe2.checks.gates.gate import GateContext, GateFigures, every_gate, examined
from libriscribe2.models.findings import Finding
from libriscribe2.models.story import OutlineChapter, ScenePlan

PLAN = OutlineChapter(title="The Lamp", summary="Mara goes up and lights it.")


def said(seed: int, count: int) -> str:
    """A made-up sentence."""
    return f"{fresh(seed, count).capitalize()}."


def prose(seed: int, sentences: int = 30) -> str:
    """Paragraphs of made-up sentences of ten words, no two alike."""
    told = [said(1_000 * seed + n, 10) for n in range(sentences)]
    return "\n\n".join(" ".join(told[start : start + 5]) for start in range(0, sentences, 5))


def chapter(seed: int, *, first: str = "", last: str = "", title: str = "The Lamp") -> str:
    parts = (f"# {title}", first, prose(seed), last)
    return "\n\n".join(part for part in parts if part) + "\n"


def of(kind: str, text: str, around: GateContext) -> list[Finding]:
    return [issue for issue in examined(text, around).findings if issue.rule == kind]


def test_a_sound_chapter_passes_every_gate() -> None:
    around = GateContext(
        number=2, outline=PLAN, before=chapter(1), earlier=[chapter(1)], people=["Mara Voss"],
        words=300,
    )  # fmt: skip
    seen = examined(chapter(2), around)
    assert seen.findings == ()
    assert set(seen.figures.values.values()) == {0.0}


def test_a_chapter_far_from_its_length_is_told_so_and_has_no_passage_to_patch() -> None:
    short = examined(chapter(3), GateContext(outline=PLAN, words=600))
    assert [one.why for one in short.findings] == ["300 words, 600 were asked for"]
    assert short.findings[0].where.quote == ""
    longer = examined(chapter(3), GateContext(outline=PLAN, words=150))
    assert short.figures.values["length"] == pytest.approx(0.25)
    assert longer.figures.values["length"] == pytest.approx(0.65)


def test_a_paragraph_that_stands_twice_is_found_at_its_second_place() -> None:
    again = " ".join(said(n, 10) for n in range(90, 93))
    text = chapter(4, first=again, last=f"{again} {said(99, 10)}")
    (found,) = of("duplicate", text, GateContext(outline=PLAN, drafted=True))
    assert (found.severity, found.where.quote) == ("error", said(90, 10))
    assert text.splitlines()[found.where.line - 1].startswith(said(90, 10))
    assert "earlier paragraph of the chapter" in found.why


@pytest.mark.parametrize(
    "mark",
    [
        *('"', "```\n", "\u201c", "*\u201c", "\u00ab ", "\u2014 ", "> ", "\\> "),
        *("* ", "- ", "12. ", "[^1]: "),
    ],
)
def test_what_somebody_said_may_be_quoted_and_is_no_error(mark: str) -> None:
    told = mark + " ".join(said(n, 10) for n in range(80, 83))
    earlier = [chapter(7, last=told), chapter(8)]
    around = GateContext(outline=PLAN, earlier=earlier, drafted=True)
    (found,) = of("duplicate", chapter(6, first=said(51, 9), last=told), around)
    assert (found.severity, found.rule) == ("warning", "duplicate")


def test_in_a_text_of_a_person_nothing_is_surely_a_fault() -> None:
    refrain = " ".join(said(n, 10) for n in range(80, 83))
    text = chapter(6, first=f"## Some seconds later\n\n{refrain}", last=refrain)
    for drafted in (True, False):
        around = GateContext(earlier=[chapter(7, last=refrain)], drafted=drafted)
        found = examined(text, around).findings
        assert {one.rule for one in found} >= {"duplicate", "edge", "leak"}
        assert ("error" in {one.severity for one in found}) is drafted


def test_a_paragraph_of_a_neighbour_is_found_whether_before_or_after() -> None:
    again = " ".join(said(n, 10) for n in range(80, 83))
    for around in (
        GateContext(outline=PLAN, before=f"{said(5, 9)}\n\n{again}"),
        GateContext(outline=PLAN, after=f"{said(5, 9)}\n\n{again}"),
        GateContext(outline=PLAN, earlier=[chapter(7, last=again), chapter(8)]),
    ):
        text = chapter(6, first=said(51, 9), last=f"{again} {said(77, 9)}")
        assert [one.why for one in of("duplicate", text, around)] == [
            "this paragraph says what another chapter has said in the same words"
        ]


def test_a_long_sentence_may_stand_once_and_a_short_one_as_often_as_it_likes() -> None:
    text = chapter(9, first=f"{said(60, 8)} Nobody spoke.", last=f"Nobody spoke. {said(60, 8)}")
    (found,) = of("duplicate", text, GateContext(outline=PLAN))
    assert (found.severity, found.where.quote) == ("warning", said(60, 8))


def test_T9_two_chapters_with_the_same_last_sentence_are_found() -> None:
    ending = "She put out the lamp."
    earlier = [chapter(n, last=ending) for n in (10, 11)]
    around = GateContext(outline=PLAN, earlier=earlier, drafted=True)
    (found,) = of("edge", chapter(12, last=f"{said(61, 9)} {ending}"), around)
    assert (found.severity, found.where.quote) == ("error", ending)
    assert "same ending sentence" in found.why
    assert of("edge", chapter(12, last=f"{ending} {said(61, 9)}"), around) == []


def test_T9_chapters_may_end_with_what_somebody_always_says() -> None:
    ending = "\u201cShe put out the lamp.\u201d"
    texts = (f"{chapter(n)}\n\n{said(n, 80)}\n\n{ending}\n" for n in (33, 34))
    around = GateContext(earlier=[next(texts)], drafted=True)
    (found,) = of("edge", next(texts), around)
    assert (found.severity, found.where.quote) == ("warning", ending)


def test_lists_of_sources_may_end_with_the_same_publisher() -> None:
    last = "Cambridge: Cambridge University Press."
    ours, theirs = (f"{chapter(n)}\n\nThe {said(n, 60)} {last}\n" for n in (31, 32))
    assert of("edge", ours, GateContext(earlier=[theirs], kind="non-fiction")) == []


def test_T9_the_end_of_the_chapter_before_is_enough_and_an_opening_counts_as_well() -> None:
    ending = "She put out the lamp."
    around = GateContext(outline=PLAN, before=f"{said(62, 9)}\n\n{ending}\n")
    assert len(of("edge", chapter(13, last=ending), around)) == 1
    around = GateContext(outline=PLAN, after=f"# Next\n\n{ending} {said(62, 9)}")
    assert len(of("edge", chapter(13, first=ending), around)) == 1


def test_T9_endings_that_share_their_words_are_found_without_the_same_sentence() -> None:
    ours = [said(n, 25) for n in (63, 64, 65)]
    around = GateContext(outline=PLAN, earlier=[chapter(14, last=" ".join(ours))])
    (found,) = of("edge", chapter(15, last=" ".join([*ours[1:], said(66, 25)])), around)
    assert found.severity == "warning"
    assert "the ending is much like" in found.why


def test_a_phrase_that_stands_too_often_is_quoted_once_where_it_stands_last() -> None:
    habit = "felt the lamp cold beneath her fingers"
    text = " ".join(f"{said(n, 8)} She {habit} {fresh(n + 500, 3)}." for n in range(20))
    found = of("repetition", text, GateContext())
    assert len(found) == 1
    assert "stands 20 times" in found[0].why
    assert found[0].where.quote == f"She {habit} {fresh(519, 3)}."
    assert of("repetition", text, GateContext(people=["Lamp Cold", "Beneath Fingers"])) == []


def test_phrases_of_earlier_chapters_are_named() -> None:
    habit = "the lamp went cold beneath her fingers"
    earlier = f"{prose(16)} Then {habit} again."
    text = " ".join(f"{said(n, 12)} And {habit} {fresh(n + 700, 5)}." for n in range(30, 34))
    around = GateContext(earlier=[earlier])
    told = [issue.why for issue in of("repetition", text, around)]
    assert "other chapters say `the lamp went cold beneath`, too" in told


def test_a_slip_of_a_name_is_noted_but_not_sent_to_be_patched_and_names_of_earlier_chapters_are_none() -> (
    None
):
    pytest.importorskip("wordfreq")
    text = chapter(17, last="They saw Dabreuil by the water.")
    around = GateContext(outline=PLAN, people=["Daubreuil"])
    (found,) = of("name", text, around)
    assert (found.severity, found.where.quote) == ("note", "They saw Dabreuil by the water.")
    known = GateContext(
        outline=PLAN, people=["Daubreuil"], earlier=["She met Dabreuil. Then Dabreuil left."]
    )
    assert of("name", text, known) == []


PAST = "She walked down and looked at her boats, and they were wet. "
PRESENT = "She walks down and looks at her boats, and they are wet, and it is cold. "
FIRST = "I walked down and looked at my boats, and then I was wet. "


def test_a_scene_in_another_tense_or_person_than_the_others_is_found() -> None:
    scenes = [PAST * 15, PRESENT * 15, FIRST * 15, PAST * 15]
    around = GateContext(earlier=[PAST * 20, PAST * 21])
    found = of("viewpoint", "\n\n* * *\n\n".join(scenes), around)
    assert [(one.where.line, one.where.quote) for one in found] == [
        (5, PRESENT.strip()),
        (9, FIRST.strip()),
    ]
    alone = of(
        "viewpoint", "\n\n* * *\n\n".join([PAST * 15, PRESENT * 15, PAST * 15]), GateContext()
    )
    assert [one.where.line for one in alone] == [5]


def test_viewpoint_is_judged_for_english_stories_only_and_never_on_one_chapter_alone() -> None:
    text = PRESENT * 15
    told = [PAST * 20, PAST * 21]
    assert of("viewpoint", text, GateContext(earlier=told))
    assert of("viewpoint", text, GateContext(earlier=told, language="German")) == []
    assert of("viewpoint", text, GateContext(earlier=told, kind="non-fiction")) == []
    assert of("viewpoint", text, GateContext(earlier=told[:1])) == []
    assert of("viewpoint", text, GateContext(earlier=[PAST * 20, PRESENT * 20])) == []


@pytest.mark.parametrize(
    "leak",
    [
        "## Scene 2",
        "**Scene 2: The Stairs**",
        "Chapter IV",
        "</text_before>",
        "```markdown",
        "As an AI, I would rather not.",
        "Here is the next scene of your story:",
        "(Word count: 812)",
        "[To be continued]",
        "I hope this scene works for you.",
        '"goal": "to see the lamp",',
    ],
)
def test_words_of_the_workshop_are_found_in_the_text(leak: str) -> None:
    text = f"# The Lamp\n\n{leak}\n\n{prose(19)}\n"
    (found,) = of("leak", text, GateContext(outline=PLAN, drafted=True))
    assert (found.severity, found.where.line) == ("error", 3)
    assert found.where.quote in leak


@pytest.mark.parametrize(
    "line",
    [
        "The scene 2 miles off was quiet.",
        "Part of her wanted to stay.",
        "Chapter 6: The Groups, should remind you of Chapter 2: The People. Both of them say "
        "what it is that brings somebody to act.",
        "“As an aid,” he said, “it will do.”",
        "She could hear the lamp. Here is the place, she thought.",
        "*The log said: go home.*",
        "* * *",
    ],
)
def test_what_a_story_may_say_is_no_leak(line: str) -> None:
    text = f"# The Lamp\n\n{said(3, 9)}\n\n{line}\n\n{prose(20)}\n"
    assert of("leak", text, GateContext(outline=PLAN)) == []


def test_the_title_is_no_leak_above_the_text_and_is_one_inside() -> None:
    around = GateContext(outline=PLAN)
    text = f"# The Lamp\n\n{prose(21)}\n\n# The Lamp\n\n{prose(22)}"
    (found,) = of("leak", text, around)
    assert text.splitlines()[found.where.line - 1] == "# The Lamp"
    assert found.where.line > 1
    assert len(of("leak", f"# Another\n\n{prose(21)}", around)) == 1


def test_headings_of_sections_are_no_leak_where_most_chapters_have_them() -> None:
    text = f"# The Lamp\n\n## Tobias\n\n{prose(21)}\n\n## Marguerite\n\n{prose(22)}\n\n```\n"
    with_them = [f"{prose(n)}\n\n## Tobias\n\n{prose(n + 1)}" for n in (30, 40, 50)]
    around = GateContext(outline=PLAN, earlier=[*with_them[:2], prose(60)])
    assert [one.where.quote for one in of("leak", text, around)] == ["```"]
    few = GateContext(outline=PLAN, earlier=[with_them[0], prose(60)])
    assert len(of("leak", text, few)) == 3
    assert len(of("leak", text, GateContext(outline=PLAN, earlier=with_them[:1]))) == 3


def test_a_text_that_repeats_its_plan_is_found() -> None:
    plan = ScenePlan(summary=said(70, 20))
    text = f"{prose(23)}\n\n{said(71, 6)} {said(70, 20)}"
    assert len(of("leak", text, GateContext(scenes=[plan]))) == 1
    assert of("leak", f"{prose(23)}\n\n{said(70, 10)}", GateContext(scenes=[plan])) == []


def test_figures_compare_gate_by_gate_and_forgive_what_is_next_to_nothing() -> None:
    one = GateFigures({"duplicate": 1.0, "repetition": 0.010})
    assert GateFigures({"duplicate": 2.0, "repetition": 0.0}).worse_than(one) == ("duplicate",)
    assert GateFigures({"duplicate": 1.0, "repetition": 0.011}).worse_than(one) == ()
    assert one.worse_than(one) == ()


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["# A", "x", "* * *", "<scene>", "“No.”", "灯塔。", "  ", "Mara ran.",
                              "<!-- a -->", "1.", "\r\n"]), max_size=12).map("\n\n".join)
    | st.text(max_size=200),
    st.text(max_size=60),
)  # fmt: skip
def test_no_text_breaks_a_gate(text: str, other: str) -> None:
    around = GateContext(
        outline=PLAN, scenes=[ScenePlan(summary="It happens.")], before=other, after=other,
        earlier=[other, text], people=["Mara Voss"], words=10,
    )  # fmt: skip
    seen = examined(text, around)
    assert set(seen.figures.values) == set(every_gate())
    assert all(value >= 0 for value in seen.figures.values.values())
    assert seen.figures.worse_than(seen.figures) == ()
    lines = text.count("\n") + 1
    assert all(1 <= issue.where.line <= lines for issue in seen.findings)


def test_T11_a_patch_that_only_shifts_where_pages_begin_is_not_worse() -> None:
    fresh_words = [said(n, 20) for n in range(140)]
    habit = ["She felt the lamp cold beneath her fingers."] * 25
    whole = " ".join([*fresh_words[:45], *habit, *fresh_words[45:]])
    shifted = " ".join([*fresh_words[5:45], *habit, *fresh_words[45:]])
    before, after = (examined(text, GateContext()).figures for text in (whole, shifted))
    assert after.worse_than(before) == ()
    looped = examined(" ".join([*fresh_words[:45], *habit * 2, *fresh_words[45:]]), GateContext())
    assert "repetition" in looped.figures.worse_than(before)


def test_a_short_answer_in_ideographs_and_a_picture_may_stand_twice() -> None:
    talk = "\u4e94\u90ce\u306f\u3046\u306a\u305a\u3044\u305f\u3002"
    told = (
        "\u96e8\u306f\u671d\u304b\u3089\u964d\u308a\u7d9a\u304d\u3001"
        "\u6d77\u306e\u8272\u306f\u7070\u306e\u3088\u3046\u306b\u6c88\u3093\u3067\u3044\u305f\u3002"
    )
    picture = "![The old map of the coast, drawn by the first keeper](map.png)"
    around = GateContext(language="Japanese")
    smile = "\u30b1\u30f3\u306f\u7b11\u3063\u305f\u3002"
    text = f"# \u96e8\n\n{talk}\n\n{told}\n\n{picture}\n\n{talk}\n\n{smile}\n\n{picture}"
    assert of("duplicate", text, around) == []
    (found,) = of("duplicate", f"{text}\n\n{told}\n", around)
    assert found.where.quote == told


def test_endings_in_ideographs_are_not_alike_because_of_their_single_signs() -> None:
    here = "\u3068\u79c1\u306f\u6771\u4eac\u306e\u8857\u3092\u6b69\u3044\u3066\u3044\u305f\u3002"
    there = "\u3068\u5f7c\u306f\u4eac\u90fd\u306e\u8857\u3092\u8d70\u3063\u3066\u3044\u305f\u3002"
    around = GateContext(number=2, before=f"# \u4e00\n\n{here}\n", language="Japanese")
    assert of("edge", f"# \u4e8c\n\n{there}\n", around) == []
