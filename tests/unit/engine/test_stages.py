"""Stages are found, and ordered by what they read and write."""

import random
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.agents.agent_base import Agent
from libriscribe2.engine.stages import (
    ENTRY_POINTS,
    all_stages,
    find_stage,
    ordered,
    stages_of,
    up_to,
)
from libriscribe2.errors import LibriScribeError
from libriscribe2.models.brief import Brief

OWN = [
    "concept", "characters", "research", "world", "outline", "style", "scenes", "drafts",
    "chapters", "canon", "summaries", "title", "manuscript",
]  # fmt: skip


def agent(name: str, *reads: str, writes: str = "", earlier: tuple[str, ...] = ()) -> type[Agent]:
    """An agent class that declares just this."""
    declared = {
        "name": name,
        "reads": reads,
        "reads_earlier": earlier,
        "writes": writes or f"{name}.json",
    }
    return type(f"{name.title()}Agent", (Agent,), declared)


def names(agents: tuple[type[Agent], ...]) -> list[str]:
    return [one.name for one in agents]


@pytest.fixture
def forget() -> Iterator[None]:
    """The stages are looked for anew in this test and after it."""
    all_stages.cache_clear()
    yield
    all_stages.cache_clear()


def test_OV_08_every_agent_of_the_package_is_a_stage() -> None:
    assert names(all_stages()) == OWN
    assert all(issubclass(one, Agent) for one in all_stages())


@settings(max_examples=30)
@given(st.randoms(use_true_random=False))
def test_AR_the_order_does_not_depend_on_how_agents_were_found(rng: random.Random) -> None:
    found = list(all_stages())
    rng.shuffle(found)
    assert names(ordered(found)) == OWN


def test_AR_ties_go_by_name_and_readers_come_after_writers() -> None:
    found = [agent("z"), agent("m", "z.json"), agent("b"), agent("a", "m.json", "b.json")]
    assert names(ordered(found)) == ["b", "z", "m", "a"]


def test_AR_a_pattern_is_written_by_a_stage_with_one_file_per_chapter() -> None:
    found = [agent("a", "texts/*.md"), agent("b", writes="texts/*.md")]
    assert names(ordered(found)) == ["b", "a"]


def test_AR_what_is_read_of_earlier_chapters_sets_no_order() -> None:
    found = [
        agent("write", writes="c/*.md", earlier=("s/*.md",)),
        agent("tell", "c/*.md", writes="s/*.md"),
    ]
    assert names(ordered(found)) == ["write", "tell"]


def test_AR_a_stage_may_read_its_own_artifact() -> None:
    assert names(ordered([agent("a", "a.json")])) == ["a"]


def test_AR_a_circle_is_an_error_that_shows_it() -> None:
    with pytest.raises(LibriScribeError, match="in a circle") as caught:
        ordered([agent("a", "c.json"), agent("b", "a.json"), agent("c", "b.json")])
    assert caught.value.why.count(" <- ") == 3
    assert all(name in caught.value.why for name in "abc")


@pytest.mark.parametrize("twin", [agent("a", writes="other.json"), agent("b", writes="a.json")])
def test_AR_two_agents_of_one_name_or_artifact_are_an_error(twin: type[Agent]) -> None:
    with pytest.raises(LibriScribeError, match="both the stage 'a'"):
        ordered([agent("a"), twin])


def test_AR_a_stage_is_found_by_its_name() -> None:
    assert find_stage("world", all_stages()) is all_stages()[3]
    assert find_stage("worldbuilding", all_stages()) is None


@pytest.mark.parametrize(
    ("end", "needed"),
    [
        ("concept", ["concept"]),
        ("world", ["concept", "research", "world"]),
        ("outline", OWN[:5]),
        ("chapters", [name for name in OWN if name not in ("manuscript", "title")]),
        ("manuscript", OWN),
    ],
)
def test_AR_up_to_a_stage_is_all_that_it_needs_and_no_more(end: str, needed: list[str]) -> None:
    assert names(up_to(end, all_stages())) == needed


def test_AR_the_brief_says_which_stages_a_book_has() -> None:
    plain = Brief(premise="p")
    assert "title" not in names(stages_of(plain))
    assert "title" in names(stages_of(Brief(premise="p", auto_title=True)))
    assert "title" not in names(stages_of(Brief(premise="p", auto_title=True, title="T")))
    assert "world" not in names(stages_of(Brief(premise="p", worldbuilding=False)))
    facts = Brief(premise="p", category="Business")
    assert "characters" not in names(stages_of(facts))
    assert "canon" not in names(stages_of(facts))
    assert "canon" in names(stages_of(plain))
    assert "canon" not in names(stages_of(Brief(premise="p", story_bible=False)))
    assert "drafts" not in names(stages_of(Brief(premise="p", drafting="redblack")))
    assert "drafts" in names(stages_of(Brief(premise="p", drafting="parallel")))
    assert "characters" in names(stages_of(Brief(premise="p", category="B", characters="2")))


@pytest.mark.usefixtures("forget")
def test_AR_another_package_can_offer_an_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "offered_blurb.py").write_text(
        "from libriscribe2.agents.agent_base import Agent\n"
        "class BlurbAgent(Agent):\n"
        "    name = 'blurb'\n"
        "    reads = ('concept.json',)\n"
        "    writes = 'blurb.json'\n",
        encoding="utf-8",
    )
    folder = tmp_path / "offered-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Name: offered\nVersion: 1.0\n", encoding="utf-8")
    point = f"[{ENTRY_POINTS}]\nblurb = offered_blurb:BlurbAgent\n"
    (folder / "entry_points.txt").write_text(point, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert metadata.version("offered") == "1.0"
    assert names(all_stages())[:3] == ["concept", "blurb", "characters"]
