"""`Agent`: the seeds' names over the one pipeline, dumps, and what happens when no reply fits."""

import asyncio
import inspect
import json
import logging
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel
from tests.support.agent_desk import CAST, CONCEPT, AgentDesk
from typing_extensions import override

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.agents.chapter_writer import ChapterWriterAgent
from libriscribe2.agents.character_generator import CharacterGeneratorAgent
from libriscribe2.agents.concept_generator import ConceptGeneratorAgent
from libriscribe2.agents.outliner import OutlinerAgent
from libriscribe2.agents.worldbuilding import WorldbuildingAgent
from libriscribe2.errors import ConfigError, IncompleteError, MaxRetriesExceededError
from libriscribe2.llm.session import RunStoppedError
from libriscribe2.models.story import ConceptFile, ConceptModel

REPLY = json.dumps(CONCEPT)
CAST_REPLY = json.dumps({"characters": CAST})


@pytest.fixture
def desk(tmp_path: Path) -> AgentDesk:
    desk = AgentDesk(tmp_path, characters="2")
    desk.put("concept.json", {"concept": CONCEPT})
    return desk


class Asker(Agent):
    """Asks for a concept in one question."""

    name = "concept"
    writes = "concept.json"
    shape: ClassVar[type[BaseModel] | None] = ConceptFile

    @override
    async def execute(self, unit: Unit) -> BaseModel:
        return await self.ask(
            unit, ConceptModel, part="draft", premise="p", book="b", concept_words="1-2"
        )


@pytest.mark.parametrize("agent", [ConceptGeneratorAgent, OutlinerAgent, ChapterWriterAgent])
def test_OV_08_agents_inherit_the_base_class(agent: type[Agent]) -> None:
    assert issubclass(agent, Agent)


async def test_OV_09_a_reply_is_validated_and_normalised_by_the_original_name(
    desk: AgentDesk,
) -> None:
    spaced = f"```json\n{json.dumps(CONCEPT | {'title': '  The Log '})}\n```"
    made = await desk.run(Asker, spaced)
    assert Agent.safe_extract_json(spaced, ConceptModel)["data"] == made == ConceptModel(**CONCEPT)
    assert Agent.safe_extract_json("nothing here", ConceptModel)["status"] == "error"


async def test_OV_37_what_does_not_validate_is_logged_with_fields_and_preview(
    desk: AgentDesk, caplog: pytest.LogCaptureFixture
) -> None:
    await desk.run(Asker, '{"title": "T"}', REPLY)
    (error,) = (one for one in caplog.records if one.levelno == logging.ERROR)
    assert error.getMessage().startswith("JSON_VALIDATION_ERROR: Asker: ")
    assert "logline" in error.getMessage()
    assert '"title": "T"' in error.getMessage()


def test_OV_11_OV_34_an_artifact_is_validated_once_more_before_it_is_saved(
    desk: AgentDesk,
) -> None:
    with desk.hired(Asker) as agent:
        concept = ConceptModel.model_construct(title="T", logline="L", description="")
        with pytest.raises(IncompleteError) as refused:
            agent.as_text(ConceptFile.model_construct(concept=concept))
        fine = ConceptFile(concept=ConceptModel(title="Été", logline="L", description="D"))
        text = agent.as_text(fine)
    assert refused.value.why.startswith("concept.description: ")
    assert list(json.loads(text)) == ["concept", "keywords"]
    assert "Été" in text
    assert text.endswith("}\n")


def test_OV_11_an_agent_without_a_shape_saves_what_it_is_given(desk: AgentDesk) -> None:
    with desk.hired(ChapterWriterAgent) as agent:
        text = agent.as_text(ConceptModel(title="T", logline="L", description="D"))
    assert json.loads(text) == {"title": "T", "logline": "L", "description": "D"}


async def test_OV_12_OV_13_issues_are_detected_and_logged_with_the_agent(
    desk: AgentDesk, caplog: pytest.LogCaptureFixture
) -> None:
    await desk.run(Asker, f"```json\n{REPLY}\n```")
    (warning,) = caplog.messages
    assert warning == "JSON_EXTRACTION_WARNING: Asker: ['markdown_code_blocks']"
    assert Agent._detect_llm_formatting_issues(f"```json\n{REPLY}") == ["markdown_code_blocks"]
    assert Agent._detect_llm_formatting_issues(REPLY) == []


async def test_OV_10_OV_18_every_attempt_is_dumped_apart_from_the_book(desk: AgentDesk) -> None:
    await desk.run(CharacterGeneratorAgent, "no idea", f"```json\n{CAST_REPLY}\n```")
    first, second = desk.dumps()
    assert (first["agent_name"], first["stage"], first["step"]) == (
        "CharacterGeneratorAgent",
        "characters",
        "characters",
    )
    assert (first["attempt"], first["extraction_method"]) == (1, "failed")
    assert (second["attempt"], second["extraction_method"]) == (2, "markdown_block_extraction")
    assert second["raw_response"].startswith("```json")
    assert second["prompt"][-1]["content"] == first["feedback"]
    assert [path.name for path in desk.paths.root.glob("*.json")] == ["concept.json"]


