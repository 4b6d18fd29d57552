"""Recordings: a finished book is kept by step, and written again from its replies."""

import getpass
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from tests.support.desk import PREMISE, Desk
from tests.support.openai_replies import Fault
from tests.support.openai_server import OpenAIServer
from tests.support.recorded_books import FOLDER, NAMES, played, recording

UNPLAYED = {
    "locked-key": ["chapters/ch01/critique2", "chapters/ch01/patches2", "characters"],
    "really": ["chapters/ch01/critique2", "chapters/ch01/patches2"],
    "unruh": ["chapters/ch04/critique2", "chapters/ch04/patches2"],
}
"""Replies of steps that today's program does not ask for."""

_TIMED = ("research/run.json", ".libriscribe/research/")
"""Files that say how long something took."""

LOCKED_KEY = FOLDER / "locked-key.json"


def changed(desk: Desk, name: str = "changed.json", **changes: Any) -> Path:
    """A copy of a recording with other values."""
    told = {**recording("locked-key"), **changes}
    desk.folder.mkdir(exist_ok=True)
    path = desk.folder / name
    path.write_text(json.dumps(told), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_is_played_to_its_end(desk: Desk, name: str) -> None:
    book = played(desk, name)
    told = recording(name)
    asked = Counter(one["step"] for one in book.records("sent"))
    left = Counter(one["step"] for one in told["steps"]) - asked
    assert sorted(left.elements()) == UNPLAYED.get(name, [])
    assert all(one["completion"]["cost_usd"] == 0 for one in book.records("done"))
    assert "up to date" in desk.run("status", name).out
    assert not book.records("fail")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_recording_makes_the_same_files_whatever_the_hash_seed(tmp_path: Path, name: str) -> None:
    made = []
    for seed in "123":
        desk = Desk(tmp_path / seed)
        desk.folder.mkdir()
        model = f"recorded:{FOLDER / name}.json"
        words = ("create", "--model", model, "-p", "book")
        desk.run_apart(*words, env={"PYTHONHASHSEED": seed})
        files = desk.project().contents()
        made.append({name: files[name] for name in files if not name.startswith(_TIMED)})
    assert made[0] == made[1] == made[2]


def test_a_played_book_does_not_need_the_file_any_more(desk: Desk) -> None:
    path = changed(desk)
    model = f"recorded:{path.name}"
    desk.run("create", "--model", model, "-p", "book", "--until", "concept")
    path.unlink()
    assert 'model = "recorded"' in desk.project().text("book.toml")
    desk.run("resume", "book", "--until", "characters")
    assert desk.project().json("characters.json")["characters"]
    ran = desk.run("doctor", "book")
    assert "The recording needs no network" in ran.out


def test_a_played_book_is_recorded_as_it_was_and_with_nothing_of_the_machine(desk: Desk) -> None:
    played(desk, "locked-key")
    key = "sk-of-this-machine-0123456789"
    desk.environment["OPENAI_API_KEY"] = key
    desk.run("record", "locked-key", "again.json")
    text = (desk.folder / "again.json").read_text(encoding="utf-8")
    names = {str(desk.folder), os.environ["HOME"], getpass.getuser(), str(FOLDER)}
    assert not [name for name in {key, *names} if name in text]
    told, again = recording("locked-key"), json.loads(text)
    told.pop("missing")
    again["steps"] = [one for one in again["steps"] if one.get("by") != "no writer"]
    order = [one["step"] for one in again["steps"]]
    kept = [one for one in told.pop("steps") if one["step"] in order and one.get("attempt", 1) == 1]
    kept.sort(key=lambda one: order.index(one["step"]))
    assert (again.pop("steps"), again) == (kept, told)


def test_a_step_without_a_reply_stops_the_run_and_another_model_may_answer(desk: Desk) -> None:
    steps = [one for one in recording("locked-key")["steps"] if one["step"] != "scenes/ch01-04"]
    path = changed(desk, steps=steps)
    ran = desk.run("create", "--model", f"recorded:{path}", "-p", "book", expect=4)
    assert "there is no reply to scenes/ch01-04 (shape " in ran.err
    assert " in the recording of 'The Locked Key'. fix: " in ran.err
    assert '`libriscribe2 resume book --model "recorded, manual"`' in ran.err
    other = desk.copied_to(desk.folder.with_name("other"))
    other.run("resume", "book", "--model", "recorded, demo", "--until", "plan")
    answered = {one["step"] for one in other.project().records("sent") if one["model"] == "demo"}
    assert answered == {"scenes/ch01-04"}
    desk.run("resume", "book", "--model", "recorded, manual", "--until", "plan", expect=5)
    (gone,) = [one for one in recording("locked-key")["steps"] if one["step"] == "scenes/ch01-04"]
    desk.run("answer", "book", "--until", "plan", typed="\n".join(gone["reply"]))
    assert len(desk.project().json("scenes.json")["chapters"]) == 4
    models = Counter(one["completion"]["model"] for one in desk.project().records("done"))
    written = len(desk.project().records("done")) - 3
    assert models == {"openai/hand": written, "hand": 1, "manual": 1, "no writer": 1}


@pytest.mark.slow
def test_a_reply_to_another_shape_is_not_used(desk: Desk) -> None:
    steps = recording("locked-key")["steps"]
    outline = next(one for one in steps if one["step"] == "outline")
    today, outline["shape"] = outline["shape"], "0123456789ab"
    path = changed(desk, steps=steps)
    ran = desk.run("create", "--model", f"recorded:{path}", "-p", "book", expect=4)
    assert f"outline has the shape 0123456789ab; {today} is asked for" in ran.err
    ran = desk.run("record", "--renew", str(path))
    assert "asked for in another shape today: outline" in ran.err
    told = json.loads(path.read_text(encoding="utf-8"))
    assert today in [one["shape"] for one in told["steps"] if one["step"] == "outline"]
    assert "outline" in told["notes"][-1]
    desk.run("record", "--check", str(path))


@pytest.mark.slow
def test_what_nobody_answered_is_said_to_be_of_nobody(desk: Desk) -> None:
    steps, missing = recording("locked-key")["steps"], recording("locked-key")["missing"]
    left = [one for one in steps if one["step"] != "chapters/ch04/patches1"]
    missing |= {"chapters/*/patches*": '{"patches": []}'}
    path = changed(desk, steps=left, missing=missing)
    desk.run("create", "--model", f"recorded:{path}", "-p", "book")
    models = [one["completion"]["model"] for one in desk.project().records("done")]
    assert models.count("no writer") == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("A house by the sea",), "recording of another book: its premise"),
        (("--chapters", "9"), "recording of another book: its chapters"),
        (("--after", "other"), "recording of another book: its after"),
    ],
)
def test_a_recording_answers_for_its_own_book(
    desk: Desk, words: tuple[str, ...], said: str
) -> None:
    desk.written(name="other")
    ran = desk.run("create", *words, "--model", f"recorded:{LOCKED_KEY}", expect=2)
    assert said in ran.err
    assert [path.name for path in (desk.folder / "projects").iterdir()] == ["other"]
    desk.project("other").path("concept.json").unlink()
    ran = desk.run("resume", "other", "--model", f"recorded:{LOCKED_KEY}", expect=4)
    assert "is the recording of another book" in ran.err


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**30)


