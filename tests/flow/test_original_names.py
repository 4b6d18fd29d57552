"""The functions of the original designs are steps of what commands do, and do what they say."""

import json
from typing import Any

import pytest
from tests.support.agent_desk import CAST, CONCEPT
from tests.support.authors import Author
from tests.support.chain import judges, step
from tests.support.chain import plan_text as text_of_plan
from tests.support.desk import Desk, ProjectFolder
from tests.support.entered import entered
from tests.support.web_pages import Answer, WebPages

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.agents.concept_generator import ConceptGeneratorAgent
from libriscribe2.llm.backend import Request
from libriscribe2.models.notes import Source
from libriscribe2.models.reviews import Patches
from libriscribe2.models.story import ConceptFile, ConceptModel
from libriscribe2.models.tooling import PlanStep
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.research_files import ResearchFolder, saved_text
from libriscribe2.research.diagnosis import Corrector
from libriscribe2.utils.json_utils import JSONProcessor

QUESTION = "Who trades in salt?"
NOBODY = step("s1", "lookup_character", name="Nobody")
FACT = {"source": "salt.md", "claim": "Mara sells it.", "quote": "Mara Voss trades in salt."}


def plan_text(*steps: PlanStep) -> str:
    """A plan that comes to a note, as every plan of research has to."""
    return text_of_plan(*steps, step("keep", "save_note", "s1", **FACT))


def _bare(part: str) -> str:
    return part.replace("-", "").replace("_", "")


class Answers:
    """Replies by the last part of a step's path, each in its turn; the author gives the others."""

    def __init__(self, **replies: list[str]) -> None:
        self._replies = {_bare(name): list(texts) for name, texts in replies.items()}
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> str | None:
        self.asked.append(request)
        left = self._replies.get(_bare(request.step.rpartition("/")[2]))
        return left.pop(0) if left else None

    def prompts(self, part: str) -> list[str]:
        """What was asked under a name."""
        wanted = (one for one in self.asked if one.step.endswith(f"/{part}"))
        return ["\n".join(str(turn["content"]) for turn in one.messages) for one in wanted]


@pytest.fixture
def book(desk: Desk) -> ProjectFolder:
    """A book with a cast and a source."""
    cast = Answers(characters=[json.dumps({"characters": CAST})])
    desk.create("--characters", "2", "--until", "characters", backend=Author(reply=cast))
    source = desk.project().path("research/sources/salt.md")
    source.parent.mkdir(parents=True)
    source.write_text("# Salt\n\nMara Voss trades in salt.\n", encoding="utf-8")
    return desk.project()


def researched(desk: Desk, answers: Answers, *, expect: int = 0) -> dict[str, Any]:
    """The results of a chain, by step."""
    desk.run("research", "ask", "book", QUESTION, backend=Author(reply=answers), expect=expect)
    results: dict[str, Any] = desk.project().json("research/run.json")["results"]
    return results


def test_OV_02_a_value_that_names_do_not_bind_is_read_out_of_any_reply(
    desk: Desk, book: ProjectFolder
) -> None:
    plan = plan_text(
        step("s1", "lookup_character", name="Mara"), step("s2", "search_sources", "s1")
    )
    reply = 'Gladly:\n```json\n{"query": "salt"}\n```\nThat is all.'
    with entered(JSONProcessor.extract_json_from_llm_response) as found:
        results = researched(desk, Answers(plan=[plan], bind=[reply]))
    assert "libriscribe2.research.resolver" in found["extract_json_from_llm_response"]
    assert results["s2"]["parameters"]["query"] == "salt"
    assert results["s2"]["bindings"][0]["layer"] == "micro_resolution"


def test_OV_02_a_reply_without_an_object_is_none_and_asked_for_again(
    desk: Desk, book: ProjectFolder
) -> None:
    plan = plan_text(
        step("s1", "lookup_character", name="Mara"), step("s2", "search_sources", "s1")
    )
    answers = Answers(plan=[plan], bind=['["salt"]'], bind_again=['{"query": "salt"}'])
    assert researched(desk, answers)["s2"]["parameters"]["query"] == "salt"
    assert "No JSON object in the reply: " in book.text(".libriscribe/run.log")


