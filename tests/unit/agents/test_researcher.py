"""The research of a book: what is asked, what is fetched, and which notes come of it."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_desk import AgentDesk
from tests.support.chain import plan_text, step
from tests.support.source_files import pdf
from tests.support.web_pages import Answer, WebPages

from libriscribe2.agents.researcher import ResearcherAgent
from libriscribe2.errors import IncompleteError, ProjectError
from libriscribe2.llm.backend import BackendError, Completion, Request
from libriscribe2.llm.backends.demo import answer
from libriscribe2.models.brief import Brief
from libriscribe2.models.notes import NotesFile
from libriscribe2.models.tooling import PlanStep, RunRecord
from libriscribe2.project.research_files import add_notes, merged
from libriscribe2.project.store import ProjectStore
from libriscribe2.research.research_chain import Findings

SALT = "Salt was traded along the coast from 1420 on, and a barrel cost 3.5 ducats."
QUESTION = "What did the coast trade, and when was its light lit?"
SERVE = (
    f"import sys; sys.path.insert(0, {str(Path(__file__).resolve().parents[3])!r}); "
    "from tests.support.mcp_server import main; main()"
)
Reply = Callable[[Request], str]


class Model:
    """Plans what it is told, and takes facts as the stand-in author does.

    Attributes:
        asked: The steps that asked.
    """

    def __init__(self, *steps: PlanStep, **replies: str) -> None:
        self._plan = plan_text(*steps)
        self._replies = replies
        self.asked: list[str] = []

    def __call__(self, request: Request) -> str:
        self.asked.append(request.step)
        last = request.step.rpartition("/")[2]
        if last in self._replies:
            return self._replies[last]
        return self._plan if last == "plan" else answer(request)


def chain_of(url: str, number: int, *after: str) -> list[PlanStep]:
    """A page is fetched, its facts are taken and saved."""
    fetch, extract, save = (f"{kind}-{number}" for kind in ("fetch", "extract", "save"))
    return [
        step(fetch, "fetch_page", *after, url=url),
        step(extract, "extract_facts", fetch, question=QUESTION),
        step(save, "save_note", extract),
    ]


def desk_on(folder: Path, site: WebPages | None = None, **brief: Any) -> AgentDesk:
    desk = AgentDesk(folder, category="History", **brief)
    desk.planned(2)
    if site is not None:
        ports = frozenset({site.port})
        desk.means = {"search_url": site.search_url, "loopback_ports": ports}
    return desk


async def answered(desk: AgentDesk, model: Reply, question: str = QUESTION) -> Findings:
    """What comes of a question."""
    with desk.hired(ResearcherAgent, *[model] * 40) as agent:
        assert isinstance(agent, ResearcherAgent)
        return (await agent.answer(question))[1]


def state(found: Findings) -> dict[str, str]:
    return {name: result.status for name, result in found.record.results.items()}


async def test_XC_07_a_question_is_planned_resolved_run_and_noted_with_exactly_these_calls(
    tmp_path: Path,
) -> None:
    with WebPages() as site:
        desk = desk_on(tmp_path, site)
        search = step("search", "web_search", query="salt")
        urls = [f"{{{{search.response.results[{place}].url}}}}" for place in (0, 1)]
        steps = [one for n, url in enumerate(urls, 1) for one in chain_of(url, n, "search")]
        model = Model(search, *steps)
        found = await answered(desk, model)
        assert sorted(site.requests) == ["/light", "/salt", "/search?q=salt&format=json"]
    assert set(state(found).values()) == {"done"}
    assert all(note.verified for note in found.notes)
    assert {note.source for note in found.notes} == {
        source["id"] for source in _json(desk, "research/sources.json")["sources"]
    }
    assert any("4 March 1851" in note.quote for note in found.notes)
    bound = found.record.results["save-1"].bindings
    assert {(one.parameter, one.layer, one.step) for one in bound} == {
        ("source", "auto_wire", "extract-1"),
        ("facts", "auto_wire", "extract-1"),
    }
    # One plan, one question per page, one about the claims of each, one for the answer: names alone
    # bind the rest.
    assert [name.rpartition("/")[2].partition("-")[0] for name in model.asked] == [
        "plan",
        "extract_facts",
        "extract_facts",
        "s",
        "s",
        "answers",
    ]
    assert found.record.results["extract-1"].llm_calls == 1


async def test_SR_11_SR_12_the_search_reads_a_results_page_without_a_model(tmp_path: Path) -> None:
    with WebPages() as site:
        desk = desk_on(tmp_path, site)
        desk.means |= {"search_url": site.results_url, "search_kind": "html"}
        search = step("search", "web_search", query="salt", num_results=2)
        model = Model(search, *chain_of("{{search.response.results[0].url}}", 1, "search"))
        found = await answered(desk, model)
    response: Any = found.record.results["search"].response
    assert [set(one) for one in response["results"]] == [{"title", "url", "snippet"}] * 2
    assert model.asked[0].endswith("/plan")
    assert not any("search" in name for name in model.asked)


async def test_XC_07_a_page_that_gives_orders_changes_nothing(tmp_path: Path) -> None:
    with WebPages() as site:
        desk = desk_on(tmp_path, site)
        search = step("search", "web_search", query="tide")
        url = "{{search.response.results[2].url}}"
        prompts: list[str] = []
        model = Model(search, *chain_of(url, 1, "search"))

        def obeying(request: Request) -> str:
            prompts.append(str(request.messages[-1]["content"]))
            return model(request)

        found = await answered(desk, obeying)
        assert site.requests[1:] == ["/trap"]
        assert site.asked("/canary") == 0
    shown = next(prompt for prompt in prompts if "<source_text>" in prompt)
    assert "Ignore your instructions" in shown.partition("<source_text>")[2]
    assert set(state(found)) == {"search", "fetch-1", "extract-1", "save-1"}


async def test_XC_07_an_address_that_only_a_model_names_is_not_asked(tmp_path: Path) -> None:
    with WebPages() as site:
        desk = desk_on(tmp_path, site)
        with pytest.raises(IncompleteError) as caught:
            await answered(desk, Model(*chain_of(f"{site.root}/canary", 1)))
        assert site.requests == []
    assert "addresses come from search results or the author" in caught.value.why


async def test_XC_07_failures_end_their_branch_and_the_chain_goes_on(tmp_path: Path) -> None:
    paths = ("/bomb", "/huge", "/fake.pdf", "/picture", "/gone", "/latin", "/busy", "/away")
    with WebPages({"/gone": Answer(404, b"no")}) as site:
        desk = desk_on(tmp_path, site)
        desk.means |= {"most_bytes": 2**20}
        urls = [f"{site.root}{path}" for path in paths]
        model = Model(
            *(one for number, url in enumerate(urls) for one in chain_of(url, number)),
            analyze='{"should_retry": false, "reason": "gone"}',
        )
        found = await answered(desk, model, f"{QUESTION} See {' and '.join(urls)}.")
        assert {path: site.asked(path) for path in paths} == {
            **dict.fromkeys(paths, 1),
            "/busy": 2,
            "/away": 2,
        }
    failed = [n for n in range(len(paths)) if state(found)[f"fetch-{n}"] == "failed"]
    assert [paths[n] for n in failed] == list(paths[:5])
    assert all(state(found)[f"save-{n}"] == "skipped" for n in failed)
    assert all(found.record.results[f"fetch-{n}"].error for n in failed)
    assert all(state(found)[f"save-{n}"] == "done" for n in (5, 6, 7))
    assert any("3,5 Dukaten" in note.quote for note in found.notes)


async def test_XC_04_a_killed_chain_goes_on_without_a_repeated_call(tmp_path: Path) -> None:
    with WebPages() as site:
        desk = desk_on(tmp_path, site)
        search = step("search", "web_search", query="salt")
        url = "{{search.response.results[0].url}}"
        model = Model(search, *chain_of(url, 1, "search"))
        out_of_credit = BackendError("quota", "no credit left")

        def killed(request: Request) -> str:
            if request.step.endswith("extract_facts"):
                raise out_of_credit
            return model(request)

        with pytest.raises(Exception, match="credit"):
            await answered(desk, killed)
        before = list(site.requests)
        found = await answered(desk, model)
        assert site.requests == before == ["/search?q=salt&format=json", "/salt"]
    last_names = [name.rpartition("/")[2] for name in model.asked]
    assert last_names[:2] == ["plan", "extract_facts"]
    assert [name[:2] for name in last_names[2:]] == ["s-", "an"]
    assert found.notes
    again = Model()
    assert (await answered(desk, again)).notes == found.notes
    assert again.asked == []


async def test_XC_07_the_stage_asks_questions_first_and_keeps_the_notes_of_others(
    tmp_path: Path,
) -> None:
    desk = desk_on(tmp_path)
    desk.put("research/sources/salt.md", f"# Salt\n\n{SALT}\n")
    other = _note("n-000000000000", step="q-1/step-2")
    own = _note("n-000000000001", step="research/step-2")
    desk.put("research/notes.json", {"notes": [other, own]})
    questions = json.dumps({"questions": ["What did salt cost?"]})
    model = Model(
        step("read", "read_source", source="salt.md"),
        step("extract", "extract_facts", "read", question="cost"),
        step("save", "save_note", "extract"),
        questions=questions,
    )
    made = await desk.run(ResearcherAgent, *[model] * 6)
    assert isinstance(made, NotesFile)
    assert [note.quote for note in made.notes] == [SALT, other["quote"]]
    assert made.notes[0].step == "research/save"
    source = made.notes[0].source
    assert model.asked == [
        "research/questions",
        "research/plan",
        "research/extract/extract_facts",
        f"research/support/{source}",
        "research/answers",
    ]
    (answer_kept,) = _json(desk, "research/answers.json")["answers"]
    assert answer_kept["question"] == "What did salt cost?"
    assert made.notes[0].id in answer_kept["notes"]
    assert "- salt.md" in desk.prompt(0)
    plan = _json(desk, "research/plan.json")
    assert "1. What did salt cost?" in plan["original_request"]
    kept = RunRecord.model_validate(_json(desk, "research/run.json"))
    assert kept.success


async def test_XC_07_an_invented_quote_is_no_fact(tmp_path: Path) -> None:
    desk = desk_on(tmp_path)
    desk.put("research/sources/salt.md", SALT)
    model = Model(
        step("save", "save_note", source="salt.md", claim="It cost 9.", quote="a barrel cost 9.5"),
    )
    found = await answered(desk, model)
    (note,) = found.notes
    assert not note.verified
    assert note.reason == "the quote is not in the saved text of the source"


async def test_a_claim_of_the_planner_beside_a_quote_of_a_result_is_a_fault_of_the_plan(
    tmp_path: Path,
) -> None:
    desk = desk_on(tmp_path)
    desk.put("research/sources/salt.md", SALT)
    read = step("read", "read_source", source="salt.md")
    quote = {"source": "salt.md", "quote": "{{read.response.text}}"}
    bad = plan_text(read, step("save", "save_note", "read", claim="A barrel cost 9.", **quote))
    good = plan_text(
        read,
        step("extract", "extract_facts", "read", question=QUESTION),
        step("save", "save_note", "extract"),
    )
    found = await answered(desk, Model(plan=bad, **{"valid-1": good}))
    assert [note.quote for note in found.notes] == [SALT]
    assert "claim was written before anything was read" in desk.prompt(1)


def native(*calls: tuple[str, dict[str, Any]]) -> Completion:
    """A reply that calls functions."""
    called = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(a)}}
        for n, (name, a) in enumerate(calls)
    ]
    return Completion("", tool_calls=tuple(called), finish_reason="tool_calls")


def last(desk: AgentDesk, number: int) -> str:
    """The last words of a conversation."""
    return str(desk.calls[number].messages[-1]["content"])


SAVE = ("save_note", {"source": "salt.md", "claim": "Salt was traded from 1420 on.", "quote": SALT})
READ = ("read_source", {"source": "salt.md"})


@pytest.mark.parametrize(
    ("turns", "asked"),
    [
        ((native(READ), native(SAVE), '{"needsMoreWork": false}'), 3),
        (
            (
                '<tool_call>{"name": "read_source", "arguments": {"source": "salt.md"}}</tool_call>',
                json.dumps(
                    {"toolCalls": [{"name": SAVE[0], "arguments": SAVE[1]}], "needsMoreWork": False}
                ),
            ),
            2,
        ),
        ((native(READ), native(SAVE), "That is all.", "That is all."), 4),
    ],
    ids=["native", "false-ends-it", "one-nudge"],
)
async def test_RP_35_XU_04_a_planner_that_calls_tools_one_by_one_gets_its_results(
    tmp_path: Path, turns: tuple[Completion | str, ...], asked: int
) -> None:
    desk = desk_on(tmp_path)
    desk.put("research/sources/salt.md", SALT)
    with desk.hired(ResearcherAgent, *turns, answer, answer) as agent:
        assert isinstance(agent, ResearcherAgent)
        found = (await agent.answer(QUESTION))[1]
    assert [note.quote for note in found.notes if note.verified] == [SALT]
    assert len(desk.calls) == asked + 2  # and one about the claim, and one for the answer
    assert "Salt was traded along the coast" in last(desk, 1)
    assert found.record.success


async def test_RP_31_calls_that_cannot_be_carried_out_are_named_to_the_model(
    tmp_path: Path,
) -> None:
    desk = desk_on(tmp_path)
    desk.put("research/sources/salt.md", SALT)
    unknown = '<tool_call>{"name": "burn_source", "arguments": {}}</tool_call>'
    turns = (
        native(READ),
        native(("read_source", {"file": "salt.md"})),
        unknown,
        native(("read_source", {"source": "sugar.md"})),
        native(SAVE),
        '{"needsMoreWork": false}',
    )
    with desk.hired(ResearcherAgent, *turns, answer, answer) as agent:
        assert isinstance(agent, ResearcherAgent)
        found = (await agent.answer(QUESTION))[1]
    assert [note.verified for note in found.notes] == [True]
    assert "has no parameter 'file'" in last(desk, 2)
    assert "There is no tool `burn_source`" in last(desk, 3)
    assert "sugar.md" in last(desk, 4)


async def test_a_book_whose_research_took_no_note_says_so_and_plans_anew(tmp_path: Path) -> None:
    desk = desk_on(tmp_path)
    desk.put("research/sources/salt.md", SALT)
    questions = json.dumps({"questions": ["What did salt cost?"]})
    steps = (
        step("read", "read_source", source="salt.md"),
        step("extract", "extract_facts", "read", question="cost"),
        step("save", "save_note", "extract"),
    )
    nothing = Model(*steps, questions=questions, extract_facts='{"facts": []}')
    with pytest.raises(IncompleteError, match="Research found nothing"):
        await desk.run(ResearcherAgent, *[nothing] * 5)
    better = Model(*steps, questions=questions)
    made = await desk.run(ResearcherAgent, *[better] * 6)
    assert isinstance(made, NotesFile)
    assert [note.quote for note in made.notes] == [SALT]
    assert "research/plan" in better.asked


async def test_a_claim_that_its_quote_does_not_say_is_kept_and_is_no_fact(tmp_path: Path) -> None:
    desk = desk_on(tmp_path)
    desk.put("research/sources/salt.md", f"{SALT}\n\nThe ships came in spring, as they always had.")
    facts = [
        {"claim": "Salt was traded from 1420 on.", "quote": SALT},
        {"claim": "A barrel cost 9.5 ducats.", "quote": "a barrel cost 3.5 ducats"},
        {"claim": "Salt made the coast rich.", "quote": "Salt was traded along the coast"},
        {"claim": "Ships came.", "quote": "ships came"},
        {"claim": "The ships never came.", "quote": "The ships came in spring"},
    ]
    model = Model(
        step("read", "read_source", source="salt.md"),
        step("extract", "extract_facts", "read", question="salt"),
        step("save", "save_note", "extract"),
        extract_facts=json.dumps({"facts": facts}),
    )
    verdicts = {
        "verdicts": [
            {"number": 1, "verdict": "yes", "why": ""},
            {"number": 2, "verdict": "partly", "why": "that it made anybody rich"},
            {"number": 3, "verdict": "no", "why": "it says that they came"},
        ]
    }

    def judging(request: Request) -> str:
        return json.dumps(verdicts) if "/support/" in request.step else model(request)

    found = await answered(desk, judging)
    assert [(note.is_fact, note.reason) for note in found.notes] == [
        (True, ""),
        (False, "the passage of the quote does not say 9.5"),
        (False, "that it made anybody rich"),
        (False, "the quote has 2 words; it takes 3 to 40 to prove a claim"),
        (False, "it says that they came"),
    ]
    asked = last(desk, -2)
    assert "3. claim: The ships never came." in asked
    assert "\n\nThe ships came in spring, as they always had.\n</passages>" in asked


async def test_XU_02_a_question_ends_with_an_answer_made_of_its_notes_alone(tmp_path: Path) -> None:
    desk = desk_on(tmp_path)
    desk.put("research/sources/salt.md", SALT)
    steps = (
        step("read", "read_source", source="salt.md"),
        step("extract", "extract_facts", "read", question="cost"),
        step("save", "save_note", "extract"),
    )
    (note,) = (await answered(desk, Model(*steps))).notes
    wrong = f"{note.id[:-1]}{'0' if note.id[-1] != '0' else '1'}"
    said = {
        "answers": [
            {
                "question": 1,
                "verdict": "partly",
                "answer": f"A barrel cost 3.5 ducats [@{wrong}]. When the light was lit they do not say.",
                "notes": ["n-000000000000"],
            }
        ]
    }
    found = await answered(desk, Model(*steps, answers=json.dumps(said)), "What did it cost?")
    (told,) = found.answers
    assert told.verdict == "partly"
    assert told.answer.startswith(f"A barrel cost 3.5 ducats [@{note.id}].")
    assert told.notes == [note.id]
    none = {"answers": [{"question": 1, "verdict": "not", "answer": "In 1851.", "notes": []}]}
    found = await answered(desk, Model(*steps, answers=json.dumps(none)), "When was it lit?")
    assert [(one.verdict, one.answer) for one in found.answers] == [("not", "")]
    kept = _json(desk, "research/answers.json")["answers"]
    assert [one["question"] for one in kept] == [QUESTION, "What did it cost?", "When was it lit?"]


async def test_XC_07_without_anything_to_look_in_nothing_is_asked(tmp_path: Path) -> None:
    desk = desk_on(tmp_path)
    with desk.hired(ResearcherAgent) as agent:
        assert agent.no_op_reason() == (
            "no file in research/sources and no search engine in research.search_url"
        )
    with pytest.raises(ProjectError, match="no sources"):
        await answered(desk, Model())
    assert desk.calls == []


async def test_XC_07_records_that_the_author_edited_stay(tmp_path: Path) -> None:
    desk = desk_on(tmp_path)
    desk.put("research/sources/salt.md", SALT)
    desk.put("research/plan.json", {"mine": True})
    save = step("save", "save_note", source="salt.md", claim="It was traded.", quote=SALT)
    await answered(desk, Model(save))
    assert _json(desk, "research/plan.json") == {"mine": True}
    assert _json(desk, "research/run.json")["results"]["save"]["status"] == "done"


async def test_XC_07_a_source_that_is_none_fails_its_step_with_the_reason(tmp_path: Path) -> None:
    desk = desk_on(tmp_path)
    paths = desk.paths.root / "research" / "sources"
    paths.mkdir(parents=True)
    (paths / "fake.pdf").write_bytes(b"no pdf at all")
    (paths / "real.pdf").write_bytes(pdf(["The lamp was lit in 1851 for the first time."]))
    steps = [
        step(f"{kind}-{n}", tool, *after, **given)
        for n, name in enumerate(("fake.pdf", "real.pdf"))
        for kind, tool, after, given in (
            ("read", "read_source", (), {"source": name}),
            ("extract", "extract_facts", (f"read-{n}",), {"question": "lamp"}),
            ("save", "save_note", (f"extract-{n}",), {}),
        )
    ]
    found = await answered(desk, Model(*steps))
    assert state(found)["read-0"] == "failed"
    assert "fake.pdf cannot be read" in found.record.results["read-0"].error
    assert [note.locator for note in found.notes] == ["page 1"]


@pytest.mark.slow
async def test_XC_07_tools_of_a_server_join_and_one_that_is_missing_is_told(tmp_path: Path) -> None:
    desk = desk_on(tmp_path)
    desk.put("research/sources/salt.md", SALT)
    desk.means["servers"] = {
        "gone": {"command": "no-such-program-anywhere"},
        "measures": {"command": sys.executable, "args": ("-c", SERVE)},
    }
    found = await answered(
        desk,
        Model(
            step("one", "measures_measure", word="salt", times=2),
            step("save", SAVE[0], "one", **SAVE[1]),
        ),
    )
    assert found.record.results["one"].response == {"length": 8}
    assert "'gone' cannot be used" in found.unusable[0]


def test_XC_07_non_fiction_has_the_stage_and_the_author_decides() -> None:
    wanted = ResearcherAgent.wanted
    assert wanted(Brief(premise="p", category="Business"))
    assert not wanted(Brief(premise="p"))
    assert wanted(Brief(premise="p", research=True))
    assert not wanted(Brief(premise="p", category="Business", research=False))


def test_XC_07_edited_notes_keep_what_the_author_wrote(tmp_path: Path) -> None:
    desk = desk_on(tmp_path)
    mine = NotesFile.model_validate({"notes": [_note("n-00000000000a")]})
    desk.put("research/notes.json", mine.model_dump(mode="json"))
    (desk.paths.root / "book.toml").touch()
    new = NotesFile.model_validate({"notes": [_note("n-00000000000b")]})
    with ProjectStore.open(desk.paths) as store:
        add_notes(store, merged(mine, new))
        assert store.state("research/notes.json", {}).kind == "edited"
    ids = [note["id"] for note in _json(desk, "research/notes.json")["notes"]]
    assert ids == ["n-00000000000a", "n-00000000000b"]


def _note(identifier: str, **more: Any) -> dict[str, Any]:
    quote = f"the words of {identifier}"
    return {
        "id": identifier,
        "claim": "It is so.",
        "quote": quote,
        "source": "s-000000000000",
        "verified": True,
        **more,
    }


def _json(desk: AgentDesk, name: str) -> Any:
    return json.loads((desk.paths.root / name).read_text(encoding="utf-8"))