_TEXT = LOCKED_KEY.read_text(encoding="utf-8")
_STEP = {"step": "outline", "shape": "text", "reply": ["x"]}
BAD: Final[Mapping[str, Callable[[Path], object]]] = {
    "missing": lambda path: None,
    "folder": lambda path: path.mkdir(),
    "pipe": lambda path: os.mkfifo(path),
    "large": _large,
    "empty": lambda path: _write(path, ""),
    "cut": lambda path: _write(path, _TEXT[:5000]),
    "deep": lambda path: _write(path, "[" * 200_000),
    "other json": lambda path: _write(path, '{"root": "x:0:0"}'),
    "list": lambda path: _write(path, "[]"),
    "newer": lambda path: _write(path, _TEXT.replace('"version": 1', '"version": 2')),
    "escaping file": lambda path: _write(
        path, json.dumps({**json.loads(_TEXT), "files": {"samples/../../x.md": ["x"]}})
    ),
    "folder for a file": lambda path: _write(
        path, json.dumps({**json.loads(_TEXT), "files": {"samples/..": ["x"]}})
    ),
    "own settings": lambda path: _write(
        path, json.dumps({**json.loads(_TEXT), "files": {".env": ["x"]}})
    ),
    "twice": lambda path: _write(path, json.dumps({**json.loads(_TEXT), "steps": [_STEP, _STEP]})),
    "bytes": lambda path: path.write_bytes(b"\xff\xfe\x00"),
    "no brief": lambda path: _write(path, json.dumps({**json.loads(_TEXT), "brief": {"x": 1}})),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_recording_is_told_in_one_line(desk: Desk, name: str) -> None:
    desk.folder.mkdir(exist_ok=True)
    BAD[name](desk.folder / "bad.json")
    for words in (("create", "--model", "recorded:bad.json"), ("record", "--check", "bad.json")):
        ran = desk.run(*words, expect=4)
        assert len(ran.err.strip().splitlines()) == 1, ran.err
        assert "fix: " in ran.err
    assert not (desk.folder / "projects").exists()


def test_a_received_folder_names_no_recording_elsewhere(desk: Desk) -> None:
    desk.written()
    book = desk.project()
    own = book.text("book.toml")
    for model in ("recorded:/etc/passwd", "recorded:../x.json", "recorded:x.json"):
        for line in (f'"{model}"', f'["openai/x", "{model}"]'):
            book.write(
                "book.toml",
                own.replace('[models.default]\nmodel = "demo"', f"[models]\ndefault = {line}"),
            )
            assert "cannot be" in desk.run("resume", "book", expect=3).err
        (desk.folder / ".env").write_text(f"LIBRISCRIBE2_MODELS__DEFAULT={model}\n")
        assert "ignored: LIBRISCRIBE2_MODELS__DEFAULT" in desk.run("models").err


def test_only_a_finished_book_of_a_model_is_recorded(desk: Desk) -> None:
    desk.written(name="demo")
    ran = desk.run("record", "demo", "x.json", expect=2)
    assert "The stand-in author wrote it" in ran.err
    desk.run("create", "--model", f"recorded:{LOCKED_KEY}", "-p", "begun", "--until", "concept")
    ran = desk.run("record", "begun", "x.json", expect=5)
    assert "outline.json" in ran.err
    assert desk.run("record", "begun", expect=2).err.startswith("error: What is to be")


@pytest.mark.slow
def test_the_authors_edits_are_named_and_files_kept(desk: Desk) -> None:
    book = played(desk, "locked-key")
    book.path("research/sources/deeper").mkdir(parents=True)
    book.write("research/sources/mine.txt", "Mine.")
    book.write("research/sources/Re: other.txt", "no name in a project")
    book.write("research/sources/.DS_Store", "of the system")
    book.path("research/sources/link.txt").symlink_to("/etc/hostname")
    book.write("given/mine.txt", "Mine, too.")
    desk.run("note", "locked-key", "3", "Tenser.")
    (desk.folder / "x.json").write_text("mine")
    ran = desk.run("record", "locked-key", "x.json", expect=2)
    assert "add --force" in ran.err
    assert (desk.folder / "x.json").read_text() == "mine"
    book.write("chapters/02.md", book.text("chapters/02.md").replace("Davy", "Dave"))
    ran = desk.run("record", "locked-key", "x.json", "--force")
    told = json.loads((desk.folder / "x.json").read_text())
    assert told["files"] == {
        "given/mine.txt": ["Mine, too."],
        "notes/ch03.md": ["Tenser.", ""],
        "research/sources/mine.txt": ["Mine."],
    }
    assert told["notes"][-1].startswith(
        "edited by the author, which no reply holds: chapters/02.md"
    )
    assert "comes out otherwise than in the book: chapters/02.md" in ran.err
    desk.run("create", "--model", "recorded:x.json", "-p", "again", "--until", "concept")
    assert desk.project("again").text("notes/ch03.md") == "Tenser.\n"


CUT = "length"
FAULTS = [
    *(
        CUT,
        "ok",
        "500",
        *["ok"] * 3,
        CUT,
        CUT,
        *["ok"] * 4,
        CUT,
        CUT,
        "ok",
        *[CUT] * 5,
        "ok",
        "empty",
    ),
    *("ok", CUT, "ok", "ok", CUT, *["ok"] * 3, CUT, CUT, "ok", "ok", CUT),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Accessing the .* attribute on the instance is deprecated")
@pytest.mark.parametrize("whole", ["false", "true"])
def test_replies_that_were_cut_refused_and_asked_anew_make_the_same_book(
    desk: Desk, whole: str
) -> None:
    key = "sk-very-secret-0123456789abcdef"
    size = ("--chapters", "2", "--scenes-per-chapter", "2", "--words", "800", "--auto-title")
    with OpenAIServer([Fault.parse(one) for one in FAULTS], cost=0.01, reasoning="Hm.") as server:
        desk.environment |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": key}
        desk.environment["LIBRISCRIBE2_PIPELINE__WHOLE_CHAPTERS"] = whole
        code = desk.run(
            "create", PREMISE, "--model", "openai/x", "-p", "book", *size, expect=None
        ).code
        for _ in range(3 if code else 0):
            code = code and desk.run("resume", "book", expect=None).code
        desk.run("redo", "book", "chapters", "--chapter", "2")
        desk.run("resume", "book", "--rewrite", "--yes")
    desk.run("record", "book", "book.json")
    text = (desk.folder / "book.json").read_text(encoding="utf-8")
    assert not [one for one in (key, server.url, str(desk.folder)) if one in text]
    told = json.loads(text)
    assert told["cost_usd"] == pytest.approx(0.01 * len(desk.project().records("done")))
    assert {one.get("attempt", 1) for one in told["steps"]} >= {1, 2}
    if whole == "false":
        assert {one.get("part", 1) for one in told["steps"]} == {1, 2}
    assert told.get("whole_chapters", False) == (whole == "true")
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "LIBRISCRIBE2_PIPELINE__WHOLE_CHAPTERS"):
        desk.environment[name] = None
    desk.run("create", "--model", "recorded:book.json", "-p", "again")
    made, again = desk.project().contents(), desk.project("again").contents()
    others = {name for name in made if made[name] != again.get(name)}
    assert {name for name in others if "/texts/" not in name} == {"book.toml"}


def test_what_contradicts_in_a_real_plan_is_proven_by_its_own_words(desk: Desk) -> None:
    """As a reader of the whole plan found it in the request for it."""
    felt = ("a strip of felt in her apron", "takes the felt out of the string")
    rule = "outside these hours nobody crosses on foot and lives"
    found = [
        (1, 1, "Hester walks the causeway in the last of Wednesday's light", 0, 0, rule),
        (2, 1, "goes down through the boot room to the sands", 0, 0, rule),
        (4, 1, felt[1], 1, 2, felt[0]),
        (3, 3, "draws the very first nail", 4, 1, "draws the last nail"),
    ]
    names = ("chapter", "scene", "quote", "other_chapter", "other_scene", "other_quote")
    told = {"contradictions": [dict(zip(names, one, strict=True)) for one in found]}
    missing = {"scenes/review": json.dumps(told), "scenes/*lint1": '{"scenes": []}'}
    path = changed(desk, missing=missing)
    desk.run("create", "--model", f"recorded:{path}", "-p", "book", "--until", "plan")
    (asked,) = [one for one in desk.project().dumps() if one["step"].endswith("lint1")]
    faults = asked["prompt"][1]["content"].partition("<faults>\n")[2].partition("\n</faults>")[0]
    places = [line.partition(": ")[0] for line in faults.splitlines()]
    assert places == [f"- scenes.json chapter {n} scene 1" for n in (1, 2, 4)]
