"""Research as an author meets it: questions, notes, references, and what no longer holds."""

import json
import re
import zipfile
from typing import Any

import pytest
from tests.support.authors import Author, Killed
from tests.support.desk import Desk, ProjectFolder

from libriscribe2.llm.backend import Request

QUESTION = "How does salt matter to the sea?"
SMALL = ("--chapters", "2", "--scenes-per-chapter", "1", "--words", "400")
SALT = (
    "# Salt\n\nCommon table salt is sodium chloride. Pure salt melts at about 801 degrees. "
    "The mine of Wieliczka was listed in 1978.\n"
)


@pytest.fixture
def demo(desk: Desk) -> ProjectFolder:
    """The demonstration."""
    desk.run("research", "demo", QUESTION)
    return desk.project("research-demo")


def guide(desk: Desk, *options: str) -> ProjectFolder:
    """A finished guide with a source of its own."""
    command = ("create", "A guide to salt", "--mock", "-c", "Business", "-p", "guide", *SMALL)
    desk.run(*command, "--until", "concept", *options)
    source = desk.project("guide").path("research/sources/salt.md")
    source.parent.mkdir(parents=True)
    source.write_text(SALT, encoding="utf-8")
    desk.run("resume", "guide")
    return desk.project("guide")


@pytest.mark.parametrize(
    "question", [QUESTION, "zzz?", "Ñandú: 塩は何ですか", "{{step-1.response.x}}"]
)
def test_XC_07_the_demonstration_takes_verified_notes_whatever_is_asked(
    desk: Desk, question: str
) -> None:
    answer = desk.run("research", "demo", question, "--json").value
    assert len(answer["notes"]) >= 5
    assert all(note["verified"] for note in answer["notes"])
    assert len({note["source"] for note in answer["notes"]}) == 3
    assert answer["failed"] == 0
    book = desk.project("research-demo")
    for note in answer["notes"]:
        assert note["quote"] in book.text(f"research/fetched/{note['source']}.md")
    assert desk.run("citations", "check", "research-demo", "--json").value["holds"]
    for name in ("plan.json", "run.json", "notes.json", "sources.json"):
        assert book.json(f"research/{name}")


def test_XU_02_PB_65_the_answer_to_a_question_is_printed_and_its_call_is_in_the_events(
    desk: Desk,
) -> None:
    ran = desk.run("research", "demo", QUESTION)
    book = desk.project("research-demo")
    (told,) = book.json("research/answers.json")["answers"]
    assert told["question"] == QUESTION
    assert told["verdict"] == "partly"
    assert told["answer"] in ran.out
    known = {note["id"] for note in book.json("research/notes.json")["notes"]}
    assert set(re.findall(r"n-[0-9a-f]{12}", told["answer"])) <= known & set(told["notes"])
    lines = book.text(".libriscribe/events.jsonl").splitlines()
    calls = [one for line in lines if (one := json.loads(line))["event"] == "llm.call"]
    (call,) = [one for one in calls if one["unit"].endswith("/answers")]
    assert call["calls"] == 1
    assert call["agent"] == "ResearcherAgent"
    shown = desk.run("research", "show", "research-demo").err
    assert told["answer"] in shown


def test_XC_07_the_chain_is_drawn_with_bindings_and_what_wiring_saved(
    desk: Desk, demo: ProjectFolder
) -> None:
    del demo
    drawn = desk.run("research", "show", "research-demo", "--run").out
    assert re.search(r"step-3  extract_facts after step-2: done \(1 call, 1 question, ", drawn)
    assert re.search(r'    source = "s-[0-9a-f]{12}"  \[auto_wire from step-2\]', drawn)
    assert '    source = "lighthouses.md"  [literal]' in drawn
    assert "LLM calls avoided by auto-wiring: 6" in drawn
    told = desk.run("research", "show", "research-demo", "--run", "--json").value
    assert told["totals"]["done"] == told["totals"]["steps"] == len(told["plan"]["steps"])
    rows = desk.run("research", "show", "research-demo").out.splitlines()
    assert rows[0].split("\t") == ["note", "verified", "claim", "source", "place"]
    assert len(rows) == 1 + len(desk.project("research-demo").json("research/notes.json")["notes"])


