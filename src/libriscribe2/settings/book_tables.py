"""The settings that one book of many brings along, checked before the book has a folder."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from pydantic import ValidationError

from libriscribe2.settings.faults import check_keys, check_project_keys, invalid_value
from libriscribe2.settings.keys import KnownKeys, nest
from libriscribe2.settings.layers import table_layer
from libriscribe2.settings.schema import Settings

_PLACE: Final = "settings"


def check_book_tables(table: Mapping[str, Any], stages: Collection[str] | None = None) -> None:
    """Make sure that tables could stand in a `book.toml`.

    Args:
        table: The tables of settings, without the brief.
        stages: The stages that may have a model of their own; None allows any name.

    Raises:
        ConfigError: A key is unknown or not for a book, or a value is out of bounds.
    """
    layer = table_layer(table, _PLACE)
    check_keys(layer, KnownKeys(stages))
    check_project_keys(layer)
    try:
        Settings.model_validate(nest({key: given.value for key, given in layer.items()}))
    except ValidationError as error:
        raise invalid_value(error, layer) from error
