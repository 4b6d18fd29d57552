"""The names of the settings: dotted keys, which of them exist, and the nearest to a wrong one."""

import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from libriscribe2.settings.schema import Settings
from libriscribe2.settings.stage_models import ModelsConfig, StageModel, as_table

_MODELS: Final = "models."
_DEEPEST_KEY: Final = 3
_WHOLE: Final = frozenset({"research.mcp"})
"""Keys whose value is a table: its own keys are names that the user gives."""

_SLIP: Final = 0.8
_ALIKE: Final = 0.6
_TELLING: Final = 4
"""So many letters of a name tell which one is meant."""
_ANY_ENTRY = re.compile(r"models\.[a-z][a-z0-9_]*")
_ANY_ENTRY_KEY = re.compile(rf"{_ANY_ENTRY.pattern}\.(?:{'|'.join(StageModel.model_fields)})")


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value of a nested table.

    Attributes:
        key: The full dotted key, such as `models.scene.model`.
        typed: The key as the user wrote it, such as `models.scene`.
        value: The value.
    """

    key: str
    typed: str
    value: Any


def leaves(table: Mapping[str, Any]) -> Iterator[Leaf]:
    """The values of a nested table, with the short forms of model entries written out.

    Tables deeper than any setting stay whole, so hostile nesting costs nothing.
    """
    yield from _leaves(table, "", _DEEPEST_KEY)


def _leaves(table: Mapping[str, Any], prefix: str, depth: int) -> Iterator[Leaf]:
    for name, value in table.items():
        key = f"{prefix}{name}"
        written = as_table(value) if prefix == _MODELS else value
        is_section = isinstance(written, Mapping) and bool(written) and key not in _WHOLE
        if is_section and depth > 1:
            for leaf in _leaves(written, f"{key}.", depth - 1):
                yield leaf if written is value else Leaf(leaf.key, key, leaf.value)
        else:
            yield Leaf(key, key, value)


def nest(flat: Mapping[str, Any]) -> dict[str, Any]:
    """The nested table of dotted keys; the inverse of `leaves` over known keys."""
    table: dict[str, Any] = {}
    for key, value in flat.items():
        *sections, name = key.split(".")
        place = table
        for section in sections:
            place = place.setdefault(section, {})
        place[name] = value
    return table


@dataclass(frozen=True, slots=True)
class KnownKeys:
    """Every key that a layer may hold.

    Attributes:
        stages: The stages that may have a model of their own; None allows any name.
    """

    stages: Collection[str] | None = None

    def __contains__(self, key: str) -> bool:
        """Whether `key` is a setting."""
        if self.stages is None and _ANY_ENTRY_KEY.fullmatch(key):
            return True
        return key in self.all()

    def all(self) -> tuple[str, ...]:
        """The full keys, the default model's before those of the stages."""
        entries = ("default", *sorted(self.stages if self.stages is not None else ()))
        models = (f"{_MODELS}{name}.{part}" for name in entries for part in StageModel.model_fields)
        return (*models, *_fixed_keys(Settings, ""))

    def inside(self, section: str) -> tuple[str, ...]:
        """The full keys below `section`; empty where it is not a section."""
        if self.stages is None and _ANY_ENTRY.fullmatch(section):
            return tuple(f"{section}.{part}" for part in StageModel.model_fields)
        return tuple(key for key in self.all() if key.startswith(f"{section}."))

    def nearest(self, key: str) -> str:
        """The key most like a wrong one, or "" where none is alike.

        A slip of the pen comes first, then a right name in the wrong section, then the beginning
        of one name alone.
        """
        known = self.all()
        by_name = {candidate.rpartition(".")[2]: candidate for candidate in reversed(known)}
        name = key.rpartition(".")[2]
        if slip := difflib.get_close_matches(key, known, n=1, cutoff=_SLIP):
            return slip[0]
        if name in by_name:
            return by_name[name]
        begun = [full for known_name, full in by_name.items() if known_name.startswith(name)]
        if len(begun) == 1 and len(name) >= _TELLING:
            return begun[0]
        if alike := difflib.get_close_matches(key, known, n=1, cutoff=_ALIKE):
            return alike[0]
        names = difflib.get_close_matches(name, by_name, n=1, cutoff=_ALIKE)
        return by_name[names[0]] if names else ""


def _fixed_keys(model: type[BaseModel], prefix: str) -> Iterator[str]:
    """The keys of a Pydantic model and of the models in it; those of `models` are made apart."""
    for name, field in model.model_fields.items():
        kind = field.annotation
        if kind is ModelsConfig:
            continue
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _fixed_keys(kind, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}"
