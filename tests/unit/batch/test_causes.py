"""Whose doing the end of a book's run is, by the error record of its process."""

from pathlib import Path

import pytest

from libriscribe2.batch.processes import cause_of
from libriscribe2.batch.progress import Batch, Book, Cause, Ended, added, ended, started
from libriscribe2.batch.rows import Row
from libriscribe2.errors import (
    ConfigError,
    ContentFilteredError,
    KeyMissingError,
    LibriScribeError,
    MaxRetriesExceededError,
    ModelError,
    NewerVersionError,
    ProjectError,
    ProjectInUseError,
    ProviderError,
    StorageError,
    UsageError,
)
from libriscribe2.project.paths import ProjectPaths

PATHS = ProjectPaths(Path("projects/mine"), Path("debug/mine"))
PLAIN = Row("mine", "row 1", {"premise": "x"})
NAMED = Row("mine", "row 1", {"premise": "x"}, {"models": {"default": {"model": "openai/nope"}}})


@pytest.mark.parametrize(
    ("error", "row", "cause"),
    [
        (KeyMissingError("No key for 'openai/x'"), PLAIN, "machine"),
        (KeyMissingError("No key for 'openai/x'"), NAMED, "machine"),
        (ModelError("No provider serves the model 'openai/nope'"), PLAIN, "machine"),
        (ModelError("No provider serves the model 'openai/nope'"), NAMED, "book"),
        (ConfigError("The environment: unknown key"), PLAIN, "machine"),
        (ConfigError("projects/mine/book.toml: unknown key"), PLAIN, "book"),
        (ConfigError(f"{Path.cwd()}/projects/mine/book.toml: unknown"), PLAIN, "book"),
        (StorageError("Cannot write projects/mine/outline.md"), PLAIN, "machine"),
        (NewerVersionError("projects/mine was written by a newer version"), PLAIN, "machine"),
        (UsageError("--books cannot be 0"), PLAIN, "machine"),
        (ProjectInUseError("projects/mine is being written"), PLAIN, "operator"),
        (ProjectError("There is a project 'mine' already"), PLAIN, "book"),
        (ProviderError("No network"), PLAIN, "book"),
        (ContentFilteredError("filtered"), PLAIN, "book"),
        (MaxRetriesExceededError(3, "not JSON", "{"), PLAIN, "book"),
    ],
)
def test_causes(error: LibriScribeError, row: Row, cause: Cause) -> None:
    assert cause_of(error.as_record(), error.exit_code, Book(row), PATHS) == cause


def test_without_a_record_the_exit_code_says_it() -> None:
    book = Book(PLAIN)
    assert [cause_of({}, code, book, PATHS) for code in (130, 2, 1, -9)] == [
        "operator",
        "machine",
        "book",
        "book",
    ]


def test_a_log_of_an_earlier_version_counts_as_it_did() -> None:
    batch = Batch()
    begun = {key: value for key, value in started("mine", None).items() if key != "tries"}
    over = ended("mine", Ended("queued", 130))
    old = {key: value for key, value in over.items() if key not in {"cause", "counts"}}
    batch.apply([added(PLAIN), begun, old, begun, old])
    assert (batch.books["mine"].runs, batch.books["mine"].tries) == (2, 2)
    batch.apply([started("mine", None), over])
    assert batch.books["mine"].tries == 2
