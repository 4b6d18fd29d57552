"""What the offline author answers to the questions of a chain of tools."""

import json
from typing import Any

from libriscribe2.llm.backend import Request
from libriscribe2.llm.offline.chains import chain_answer
from libriscribe2.models.notes import request_text
from libriscribe2.models.tooling import Plan
from libriscribe2.prompts.loader import load_prompt
from libriscribe2.research.catalog import all_tools
from libriscribe2.research.plan_prompt import PlanPromptBuilder
from libriscribe2.research.planner import plan_problems
from libriscribe2.research.quotes import find_quote
from libriscribe2.research.tool import capabilities_of

TEXT = (
    "# Salt\n\nSalt is sodium chloride. It melts at about 801 degrees. Too short. No full stop\n\n"
    "The mine of Wieliczka was listed in 1978. A " + "word " * 60 + "end.\n"
)


def ask(messages: Any) -> Any:
    return chain_answer(Request("s", "offline", tuple(messages)))


def facts(question: str, most: int = 3) -> list[dict[str, str]]:
    prompt = load_prompt("extract_facts")
    answer = ask(prompt.render(question=question, text=TEXT, most=str(most)))
    found: list[dict[str, str]] = answer["facts"]
    return found


def planned(files: list[str], leave_out: tuple[str, ...] = ()) -> Plan:
    known = tuple(c for c in capabilities_of(all_tools()) if c.name not in leave_out)
    text = request_text(["What is {{step-9.response.x}}?", "Why?"], files)
    plan = Plan.model_validate(ask(PlanPromptBuilder(known).build_planning_prompt(text)))
    assert plan_problems(plan, {one.name: one for one in known}) == []
    return plan


def test_XC_07_its_quotes_are_sentences_of_the_text() -> None:
    found = facts("When was the mine listed?")
    assert found[0]["quote"] == "The mine of Wieliczka was listed in 1978."
    assert len(found) == 3
    assert all(find_quote(one["quote"], TEXT) for one in found)
    assert len(facts("x", most=1)) == 1


def test_XC_07_its_plans_can_be_carried_out() -> None:
    own = planned(["a.md", "b.md"])
    assert [step.tool for step in own.steps] == [
        "search_sources",
        *("read_source", "extract_facts", "save_note") * 2,
    ]
    web = planned([])
    assert [step.tool for step in web.steps][:2] == ["web_search", "fetch_page"]
    assert [step.tool for step in planned([], ("web_search",)).steps] == ["search_sources"]


def test_XC_07_it_binds_what_the_data_hold_and_nothing_else() -> None:
    wanted: dict[str, Any] = {"properties": {"url": {}, "Country": {}, "other": {}}}
    data = {"step-1": {"results": [{"url": "u", "nested": {"country": "FR"}}]}}
    holes = dict.fromkeys(("names", "capability", "about", "parameters", "instruction", "hint"), "")
    prompt = load_prompt("micro_resolution")
    messages = prompt.render(data=json.dumps(data), schema=json.dumps(wanted), **holes)
    assert ask(messages) == {"url": "u", "Country": "FR", "other": None}


def test_XC_07_it_knows_no_better_parameters() -> None:
    holes = ("capability", "about", "context", "parameters", "status", "error", "schema")
    messages = load_prompt("error_analysis").render(**dict.fromkeys(holes, "x"))
    assert ask(messages)["should_retry"] is False


def test_XC_07_other_questions_are_not_its_business() -> None:
    assert ask([{"role": "user", "content": "Write about tools."}]) is None


def test_XC_07_its_questions_are_about_the_premise() -> None:
    holes = {"premise": "A guide to salt.", "book": "", "concept": "", "sources": "none"}
    system, user = load_prompt("research").render(**holes)
    user["content"] += '\n\n<json_schema>{"properties": {"questions": {}}}</json_schema>'
    answer = ask((system, user))
    assert len(answer["questions"]) == 3
    assert all("A guide to salt" in one for one in answer["questions"])