def test_XC_07_a_source_that_was_changed_is_told_by_its_notes(
    desk: Desk, demo: ProjectFolder
) -> None:
    source = demo.path("research/sources/salt.md")
    source.write_text(source.read_text(encoding="utf-8").replace("sodium", "s0dium"), "utf-8")
    report = desk.run("citations", "check", "research-demo", "--json", expect=5).value
    broken = {note["id"] for note in report["notes"] if not note["holds"]}
    notes = demo.json("research/notes.json")["notes"]
    assert broken == {note["id"] for note in notes if "sodium" in note["quote"]} != set()
    told = desk.run("citations", "check", "research-demo", expect=5)
    assert all(identifier in told.out for identifier in broken)
    assert "the source file was changed and no longer contains the quote" in told.out


def test_XC_07_a_saved_text_that_was_changed_no_longer_proves_anything(
    desk: Desk, demo: ProjectFolder
) -> None:
    note = demo.json("research/notes.json")["notes"][0]
    demo.write(f"research/fetched/{note['source']}.md", "All gone.")
    report = desk.run("citations", "check", "research-demo", "--json", expect=5).value
    reasons = {one["reason"] for one in report["notes"] if not one["holds"]}
    assert reasons == {"the saved text of the source was changed after it was read"}
    demo.path("research/sources/tides.md").unlink()
    assert (
        "the source file is gone" in desk.run("citations", "check", "research-demo", expect=5).err
    )


def test_XC_07_a_mark_without_a_note_is_told_and_never_printed(desk: Desk) -> None:
    book = guide(desk)
    chapter = book.text("chapters/01.md")
    book.write("chapters/01.md", f"{chapter}\nIt was 1234 then [@n-123456789abc].\n")
    ran = desk.run("resume", "guide")
    assert "1 marks without a verified note are left out" in ran.err
    assert "It was 1234 then.\n" in book.text("manuscript.md")
    report = desk.run("citations", "check", "guide", "--json", expect=5).value
    assert report["marks"] == [
        {"chapter": 1, "mark": "[@n-123456789abc]", "reason": "there is no such note"}
    ]
    assert any("1234" in one["why"] for one in report["unsupported"])


def test_XC_04_research_that_was_killed_goes_on_and_pays_nothing_twice(desk: Desk) -> None:
    command = ("create", "A guide to salt", "--mock", "-c", "Business", "-p", "guide", *SMALL)
    desk.run(*command, "--until", "concept")
    book = desk.project("guide")
    book.path("research/sources").mkdir(parents=True)
    for name in ("a.md", "b.md", "c.md"):
        book.write(f"research/sources/{name}", SALT)
    # At the questions, at the plan, at the second of three sources, at the last.
    for call in (1, 2, 3, 1):
        author = Author({call}, failure=Killed)
        with pytest.raises(Killed):
            desk.run("resume", "guide", "--until", "research", backend=author)
        assert not book.path("research/notes.json").exists()
    last = Author()
    desk.run("resume", "guide", "--until", "research", backend=last)
    done = [record["k"] for record in book.records("done")]
    assert len(done) == len(set(done))
    assert {note["step"] for note in book.json("research/notes.json")["notes"]} == {
        "research/step-4",
        "research/step-7",
        "research/step-10",
    }


def test_XC_07_a_question_adds_to_the_notes_and_makes_nothing_stale(desk: Desk) -> None:
    book = guide(desk)
    before = book.json("research/notes.json")["notes"]
    author = Author(reply=_other_facts)
    desk.run("research", "guide", "Where is the mine?", backend=author)
    assert len(author.asked) == 4
    after = book.json("research/notes.json")["notes"]
    assert after[: len(before)] == before
    assert [note["claim"] for note in after[len(before) :]] == ["There is a mine in Wieliczka."]
    states = desk.run("status", "guide", "--json").out
    assert '"stale"' not in states
    again = Author()
    desk.run("research", "guide", "Where is  the mine?", backend=again)
    assert again.asked == []
    assert book.json("research/notes.json")["notes"] == after


