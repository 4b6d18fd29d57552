"""Rules over a plan: what they make of any plan at all, and what goes back to a model."""

from hypothesis import given
from hypothesis import strategies as st
from tests.support.planned_books import built, people, put, put_scene, story

from libriscribe2.checks.plan.plan import PLAN_RULES, Plan
from libriscribe2.checks.plan.plan_report import as_list, faults, plan_findings
from libriscribe2.models.draft_order import ENDING_MOVES, OPENING_MOVES
from libriscribe2.models.story import OutlineChapter, PlannedChapter, ScenePlan
from libriscribe2.models.story_bible import Thread
from libriscribe2.project.paths import OUTLINE, SCENES


def test_a_plan_without_contracts_is_no_fault() -> None:
    """Old projects, and models that give no more than titles and summaries."""
    plan = Plan([OutlineChapter(title=f"T{n}", summary="S") for n in range(12)])
    assert plan_findings(plan) == ()


def test_only_what_is_sure_and_of_the_file_goes_back_to_the_model() -> None:
    plan = story()
    put(3, story_time="day 1")(plan)
    put_scene(3, 1, place="The Bakery")(plan)
    people("Jan Olsen")(plan)
    found = faults(built(plan), OUTLINE)
    assert [one.rule for one in found] == ["P11"]
    assert faults(built(plan), SCENES) == ()
    line = as_list(found, 1_000)
    assert line.startswith(
        "- outline.json chapter 3: Chapter 3 is set at “day 1”, before chapter 2"
    )
    assert as_list([*found, *found], len(line)) == line


WORDS_OF_PLANS = st.sampled_from(
    ["", "bell", "n-000000000001", "Ada", "The Slip", "day 3", "day 1, morning", "1 May 1921", "?"]
) | st.text("ab ?.\u00e9\u65e5", max_size=4)
NUMBERS = st.integers(-(10**12), 10**12) | st.integers(0, 6)
CHAPTERS = st.builds(
    OutlineChapter,
    title=WORDS_OF_PLANS.filter(str.strip),
    summary=WORDS_OF_PLANS.filter(str.strip),
    beats=st.lists(WORDS_OF_PLANS, max_size=2),
    entry_state=WORDS_OF_PLANS,
    exit_state=WORDS_OF_PLANS,
    tension=st.none() | st.integers(0, 10),
    plants=st.lists(WORDS_OF_PLANS, max_size=3),
    payoffs=st.lists(WORDS_OF_PLANS, max_size=3),
    opening_move=st.sampled_from(["", *OPENING_MOVES]),
    ending_move=st.sampled_from(["", *ENDING_MOVES]),
    story_time=WORDS_OF_PLANS,
    target_words=st.integers(0, 10**9),
)
THREADS = st.builds(
    Thread,
    id=WORDS_OF_PLANS.filter(str.strip),
    promise=st.just("p"),
    setup=NUMBERS.filter(lambda number: number >= 1),
    payoff=st.none() | NUMBERS,
    due_by=st.none() | NUMBERS,
    must=st.booleans(),
)
SECTIONS = st.builds(
    ScenePlan,
    summary=WORDS_OF_PLANS.filter(str.strip),
    goal=WORDS_OF_PLANS,
    characters=st.lists(WORDS_OF_PLANS, max_size=2),
    place=WORDS_OF_PLANS,
    time=WORDS_OF_PLANS,
    reveals=st.lists(WORDS_OF_PLANS, max_size=2),
)


@given(
    st.lists(CHAPTERS, min_size=1, max_size=4),
    st.lists(THREADS, max_size=2),
    st.lists(st.lists(SECTIONS, max_size=2), max_size=3),
    st.lists(WORDS_OF_PLANS, max_size=3),
    st.booleans(),
)
def test_no_plan_makes_a_rule_fail(
    outline: list[OutlineChapter],
    threads: list[Thread],
    scenes: list[list[ScenePlan]],
    names: list[str],
    is_story: bool,
) -> None:
    planned = [PlannedChapter(chapter=n, scenes=one) for n, one in enumerate(scenes, start=1)]
    plan = Plan(
        outline,
        threads,
        planned,
        people=names,
        places=names,
        terms=names,
        notes=frozenset(),
        words=100,
        story=is_story,
    )
    found = plan_findings(plan)
    assert found == plan_findings(plan)
    assert {one.rule for one in found} <= PLAN_RULES.all().keys()
    assert all(0 <= one.where.chapter <= max(len(outline), len(scenes)) for one in found)
