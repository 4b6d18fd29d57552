import errno
import json
import re
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.project_faults import FailingOps

from libriscribe2.errors import ProjectError, StorageError
from libriscribe2.llm.attempt import Attempt, dump_record
from libriscribe2.llm.backend import Completion, Request, Usage
from libriscribe2.llm.call_records import CallRecord
from libriscribe2.project.dumps import DebugDumps
from libriscribe2.project.lock import Machine
from libriscribe2.project.records import DumpRecord
from libriscribe2.replies.contract import ParserResult, failure, success
from libriscribe2.replies.outcome import ExtractionReport, Repair
from libriscribe2.wording import redact

SECRET = "sk-abcdefghijklmnop"
FIELDS = [
    "agent_name",
    "timestamp",
    "raw_response",
    "formatting_issues",
    "extraction_method",
    "content_type",
    "attempt",
    "stage",
    "step",
    "model",
    "prompt",
    "reasoning",
    "repairs",
    "validation_errors",
    "feedback",
    "clean",
    "reader",
    "finish_reason",
    "usage",
    "cost_usd",
    "seconds",
    "key",
]


@pytest.fixture
def dumps(tmp_path: Path, machine: Machine) -> DebugDumps:
    return DebugDumps(tmp_path / "debug" / "book", redact=redact, machine=machine)


def record(
    stage: str = "concept", attempt: int = 1, reply: str = "text", key: str = ""
) -> DumpRecord:
    return DumpRecord(
        agent_name="ConceptGeneratorAgent",
        stage=stage,
        attempt=attempt,
        raw_response=reply,
        prompt=({"role": "user", "content": f"Write. {SECRET}"},),
        key=key,
    )


def test_OV_18_a_dump_holds_exactly_the_fields_of_debug_info(dumps: DebugDumps) -> None:
    path = dumps.write(record())
    content = json.loads(path.read_text(encoding="utf-8"))
    assert list(content) == ["debug_info"]
    assert sorted(content["debug_info"]) == sorted(FIELDS)
    assert dumps.load(path) == content["debug_info"]


def test_OV_19_the_time_is_utc_with_a_z(dumps: DebugDumps, tmp_path: Path) -> None:
    assert dumps.load(dumps.write(record()))["timestamp"] == "2025-01-12T10:30:00Z"
    now = DebugDumps(tmp_path / "now")
    stamp = now.load(now.write(record()))["timestamp"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stamp)


def test_OV_10_every_attempt_gets_a_private_file_of_its_own(
    dumps: DebugDumps, machine: Machine
) -> None:
    paths = [dumps.write(record(attempt=n)) for n in (1, 2)]
    later = DebugDumps(dumps.folder, machine=machine)
    paths.append(later.write(record(stage="Scene Plans/../x")))
    paths.append(later.write(record(stage="\N{DRAGON}")))
    assert [path.name for path in paths] == [
        "0001-concept-try1.json",
        "0002-concept-try2.json",
        "0003-scene_plans_x-try1.json",
        "0004-stage-try1.json",
    ]
    assert later.list() == tuple(paths)
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o600}


def test_numbers_go_on_from_what_is_there(dumps: DebugDumps) -> None:
    dumps.folder.mkdir(parents=True)
    (dumps.folder / "9999-old-try1.json").write_text("{}", encoding="utf-8")
    (dumps.folder / "notes.txt").write_text("", encoding="utf-8")
    path = dumps.write(record())
    assert path.name == "10000-concept-try1.json"
    assert [found.name for found in dumps.list()] == ["9999-old-try1.json", path.name]


def test_a_dump_never_overwrites_that_of_another_writer(tmp_path: Path, machine: Machine) -> None:
    mine, other = (DebugDumps(tmp_path, machine=machine) for _ in range(2))
    names = [
        dumps.write(record(reply=reply)).name
        for dumps, reply in ((mine, "a"), (other, "b"), (mine, "c"))
    ]
    assert names == [f"000{n}-concept-try1.json" for n in (1, 2, 3)]
    assert [mine.load(path)["raw_response"] for path in mine.list()] == ["a", "b", "c"]


def test_XC_11_what_looks_like_a_key_is_masked_everywhere(dumps: DebugDumps) -> None:
    made = replace(
        record(reply=f"Authorization: Bearer {SECRET}"),
        repairs=({"name": SECRET},),
        feedback=SECRET,
        validation_errors=(SECRET,),
        usage={"note": SECRET, "input_tokens": 3},
    )
    text = dumps.write(made).read_text(encoding="utf-8")
    assert SECRET not in text
    assert '"input_tokens": 3' in text