def test_the_setting_of_the_longest_quote_reaches_the_prompt_and_the_notes(desk: Desk) -> None:
    guide(desk)
    quote = SALT.rpartition("chloride. ")[2].strip()

    def long_fact(request: Request) -> str | None:
        if not request.step.endswith("extract_facts"):
            return None
        return json.dumps({"facts": [{"claim": "There is a mine of salt.", "quote": quote}]})

    desk.environment["LIBRISCRIBE2_RESEARCH__LONGEST_QUOTE"] = "14"
    author = Author(reply=long_fact)
    answer = desk.run("research", "guide", "Where is the mine?", "--json", backend=author).value
    (asked,) = [one for one in author.asked if one.step.endswith("extract_facts")]
    assert "one passage of 3 to 14 words," in str(asked.messages)
    (note,) = [one for one in answer["notes"] if one["quote"] == quote]
    assert note["supported"] == "no"
    assert note["reason"] == "the quote has 15 words; it takes 3 to 14 to prove a claim"


def test_XC_07_notes_that_the_author_edited_are_kept(desk: Desk) -> None:
    book = guide(desk)
    notes = book.json("research/notes.json")
    notes["notes"] = [{**notes["notes"][0], "claim": "In my own words."}]
    book.write("research/notes.json", json.dumps(notes))
    desk.run("research", "guide", "Where is the mine?", backend=Author(reply=_other_facts))
    claims = [note["claim"] for note in book.json("research/notes.json")["notes"]]
    assert claims == ["In my own words.", "There is a mine in Wieliczka."]
    desk.run("resume", "guide")
    assert book.json("research/notes.json")["notes"][0]["claim"] == "In my own words."


def test_XC_07_without_sources_the_stage_is_skipped_with_the_reason(desk: Desk) -> None:
    command = ("create", "A guide to salt", "--mock", "-c", "Business", "-p", "guide", *SMALL)
    ran = desk.run(*command)
    assert (
        "Research: skipped (no file in research/sources and no search engine in "
        "research.search_url)" in ran.err
    )
    book = desk.project("guide")
    assert not book.path("research/notes.json").exists()
    assert "References" not in book.text("manuscript.md")
    assert "needs files in research/sources" in desk.run("status", "guide").out
    told = desk.run("research", "guide", "What is salt?", expect=3).err
    assert "There are no sources" in told
    desk.run("replay", "guide")


def test_XC_07_the_author_switches_research_on_and_off(desk: Desk) -> None:
    book = guide(desk, "--no-research")
    assert not book.path("research/notes.json").exists()
    assert '"research"' not in book.text(".libriscribe/events.jsonl")
    ran = desk.run("redo", "guide", "research", expect=2)
    assert "--research" in ran.err
    desk.written("--research", "--until", "concept")
    assert desk.project().brief()["research"] is True
    assert "Research: skipped" in desk.run("resume", "book").err


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("research", "book", "  "), 2, "The question is empty."),
        (("research", "book", "x" * 1_001), 2, "The question is too long."),
        (("research", "nowhere", "What?"), 3, "There is no project"),
        (("research", "show", "book", "--run"), 3, "No chain was run for this book yet."),
        (("research", "book"), 2, "Missing argument"),
        (("citations", "check", "nowhere"), 3, "There is no project"),
    ],
)
def test_XC_08_bad_input_is_told_with_its_exit_code(
    desk: Desk, arguments: tuple[str, ...], code: int, told: str
) -> None:
    desk.written("--until", "concept")
    ran = desk.run(*arguments, expect=code)
    assert told in ran.err
    assert "Traceback" not in ran.err


def test_XC_07_a_project_may_be_called_like_a_command(desk: Desk) -> None:
    assert "QUESTION" not in desk.run("research", "-h").out
    desk.create("--until", "concept", name="show")
    told = desk.run("research", "ask", "show", "What is salt?", expect=3).err
    assert "There are no sources" in told


def test_XC_07_citations_of_a_book_without_notes_hold(desk: Desk) -> None:
    desk.written("--until", "concept")
    assert desk.run("citations", "check", "book", "--json").value["holds"] is True


def _other_facts(request: Any) -> str | None:
    """The facts of the mine; anything else is left to the stand-in author."""
    if not request.step.endswith("extract_facts"):
        return None
    quote = "The mine of Wieliczka was listed in 1978."
    return json.dumps({"facts": [{"claim": "There is a mine in Wieliczka.", "quote": quote}]})