def test_OV_04_MS_06_a_plan_to_be_mended_is_shown_as_its_json_alone(
    desk: Desk, book: ProjectFolder
) -> None:
    plan = plan_text(step("s1", "lookup_person", name="**Mara**"))
    reply = f"<think>{'Who is it? ' * 500}</think>\nMy plan:\n```json\n{plan}\n```"
    nothing = "I would look up Mara."
    right = plan_text(step("s1", "lookup_character", name="Mara"))
    answers = Answers(plan=[reply], valid_1=[nothing], parse_1=[right])
    with entered(JSONProcessor.clean_llm_response) as found:
        assert researched(desk, answers)["s1"]["status"] == "done"
    assert "libriscribe2.research.planner" in found["clean_llm_response"]
    between = "Your previous response, between the lines:\n-----\n{}\n-----"
    (again,) = answers.prompts("valid-1")
    assert between.format(plan.replace("**Mara**", "Mara")) in again
    assert "Who is it?" not in again
    (at_last,) = answers.prompts("parse-1")
    assert between.format(nothing) in at_last


@pytest.mark.parametrize(
    ("judgements", "calls", "told"),
    [
        ([judges(should_retry=True, name="Mara")], 2, ""),
        ([judges(should_retry=False, reason="there is none")], 1, "(there is none)"),
        (["I cannot say.", "Nor now."], 1, "judgement cannot be read"),
    ],
)
def test_PB_54_a_refused_call_is_corrected_where_the_judgement_says_so(
    desk: Desk, book: ProjectFolder, judgements: list[str], calls: int, told: str
) -> None:
    answers = Answers(
        plan=[plan_text(NOBODY)], analyze=judgements[:1], analyze_again=judgements[1:]
    )
    with entered(Corrector.should_attempt_ai_correction) as found:
        result = researched(desk, answers, expect=5 if told else 0)["s1"]
    assert "libriscribe2.research.execution" in found["should_attempt_ai_correction"]
    assert (result["status"], result["tool_calls"]) == ("failed" if told else "done", calls)
    assert told in result["error"]
    assert result["parameters"]["name"] == ("Nobody" if told else "Mara")


def test_OV_09_replies_to_agents_are_validated_and_normalised(desk: Desk) -> None:
    spaced = json.dumps(CONCEPT | {"title": "  The Log ", "odd": 1})
    short = json.dumps({"title": "T", "description": "D"})
    answers = Answers(refine=[short, f"```json\n{spaced}\n```"])
    with entered(Agent.safe_extract_json, JSONProcessor.extract_with_report) as found:
        desk.create("--until", "concept", backend=Author(reply=answers))
    assert "libriscribe2.agents.concept_generator" in found["safe_extract_json"]
    assert "libriscribe2.replies.parsers" in found["extract_with_report"]
    book = desk.project()
    assert book.json("concept.json")["concept"] == CONCEPT
    log = book.text(".libriscribe/run.log")
    assert "JSON_VALIDATION_ERROR: ConceptGeneratorAgent: " in log
    assert "- logline: Field required (it is missing)" in log


def test_OV_12_what_stands_around_json_that_cannot_be_read_is_told(desk: Desk) -> None:
    cut = 'Here it is:\n```json\n{"title": "The Log", "logline": "A keeper'
    with entered(Agent._detect_llm_formatting_issues) as found:
        desk.create("--until", "concept", backend=Author(reply=Answers(refine=[cut])))
    assert "libriscribe2.agents.concept_generator" in found["detect_markdown_artifacts"]
    book = desk.project()
    issues = ["markdown_code_blocks", "surrounding_text"]
    refused = next(one for one in book.dumps() if one["step"] == "concept/refine")
    assert (refused["extraction_method"], refused["formatting_issues"]) == ("failed", issues)
    told = f"JSON_EXTRACTION_WARNING: ConceptGeneratorAgent: {issues}"
    assert told in book.text(".libriscribe/run.log")


