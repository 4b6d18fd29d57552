"""Revision: located issues, patches, and never a worse text than the draft."""

import json
import logging
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.support.agent_desk import AgentDesk
from tests.unit.checks.prose import fresh
from typing_extensions import override

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.agents.agent_reviser import Reviser
from libriscribe2.checks.gates.gate import GateContext, examined
from libriscribe2.errors import BudgetError, ProviderError
from libriscribe2.llm.backend import BackendError, Completion, Line
from libriscribe2.models.story import OutlineChapter, ScenePlan

MOST_CHARACTERS = 48_000
"""12,000 tokens of English."""

NONE = json.dumps({"issues": []})
TITLE = "# The Lamp\n\n"


def said(seed: int, count: int = 10) -> str:
    return f"{fresh(seed, count).capitalize()}."


def prose(seed: int, sentences: int = 40) -> str:
    told = [said(1_000 * seed + n) for n in range(sentences)]
    return "\n\n".join(" ".join(told[start : start + 4]) for start in range(0, sentences, 4))


TWICE = said(77, 30)
SOUND = f"{TITLE}{prose(1)}\n"
AGAIN = f"{TITLE}{prose(1)}\n\n{TWICE}\n\n{prose(2, 20)}\n\n{TWICE} {said(78)}\n"
AROUND = GateContext(outline=OutlineChapter(title="The Lamp", summary="It burns."), drafted=True)


class Revises(Agent):
    """Revises a draft."""

    name = "chapters"
    writes = "chapters/*.md"
    draft = SOUND
    around = AROUND
    shown: ClassVar[dict[str, str]] = {"book": "title: The Log", "characters": "[]"}

    @override
    async def execute(self, unit: Unit) -> str:
        return await Reviser(self).revised(unit, self.draft, self.around, self.shown)


def agent_for(text: str, surroundings: GateContext = AROUND) -> type[Revises]:
    class Own(Revises):
        draft = text
        around = surroundings

    return Own


def issue(quote: str, severity: str = "warning", **more: str) -> dict[str, str]:
    return {"kind": "unclear", "severity": severity, "quote": quote, "why": "W", "fix": "F"} | more


def critique(*issues: dict[str, str]) -> str:
    return json.dumps({"issues": issues})


def patches(*pairs: tuple[str, str]) -> str:
    told = [{"issue": 1, "find": find, "replace": replace} for find, replace in pairs]
    return json.dumps({"patches": told})


class Outcome:
    """What became of a draft."""

    def __init__(self, text: str, remark: str, desk: AgentDesk) -> None:
        self.text, self.remark, self.desk = text, remark, desk

    @property
    def steps(self) -> list[str]:
        return [call.step.removeprefix("chapters/ch01/") for call in self.desk.calls]


async def revised(folder: Path, agent: type[Revises], *script: Line) -> Outcome:
    desk = AgentDesk(folder)
    with desk.hired(agent, *script) as worker:
        text = await worker.execute(agent.unit(1))
        assert isinstance(text, str)
        return Outcome(text, worker.made_from.remark, desk)


async def test_a_sound_draft_costs_one_critique_and_stays(tmp_path: Path) -> None:
    done = await revised(tmp_path, agent_for(SOUND), NONE)
    assert (done.text, done.remark, done.steps) == (SOUND, "", ["critique1"])
    schema = done.desk.schema()
    assert schema["issues"]["maxItems"] == 8
    prompt = done.desk.prompt()
    assert prompt.startswith("<book>\ntitle: The Log\n</book>")
    assert f"<text>\n{SOUND}\n</text>" in prompt


async def test_what_a_critic_finds_is_patched_where_it_stands(tmp_path: Path) -> None:
    place = said(1_003)
    script = (critique(issue(place)), patches((place, said(9))))
    done = await revised(tmp_path, agent_for(SOUND), *script)
    assert done.text == SOUND.replace(place, said(9))
    assert done.remark == "1 of 1 suggested edits applied"
    assert done.steps == ["critique1", "patches1"]
    prompt = done.desk.prompt(1)
    line = json.loads(prompt.partition("<issues>\n")[2].partition("\n")[0])
    assert line == {"issue": 1, **issue(place)}
    assert place in prompt
    assert said(1_030) not in prompt


