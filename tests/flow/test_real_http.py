"""A whole book over real HTTP: streamed prose, JSON the way real models wrap it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jsonschema
import pytest
from tests.support.desk import PREMISE, Desk, ProjectFolder, Ran
from tests.support.made_up_text import wanted_schema
from tests.support.openai_replies import Fault, content_of
from tests.support.openai_server import OpenAIServer, Seen

KEY = "sk-very-secret-0123456789abcdef"
# LiteLLM sets this filter itself when it is imported, and pytest takes it away after each test.
pytestmark = pytest.mark.filterwarnings(
    "ignore:Accessing the .* attribute on the instance is deprecated"
)
CHAPTERS, WORDS = 2, 1000
BOOK = ("--chapters", str(CHAPTERS), "--scenes-per-chapter", "2", "--words", str(WORDS))


@dataclass(frozen=True)
class Written:
    """A book and the requests that it took."""

    ran: Ran
    book: ProjectFolder
    posts: list[Seen]

    def asked(self, *, structured: bool) -> list[str]:
        """The prompts of the structured requests, or of the prose requests."""
        texts = ["\n".join(map(content_of, post.body["messages"])) for post in self.posts]
        return [text for text in texts if ("<json_schema>" in text) is structured]

    def prose(self) -> list[dict[str, Any]]:
        """The dumps of the prose requests."""
        return [one for one in self.book.dumps() if "<json_schema>" not in str(one["prompt"])]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """One book that all tests of this file look at."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    with OpenAIServer() as server:
        desk.environment |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        ran = desk.run(
            "create", PREMISE, "--model", "openai/x", "-p", "book", *BOOK, "--characters", "4"
        )
        yield Written(ran, desk.project(), server.posts)


def test_XC_04_the_book_is_finished(written: Written) -> None:
    assert written.ran.out.splitlines()[-1] == "projects/book/manuscript.md"
    assert len(written.book.chapters()) == CHAPTERS
    assert written.book.words() == pytest.approx(WORDS, rel=0.1)
    assert "model: openai/x (named explicitly" in written.ran.err


def test_OV_26_what_surrounded_the_json_is_in_the_dumps_and_nowhere_else(written: Written) -> None:
    dumps = [dump for dump in written.book.dumps() if "<json_schema>" in str(dump["prompt"])]
    methods = {dump["extraction_method"] for dump in dumps}
    assert {"direct_parse", "markdown_block_extraction"} <= methods
    issues = {issue for dump in dumps for issue in dump["formatting_issues"]}
    assert {"markdown_code_blocks", "surrounding_text"} <= issues
    assert any("They want JSON" in (dump["reasoning"] or "") for dump in dumps)
    for path in written.book.root.glob("*.json"):
        text = path.read_text(encoding="utf-8")
        assert json.loads(text)
        assert not re.search(r"```|<think>|Here is what you asked", text)


def test_SC_every_structured_request_shows_a_schema_with_the_asked_counts(written: Written) -> None:
    found: list[dict[str, Any]] = []
    for text in written.asked(structured=True):
        schema = wanted_schema(text)
        assert schema is not None
        jsonschema.Draft202012Validator.check_schema(schema)
        found.append(schema["properties"])
    counts = {
        name: (part["minItems"], part.get("maxItems"))
        for properties in found
        for name, part in properties.items()
        if "minItems" in part
    }
    assert counts["characters"] == (4, 4)
    assert counts["chapters"] == (CHAPTERS, CHAPTERS)


def test_SC_every_structured_request_also_asks_by_response_format(written: Written) -> None:
    """But those of a chapter, which begin alike: a cache begins with `response_format`."""
    for post in written.posts:
        structured = "<json_schema>" in content_of(post.body["messages"][-1])
        of_chapter = content_of(post.body["messages"][0]).startswith("You work on a novel")
        assert ("response_format" in post.body) is (structured and not of_chapter)


def test_SC_every_prose_request_says_how_many_words(written: Written) -> None:
    prompts = written.asked(structured=False)
    assert all(re.search(r"\b\d+ words\b", text) for text in prompts)
    steps = [re.sub(r"\d+", "N", dump["step"]) for dump in written.prose()]
    assert len(steps) == len(prompts)
    rests = steps.count("chapters/chN/sceneN-continue")
    assert sorted(steps) == sorted(
        ["concept/critique"]
        + ["chapters/chN/sceneN"] * 2 * CHAPTERS
        + ["chapters/chN/sceneN-continue"] * rests
    )


def test_SC_the_scenes_are_asked_for_the_words_of_the_book(written: Written) -> None:
    scenes = [dump for dump in written.prose() if re.search(r"/scene\d+$", dump["step"])]
    asked = [re.findall(r"\babout (\d+) words\b", str(dump["prompt"])) for dump in scenes]
    assert all(len(numbers) == 1 for numbers in asked)
    assert sum(int(number) for (number,) in asked) == pytest.approx(WORDS, abs=5 * len(scenes))


