"""One scene: calibrated, continued when short, never beginning with the text before."""

from pathlib import Path
from typing import ClassVar

import pytest
from tests.support.agent_desk import AgentDesk
from tests.unit.checks.prose import fresh
from typing_extensions import override

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.agents.agent_scene import SceneCall, write_scene
from libriscribe2.checks.text_lengths import Wanted
from libriscribe2.context.prompt_context import read_context
from libriscribe2.context.scene_context import chapter_head, scene_context
from libriscribe2.errors import MaxRetriesExceededError, ProviderError
from libriscribe2.llm.backend import BackendError, Completion
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.story import ScenePlan

FIRST, SECOND = f"{fresh(1, 40)}.", f"{fresh(2, 50)}."
LONG = f"{fresh(3, 160)}."
BEFORE = f"{fresh(4, 80)}. The wind rose. {fresh(5, 12)}."


PLAN = ScenePlan(summary="The plan.", characters=["Mara Voss"], place="The Lamp Room")


class Scribe(Agent):
    """Writes one scene of about 100 words, after one that is written."""

    name = "chapters"
    writes = "chapters/*.md"
    length: ClassVar[Wanted]
    before: ClassVar[str]

    @override
    async def execute(self, unit: Unit) -> str:
        state = read_context(self.brief, self.book, 1, [PLAN, PLAN], DraftOrder("sequential", 3))
        head, scenes = chapter_head(state), [self.before]
        context = scene_context(state, 1, scenes, head=head)
        return await write_scene(
            self, unit, SceneCall(context, self.length, head, scenes, "scene01")
        )


def scribe(words: int = 100, habit: float = 1.0, before: str = BEFORE) -> type[Scribe]:
    class Own(Scribe):
        pass

    Own.length, Own.before = Wanted(words, habit), before
    return Own


def planned(folder: Path) -> AgentDesk:
    desk = AgentDesk(folder)
    desk.planned()
    return desk


async def written(folder: Path, agent: type[Scribe], *script: str | Completion) -> tuple[str, str]:
    """What became of a script: the scene and the remark."""
    desk = planned(folder)
    with desk.hired(agent, *script) as worker:
        text = await worker.execute(agent.unit(1))
        assert isinstance(text, str)
        return text, worker.made_from.remark


async def test_a_scene_of_its_length_is_taken_as_it_is(tmp_path: Path) -> None:
    for number, reply in enumerate((LONG, f"{fresh(3, 80)}.")):
        assert await written(tmp_path / str(number), scribe(), f" {reply}\n") == (reply, "")


async def test_more_words_are_asked_of_who_gives_less(tmp_path: Path) -> None:
    desk = planned(tmp_path)
    await desk.run(scribe(habit=0.8), LONG, chapter=1)
    assert "about 120 words" in desk.prompt()


async def test_T13_a_short_scene_is_continued_once_and_sees_plan_and_end(tmp_path: Path) -> None:
    desk = planned(tmp_path)
    text = await desk.run(scribe(habit=0.8), FIRST, SECOND, chapter=1)
    assert text == f"{FIRST}\n\n{SECOND}"
    assert [call.step for call in desk.calls] == [
        "chapters/ch01/scene01",
        "chapters/ch01/scene01-continue",
    ]
    prompt = desk.prompt(1)
    assert "about 80 words" in prompt
    assert '<scene>\n{"number":2,"of":2,"summary":"The plan."' in prompt
    assert f"<text>\n{BEFORE}\n\n* * *\n\n{FIRST}\n</text>" in prompt
    before = prompt.index(BEFORE) + len(BEFORE)
    assert prompt[:before] == desk.prompt()[:before]


async def test_T13_a_scene_that_broke_off_goes_on_in_its_sentence(tmp_path: Path) -> None:
    start = f"{fresh(1, 40)}. She took the"
    assert await written(tmp_path, scribe(), start, f"lamp and {SECOND}") == (
        f"{start} lamp and {SECOND}",
        "",
    )


async def test_what_a_reply_repeats_of_the_text_before_is_cut_and_said(tmp_path: Path) -> None:
    repeated = f"The wind rose. {fresh(5, 12)}."
    text, remark = await written(tmp_path, scribe(), f"{repeated} {LONG}")
    assert text == LONG
    assert remark == "scene01 began with 15 words of the text before, cut off"


async def test_a_continuation_that_says_it_all_again_adds_only_what_is_new(tmp_path: Path) -> None:
    text, remark = await written(tmp_path, scribe(), FIRST, f"{FIRST}\n\n{SECOND}")
    assert text == f"{FIRST}\n\n{SECOND}"
    assert "began with 40 words" in remark
    text, _ = await written(tmp_path / "2", scribe(), FIRST, FIRST)
    assert text == FIRST


async def test_T13_a_scene_that_is_nothing_but_repetition_is_kept_for_the_gates(
    tmp_path: Path,
) -> None:
    text, _ = await written(tmp_path, scribe(before=LONG), LONG)
    assert text == LONG


@pytest.mark.parametrize(
    "refusal",
    [
        ("", "A remark.", "Another."),
        ("I'm sorry, but I can't assist with that request.",) * 3,
        ("", Completion("", finish_reason="content_filter"), ""),
    ],
)
async def test_T13_a_rest_that_does_not_come_leaves_the_scene(
    tmp_path: Path, refusal: tuple[str | Completion, ...]
) -> None:
    text, remark = await written(tmp_path, scribe(), FIRST, *refusal)
    assert text == FIRST
    assert remark == "scene01 is short: the model wrote no more"


async def test_a_failure_that_is_no_reply_is_passed_on(tmp_path: Path) -> None:
    desk = planned(tmp_path)
    with pytest.raises(ProviderError):
        await desk.run(scribe(), FIRST, BackendError("quota", "no credit left"), chapter=1)
    with pytest.raises(MaxRetriesExceededError):
        await planned(tmp_path / "2").run(scribe(), *["A remark."] * 3, chapter=1)
