"""Replies that cannot be used: feedback, then a clear end, then a fresh question."""

import json
from collections.abc import Callable

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk

from libriscribe2.llm.backend import BackendError, Request


def at(step: str, text: str, *, attempts: int = 99) -> Callable[[Request], str | None]:
    """Answer one step with `text`, in the first `attempts` attempts."""

    def reply(request: Request) -> str | None:
        return text if request.step == step and request.attempt <= attempts else None

    return reply


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "text", "stage"),
    [
        ("concept/draft", "I am sorry, I have no idea.", "concept"),
        ("characters", '{"characters": []}', "characters"),
        ("world", '{"overview": "cut in the mid', "world"),
        ("outline", '{"summary": "s", "chapters": [{"title": "only one"}]}', "outline"),
        ("chapters/ch01/scene01", "The lamp went out.", "chapters"),
        ("canon/ch02", '{"facts": "All well."}', "canon"),
    ],
)
def test_OV_34_a_model_that_never_answers_in_shape_ends_the_run_and_is_asked_anew(
    desk: Desk, step: str, text: str, stage: str
) -> None:
    author = Author(reply=at(step, text))
    ran = desk.create(backend=author, expect=5)
    asked = [request for request in author.asked if request.step == step]
    assert [request.attempt for request in asked] == [1, 2, 3]
    assert f"error: The stage {stage!r} got no usable reply: Max retries (3) exceeded" in ran.err
    assert " why: the model was last told: " in ran.err
    assert " fix: run `libriscribe2 resume book`" in ran.err
    assert "`libriscribe2 debug list book` shows the replies" in ran.err
    book = desk.project()
    again = Author()
    desk.run("resume", "book", backend=again)
    assert again.steps.count(step) == 1
    assert book.path("manuscript.md").exists()
    assert not author.answered.keys() & again.answered.keys()


def test_OV_35_feedback_names_the_field_and_the_next_attempt_mends_it(desk: Desk) -> None:
    bad = json.dumps({"characters": [{"name": "Mara", "role": " "}]})
    author = Author(reply=at("characters", bad, attempts=1))
    desk.create("--characters", "2", backend=author)
    attempts = [dump for dump in desk.project().dumps() if dump["stage"] == "characters"]
    assert [dump["attempt"] for dump in attempts] == [1, 2]
    assert "characters.0.role" in attempts[0]["feedback"]
    assert attempts[0]["validation_errors"]
    last = attempts[1]["prompt"][-1]
    assert last == {"role": "user", "content": attempts[0]["feedback"]}
    assert attempts[1]["feedback"] == ""


def test_OV_35_a_wrong_count_is_feedback_too(desk: Desk) -> None:
    one = json.dumps({"characters": [{"name": "Mara", "role": "keeper"}]})
    author = Author(reply=at("characters", one, attempts=1))
    desk.create("--characters", "3", "--until", "characters", backend=author)
    feedback = desk.project().dumps()[-2]["feedback"]
    assert "characters" in feedback
    assert "3" in feedback
    assert len(desk.project().json("characters.json")["characters"]) == 3


@pytest.mark.parametrize("silence", ["", "   \n "])
def test_OV_40_a_model_that_stays_silent_counts_as_filtered_and_resume_goes_on(
    desk: Desk, silence: str
) -> None:
    step = "chapters/ch01/scene01"
    author = Author(reply=at(step, silence))
    ran = desk.create(backend=author, expect=5)
    assert [one.attempt for one in author.asked if one.step == step] == [1, 2, 2]
    assert "filtered a reply" in ran.err
    assert "empty reply again" in ran.err
    desk.run("resume", "book", backend=Author())
    assert desk.project().path("manuscript.md").exists()


def test_OV_40_what_every_way_withholds_ends_the_run_and_is_not_recorded_as_done(
    desk: Desk,
) -> None:
    author = Author({6, 7}, failure=lambda: BackendError("filtered", "content policy"))
    ran = desk.create(backend=author, expect=5)
    assert "filtered a reply" in ran.err
    book = desk.project()
    failed = {record["k"]: record["kind"] for record in book.records("fail")}
    assert list(failed.values()) == ["filtered", "filtered"]
    assert not failed.keys() & {record["k"] for record in book.records("done")}
    again = Author()
    desk.run("resume", "book", backend=again)
    assert failed.keys() & again.answered.keys()