BEATS = AROUND.outline and AROUND.outline.model_copy(update={"beats": ["It burns.", "It is lit."]})


async def test_a_beat_that_the_critic_misses_is_asked_for_where_it_would_come(
    tmp_path: Path,
) -> None:
    place, elsewhere = said(1_003), "These words stand nowhere in the text"
    answers = [
        {"beat": 1, "happens": True, "quote": said(1_001)},
        {"beat": 2, "happens": False, "quote": place},
    ]
    script = json.dumps({"issues": [], "beats": answers})
    agent = agent_for(SOUND, GateContext(outline=BEATS, drafted=True))
    done = await revised(tmp_path, agent, script, patches((place, f"{place} It is lit.")))
    assert "It is lit." in done.text
    assert "Beat 2: It is lit." in done.desk.prompt()
    assert set(done.desk.schema()) == {"issues", "beats"}
    line = json.loads(done.desk.prompt(1).partition("<issues>\n")[2].partition("\n")[0])
    assert (line["kind"], line["quote"]) == ("plan", place)
    assert "It is lit." in line["why"]
    answers[1]["quote"] = elsewhere
    nowhere = await revised(tmp_path / "2", agent, json.dumps({"issues": [], "beats": answers}))
    assert nowhere.steps == ["critique1"]


async def test_an_issue_whose_quote_does_not_stand_there_is_dropped_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    script = critique(issue("She never said these words"), issue("too short"), issue(""))
    done = await revised(tmp_path, agent_for(SOUND), script)
    assert (done.text, done.steps) == (SOUND, ["critique1"])
    assert "CRITIQUE_QUOTES_DROPPED: chapters/ch01: 3" in caplog.text


async def test_what_is_only_information_asks_nobody_for_a_patch(tmp_path: Path) -> None:
    done = await revised(tmp_path, agent_for(SOUND), critique(issue(said(1_003), "info")))
    assert done.steps == ["critique1"]


async def test_what_code_finds_needs_no_critic(tmp_path: Path) -> None:
    mend = patches((f"{TWICE} {said(78)}", said(78)))
    done = await revised(tmp_path, agent_for(AGAIN), NONE, mend)
    assert done.text.count(TWICE) == 1
    assert done.steps == ["critique1", "patches1"]
    prompt = done.desk.prompt(1)
    assert '"kind":"duplicate"' in prompt
    assert prompt.partition("<excerpts>")[2].partition("</excerpts>")[0].count(TWICE) == 2


async def test_the_most_urgent_issues_are_shown_first_and_each_is_numbered(
    tmp_path: Path,
) -> None:
    leak = f"{TITLE}## Scene 1\n\n{AGAIN.removeprefix(TITLE)}"
    found = critique(issue(said(1_003)), issue(said(1_010), "error"))
    done = await revised(tmp_path, agent_for(leak), found, patches())
    lines = done.desk.prompt(1).partition("<issues>\n")[2].partition("\n</issues>")[0]
    told = [json.loads(line) for line in lines.splitlines()]
    assert [one["issue"] for one in told] == list(range(1, len(told) + 1))
    assert [(one["kind"], one["severity"]) for one in told[:4]] == [
        ("leak", "error"),
        ("duplicate", "error"),
        ("unclear", "error"),
        ("unclear", "warning"),
    ]


async def test_T11_a_rewrite_that_makes_the_text_worse_is_not_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    place, other, third = said(1_003), said(1_010), said(1_020)
    script = patches(
        (place, said(1_001)),
        (other, said(9)),
        (third, f"## Scene 2\n\n{third}"),
        ("nothing like this", "x"),
    )
    done = await revised(tmp_path, agent_for(SOUND), critique(issue(place)), script)
    assert done.text == SOUND.replace(other, said(9))
    assert done.remark.startswith("1 of 4 suggested edits applied; not applied: \u201c")
    assert "\u201cnothing like this\u201d: its words do not stand in the text" in done.remark
    assert "PATCHES_REFUSED: chapters/ch01: 3 of 4" in caplog.text
    assert "worse by: duplicate" in caplog.text
    assert not examined(done.text, AROUND).figures.worse_than(examined(SOUND, AROUND).figures)


