"""Keys of providers at the desk: kept in the user's own file, and never shown."""

import stat
from pathlib import Path
from typing import Final

from tests.support.desk_server import csrf_of, desk_server

KEY: Final = "sk-canary-4711"
VARIABLE: Final = "MISTRAL_API_KEY"


def test_a_key_is_kept_at_once_and_never_shown(tmp_path: Path) -> None:
    with desk_server(tmp_path) as desk:
        said = {"csrf": csrf_of(desk), "provider": "mistral"}
        assert "No key is set" in desk.ask("/keys").body
        bad = desk.ask("/keys", "POST", {**said, "key": f"{KEY} and more"})
        assert bad.status == 400
        assert "does not hold a key" in bad.body
        assert KEY not in bad.body
        assert desk.ask("/keys", "POST", {**said, "key": f" {KEY}\n"}).status == 303
        (file,) = tmp_path.rglob("keys.json")
        assert KEY in file.read_text("utf-8")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        pages = {path: desk.ask(path).body for path in ("/keys", "/new", "/")}
        assert not any(KEY in body for body in pages.values())
        assert VARIABLE in pages["/keys"]
        assert "mistral/" in pages["/new"]
        other = {**said, "key": f"{KEY}-new"}
        assert desk.ask("/keys", "POST", other).status == 303
        assert f"{KEY}-new" in file.read_text("utf-8")
        assert desk.ask("/keys/forget", "POST", said).status == 303
        assert KEY not in file.read_text("utf-8")
        assert "No key is set" in desk.ask("/keys").body


def test_a_key_of_the_environment_outranks_one_that_is_kept(tmp_path: Path) -> None:
    with desk_server(tmp_path, **{VARIABLE: "sk-of-the-environment"}) as desk:
        said = {"csrf": csrf_of(desk), "provider": "mistral", "key": KEY}
        assert desk.ask("/keys", "POST", said).status == 303
        shown = desk.ask("/keys").body
        assert "environment or .env" in shown
        assert "sk-of-the-environment" not in shown
