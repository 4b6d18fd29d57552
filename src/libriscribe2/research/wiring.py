"""Parameters wired from earlier results by name and type, and values brought into a type."""

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from libriscribe2.models.tooling import Parameter
from libriscribe2.project.texts import canonical_json
from libriscribe2.telemetry import AUTO_WIRING_RESULT

UNFIT: Final = object()
"""Stands for "this value has no exact reading in that type"."""

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,400}(?:\.0{1,50})?")
_NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]{1,300}(?:\.[0-9]{0,300})?|\.[0-9]{1,300})(?:[eE][+-]?[0-9]{1,3})?"
)
_TRUTH: Final = {"true": True, "false": False, "1": True, "0": False}
_LARGEST_EXACT: Final = 2**53

_SPELLINGS: Final = {
    "number": ("float", "float32", "float64", "double"),
    "integer": ("int", "int32", "int64"),
    "string": ("str",),
    "boolean": ("bool",),
    "array": ("list",),
    "object": ("map", "dict"),
}
"""JSON Schema's names of types, with those that other languages have."""

_SYNONYMS: Final = {word: name for name, others in _SPELLINGS.items() for word in (name, *others)}


def canonical_type(name: str) -> str:
    """JSON Schema's name of a type; `any` for one that nobody knows."""
    return _SYNONYMS.get(name.strip().lower(), "any")


def coerce_value(value: Any, type_name: str) -> Any:
    """The value in the type, or `UNFIT`; null has no reading in any type but an unknown one."""
    return _CASTS[canonical_type(type_name)](value)


def coerce(value: Any, parameter: Parameter) -> Any:
    """The value as the parameter takes it, the items of a list included, or `UNFIT`."""
    if value is None:
        return UNFIT
    changed = coerce_value(value, parameter.type)
    if isinstance(changed, list):
        changed = _items(changed, parameter.schema.get("items"))
    if changed is UNFIT or (parameter.enum and changed not in parameter.enum):
        return UNFIT
    return changed


def changed_type(before: Any, after: Any) -> bool:
    """Whether a text became a number or a truth value."""
    return isinstance(before, str) and isinstance(after, bool | int | float)


def _items(values: list[Any], wanted: Any) -> Any:
    """A list whose items have the wanted type."""
    kind = wanted.get("type") if isinstance(wanted, Mapping) else None
    if not isinstance(kind, str):
        return values
    changed = [coerce_value(value, kind) for value in values]
    return UNFIT if any(item is UNFIT for item in changed) else changed


def _to_number(value: Any) -> Any:
    if isinstance(value, bool):
        return UNFIT
    if isinstance(value, int):
        return float(value) if abs(value) <= _LARGEST_EXACT else value
    if isinstance(value, float):
        return value
    return _number_in(value.strip()) if isinstance(value, str) else UNFIT


def _number_in(text: str) -> Any:
    """The number that a text is; one that is too small or too large for a float is none."""
    if not _NUMBER.fullmatch(text):
        return UNFIT
    if _INTEGER.fullmatch(text):
        return _to_number(_to_integer(text))
    number = float(text)
    vanished = number == 0 and re.search(r"[1-9]", text.lower().partition("e")[0]) is not None
    return UNFIT if vanished or abs(number) == float("inf") else number


def _to_integer(value: Any) -> Any:
    if isinstance(value, bool):
        return UNFIT
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else UNFIT
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    return UNFIT


def _to_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _TRUTH.get(value.strip().lower(), UNFIT)
    return bool(value) if isinstance(value, int) and value in (0, 1) else UNFIT


def _to_string(value: Any) -> Any:
    if isinstance(value, str):
        return value
    return canonical_json(value) if isinstance(value, bool | int | float) else UNFIT


_CASTS: Final[dict[str, Callable[[Any], Any]]] = {
    "number": _to_number,
    "integer": _to_integer,
    "boolean": _to_boolean,
    "string": _to_string,
    "array": lambda value: value if isinstance(value, list) else UNFIT,
    "object": lambda value: value if isinstance(value, dict) else UNFIT,
    "any": lambda value: value,
}


logger = logging.getLogger(__name__)

SEMANTIC_ALIASES: Final[Mapping[str, Sequence[str]]] = {}
"""Empty, and to stay so: this program knows no domain."""

