import pytest
from tests.support.project_book import completion

from libriscribe2.project import records
from libriscribe2.project.manifest import FileRecord, Manifest, OpenCall, Totals

WRITE = records.write(
    "concept.json", "sha1", step="concept", inputs={"a": "1"}, params={"model": "m"}, keys=["k"]
)


def test_a_reply_is_found_by_its_key() -> None:
    manifest = Manifest([records.done("k", completion("text"))])
    assert manifest.reply("k") == completion("text")
    assert manifest.reply("other") is None


def test_a_call_is_open_until_its_outcome_is_known() -> None:
    sent = [records.sent(key, step=f"s/{key}", model="m") for key in ("a", "b", "c")]
    manifest = Manifest(sent)
    manifest.fold(records.done("a", completion("text")))
    manifest.fold(records.fail("b", kind="timeout", status=None))
    assert manifest.open_calls == {"c": OpenCall("s/c", "m")}


def test_the_step_of_a_call_is_known_after_its_outcome() -> None:
    manifest = Manifest([records.sent("k", step="s/a", model="m")])
    manifest.fold(records.done("k", completion("text")))
    assert manifest.step_of("k") == manifest.after(WRITE).step_of("k") == "s/a"
    assert manifest.step_of("other") == ""


def test_XC_13_totals_keep_unknown_prices_apart() -> None:
    unpriced = {**completion("x"), "cost_usd": None, "usage": {"input_tokens": 9, "known": False}}
    manifest = Manifest(
        [
            records.done("a", completion("x")),
            records.done("b", completion("x")),
            records.done("c", unpriced),
            records.done("d", {"reply": "x", "cost_usd": 0.0}),
            records.fail("e", kind="rate", status=429),
        ]
    )
    assert manifest.totals == Totals(
        calls=4, failed=1, input_tokens=20, output_tokens=40, cost_usd=1.0, unknown_costs=1
    )


def test_the_last_write_of_a_file_counts_and_every_content_is_ours() -> None:
    second = records.write("concept.json", "sha2", step="c", inputs={}, params={}, keys=[])
    manifest = Manifest([WRITE, records.placed("concept.json", "sha1"), second])
    assert manifest.files == {"concept.json": FileRecord("sha2", "c")}
    assert [manifest.is_ours("concept.json", sha) for sha in ("sha1", "sha2", "sha3")] == [
        True,
        True,
        False,
    ]
    assert not manifest.is_ours("outline.json", "sha1")


def test_a_write_keeps_what_the_file_was_made_from() -> None:
    made = Manifest([WRITE]).files["concept.json"]
    assert made == FileRecord("sha1", "concept", {"a": "1"}, {"model": "m"}, ("k",), placed=False)


@pytest.mark.parametrize(
    ("record", "placed"),
    [
        (records.placed("concept.json", "sha1"), True),
        (records.placed("concept.json", "sha0"), False),
        (records.placed("outline.json", "sha1"), False),
    ],
)
def test_a_write_is_in_place_once_the_journal_says_so(record: records.Record, placed: bool) -> None:
    assert Manifest([WRITE, record]).files["concept.json"].placed is placed


def test_an_adopted_content_is_ours_with_its_inputs() -> None:
    manifest = Manifest([WRITE, records.adopt("concept.json", "mine", {"a": "2"})])
    adopted = manifest.files["concept.json"]
    assert (adopted.sha, adopted.inputs, adopted.step) == ("mine", {"a": "2"}, "concept")
    assert adopted.placed
    assert manifest.is_ours("concept.json", "mine")


def test_a_content_can_be_adopted_without_an_earlier_write() -> None:
    manifest = Manifest([records.adopt("concept.json", "mine", {})])
    assert manifest.files["concept.json"] == FileRecord("mine", placed=True)


def test_a_generation_counts_the_step_and_those_that_hold_it() -> None:
    steps = ("chapters/ch03", "chapters", "chapters/ch03", "chapters/ch0")
    manifest = Manifest(map(records.again, steps))
    assert manifest.generation("chapters/ch03/scene02") == 3
    assert manifest.generation("chapters/ch03") == 3
    assert manifest.generation("chapters/ch04") == 1
    assert manifest.generation("concept") == 0


def test_a_step_is_asked_for_again_until_it_is_written() -> None:
    manifest = Manifest([WRITE, records.again("concept")])
    assert manifest.asked_again("concept")
    assert not manifest.asked_again("outline")
    manifest.fold(WRITE)
    assert not manifest.asked_again("concept")
    assert manifest.generation("concept") == 1


def test_records_of_unknown_kinds_are_skipped() -> None:
    manifest = Manifest([{"t": "from the future"}, {}, records.run("1", version="1", command="x")])
    assert (manifest.totals, manifest.files, manifest.open_calls) == (Totals(), {}, {})