def test_OV_41_a_refused_scene_is_asked_for_with_less_and_the_book_is_finished(desk: Desk) -> None:
    refusal = "I'm sorry, but I can't continue with this story."

    def reply(request: Request) -> str | None:
        whole = "<text_before>" in str(request.messages)
        return refusal if request.step == "chapters/ch02/scene01" and whole else None

    desk.create(backend=Author(reply=reply))
    book = desk.project()
    assert refusal not in book.text("manuscript.md")
    dumps = [dump for dump in book.dumps() if dump["step"] == "chapters/ch02/scene01"]
    assert dumps[0]["raw_response"] == refusal
    assert "filtered" in dumps[0]["feedback"]
    log = book.text(".libriscribe/run.log")
    assert f"CONTENT_FILTERING_DETECTED: chapters/ch02/scene01: refusal: {refusal}" in log
    assert "FALLBACK_GENERATION_USED: chapters/ch02/scene01: simplified prompt" in log
    desk.run("resume", "book", backend=Author(range(1, 99)))
    assert len(book.records("fail")) == 1


def test_OV_36_what_was_cleaned_is_logged_with_the_agent(desk: Desk) -> None:
    places = [{"name": f"P{n}", "description": "D"} for n in (1, 2, 3)]
    fenced = f"```json\n{json.dumps({'overview': 'O', 'places': places})}\n```"
    desk.create("--until", "world", backend=Author(reply=at("world", fenced)))
    book = desk.project()
    log = book.text(".libriscribe/run.log")
    lines = [line for line in log.splitlines() if "JSON_EXTRACTION_WARNING" in line]
    assert any("WorldbuildingAgent" in line and "markdown_code_blocks" in line for line in lines)
    dump = next(one for one in book.dumps() if one["stage"] == "world")
    assert dump["extraction_method"] == "markdown_block_extraction"


def test_OV_17_unknown_keys_of_a_reply_do_not_reach_the_file(desk: Desk) -> None:
    reply = json.dumps({"title": "T", "logline": "L", "description": "D", "raw_content": "x"})
    desk.create("--until", "concept", backend=Author(reply=at("concept/refine", reply)))
    assert desk.project().json("concept.json")["concept"] == {
        "title": "T",
        "logline": "L",
        "description": "D",
    }


def test_MS_emphasis_leaves_names_and_stays_in_prose(desk: Desk) -> None:
    reply = json.dumps({"title": "**T**", "logline": "An *odd* line", "description": "D"})
    desk.create("--until", "concept", backend=Author(reply=at("concept/refine", reply)))
    concept = desk.project().json("concept.json")["concept"]
    assert (concept["title"], concept["logline"]) == ("T", "An *odd* line")


def test_emphasis_around_the_ids_of_threads_costs_no_call(desk: Desk) -> None:
    """An outline that fits what the stand-in author plans, every identifier in bold."""
    chapters = [
        {
            "title": f"**Door {number}**",
            "summary": f"Mara opens door {number}.",
            "pov": "**Mara**",
            "plants": ["**key**"] if number == 1 else [],
            "payoffs": ["**key**"] if number > 1 else [],
        }
        for number in (1, 2)
    ]
    threads = [{"id": "**key**", "promise": "The *brass* key opens something.", "setup": 1}]
    reply = json.dumps({"summary": "Two doors.", "threads": threads, "chapters": chapters})
    plain = Author(reply=at("outline", reply.replace("**", "")))
    bold = Author(reply=at("outline", reply))
    for name, author in (("plain", plain), ("bold", bold)):
        desk.create("--until", "outline", "--chapters", "2", name=name, backend=author)
    assert bold.steps == plain.steps
    read = [desk.project(name).json("outline.json") for name in ("plain", "bold")]
    assert read[0] == read[1]
    assert read[1]["threads"][0]["promise"] == "The *brass* key opens something."


def test_XC_10_attempts_are_bounded_by_the_setting(desk: Desk) -> None:
    desk.environment["LIBRISCRIBE2_PIPELINE__MAX_ATTEMPTS"] = "2"
    author = Author(reply=at("world", "no"))
    desk.create(backend=author, expect=5)
    assert author.steps.count("world") == 2
