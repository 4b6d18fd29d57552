"""`cover`: a picture of a model on the cover, paid for once, within the budget, and disclosed."""

import base64
import json
import struct
import zlib
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from tests.support.desk import Desk
from tests.support.loopback import LoopbackServer, QuietHandler

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Accessing the .* attribute on the instance is deprecated"),
]


def painted(tone: int) -> bytes:
    """A PNG of one tone."""
    rows = b"".join(b"\0" + bytes([tone]) * 30 for _ in range(45))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 30, 45, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class _Handler(QuietHandler):
    owner: "Painter"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.owner.asked.append({"path": self.path, **body})
        answer = self.owner.script.pop(0)
        self._send(answer.pop("status", 200), json.dumps(answer).encode(), "application/json")

    def do_GET(self) -> None:
        self._send(200, painted(99), "image/png")

    def _send(self, status: int, data: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Painter(LoopbackServer):
    """A server of pictures that answers by a script."""

    def __init__(self, *script: dict[str, Any]) -> None:
        self.asked: list[dict[str, Any]] = []
        self.script = list(script)
        super().__init__(_Handler)


def picture(tone: int) -> dict[str, Any]:
    held = base64.b64encode(painted(tone)).decode()
    usage = {"input_tokens": 200, "output_tokens": 1000, "total_tokens": 1200}
    return {"created": 1, "data": [{"b64_json": held}], "usage": usage}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.written("--title", "A Lantern for the Drowned Coast of the North")
    return desk


def serve(desk: Desk, server: Painter) -> None:
    desk.environment |= {"OPENAI_BASE_URL": f"{server.root}/v1", "OPENAI_API_KEY": "sk-secret-123"}


PAINT = ("cover", "book", "A lamp", "--model", "openai/gpt-image-1", "--yes")


def test_EX_6_a_picture_of_a_model_becomes_the_cover_and_is_paid_for_once(desk: Desk) -> None:
    book = desk.project()
    with Painter(picture(255), picture(40)) as server:
        serve(desk, server)
        ran = desk.run(*PAINT)
        (asked,) = server.asked
        assert asked["path"] == "/v1/images/generations"
        assert asked["size"] == "1024x1536"
        assert "A lamp" in asked["prompt"]
        assert "no letters" in asked["prompt"]
        name = Path(ran.out.strip()).name
        assert book.path(f"images/{name}").read_bytes() == painted(255)
        assert book.brief()["cover"] == f"images/{name}"
        (done,) = [
            one for one in book.records("done") if one["completion"]["model"].endswith("image-1")
        ]
        assert done["completion"]["reply"] == f"images/{name}"
        assert 0.03 < done["completion"]["cost_usd"] < 0.05
        desk.run(*PAINT)
        assert len(server.asked) == 1
        other = desk.run(*PAINT, "--again")
        assert len(server.asked) == 2
        assert Path(other.out.strip()).name != name
    desk.run("export", "book", "epub")
    with ZipFile(book.path("exports/book.epub")) as archive:
        assert archive.read("EPUB/media/cover.png") != painted(40)
        assert b"Cover picture: openai/gpt-image-1." in archive.read(
            "EPUB/text/copyright-page.xhtml"
        )
    told = book.text("exports/AI-DISCLOSURE.md")
    assert "| cover | `openai/gpt-image-1` | 2 |" in told
    assert "The stage cover is a picture" in told


def test_EX_6_no_picture_leaves_that_the_budget_does_not_allow(desk: Desk) -> None:
    with Painter(picture(0)) as server:
        serve(desk, server)
        ran = desk.run(*PAINT, "--max-cost", "0.1", expect=8)
        assert server.asked == []
        assert "could cost up to $0.3" in ran.err
        assert not desk.project().path("images").exists()


def test_EX_6_a_picture_may_come_from_an_address_and_a_useless_one_is_told(desk: Desk) -> None:
    with Painter() as server:
        serve(desk, server)
        server.script = [
            {"created": 1, "data": [{"url": f"{server.root}/a.png"}]},
            {"status": 400, "error": {"message": "Unknown model sk-secret-123"}},
            {"created": 1, "data": [{"b64_json": base64.b64encode(b"GIF89a").decode()}]},
        ]
        name = Path(desk.run(*PAINT).out.strip())
        assert (desk.folder / name).read_bytes() == painted(99)
        wrong = desk.run(*PAINT, "--again", expect=4)
        assert "Unknown model" in wrong.err
        assert "sk-secret-123" not in wrong.err
        useless = desk.run(*PAINT, "--again", expect=7)
        assert "neither a PNG nor a JPEG" in useless.err
        assert "may have charged" in useless.err
        assert len(server.asked) == 3


def test_EX_6_who_paints_has_to_be_said(desk: Desk) -> None:
    assert "paints no pictures" in desk.run("cover", "book", "--model", "demo", expect=2).err


def test_EX_6_a_picture_that_was_removed_is_asked_for_with_again(desk: Desk) -> None:
    with Painter(picture(1), picture(1)) as server:
        serve(desk, server)
        name = Path(desk.run(*PAINT).out.strip())
        (desk.folder / name).unlink()
        assert "--again" in desk.run(*PAINT, expect=2).err
        desk.run(*PAINT, "--again")
        assert (desk.folder / name).exists()
