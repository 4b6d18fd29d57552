"""Caps from the command line: what they stop, what is kept, and how it goes on."""

import re
from collections import Counter

import pytest
from tests.support.authors import Author
from tests.support.desk import PREMISE, SMALL, Desk
from tests.support.openai_server import OpenAIServer

CALLS = 14
"""Requests of a small book that is not revised."""
MENDED = 2
"""Requests that mend the plans of the test server: the outline, and the scenes of each chapter."""
MODEL = "openai/gpt-4o-mini"
# LiteLLM sets this filter itself when it is imported, and pytest takes it away after each test.
litellm_talks = pytest.mark.filterwarnings(
    "ignore:Accessing the .* attribute on the instance is deprecated"
)


def test_bar_23_max_calls_stops_with_exit_8_and_a_higher_one_goes_on(desk: Desk) -> None:
    first, second = Author(), Author()
    ran = desk.create("--no-revision", "--max-calls", "5", backend=first, expect=8)
    assert len(first.asked) == 5
    assert "The budget of 5 calls is used up" in ran.err
    assert "libriscribe2 resume book --max-calls 10" in ran.err
    assert desk.project().path("concept.json").exists()
    desk.run("resume", "book", "--max-calls", str(CALLS), backend=second)
    paid = first.answered + second.answered
    assert sum(paid.values()) == CALLS
    assert set(paid.values()) == {1}
    assert desk.project().path("manuscript.md").exists()


def test_bar_23_the_caps_of_create_hold_until_they_are_raised(desk: Desk) -> None:
    desk.create("--max-calls", "5", "--max-cost", "2", expect=8)
    assert "max_calls = 5\nmax_cost = 2.0" in _table(desk.project().text("book.toml"))
    author = Author()
    desk.run("resume", "book", backend=author, expect=8)
    assert author.asked == []


def _table(toml: str) -> str:
    """The lines of the table `[budget]`, sorted."""
    return "\n".join(sorted(toml.partition("[budget]\n")[2].split("\n\n")[0].splitlines()))


def test_bar_23_a_finished_book_needs_no_budget(desk: Desk) -> None:
    desk.written()
    desk.run("resume", "book", "--max-calls", "0", "--max-cost", "0", "--max-minutes", "0")


def test_bar_23_replays_and_free_models_pass_a_cap_of_0_dollars(desk: Desk) -> None:
    desk.written("--max-cost", "0")
    desk.project().path("chapters/01.md").unlink()
    desk.run("resume", "book", "--max-calls", "0")


def test_bar_23_max_minutes_are_those_of_one_run(desk: Desk) -> None:
    ran = desk.create("--max-minutes", "0", expect=8)
    assert "The run's 0 minutes are over" in ran.err
    assert "max_minutes" not in desk.project().text("book.toml")
    desk.run("resume", "book")


def test_bar_23_caps_come_from_the_environment_and_from_book_toml(desk: Desk) -> None:
    desk.environment["LIBRISCRIBE2_BUDGET__MAX_CALLS"] = "2"
    author = Author()
    desk.create(backend=author, expect=8)
    assert len(author.asked) == 2
    desk.environment["LIBRISCRIBE2_BUDGET__MAX_CALLS"] = None
    book = desk.project()
    toml = book.text("book.toml").replace("max_calls = 2", "max_calls = 3")
    book.write("book.toml", toml)
    desk.run("resume", "book", backend=author, expect=8)
    assert len(author.asked) == 3


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "cheap"])
def test_bar_23_a_cap_that_is_no_amount_is_refused(desk: Desk, value: str) -> None:
    desk.create("--max-cost", value, expect=2)
    assert not (desk.folder / "projects").exists()


def test_bar_23_a_failed_call_counts_as_a_call(desk: Desk) -> None:
    author = Author({3})
    desk.create("--max-calls", "4", backend=author, expect=7)
    desk.run("resume", "book", backend=author, expect=8)
    assert len(author.asked) == 4


@pytest.fixture
def online(desk: Desk) -> Desk:
    desk.environment |= {"OPENAI_API_KEY": "sk-test-0123456789abcdef"}
    return desk


def start(online: Desk, server: OpenAIServer, model: str, *options: str, expect: int) -> str:
    online.environment["OPENAI_BASE_URL"] = server.url
    command = ("create", PREMISE, "-m", model, "-p", "book", "--no-revision", *SMALL, *options)
    return online.run(*command, expect=expect).err


@pytest.mark.slow
@litellm_talks
def test_bar_23_max_cost_stops_before_the_call_that_could_pass_it(online: Desk) -> None:
    with OpenAIServer() as server:
        told = start(online, server, MODEL, "--max-cost", "0.007", expect=8)
        posts = len(server.posts)
        assert 0 < posts < CALLS
        assert {post.body["max_tokens"] for post in server.posts} == {8192}
        assert "The next call could exceed the budget of $0.0070" in told
        raised = re.search(r"`libriscribe2 (resume book --max-cost \S+)`", told)
        assert raised is not None
        online.run(*raised[1].split())
        assert len(server.posts) == CALLS + MENDED
    book = online.project()
    assert Counter(record["k"] for record in book.records("done")).most_common(1)[0][1] == 1
    done = [record["completion"]["cost_usd"] for record in book.records("done")]
    assert sum(done[:posts]) <= 0.007
    assert all(
        record["est_usd"] > cost for record, cost in zip(book.records("sent"), done, strict=True)
    )


@pytest.mark.slow
@litellm_talks
def test_bar_23_an_unknown_price_is_counted_by_the_rule_that_the_message_names(
    online: Desk,
) -> None:
    with OpenAIServer() as server:
        told = start(online, server, "openai/x", "--max-cost", "0.01", expect=8)
        assert server.posts == []
        assert "price is unknown and counts as $30 per million tokens" in told
        online.environment["LIBRISCRIBE2_BUDGET__UNKNOWN_USD_PER_MILLION"] = "0.01"
        online.run("resume", "book")
