"""The offline author criticises what stands twice, takes it out, and goes on where text is missing."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.agent_desk import AgentDesk
from typing_extensions import override

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.agents.agent_reviser import Reviser
from libriscribe2.agents.agent_scene import SceneCall, write_scene
from libriscribe2.checks.gates.examination import examined
from libriscribe2.checks.gates.gate import GateContext
from libriscribe2.checks.patching import apply
from libriscribe2.checks.text_lengths import Wanted
from libriscribe2.llm.offline.revising import critique, patches
from libriscribe2.llm.offline_author import answer
from libriscribe2.models.reviews import Patches
from libriscribe2.prose import count_words

SAID = "The lamp on the stairs burned lower than it had an hour ago."
OTHER = "Mara Voss counted the steps and did not look back at the water."
PLAN = {
    "number": 1,
    "of": 1,
    "summary": "Mara Voss looks for the log.",
    "characters": ["Mara Voss"],
}
SHOWN = {
    "book": "title: The Log\nkind: fiction",
    "characters": json.dumps([{"name": "Mara Voss", "role": "keeper"}, {"name": "Jon Ide"}]),
    "chapter": json.dumps({"number": 1, "of": 3, "title": "Part 1", "summary": "She looks."}),
    "scene": json.dumps(PLAN),
}


class Works(Agent):
    """Writes a scene of 400 words whose model stops early, and revises it."""

    name = "chapters"
    writes = "chapters/*.md"

    @override
    async def execute(self, unit: Unit) -> str:
        values = {"shown": "\n".join(f"<{k}>\n{v}\n</{k}>" for k, v in SHOWN.items())}
        call = SceneCall(
            {**values, "written": "It was late."},
            Wanted(400),
            shown=SHOWN,
            part="scene01",
            prompt="continue",
        )
        text = await write_scene(self, unit, call)
        again = f"{text}\n\n{SAID} {OTHER}\n\nNobody spoke. {SAID} The door stayed shut.\n"
        return await Reviser(self).revised(unit, again, GateContext(), SHOWN)


async def test_a_short_scene_is_continued_and_what_stands_twice_is_taken_out(
    tmp_path: Path,
) -> None:
    desk = AgentDesk(tmp_path)
    text = await desk.run(
        Works, f"{OTHER} She had a question, and nobody to put it to.", *[answer] * 5, chapter=1
    )
    assert isinstance(text, str)
    steps = [call.step.partition("/ch01/")[2] for call in desk.calls]
    assert steps[:4] == ["scene01", "scene01-continue", "critique1", "patches1"]
    assert text.count(SAID) == 1
    assert 380 <= count_words(text) <= 480
    assert examined(text, GateContext()).figures.values["duplicate"] <= 1


def test_a_text_without_repetition_gets_no_critique() -> None:
    assert critique(f"{SAID}\n\n{OTHER}") == {"issues": []}
    (issue,) = critique(f"{SAID} {OTHER}\n\n{SAID}")["issues"]
    assert SAID.startswith(issue["quote"])


@pytest.mark.parametrize(
    "text",
    [
        f"{SAID} {OTHER}\n\n{SAID} The door stayed shut.",
        f"{SAID}\n\n{OTHER}\n\n{SAID}",
        f"{SAID} {SAID}",
        f"{SAID}\n\n{SAID}\n\n{OTHER}",
    ],
)
def test_the_patch_for_a_repeated_sentence_fits_exactly_once(text: str) -> None:
    issue = json.dumps({"issue": 1, "kind": "duplicate", "quote": SAID})
    prompt = f"<issues>\n{issue}\n</issues>\n\n<excerpts>\n{text}\n</excerpts>"
    (told,) = Patches.model_validate(patches(prompt)).patches
    done = apply(text, told)
    assert done.reason == ""
    assert done.text.count(SAID) == 1
    assert done.text.count(OTHER) == text.count(OTHER)


def test_what_is_no_repetition_or_half_a_speech_is_left_alone() -> None:
    speech = "Then eat, and tell me all about the sealed envelope tonight.\u201d"
    text = f"\u201cNo. {speech}\n\n{OTHER}"
    issues = [
        {"issue": 1, "kind": "beat", "quote": OTHER},
        {"issue": 2, "kind": "duplicate", "quote": speech},
        {"issue": 3, "kind": "duplicate", "quote": "Words of nobody here."},
    ]
    lines = "\n".join([*map(json.dumps, issues), "no json", "[]"])
    prompt = f"<issues>\n{lines}\n</issues>\n\n<excerpts>\n{text}\n</excerpts>"
    assert patches(prompt) == {"patches": []}
    assert patches("nothing") == {"patches": []}


@settings(deadline=None)
@example(["No.", SAID, SAID, "[\u2026]", SAID, SAID, SAID])
@given(st.lists(st.sampled_from([SAID, OTHER, "No.", "\n\n", "\u201cGo", "[\u2026]"]), max_size=12))
def test_its_patches_never_fail_where_the_excerpts_are_the_text(parts: list[str]) -> None:
    text = " ".join(parts)
    lines = "\n".join(
        json.dumps({"kind": "duplicate", "quote": issue["quote"]})
        for issue in critique(text)["issues"]
    )
    prompt = f"<issues>\n{lines}\n</issues>\n\n<excerpts>\n{text}\n</excerpts>"
    for told in Patches.model_validate(patches(prompt)).patches:
        done = apply(text, told)
        assert done.reason == ""
        text = done.text


def test_another_sentence_takes_the_place_that_is_as_long_new_and_names_nobody() -> None:
    fits = "Far below a shutter banged and was caught, and then it was quiet."
    offers = iter(["It was late.", OTHER.replace("back", "down"), SAID, fits])
    issue = json.dumps({"issue": 1, "kind": "duplicate", "quote": SAID})
    text = f"{SAID} {OTHER}\n\n{SAID} The door stayed shut."
    prompt = f"<issues>\n{issue}\n</issues>\n\n<excerpts>\n{text}\n</excerpts>"
    told = patches(prompt, lambda: next(offers))
    (patch,) = Patches.model_validate(told).patches
    assert apply(text, patch).text == f"{SAID} {OTHER}\n\n{fits} The door stayed shut."