async def test_XC_04_a_replayed_attempt_is_dumped_once(desk: AgentDesk) -> None:
    await desk.run(CharacterGeneratorAgent, CAST_REPLY)
    await desk.run(CharacterGeneratorAgent)
    assert desk.calls == []
    assert len(desk.dumps()) == 1
    next(desk.paths.debug.glob("*.json")).unlink()
    await desk.run(CharacterGeneratorAgent)
    assert len(desk.dumps()) == 1


async def test_OV_35_a_wrong_count_is_fed_back_and_mended(desk: AgentDesk) -> None:
    one = json.dumps({"characters": CAST[:1]})
    made = await desk.run(CharacterGeneratorAgent, one, CAST_REPLY)
    assert len(made.characters) == 2  # type: ignore[union-attr]
    assert "characters" in desk.dumps()[0]["feedback"]


async def test_TR_12_the_last_attempt_ends_with_stage_reason_and_command(desk: AgentDesk) -> None:
    with pytest.raises(MaxRetriesExceededError) as caught:
        await desk.run(WorldbuildingAgent, "no", "no", attempts=2)
    error = caught.value
    assert error.what == "The stage 'world' got no usable reply: Max retries (2) exceeded"
    assert error.why == f"the model was last told: {error.last_feedback}"
    assert "libriscribe2 resume" in error.fix
    assert desk.anew == ["world"]
    assert len(desk.dumps()) == 2


async def test_FR_format_rules_and_schema_stand_in_every_structured_request(
    desk: AgentDesk,
) -> None:
    await desk.run(Asker, REPLY)
    (request,) = desk.calls
    assert "CRITICAL FORMAT RULES" in str(request.messages[0]["content"])
    assert list(desk.schema()) == ["title", "logline", "description"]
    assert (request.step, request.attempt) == ("concept/draft", 1)


async def test_MS_emphasis_is_taken_off_identifiers_only(desk: AgentDesk) -> None:
    reply = json.dumps(CONCEPT | {"title": "**The Log**", "description": "An *odd* tale."})
    made = await desk.run(Asker, reply)
    assert (made.title, made.description) == ("The Log", "An *odd* tale.")  # type: ignore[union-attr]


async def test_PR_a_prompt_that_does_not_fit_is_an_error_before_any_call(desk: AgentDesk) -> None:
    class Careless(Asker):
        @override
        async def execute(self, unit: Unit) -> BaseModel:
            return await self.ask(unit, ConceptModel, premise="p", nonsense="n")

    with pytest.raises(ConfigError, match="does not fit its agent"):
        await desk.run(Careless)
    assert desk.calls == []


def test_AR_units_have_names_and_steps() -> None:
    assert ChapterWriterAgent.unit(3) == Unit("chapters", 3, "chapters/03.md")
    assert ChapterWriterAgent.unit(3).step == "chapters/ch03"
    assert OutlinerAgent.unit().step == "outline"
    assert ChapterWriterAgent.per_chapter()
    assert not OutlinerAgent.per_chapter()


async def test_XC_04_siblings_of_a_failure_are_waited_for_and_nothing_new_is_sent(
    desk: AgentDesk,
) -> None:
    done: list[int] = []

    async def work(number: int, failure: Exception | None = None) -> int:
        await asyncio.sleep(0)  # noqa: TID251 - the others' turn
        if failure is not None:
            raise failure
        done.append(number)
        return number

    with desk.hired(Asker) as agent:
        assert await agent.together([work(1), work(2)]) == [1, 2]
        assert await agent.together(list[Coroutine[Any, Any, int]]()) == []
        assert desk.stops == 0
        stopped, failed = RunStoppedError("stopped"), IncompleteError("no reply")
        with pytest.raises(IncompleteError):
            await agent.together([work(3, stopped), work(4, failed), work(5)])
        with pytest.raises(RunStoppedError):
            await agent.together([work(6, stopped)])
    assert done == [1, 2, 5]
    assert desk.stops == 3


async def test_parts_that_were_not_begun_are_closed_when_the_unit_is_cancelled(
    desk: AgentDesk,
) -> None:
    async def work(number: int) -> int:
        await asyncio.Event().wait()
        return number

    parts = [work(1), work(2)]
    with desk.hired(Asker) as agent:
        unit = asyncio.ensure_future(agent.together(parts))
        await asyncio.sleep(0)  # noqa: TID251 - its parts wait to begin
        unit.cancel()
        with pytest.raises(asyncio.CancelledError):
            await unit
    assert [inspect.getcoroutinestate(part) for part in parts] == ["CORO_CLOSED"] * 2