async def test_a_second_round_comes_only_where_errors_are_left_after_a_change(
    tmp_path: Path,
) -> None:
    first, second = said(1_003), said(1_010)
    found = critique(issue(first, "error"), issue(second, "error"))
    script = (found, patches((first, said(9))), critique(issue(second)), patches((second, said(8))))
    done = await revised(tmp_path, agent_for(SOUND), *script)
    assert done.text == SOUND.replace(first, said(9)).replace(second, said(8))
    assert done.steps == ["critique1", "patches1", "critique2", "patches2"]
    assert done.remark == "2 of 2 suggested edits applied"
    unchanged = await revised(tmp_path / "2", agent_for(SOUND), found, patches())
    assert unchanged.steps == ["critique1", "patches1"]
    mended = await revised(
        tmp_path / "3", agent_for(SOUND), critique(issue(first, "error")), patches((first, said(9)))
    )
    assert mended.steps == ["critique1", "patches1"]


async def test_the_critic_is_told_the_whole_plan_the_lengths_and_what_code_has_found(
    tmp_path: Path,
) -> None:
    scene = ScenePlan(summary="She lights it.", withholds=[said(500), said(501)])
    outline = OutlineChapter(title="The Lamp", summary="It burns.", beats=["It burns low."])
    around = GateContext(outline=outline, scenes=[scene] * 3, words=740, drafted=True)
    done = await revised(tmp_path, agent_for(AGAIN, around), NONE, patches())
    plan = done.desk.prompt().partition("<plan>\n")[2].partition("\n</plan>")[0]
    assert plan.count(said(501)) == 3
    lines = plan.splitlines()
    assert lines[0] == "Beat 1: It burns low."
    assert "Length: 670 words of about 740 that were wanted." in lines
    assert any(line.startswith("- duplicate: ") for line in lines)
    kinds = done.desk.schema()["issues"]["items"]["properties"]["kind"]["enum"]
    assert {"viewpoint", "tense", "voice", "pace"} <= set(kinds)


async def test_the_second_round_is_asked_about_what_was_changed_and_nothing_else(
    tmp_path: Path,
) -> None:
    first, second = said(1_003), said(1_030)
    found = critique(issue(first, "error", why="The lamp was out."), issue(second, "error"))
    again = critique(issue(said(9)), issue(said(1_020)))
    script = (found, patches((first, said(9))), again, patches())
    done = await revised(tmp_path, agent_for(SOUND), *script)
    prompt = done.desk.prompt(2)
    (line,) = prompt.partition("<changes>\n")[2].partition("\n</changes>")[0].splitlines()
    change = json.loads(line)
    assert (first in change["old"], said(9) in change["new"]) == (True, True)
    assert change["what_was_wrong"] == ["The lamp was out."]
    assert said(1_020) not in prompt
    asked = done.desk.prompt(3).partition("<issues>\n")[2].partition("\n</issues>")[0]
    assert [json.loads(one)["quote"] for one in asked.splitlines()] == [second, said(9)]


async def test_there_are_never_more_than_two_rounds(tmp_path: Path) -> None:
    places = [said(1_000 + n) for n in range(4)]
    found = critique(*(issue(place, "error") for place in places))
    script: list[Line] = []
    for at, place in enumerate(places[:2]):
        script += [found, patches((place, said(at)))]
    done = await revised(tmp_path, agent_for(SOUND), *script)
    assert len(done.steps) == 4


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(["no json at all, sorry to say"] * 3, id="bad JSON"),
        pytest.param(['{"issues": [{"quote": "The'] * 3, id="truncated"),
        pytest.param([Completion('{"issues": [', finish_reason="length")] * 3, id="cut"),
        pytest.param(["I'm sorry, but I can't assist with that request."] * 2, id="refusal"),
        pytest.param([Completion("", finish_reason="content_filter")] * 2, id="filtered"),
        pytest.param(['{"issues": "none"}', '{"issues": 3}', "{}x{"], id="wrong shape"),
    ],
)
async def test_T13_a_critique_that_does_not_come_leaves_the_draft(
    tmp_path: Path, fault: list[Line]
) -> None:
    done = await revised(tmp_path, agent_for(SOUND), *fault)
    assert done.text == SOUND
    assert done.remark == "no usable reply to the prompt critique"