def test_XC_07_a_mended_record_of_a_source_reaches_the_references(desk: Desk) -> None:
    book = guide(desk)
    sources = book.json("research/sources.json")
    sources["sources"][0] |= {"title": "On Salt", "authors": ["Miller, Ada"], "published": "2019"}
    book.write("research/sources.json", json.dumps(sources))
    assert "manuscript" in desk.run("status", "guide").out
    desk.run("resume", "guide")
    assert "On Salt" in book.text("manuscript.md")
    source = book.path("research/sources/second.md")
    source.write_text(SALT.replace("1978", "1979"), encoding="utf-8")
    desk.run("research", "guide", "When was the second mine listed?")
    kept = book.json("research/sources.json")["sources"]
    assert [one["title"] for one in kept[:1]] == ["On Salt"]
    assert len(kept) == 2


@pytest.mark.parametrize("style", ["numbers", "author-date", "apa"])
def test_XC_07_citation_and_reference_lead_to_each_other(desk: Desk, style: str) -> None:
    book = guide(desk)
    brief = book.text("book.toml")
    book.write("book.toml", brief.replace('citations = "numbers"', f'citations = "{style}"'))
    desk.run("resume", "guide", "--refresh")
    desk.run("export", "guide", "html", "md")
    page = book.text("exports/guide.html")
    for kind, other in (("cite", "source"), ("source", "cite")):
        assert f'<a href="#{other}-1" id="{kind}-1"' in page
        ids = re.findall(rf'id="({kind}-\d+)"', page)
        assert len(ids) == len(set(ids))
    assert "cite:" not in book.text("exports/guide.md")
    assert "source:" not in book.text("exports/guide.md")


def test_XC_07_footnotes_hold_the_references_where_they_are_wanted(desk: Desk) -> None:
    book = guide(desk)
    brief = book.text("book.toml")
    book.write("book.toml", brief.replace('citations = "numbers"', 'citations = "quoted-notes"'))
    desk.run("resume", "guide", "--refresh")
    manuscript = book.text("manuscript.md")
    marks = re.findall(r"\[\^cite-(\d+)\](?!:)", manuscript)
    assert marks == re.findall(r"(?m)^\[\^cite-(\d+)\]: .*“.+”$", manuscript) != []
    desk.run("export", "guide", "html")
    assert 'href="#note-1-1"' in book.text("exports/guide.html")


def test_XC_07_sources_are_exchanged_as_csl_json(desk: Desk) -> None:
    book = guide(desk)
    desk.run("citations", "export", "guide")
    items = book.json("exports/guide.csl.json")
    assert items[0]["id"] == book.json("research/sources.json")["sources"][0]["id"]
    items[0] |= {"author": [{"family": "Miller", "given": "Ada"}], "title": "On Salt"}
    (desk.folder / "mine.json").write_text(json.dumps([*items, {"title": "Other"}]))
    ran = desk.run("citations", "import", "guide", "mine.json")
    assert "1 source changed" in ran.err
    assert "no source of the book: Other" in ran.err
    desk.run("resume", "guide")
    assert "Ada Miller, *On Salt*" in book.text("manuscript.md")
    assert "0 sources changed" in desk.run("citations", "import", "guide", "mine.json").err
    (desk.folder / "bad.json").write_text("[")
    assert desk.run("citations", "import", "guide", "bad.json", expect=3).err


def test_XC_07_an_epub_has_its_references_behind_the_text(desk: Desk) -> None:
    book = guide(desk)
    desk.run("export", "guide", "epub", "docx")
    with zipfile.ZipFile(book.path("exports/guide.epub")) as epub:
        pages = [epub.read(name).decode() for name in epub.namelist() if "/text/ch" in name]
    *chapters, references = pages
    assert 'epub:type="bibliography"' in references
    assert "backmatter" in references
    assert not any("bibliography" in one for one in chapters)
    assert re.search(r'role="doc-biblioref"', "".join(chapters))
    assert re.search(r'href="ch\d+\.xhtml#source-1"', "".join(chapters))
    assert re.search(r'href="ch\d+\.xhtml#cite-1"', references)
    with zipfile.ZipFile(book.path("exports/guide.docx")) as word:
        document = word.read("word/document.xml").decode()
    for name in ("cite_1", "source_1"):
        assert document.count(f'w:anchor="{name}"') >= 1
        assert document.count(f'w:name="{name}"') == 1


