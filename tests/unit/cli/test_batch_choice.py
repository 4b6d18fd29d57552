"""Where a batch is: in a folder, or in a database whose libraries may be missing."""

from importlib.machinery import ModuleSpec

import pytest

from libriscribe2.commands import batches
from libriscribe2.errors import ConfigError
from libriscribe2.settings.schema import Settings

ADDRESS = "postgresql://writer:secret-word@127.0.0.1/books"


def missing(name: str) -> ModuleSpec | None:
    """As if no library were installed."""
    del name
    return None


def test_a_database_needs_its_libraries_and_a_folder_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("psycopg")
    shared = Settings.model_validate({"batch": {"dsn": ADDRESS}})
    assert batches.is_shared(shared)
    monkeypatch.setattr(batches, "find_spec", missing)
    assert not batches.is_shared(Settings())
    with pytest.raises(ConfigError, match=r"the extra \[batch\], which is not installed") as caught:
        batches.is_shared(shared)
    assert "secret-word" not in str(caught.value.as_record())


def test_the_address_is_in_no_listing_of_settings() -> None:
    settings = Settings.model_validate({"batch": {"dsn": ADDRESS}})
    assert "secret-word" not in f"{settings!r} {settings.model_dump(mode='json')}"