def test_ST_prose_is_streamed_and_json_is_not(written: Written) -> None:
    streamed = {bool(post.body.get("stream")) for post in written.posts}
    assert streamed == {True, False}
    for post in written.posts:
        structured = "<json_schema>" in content_of(post.body["messages"][-1])
        assert bool(post.body.get("stream")) is not structured


def test_XC_04_no_request_was_sent_twice(written: Written) -> None:
    bodies = [json.dumps(post.body, sort_keys=True) for post in written.posts]
    assert len(bodies) == len(set(bodies)) == len(written.book.records("done"))


def test_XC_11_the_key_is_in_no_file(written: Written) -> None:
    assert all(f"Bearer {KEY}" in post.headers.values() for post in written.posts)
    for folder in (written.book.root, written.book.debug):
        for path in folder.rglob("*"):
            assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


def test_XC_13_tokens_are_counted_and_an_unknown_price_stays_unknown(written: Written) -> None:
    assert "cost: cost unknown" in written.ran.out
    tokens = re.search(r"tokens: ([\d,]+) in(?: \([^)]*\))?, ([\d,]+) out", written.ran.out)
    assert tokens is not None
    usages = [dump["usage"] for dump in written.book.dumps()]
    assert int(tokens[1].replace(",", "")) == sum(usage["input_tokens"] for usage in usages)
    assert int(tokens[2].replace(",", "")) == sum(usage["output_tokens"] for usage in usages)


@pytest.fixture
def online(desk: Desk) -> Desk:
    """A desk with a key, whose server the test starts."""
    desk.environment |= {"OPENAI_API_KEY": KEY, "LIBRISCRIBE2_LLM__RETRIES": "0"}
    return desk


def begin(online: Desk, server: OpenAIServer, *, expect: int) -> Ran:
    online.environment["OPENAI_BASE_URL"] = server.url
    size = ("--chapters", "1", "--scenes-per-chapter", "1", "--words", "60")
    command = ("create", PREMISE, "-m", "openai/x", "-p", "book", *size)
    return online.run(*command, expect=expect)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        (Fault(status=401, body={"error": {"message": "bad key"}}), 4, "OPENAI_API_KEY"),
        (Fault(status=404, body={"error": {"message": "no such model"}}), 4, "--model"),
        (Fault(status=503, body={"error": {"message": "busy"}}), 7, "libriscribe2 resume"),
        (Fault("filtered"), 5, "filtered a reply"),
        (Fault("drop"), 7, "libriscribe2 resume"),
    ],
)
def test_OV_43_what_a_server_does_wrong_has_its_own_exit_code_and_resume_goes_on(
    online: Desk, fault: Fault, code: int, words: str
) -> None:
    faults = [fault, fault] if fault.kind == "filtered" else [fault]  # whole, then simplified
    with OpenAIServer([Fault("ok"), *faults]) as server:
        ran = begin(online, server, expect=code)
        assert words in ran.err
        assert KEY not in ran.err
        assert len(server.posts) == 1 + len(faults)
        online.run("resume", "book")
    assert online.project().path("manuscript.md").exists()


@pytest.mark.slow
def test_XC_04_a_passing_failure_is_waited_out_and_told(online: Desk) -> None:
    online.environment["LIBRISCRIBE2_LLM__RETRIES"] = "1"
    fault = Fault(status=429, headers={"Retry-After": "0"}, body={"error": {"message": "slow"}})
    with OpenAIServer([fault]) as server:
        ran = begin(online, server, expect=0)
    assert "waiting" in ran.err.casefold()


def test_XC_03_no_server_is_exit_7(online: Desk) -> None:
    with OpenAIServer() as server:
        pass
    ran = begin(online, server, expect=7)
    assert "No connection" in ran.err


def test_SC_who_answers_in_place_of_the_named_model_is_told_once(desk: Desk) -> None:
    config = desk.folder / "home" / "libriscribe2" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[models]\ndefault = ["openai/a", "openai/b"]\n', encoding="utf-8")
    desk.environment |= {
        "XDG_CONFIG_HOME": str(desk.folder / "home"),
        "OPENAI_API_KEY": KEY,
        "LIBRISCRIBE2_LLM__RETRIES": "0",
    }
    with OpenAIServer([Fault(status=500), Fault("ok"), Fault(status=500)]) as server:
        desk.environment["OPENAI_BASE_URL"] = server.url
        ran = desk.run("create", PREMISE, "--until", "concept", "--no-input")
    assert ran.err.count("warning: openai/a could not answer, so openai/b did;") == 1
    assert [post.body["model"] for post in server.posts] == ["a", "b", "a", "b", "a", "a"]
