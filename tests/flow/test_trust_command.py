"""`libriscribe2 trust`."""

import json

from tests.support.desk import Desk


def test_list_names_each_trusted_folder_in_a_line(desk: Desk) -> None:
    assert desk.run("trust", "--list").out == "folder\tstate\n"
    assert desk.run("trust", "--list", "--json").value == []
    folders = [desk.folder / name for name in ("kept", "changed", "gone", "removed")]
    for folder in folders:
        folder.mkdir()
        (folder / ".env").write_text("BROWSER=mine\n", encoding="utf-8")
        desk.run("trust", str(folder))
    kept, changed, gone, removed = folders
    (changed / ".env").write_text("BROWSER=other\n", encoding="utf-8")
    (gone / ".env").unlink()
    gone.rmdir()
    desk.run("trust", str(removed), "--remove")

    rows = [
        (str(changed), "changed since, not trusted"),
        (str(gone), "changed since, not trusted"),
        (str(kept), "trusted"),
    ]
    lines = desk.run("trust", "--list").out.splitlines()
    assert lines == ["folder\tstate", *("\t".join(row) for row in rows)]
    told = desk.run("trust", "--list", "--json").value
    assert told == [{"folder": folder, "state": state} for folder, state in rows]


def test_asking_for_json_alone_trusts_nothing(desk: Desk) -> None:
    (desk.folder / ".env").write_text("BROWSER=mine\n", encoding="utf-8")
    for options in ([], ["--remove"]):
        ran = desk.run("trust", *options, "--json", expect=2)
        assert ran.out == ""
        assert json.loads(ran.err)["message"] == "--json needs --list"
    assert desk.run("trust", "--list", "--json").value == []