async def test_T13_without_a_critique_the_gates_are_enough(tmp_path: Path) -> None:
    mend = patches((f"{TWICE} {said(78)}", said(78)))
    done = await revised(tmp_path, agent_for(AGAIN), *["no json"] * 3, mend)
    assert done.text.count(TWICE) == 1
    assert done.remark == "1 of 1 suggested edits applied; no usable reply to the prompt critique"


async def test_T13_patches_that_do_not_come_leave_the_draft(tmp_path: Path) -> None:
    script = (critique(issue(said(1_003))), *["no json"] * 3)
    done = await revised(tmp_path, agent_for(SOUND), *script)
    assert (done.text, done.remark) == (SOUND, "no usable reply to the prompt patches")
    assert done.desk.anew == ["chapters/ch01/patches1"]


async def test_T13_the_next_attempt_is_as_good_as_the_first(tmp_path: Path) -> None:
    place = said(1_003)
    script = ("no json", critique(issue(place)), "{}}", patches((place, said(9))))
    done = await revised(tmp_path, agent_for(SOUND), *script)
    assert done.remark == "1 of 1 suggested edits applied"


def out_of_budget(_request: Any) -> str:
    raise BudgetError("The cap is reached.")


@pytest.mark.parametrize(
    ("failure", "error"),
    [(BackendError("quota", "no credit left"), ProviderError), (out_of_budget, BudgetError)],
)
async def test_a_failure_that_is_no_reply_is_passed_on(
    tmp_path: Path, failure: Line, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await AgentDesk(tmp_path).run(agent_for(SOUND), failure, chapter=1)
    script = (critique(issue(said(1_003))), failure)
    with pytest.raises(error):
        await AgentDesk(tmp_path / "2").run(agent_for(SOUND), *script, chapter=1)


async def test_T1_no_request_grows_beyond_12k_tokens_however_long_the_chapter(
    tmp_path: Path,
) -> None:
    text = f"{TITLE}{prose(3, 700)}\n"
    scene = ScenePlan(summary=fresh(5, 200), goal=fresh(6, 900))
    around = GateContext(
        scenes=[scene] * 8, before=prose(4, 400), earlier=[prose(4, 400)], drafted=True
    )
    agent = agent_for(text, around)
    agent.shown = {"book": "b " * 50_000, "characters": "c " * 3_000, "places": "p"}
    many = [issue(said(3_000 + 100 * n), why=fresh(n, 400)) for n in range(8)]
    done = await _long(tmp_path, agent, many)
    assert len(done.steps) > 3
    sizes = [sum(len(str(turn["content"])) for turn in call.messages) for call in done.desk.calls]
    assert max(sizes) <= MOST_CHARACTERS
    assert done.steps[-1] == "patches1"
    assert "<characters>" in done.desk.prompt()
    assert "<book>" not in done.desk.prompt()


async def _long(folder: Path, agent: type[Revises], many: list[dict[str, Any]]) -> Outcome:
    """Every part of a chapter gets the same critique, and no patch comes."""

    def answer(request: Any) -> str:
        return patches() if "patches" in request.step else critique(*many)

    return await revised(folder, agent, *[answer] * 40)


async def test_the_same_draft_asks_the_same_words(tmp_path: Path) -> None:
    prompts = []
    for folder in ("1", "2"):
        done = await revised(tmp_path / folder, agent_for(AGAIN), NONE, patches())
        prompts.append([call.messages for call in done.desk.calls])
    assert prompts[0] == prompts[1]