def test_OV_03_OV_11_OV_15_a_concept_without_a_part_is_not_saved(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def execute(_agent: Agent, _unit: Unit) -> ConceptFile:
        concept = ConceptModel.model_construct(title="T", logline=" ", description="D")
        return ConceptFile.model_construct(concept=concept)

    with monkeypatch.context() as patch:
        patch.setattr(ConceptGeneratorAgent, "execute", execute)
        ran = desk.create("--until", "concept", expect=5)
    assert "The stage 'concept' made nothing that can be saved." in ran.err
    assert "concept.logline: Field cannot be empty or whitespace only" in ran.err
    assert not desk.project().path("concept.json").exists()
    names = (
        JSONProcessor.validate_json_with_pydantic,
        ConceptGeneratorAgent._validate_concept_json,
    )
    with entered(*names) as found:
        desk.run("resume", "book", "--until", "concept")
    assert all("libriscribe2.engine.runner" in found[one.__name__] for one in names)
    assert desk.project().json("concept.json")["concept"]["logline"]


def test_MS_22_plans_bindings_judgements_and_agents_share_one_reader(
    desk: Desk, book: ProjectFolder
) -> None:
    plan = plan_text(
        NOBODY,
        step("s2", "search_sources", "s1"),
        step("s3", "extract_facts", question=QUESTION, source="salt.md"),
    )
    replies = {
        "plan": plan,
        "analyze": judges(should_retry=True, name="Mara"),
        "bind": '{"query": "salt"}',
        "extract_facts": '{"facts": []}',
    }
    answers = Answers(**{part: [f"So:\n```json\n{text}\n```"] for part, text in replies.items()})
    with entered(JSONProcessor.extract_with_report) as found:
        results = researched(desk, answers)
    assert {one["status"] for one in results.values()} == {"done"}
    assert found["extract_with_report"] >= {
        "libriscribe2.research.planner",
        "libriscribe2.research.resolver",
        "libriscribe2.research.diagnosis",
        "libriscribe2.agents.researcher",
    }


def called(*names: str) -> list[str]:
    """Calls that look people up and save a note, as JSON."""
    calls: list[tuple[str, dict[str, str]]] = [("lookup_character", {"name": one}) for one in names]
    calls.append(("save_note", FACT))
    return [json.dumps({"name": name, "arguments": given}) for name, given in calls]


@pytest.mark.parametrize("language", ["", "javascript", "typescript", "js", "json"])
def test_RP_11_a_plan_of_calls_in_a_fence_of_any_language_is_carried_out(
    desk: Desk, book: ProjectFolder, language: str
) -> None:
    calls = ", ".join(called("Mara"))
    reply = f'I look.\n```{language}\n{{"toolCalls": [{calls}], "needsMoreWork": true}}\n```'
    answers = Answers(plan=[reply])
    result, _ = researched(desk, answers).values()
    assert (result["tool"], result["parameters"]) == ("lookup_character", {"name": "Mara"})
    assert result["status"] == "done"
    assert len(answers.prompts("plan")) == 1


@pytest.mark.parametrize("lacking", [0, 1])
@pytest.mark.parametrize(
    "around", ["{}", "<|tool_calls_section_begin|>{}<|tool_calls_section_end|>", "I look.\n{}"]
)
def test_RP_13_calls_between_markers_are_carried_out_one_or_several(
    desk: Desk, book: ProjectFolder, around: str, lacking: int
) -> None:
    """The marker at the end says that a call is whole, even one without its last bracket."""
    calls = (one[: len(one) - lacking] for one in called("Mara", "Jon"))
    marked = (f"<|tool_call_begin|>{one}<|tool_call_end|>" for one in calls)
    answers = Answers(plan=[around.format("".join(marked))])
    *people, _ = researched(desk, answers).values()
    assert [one["response"]["name"] for one in people] == ["Mara Voss", "Jon Ide"]
    assert len(answers.prompts("plan")) == 1


def test_OV_45_what_is_said_of_a_reply_stands_in_a_file_of_its_own(desk: Desk) -> None:
    reply = f"As you wish, dear author:\n```json\n{json.dumps(CONCEPT)}\n```"
    desk.create("--until", "concept", backend=Author(reply=Answers(refine=[reply])))
    book = desk.project()
    assert book.json("concept.json")["concept"] == CONCEPT
    assert not [name for name, data in book.contents().items() if b"dear author" in data]
    (file,) = (one for one in book.debug.glob("*.json") if "dear author" in one.read_text("utf-8"))
    assert file.is_relative_to(desk.folder / "debug" / "book")
    told = json.loads(file.read_text("utf-8"))["debug_info"]
    assert (told["agent_name"], told["raw_response"]) == ("ConceptGeneratorAgent", reply)
    assert told["formatting_issues"] == ["markdown_code_blocks", "surrounding_text"]
    assert told["extraction_method"] == "markdown_block_extraction"


LAYERS = ("Auto-wiring result", "micro-resolution", "SEMANTIC FALLBACK", "AI-powered correction")


@pytest.mark.parametrize(
    ("variables", "shown"),
    [
        ({}, LAYERS[1:]),
        ({"GOMIND_LOG_LEVEL": "debug"}, LAYERS),
        ({"LIBRISCRIBE2_LOG_LEVEL": "debug"}, LAYERS),
        ({"LIBRISCRIBE2_LOG_LEVEL": "info", "GOMIND_LOG_LEVEL": "debug"}, LAYERS[1:]),
        ({"GOMIND_LOG_LEVEL": "error"}, ()),
        ({"GOMIND_LOG_LEVEL": "trace"}, LAYERS[1:]),
    ],
)
def test_PB_63_XU_06_a_variable_of_either_name_has_every_layer_logged(
    desk: Desk, book: ProjectFolder, variables: dict[str, str], shown: tuple[str, ...]
) -> None:
    plan = plan_text(
        NOBODY,
        step("s2", "search_sources", "s1", max_results="{{s1.response.count}}"),
    )
    answers = Answers(
        plan=[plan],
        analyze=[judges(should_retry=True, name="Mara")],
        bind=['{"query": "salt"}'],
        template_max_results=['{"max_results": 3}'],
    )
    desk.environment |= variables
    log = book.path(".libriscribe/run.log")
    log.unlink()
    researched(desk, answers)
    text = log.read_text("utf-8") if log.exists() else ""
    assert tuple(words for words in LAYERS if words in text) == shown


def test_XU_01_names_and_ids_lose_emphasis_whatever_their_field_is_called(desk: Desk) -> None:
    person = CAST[0] | {
        "age": "**40**",
        "appearance": "*weather-tool*",
        "relationships": "***Jon Ide***",
        "arc": "She learns to *listen*.",
        "conflict": "*Nobody* listens to *her*",
        "motivation": "*Let go, and live!*",
        "background": "path/*/glob",
    }
    cast = Answers(characters=[json.dumps({"characters": [person]})])
    desk.create("--characters", "1", "--until", "characters", backend=Author(reply=cast))
    (saved,) = desk.project().json("characters.json")["characters"]
    stripped = {"age": "40", "appearance": "weather-tool", "relationships": "Jon Ide"}
    assert saved == person | stripped | {"personality": ""}


def test_XU_01_words_that_go_into_a_text_keep_their_italics() -> None:
    patch = {"issue": 1, "find": "*no*", "replace": "*No*"}
    read = Agent.safe_extract_json(json.dumps({"patches": [patch]}), Patches)
    assert read["data"].model_dump() == {"patches": [patch]}


@pytest.mark.parametrize(
    ("without", "expected"),
    [
        ("", {"bind", "template-max_results", "analyze"}),
        ("micro_resolution", {"analyze"}),
        ("error_analysis", {"bind", "template-max_results"}),
        ("micro_resolution, error_analysis", set()),
        ("semantic_fallback", {"bind", "analyze"}),
    ],
)
def test_PB_52_PB_53_PB_72_a_setting_switches_each_layer_off(
    desk: Desk, book: ProjectFolder, without: str, expected: set[str]
) -> None:
    plan = text_of_plan(
        NOBODY,
        step("s2", "lookup_character", name="Mara"),
        step("s3", "search_sources", "s2", max_results="{{s2.response.count}}"),
        step("keep", "save_note", "s2", **FACT),
    )
    answers = Answers(
        plan=[plan],
        analyze=[judges(should_retry=True, name="Mara")],
        bind=['{"query": "salt"}'],
        template_max_results=['{"max_results": 3}'],
    )
    desk.environment["LIBRISCRIBE2_RESEARCH__WITHOUT"] = without
    found = researched(desk, answers)
    asked = {one.step.rpartition("/")[2] for one in answers.asked}
    assert asked & {"bind", "template-max_results", "analyze"} == expected
    assert found["keep"]["status"] == "done"
    assert (found["s1"]["status"] == "done") is ("analyze" in expected)
    assert (found["s3"]["status"] == "done") is ("template-max_results" in expected)


def test_PB_54_PB_55_by_a_setting_the_words_of_a_tool_decide_whether_a_call_is_corrected(
    desk: Desk, book: ProjectFolder
) -> None:
    plan = text_of_plan(
        NOBODY,
        step("s2", "search_sources", query="salt", max_results=0),
        step("keep", "save_note", **FACT),
    )
    # The model's own verdict is not asked for: its values are.
    answers = Answers(plan=[plan], analyze=[judges(should_retry=False, max_results=3)])
    desk.environment["LIBRISCRIBE2_RESEARCH__WITHOUT"] = "error_verdict"
    found = researched(desk, answers)
    assert [one.step.rpartition("/")[2] for one in answers.asked].count("analyze") == 1
    assert found["s1"]["llm_calls"] == 0
    assert "does not tell of a wrong value" in found["s1"]["error"]
    assert (found["s2"]["status"], found["s2"]["parameters"]["max_results"]) == ("done", 3)


def test_PB_72_a_layer_that_is_none_is_refused(desk: Desk, book: ProjectFolder) -> None:
    del book
    desk.environment["LIBRISCRIBE2_RESEARCH__WITHOUT"] = "everything"
    assert "WITHOUT" in desk.run("status", "book", expect=3).err


def _results(site: str, first: int, following: str = "") -> Answer:
    box = '<div class="hgKElc">Salt is sodium chloride.</div>' if first == 1 else ""
    links = "".join(
        f'<div class="g"><a href="{site}/{name}"><h3>On {name} {first}</h3></a></div>'
        for name in (f"page-{first}", f"page-{first + 1}", "salt")
    )
    onward = f'<a id="pnnext" href="{following}">Next</a>' if following else ""
    return Answer(body=f"<html><body>{box}{links}{onward}</body></html>".encode())


def test_SR_04_SR_05_SR_07_SR_12_XU_05_a_search_is_told_page_by_page_without_what_was_visited(
    desk: Desk, book: ProjectFolder
) -> None:
    away = "https://example.org"
    pages = {"/find": _results(away, 1, "/find2"), "/find2": _results(away, 3)}
    visited = saved_text(
        Source(
            id="s-0123456789ab", kind="web", title="Salt", place=f"{away}/salt", sha256="0" * 64
        ),
        [("", "Salt is old.")],
    )
    ResearchFolder(ProjectPaths(book.root, book.debug)).save(visited)
    plan = plan_text(
        step("s1", "web_search", query="salt", num_results=2),
        step("s2", "web_search", query="salt", page=2, skip_visited=True),
    )
    with WebPages(pages) as site:
        desk.environment["LIBRISCRIBE2_RESEARCH__SEARCH_URL"] = f"{site.root}/find?q={{query}}"
        desk.environment["LIBRISCRIBE2_RESEARCH__SEARCH_KIND"] = "html"
        answers = Answers(plan=[plan])
        first, second, _ = (one["response"] for one in researched(desk, answers).values())
    assert [one["url"] for one in first["results"]] == [f"{away}/page-1", f"{away}/page-2"]
    assert (first["found"], first["next_page"], first["filtered"]) == (3, 2, 0)
    assert first["featured_snippet"] == "Salt is sodium chloride."
    assert [one["url"] for one in second["results"]] == [f"{away}/page-3", f"{away}/page-4"]
    assert (second["next_page"], second["filtered"]) == (None, 1)
    assert '"num_results"' in answers.prompts("plan")[0]


def test_XU_03_a_plan_is_asked_for_with_the_schema_of_every_tool(
    desk: Desk, book: ProjectFolder
) -> None:
    del book
    answers = Answers(plan=[plan_text(step("s1", "lookup_character", name="Mara"))])
    researched(desk, answers)
    asked = answers.prompts("plan")[0]
    for tool in desk.run("tools", "--json").value:
        if not {"web", "search"} & set(tool["needs"]):
            assert tool["name"] in asked
            assert all(f'"{name}"' in asked for name in tool["parameters"]["properties"])
