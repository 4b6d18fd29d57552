"""The acceptance list is read as it is meant, and some of its items about the repository itself."""

import ast
from pathlib import Path

import pytest
from tests.docs.checklist import IDS, found_by_item, ids_in, items, outcomes, result_of

import libriscribe2
from libriscribe2.llm.backends.scripted import ScriptedBackend
from libriscribe2.llm.client import LLMClient

ROOT = Path(__file__).parents[2]
SOURCES = Path(libriscribe2.__file__).parent
LISTED = [item.name for item in items(IDS.read_text(encoding="utf-8"))]


def test_the_list_has_every_item_once() -> None:
    assert len(LISTED) == len(set(LISTED)) == 285
    counts = {"PB": 75, "MS": 22, "PR": 27, "TR": 27, "MP": 21, "SR": 12, "RP": 37, "OV": 51}
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