def test_OV_30_a_reply_is_kept_as_it_is(dumps: DebugDumps) -> None:
    reply = '```json\n{"title": "Café \U0001f409"}\n``` half \ud83d \\u00e9'
    path = dumps.write(record(reply=reply))
    assert dumps.load(path)["raw_response"] == reply
    assert "Café \U0001f409" in path.read_text(encoding="utf-8")


def test_a_dump_is_known_by_the_key_of_its_call(dumps: DebugDumps, machine: Machine) -> None:
    assert not dumps.has("a" * 64)
    dumps.write(record(key="a" * 64))
    later = DebugDumps(dumps.folder, machine=machine)
    assert [d.has("a" * 64) for d in (dumps, later)] == [True, True]
    assert [d.has("b" * 64) for d in (dumps, later)] == [False, False]


def test_a_dump_that_was_cut_or_left_empty_is_not_counted_as_there(dumps: DebugDumps) -> None:
    path = dumps.write(record(key="a" * 64))
    path.write_bytes(path.read_bytes()[:-10])
    (dumps.folder / "0002-concept-try1.json").touch()
    again = DebugDumps(dumps.folder)
    assert not again.has("a" * 64)
    assert again.list() == (path,)
    assert again.write(record()).name == "0003-concept-try1.json"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"debug_info": []}', "{}", "[" * 100_000])
def test_a_file_that_is_no_dump_is_told(dumps: DebugDumps, text: str) -> None:
    dumps.folder.mkdir(parents=True)
    path = dumps.folder / "0001-concept-try1.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ProjectError, match="not a debug dump"):
        dumps.load(path)


def test_a_folder_that_takes_nothing_is_a_told_error(dumps: DebugDumps, machine: Machine) -> None:
    full = replace(machine, ops=FailingOps(1, code=errno.ENOSPC, names=("write",)))
    with pytest.raises(StorageError, match="debug dump"):
        DebugDumps(dumps.folder, machine=full).write(record())
    assert dumps.list() == ()
    with pytest.raises(StorageError, match="Cannot read"):
        dumps.load(dumps.folder / "0001-concept-try1.json")


REQUEST = Request("concept/draft", "gpt", ({"role": "user", "content": "Hi"},), attempt=2)
ANSWER = Completion(
    '{"a": 1,}',
    reasoning="thought",
    finish_reason="stop",
    usage=Usage(3, 4, known=True),
    cost_usd=0.25,
    model="gpt-2025",
    seconds=1.5,
)


def attempt(result: ParserResult, answer: Completion = ANSWER) -> Attempt:
    return Attempt(CallRecord("ConceptGeneratorAgent", REQUEST, answer, replayed=False), result)


def test_TR_26_an_attempt_becomes_a_dump(dumps: DebugDumps) -> None:
    repair = Repair("trailing_comma", lossless=True, position=7)
    report = ExtractionReport({"a": 1}, False, "json_repair", ("trailing_comma",), (repair,))
    made = dump_record("concept", attempt({"status": "success", "data": 1, "report": report}))
    assert made == DumpRecord(
        agent_name="ConceptGeneratorAgent",
        raw_response='{"a": 1,}',
        formatting_issues=("trailing_comma",),
        extraction_method="json_repair",
        clean=1,
        attempt=2,
        stage="concept",
        step="concept/draft",
        model="gpt-2025",
        prompt=({"role": "user", "content": "Hi"},),
        reasoning="thought",
        repairs=[{"name": "trailing_comma", "lossless": True, "position": 7}],
        finish_reason="stop",
        usage=ANSWER.as_record()["usage"],
        cost_usd=0.25,
        seconds=1.5,
        key=REQUEST.key(),
    )
    assert dumps.load(dumps.write(made))["key"] == REQUEST.key()


def test_TR_26_a_refused_attempt_keeps_its_feedback() -> None:
    made = dump_record("concept", attempt(failure("a: missing\nb: empty")))
    assert made.feedback == "a: missing\nb: empty"
    assert made.validation_errors == ("a: missing", "b: empty")
    assert made.extraction_method == "failed"


def test_thoughts_in_the_reply_are_an_issue_of_it() -> None:
    report = ExtractionReport(1, method="direct_parse", issues=("prose_around",))
    given = attempt(
        {"status": "success", "data": 1, "report": report}, replace(ANSWER, reasoning=None)
    )
    made = dump_record("concept", replace(given, reasoning="first, ..."))
    assert made.reasoning == "first, ..."
    assert made.formatting_issues == ("reasoning_block", "prose_around")


def test_prose_goes_through_no_extraction() -> None:
    unnamed = replace(ANSWER, model="")
    made = dump_record("chapters", attempt(success("text"), unnamed))
    assert (made.extraction_method, made.formatting_issues, made.repairs) == ("text", (), ())
    assert (made.model, made.feedback, made.validation_errors) == ("gpt", "", ())