WRAPPERS: Final = ("data", "response")
"""Keys of a tool's envelope, in which its result may stand."""

INNER_KEYS: Final = ("code", "id", "value", "name")
"""Where the one text of an object stands when a text is wanted, in order of preference."""

Source = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wiring:
    """What auto-wiring found.

    Attributes:
        values: Values by the parameter's own spelling.
        steps: The step that each value came from.
        unmapped: Names of the parameters without a value, in the order of the parameters.
        coerced: Names whose values changed type.
    """

    values: dict[str, Any] = field(default_factory=dict)
    steps: dict[str, str] = field(default_factory=dict)
    unmapped: list[str] = field(default_factory=list)
    coerced: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Candidate:
    value: Any
    step: str
    exact: bool
    coerced: bool


class AutoWirer:
    """Wires parameters from results of steps."""

    def auto_wire_parameters(
        self, source: Source, parameters: Sequence[Parameter]
    ) -> tuple[dict[str, Any], list[str]]:
        """Wire parameters from one object.

        Returns:
            The wired values by the parameter's own spelling, and the names of the others.
        """
        wiring = self.wire({"": source}, parameters)
        return wiring.values, wiring.unmapped

    def wire(self, sources: Mapping[str, Source], parameters: Sequence[Parameter]) -> Wiring:
        """Wire parameters from the results of several steps.

        A name that different steps give different values is ambiguous and stays unmapped.

        Args:
            sources: Results by step, in the order in which a step names what it needs.
            parameters: What is wanted.
        """
        wiring = Wiring()
        for parameter in parameters:
            found = _chosen(list(_candidates(sources, parameter)))
            if found is None:
                wiring.unmapped.append(parameter.name)
                continue
            wiring.values[parameter.name] = found.value
            wiring.steps[parameter.name] = found.step
            if found.coerced:
                wiring.coerced.append(parameter.name)
        if logger.isEnabledFor(logging.DEBUG):
            _tell(wiring, sources)
        return wiring


def _tell(wiring: Wiring, sources: Mapping[str, Source]) -> None:
    """Log names, never values."""
    logger.debug(
        "%s: %d wired (%s), unmapped %s, source keys %s",
        AUTO_WIRING_RESULT,
        len(wiring.values),
        ", ".join(wiring.values),
        wiring.unmapped,
        {step: list(source)[:20] for step, source in sources.items()},
    )


def _under(source: Source, name: str) -> tuple[Any, bool]:
    """The value under a name, in an object or its envelope, and whether the spelling is exact.

    In another case it counts where all such spellings say the same.
    """
    inner = (source[one] for one in WRAPPERS if isinstance(source.get(one), dict))
    objects = [source, *inner]
    for one in objects:
        if name in one:
            return one[name], True
    for one in objects:
        values = [value for key, value in one.items() if key.casefold() == name.casefold()]
        if values:
            return (values[0] if all(value == values[0] for value in values) else UNFIT), False
    return UNFIT, False


def _candidates(sources: Mapping[str, Source], parameter: Parameter) -> Iterator[_Candidate]:
    """The usable value of each step that has one."""
    for step, source in sources.items():
        raw, exact = _under(source, parameter.name)
        value = UNFIT if raw is UNFIT else _fitted(raw, parameter)
        if value is not UNFIT:
            yield _Candidate(value, step, exact, changed_type(raw, value))


def _fitted(raw: Any, parameter: Parameter) -> Any:
    """A value in the parameter's type; of an object the one text that stands for it."""
    if isinstance(raw, dict) and canonical_type(parameter.type) == "string":
        raw = next((raw[k] for k in INNER_KEYS if isinstance(raw.get(k), str)), UNFIT)
    return UNFIT if raw is UNFIT else coerce(raw, parameter)


def _chosen(candidates: Sequence[_Candidate]) -> _Candidate | None:
    """The candidate that all of its kind agree with; exact names outrank other spellings."""
    if len(candidates) == 1:
        return candidates[0]
    best = [one for one in candidates if one.exact] or candidates
    if not best or any(_differ(one.value, best[0].value) for one in best):
        return None
    return best[0]


def _differ(one: Any, other: Any) -> bool:
    """Whether two values are not the same; a truth value is no number."""
    return isinstance(one, bool) != isinstance(other, bool) or bool(one != other)
