"""The acceptance list is read as it is meant, and some of its items about the repository itself."""

import ast
from pathlib import Path

import pytest
from tests.docs.checklist import (
    IDS,
    MARKS,
    PACKAGE,
    Mark,
    found_by_item,
    ids_in,
    items,
    marks,
    outcomes,
    result_of,
    states,
    summary,
    unknown_names,
    unproved,
    used_names,
)

import libriscribe2
from libriscribe2.llm.backend import ScriptedBackend
from libriscribe2.llm.client import LLMClient

ROOT = Path(__file__).parents[2]
SOURCES = Path(libriscribe2.__file__).parent
LISTED = [item.name for item in items(IDS.read_text(encoding="utf-8"))]


def test_the_list_has_every_item_once() -> None:
    assert len(LISTED) == len(set(LISTED)) == 291
    counts = {"PB": 75, "MS": 22, "PR": 27, "TR": 27, "MP": 21, "SR": 12, "RP": 37, "OV": 51}
    counts["XU"] = 6
    for letters, count in counts.items():
        assert sum(name.startswith(letters) for name in LISTED) == count


@pytest.mark.parametrize(
    ("test", "wanted"),
    [
        ("t.py::test_pb_01_there_are_none", {"PB-01"}),
        ("t.py::test_PB_64_x", {"PB-64"}),
        ("t.py::test_pb_02_pb_03_x", {"PB-02", "PB-03"}),
        ("t.py::test_PR_03_and_MS_01_x", {"PR-03", "MS-01"}),
        ("t.py::test_MS_07_08_09_x", {"MS-07", "MS-08", "MS-09"}),
        ("t.py::test_MS_10_to_12_20_x", {"MS-10", "MS-11", "MS-12", "MS-20"}),
        ("t.py::test_of_99_bottles", set()),
        ("t.py::test_http_404", set()),
        ("t.py::test_xpb_01", set()),
    ],
)
def test_ids_are_read_out_of_names(test: str, wanted: set[str]) -> None:
    assert ids_in(test, LISTED) == wanted


def test_an_item_is_proved_by_a_test_that_passed_and_none_that_failed(tmp_path: Path) -> None:
    junit = tmp_path / "results.xml"
    junit.write_text(
        '<testsuites><testsuite><testcase name="test_pb_01_a[x]"/>'
        '<testcase name="test_pb_01_a[y]"><failure/></testcase>'
        '<testcase name="test_pb_01_a[z]"/><testcase name="test_pb_02_b"/>'
        '<testcase name="test_pb_03_c"><skipped/></testcase></testsuite></testsuites>',
        encoding="utf-8",
    )
    told = outcomes(junit)
    found = found_by_item(["t.py::test_pb_01_a[x]", "t.py::test_pb_02_b"], ["PB-01", "PB-02"])
    assert found == {"PB-01": ["t.py::test_pb_01_a"], "PB-02": ["t.py::test_pb_02_b"]}
    assert result_of(found["PB-01"], told) == "failed"
    assert result_of(found["PB-02"], told) == "passed"
    assert result_of(["t.py::test_pb_03_c"], told) == "not run"
    assert result_of(found["PB-02"], None) == "has tests"
    assert result_of([], told) == "no test"


def test_marks_by_use_name_items_of_the_list_and_code_that_there_is() -> None:
    listed = marks(MARKS.read_text(encoding="utf-8"))
    named = [item for mark in listed for item in mark.items]
    assert len(named) == len(set(named))
    assert set(named) <= set(LISTED)
    assert all(mark.names for mark in listed if mark.state == "library")
    assert not unknown_names(listed, PACKAGE)


def test_a_line_of_marks_is_read() -> None:
    line = "library | MP-01 to MP-03, TR-23 | one two@replies/ | nobody asks"
    names = {"one": "", "two": "replies/"}
    wanted = Mark("library", ("MP-01", "MP-02", "MP-03", "TR-23"), names, "nobody asks")
    assert marks(f"# A comment.\n\n{line}\n") == [wanted]
    with pytest.raises(ValueError, match="'broken'"):
        marks("broken | MP-01 | | x")


def test_code_serves_a_command_once_anything_but_itself_and_faces_uses_it(tmp_path: Path) -> None:
    def write(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    listed = marks("library | MP-01 | one | x\nlibrary | MP-02 | two@replies/ | x\n")
    write("utils/face.py", "from replies.read import one\nONE = one\n")
    write("replies/read.py", "def one():\n    return one() or two()\nTWO = {'two': 1}\n")
    assert used_names(listed, tmp_path) == set()
    assert states(listed, set()) == {"MP-01": "library", "MP-02": "library"}
    write("agents/some.py", "def ask(reply):\n    return reply['two']\n")
    assert used_names(listed, tmp_path) == {"two"}
    assert states(listed, {"two"}) == {"MP-01": "library"}
    assert unknown_names(marks("library | MP-01 | three | x"), tmp_path) == {"three"}


def test_items_of_the_library_and_open_ones_are_told_and_fail_nothing() -> None:
    told = {"test_pb_01_a": "passed", "test_pb_02_b": "failed"}
    results = {
        "PB-01": result_of(["t.py::test_pb_01_a"], told, "library"),
        "PB-02": result_of(["t.py::test_pb_02_b"], told, "library"),
        "PB-03": result_of([], told, "library"),
        "PB-04": result_of([], told, "open"),
        "PB-05": result_of(["t.py::test_pb_01_a"], told),
    }
    assert list(results.values()) == ["library", "failed", "no test", "open", "passed"]
    assert unproved(results) == ["PB-02", "PB-03"]
    first, second, third = summary(results)
    assert first == "1 of 5 items proved; not: PB-02, PB-03"
    assert second.startswith("library: 1, ")
    assert second.endswith("PB-01")
    assert third.endswith("PB-04")


async def test_tr_06_a_text_texts_and_turns_are_conversations() -> None:
    turn = {"role": "user", "content": "x"}
    for messages in ("x", ["x"], [turn]):
        backend = ScriptedBackend(["y"])
        await LLMClient("", "", "m", backend=backend).think(messages)
        assert [dict(message) for message in backend.calls[0].messages] == [turn]


def test_ov_48_no_agent_reads_json_by_itself() -> None:
    for path in (SOURCES / "agents").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
        named = {ast.unparse(call) for call in calls}
        assert not named & {"json.loads", "json.load", "re.search", "re.findall"}, path.name


def test_xc_01_the_top_level_is_as_designed() -> None:
    for name in ("pyproject.toml", "src/libriscribe2", "tests", "projects", "debug", "README.md"):
        assert (ROOT / name).exists(), name
