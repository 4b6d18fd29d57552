"""The report of a batch: what stands in it, and what text in it cannot do."""

import csv
import io
import re

from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.batch.batch_report import as_csv, as_html, guarded, report_of
from libriscribe2.batch.progress import (
    Batch,
    Ended,
    ModelTime,
    RunTimes,
    Sums,
    added,
    ended,
    started,
)
from libriscribe2.batch.rows import Row

HOSTILE = '=HYPERLINK("http://evil.example")<script>alert(1)</script>'


def batch_of(*ends: Ended) -> Batch:
    batch = Batch()
    for number, end in enumerate(ends):
        name = f"b{number}"
        row = Row(name, f"row {number}", {"premise": "x"})
        batch.apply([added(row), started(name, None), ended(name, end)])
    return batch


def times(**models: tuple[int, float]) -> RunTimes:
    named = {name: ModelTime(calls=calls, seconds=s) for name, (calls, s) in models.items()}
    return RunTimes(seconds=2.0, stages={"outline": 1.5}, models=named)


def test_sums_rates_and_the_slowest_provider() -> None:
    quick, slow = times(quick=(4, 2.0)), times(slow=(1, 3.0))
    report = report_of(
        "b",
        batch_of(
            Ended("done", times=quick, sums=Sums(words=100, calls=4, cost_usd=1.0)),
            Ended("done", times=slow, sums=Sums(words=50, calls=1, cost_usd=0.5)),
        ),
    )
    assert report["sums"]["cost_usd"] == 1.5
    assert report["sums"]["words"] == 150
    assert report["rates"]["words_per_book"] == 75
    assert report["rates"]["seconds_per_call"] == 1.0
    assert report["stages"] == {"outline": 3.0}
    assert report["slowest_provider"] == "slow"


def test_a_book_has_a_machine_while_it_runs() -> None:
    batch = batch_of(Ended("queued"), Ended("done"))
    assert [row["machine"] for row in report_of("b", batch)["books"]] == ["", ""]
    batch.apply([{**started("b0", None), "machine": "box-7"}])
    assert [row["machine"] for row in report_of("b", batch)["books"]] == ["box-7", ""]
    earlier = {key: one for key, one in started("b1", None).items() if key != "machine"}
    batch.apply([earlier])  # by a version that did not note it
    assert [row["machine"] for row in report_of("b", batch)["books"]] == ["box-7", ""]


def test_an_unknown_price_is_never_told_as_a_sum() -> None:
    report = report_of("b", batch_of(Ended("done", sums=Sums(cost_usd=None)), Ended("done")))
    assert report["sums"]["cost_usd"] is None
    assert report["books"][0]["cost_usd"] is None
    assert '<td class="n">unknown</td>' in as_html(report)


def test_the_page_tells_figures_in_words_with_their_units() -> None:
    sums = Sums(words=5_000, calls=4, input_tokens=53_590, cost_usd=1.5)
    done = Ended("done", times=times(quick=(4, 64.0)), sums=sums)
    page = as_html(report_of("b", batch_of(done, Ended("done", sums=Sums(cost_usd=0.0)))))
    for name, shown in (
        ("Tokens sent", "53,590"),
        ("Cost", "$1.50"),
        ("Books done", "100%"),
        ("Words per finished book", "2,500"),
        ("Time per call", "16s"),
    ):
        assert f'<th scope="row">{name}</th><td class="n">{shown}</td>' in page
    assert not re.search(r"cost_usd|_tokens|seconds_per|words_per|None|Paused", page)


def test_the_page_of_a_paused_batch_says_so() -> None:
    batch = Batch()
    batch.paused, batch.cap = True, 20.0
    report = report_of("b", batch)
    assert "Paused: no more books start." in as_html(report)
    assert "At most $20.00 in all." in as_html(report)


def test_a_failed_book_has_its_reason_and_a_command() -> None:
    failed = Ended("failed", 4, "no key", "none is set", "Set OPENAI_API_KEY.")
    books = report_of("b", batch_of(failed, Ended("failed", 7, "no network")))["books"]
    assert (books[0]["what"], books[0]["why"]) == ("no key", "none is set")
    assert books[0]["command"] == "Set OPENAI_API_KEY."
    assert books[1]["command"] == "libriscribe2 batch retry b1"


def test_hostile_text_is_neither_a_formula_nor_markup() -> None:
    report = report_of("b", batch_of(Ended("failed", 4, HOSTILE, HOSTILE, HOSTILE)))
    cells = [cell for row in csv.reader(io.StringIO(as_csv(report))) for cell in row]
    assert cells.count(f"'{HOSTILE}") == 3
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t"))]
    assert "<script>" not in as_html(report)
    assert "&lt;script&gt;" in as_html(report)


@given(st.text())
def test_a_guarded_cell_never_begins_a_formula(text: str) -> None:
    cell = str(guarded(text))
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert cell.removeprefix("'") == text.removeprefix("'")
