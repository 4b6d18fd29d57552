"""The live pages over HTTP: who gets in, and what is shown."""

import http.client
import json
from collections.abc import Iterator

import pytest
from tests.support.review_book import HOSTILE, ReviewBook
from tests.support.review_server import ReviewServer, serving

from libriscribe2.desk.server import Door
from libriscribe2.errors import UsageError
from libriscribe2.project.store import ProjectStore

FOREIGN = "http://evil.example"


@pytest.fixture
def server(review_book: ReviewBook) -> Iterator[ReviewServer]:
    with serving(review_book.source) as running:
        yield running


def test_the_page_is_bound_to_this_machine_alone(server: ReviewServer) -> None:
    assert server.door.listener.getsockname()[0] == "127.0.0.1"
    assert server.ask().status == 200


@pytest.mark.parametrize(
    ("status", "method", "headers"),
    [
        (421, "GET", {"Host": "evil.example:{port}"}),
        (421, "GET", {"Host": "127.0.0.1"}),
        (421, "GET", {"Host": "127.0.0.1:{port}.evil.example"}),
        (403, "POST", {"Origin": FOREIGN}),
        (403, "POST", {"Origin": "null"}),
        (403, "GET", {"Sec_Fetch_Site": "cross-site"}),
        (403, "GET", {"Sec_Fetch_Site": "same-site"}),
        (401, "POST", {"X_Token": ""}),
        (401, "GET", {"X_Token": ""}),
        (401, "GET", {"X_Token": "wrong"}),
        (401, "GET", {"X_Token": "", "Cookie": "libriscribe2_{port}=wrong; other=1"}),
        (403, "POST", {"Origin": "http://127.0.0.1:1"}),
    ],
)
def test_strangers_are_refused(
    server: ReviewServer, status: int, method: str, headers: dict[str, str]
) -> None:
    given = {name: text.format(port=server.door.port) for name, text in headers.items()}
    refused = server.ask("/", method, **given)
    assert refused.status == status
    assert "The Drowned" not in refused.body
    assert len(refused.body) < 100


@pytest.mark.parametrize("path", ["/", "/calls", "/read", "/events", "/enter"])
def test_nothing_but_the_entrance_opens_without_the_token(server: ReviewServer, path: str) -> None:
    expected = 200 if path == "/enter" else 401
    assert server.ask(path, X_Token="").status == expected
    assert server.ask("/enter", "POST", X_Token="").status == 401


def test_the_token_buys_a_cookie_that_scripts_and_other_sites_cannot_use(
    server: ReviewServer,
) -> None:
    bought = server.ask("/enter", "POST")
    assert bought.status == 204
    cookie = bought.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    shown = cookie.partition(";")[0]
    assert server.ask("/", X_Token="", Cookie=shown).status == 200
    assert server.door.token not in server.ask("/").body


def test_the_ticket_of_a_browsers_command_line_buys_one_cookie_and_nothing_else(
    server: ReviewServer,
) -> None:
    ticket = server.door.address_once.partition("#")[2]
    assert ticket != server.door.token
    assert server.ask("/", X_Token=ticket).status == 401
    assert server.ask("/enter", "POST", X_Token=ticket).status == 204
    assert server.ask("/enter", "POST", X_Token=ticket).status == 401
    assert server.ask("/enter", "POST").status == 204


def test_every_answer_has_the_guarding_headers(server: ReviewServer) -> None:
    for path in ("/", "/nothing/here", "/static/review.css", "/enter"):
        headers = server.ask(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
    assert server.ask("/", X_Token="").headers["x-content-type-options"] == "nosniff"


def test_files_beside_the_style_sheet_are_not_served(server: ReviewServer) -> None:
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/static//etc/passwd"):
        assert server.ask(path).status == 404


def test_every_screen_is_shown_and_unknown_pages_are_not(
    server: ReviewServer, review_book: ReviewBook
) -> None:
    first = review_book.snapshot().calls[0].id
    for path in ("/", "/calls", f"/call/{first}", "/read", "/read/01", "/book", "/problems"):
        shown = server.ask(path)
        assert shown.status == 200, path
        assert "<main" in shown.body
        assert " style=" not in shown.body
        assert "<script>" not in shown.body
    for path in ("/call/none", "/read/99", "/read/01/none", "/a/b/c/d", "/overview/x"):
        assert server.ask(path).status == 404, path


def test_calls_are_json_too_and_filtered(server: ReviewServer) -> None:
    shown = json.loads(server.ask("/calls?format=json&state=refused").body)
    assert {call["step"] for call in shown["calls"]} == {"concept/draft", "outline"}
    everything = json.loads(server.ask("/calls?format=json").body)["calls"]
    assert len(everything) > len(shown["calls"])
    assert server.ask("/calls?state=refused").body.count(" hidden>") > len(everything) - 5


def test_the_page_needs_no_lock_and_follows_the_disk(
    server: ReviewServer, review_book: ReviewBook
) -> None:
    with ProjectStore.open(review_book.paths):
        review_book.write("chapters/01.md", "# Changed\n\nBy hand.\n")
        shown = server.ask("/read/01").body
    assert "By hand." in shown
    assert "edited" in shown


def test_a_change_is_told_as_it_happens(server: ReviewServer, review_book: ReviewBook) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.door.port, timeout=20)
    connection.request("GET", "/events", headers={"X-Token": server.door.token})
    stream = connection.getresponse()
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert stream.readline() == b": watching\n"
    review_book.write("chapters/01.md", "# Changed\n\nBy hand.\n")
    lines = [stream.readline() for _ in range(2)]
    assert b"data: changed\n" in lines
    stream.close()
    connection.close()


def test_what_models_said_is_text(server: ReviewServer, review_book: ReviewBook) -> None:
    review_book.dump(HOSTILE, step=HOSTILE, model=HOSTILE, feedback=HOSTILE)
    review_book.write("chapters/01.md", f"# {HOSTILE}\n\n{HOSTILE}\n\n![x](http://evil.example/)\n")
    last = review_book.snapshot().calls[-1].id
    for path in ("/", "/calls", f"/call/{last}", "/read", "/read/01", "/problems"):
        body = server.ask(path).body
        assert "<script>alert" not in body, path
        assert "<img" not in body, path


def test_a_project_that_cannot_be_read_is_told_in_words(
    server: ReviewServer, review_book: ReviewBook
) -> None:
    review_book.write("book.toml", "[book\n")
    shown = server.ask("/problems")
    assert shown.status == 200
    assert "book.toml" in shown.body
    (review_book.paths.root / ".libriscribe" / "format").write_text("99\n", encoding="utf-8")
    broken = server.ask("/")
    assert broken.status == 500
    assert "cannot be shown" in broken.body
    assert "Traceback" not in broken.body


def test_a_port_that_is_taken_is_told(server: ReviewServer) -> None:
    with pytest.raises(UsageError, match=f"Port {server.door.port} cannot be used"):
        Door.on(server.door.port)