def test_what_code_only_doubts_is_left_to_the_judge_of_the_citations(desk: Desk) -> None:
    command = ("create", "A guide to salt", "--mock", "-c", "Business", "-p", "guide", *SMALL)
    desk.run(*command, "--until", "concept")
    source = desk.project("guide").path("research/sources/salt.md")
    source.parent.mkdir(parents=True)
    source.write_text(SALT, encoding="utf-8")
    doubted = "The storehouse had room for 7,331 sacks of it."
    judged: list[str] = []
    patched: list[str] = []

    def reply(request: Request) -> str | None:
        prompt = str(request.messages[-1]["content"])
        if request.step == "chapters/ch01/scene01":
            told = " ".join(f"The salt of year {n} was white and dry." for n in "abcdefghijklmno")
            return f"{told}\n\n{doubted} {told}"
        if "/citations" in request.step:
            judged.append(prompt)
            return json.dumps({"issues": [], "declined": []})
        if "/patches" in request.step:
            patched.append(prompt)
        return None

    desk.run("resume", "guide", backend=Author(reply=reply))
    assert any(doubted in prompt for prompt in judged)
    assert not any("7,331 stands here" in prompt for prompt in patched)
    assert patched


def test_what_the_concept_says_beyond_the_sources_is_told_to_plan_and_chapters(desk: Desk) -> None:
    command = ("create", "A guide to salt", "--mock", "-c", "Business", "-p", "guide", *SMALL)
    desk.run(*command, "--until", "concept")
    book = desk.project("guide")
    source = book.path("research/sources/salt.md")
    source.parent.mkdir(parents=True)
    source.write_text(SALT, encoding="utf-8")
    words = " ".join(book.json("concept.json")["concept"]["description"].split()[:6])
    shown: dict[str, str] = {}

    def reply(request: Request) -> str | None:
        prompt = "\n".join(str(one["content"]) for one in request.messages)
        shown[request.step] = prompt
        if request.step != "research/answers":
            return None
        assert "<concept>" in prompt
        told = [
            {"words": words, "why": "No note says it."},
            {"words": "Salt is sweet.", "why": "-"},
        ]
        one = {"question": 1, "verdict": "not", "answer": "", "notes": []}
        asked = prompt.partition("<questions>")[2].partition("</questions>")[0].split("\n")
        count = len([line for line in asked if line.strip()])
        answers = [one | {"question": n} for n in range(1, count + 1)]
        return json.dumps({"answers": answers, "concept": told})

    desk.run("resume", "guide", backend=Author(reply=reply))
    kept = book.json("research/answers.json")["concept"]
    assert [one["words"] for one in kept] == [words]
    for step in ("world", "outline", "chapters/ch01/scene01"):
        assert f"\u201c{words}\u201d: No note says it." in shown[step], step
    assert "Question that no note answers: " in shown["outline"]
    question = "What is salt?"
    desk.run("research", "guide", question)
    assert book.json("research/answers.json")["concept"] == kept


FICTION = ("viewpoint", "first_scene", "of this world", "genre and mood", "lookup_character")
"""Words of stories that prompts of a book of facts do without."""


def test_prompts_of_a_book_of_facts_speak_of_no_story_and_show_no_empty_block(desk: Desk) -> None:
    author = Author()
    command = ("create", "A guide to salt", "--mock", "-c", "Business", "-p", "guide", *SMALL)
    desk.run(*command, "--until", "concept", backend=author)
    source = desk.project("guide").path("research/sources/salt.md")
    source.parent.mkdir(parents=True)
    source.write_text(SALT, encoding="utf-8")
    desk.run("resume", "guide", backend=author)
    prompts = {
        one.step: "\n".join(str(message["content"]) for message in one.messages)
        for one in author.asked
    }
    told = [(step, word) for step, text in prompts.items() for word in FICTION if word in text]
    assert told == []
    empty = re.compile(r"<(\w+)>\n(\[\])?\n?</\1>")
    assert [step for step, text in prompts.items() if empty.search(text)] == []
    assert "<terms>" in prompts["outline"]
