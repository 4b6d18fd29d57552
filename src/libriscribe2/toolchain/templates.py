"""References to results in the parameters of a plan: `{{step-1.response.results[0].url}}`.

The grammar: double braces around a step's id, `.response`, and a path of keys and list indexes
(`a.0.b`, `a[0].b`). Two slips of models are taken for what was meant: a missing `.response` and
another case. What was put in is never looked at again, so a result may hold braces of its own, and
braces that name no step are text.
"""

import logging
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from libriscribe2.project.texts import canonical_json

logger = logging.getLogger(__name__)

RESPONSE: Final = "response"
_BRACES: Final = re.compile(r"\{\{([^{}]{1,500})\}\}")
_SEGMENT: Final = re.compile(r"""\[\s*(?:(\d{1,9})|"([^"]*)"|'([^']*)')\s*\]|([^.\[\]]+)""")
_LOOKS_LIKE_A_STEP: Final = re.compile(r"step[-_ ]?\d+", re.IGNORECASE)

_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class Reference:
    """A place in a text that stands for a value of a step's result.

    Attributes:
        text: The reference with its braces.
        step: The step's id as the plan has it; as written where there is no such step.
        known: Whether there is such a step.
        path: Keys and indexes, without `response`.
        slips: What was not as the grammar has it.
    """

    text: str
    step: str
    known: bool
    path: tuple[str, ...]
    slips: tuple[str, ...] = ()


@dataclass(slots=True)
class Filled:
    """A parameter after its references were replaced.

    Attributes:
        value: The value; unresolved references stand in it unchanged.
        steps: The steps that values came from.
        unresolved: The references without a value.
        is_reference: Whether the whole parameter was one reference, so that its type is kept.
    """

    value: Any
    steps: list[str] = field(default_factory=list)
    unresolved: list[Reference] = field(default_factory=list)
    is_reference: bool = False

    @property
    def is_literal(self) -> bool:
        """Whether there was no reference at all."""
        return not self.steps and not self.unresolved


def references_in(value: Any, steps: Collection[str]) -> Iterator[Reference]:
    """Every reference in a value, at any depth.

    Args:
        value: A parameter's value.
        steps: The ids of the steps that there are.
    """
    for text in _texts(value):
        for match in _BRACES.finditer(text):
            reference = _read(match, steps)
            if reference is not None:
                yield reference


def look_up(data: Any, reference: Reference) -> Any:
    """The value that a reference means; raises KeyError where there is none.

    Null counts as none: a tool cannot use it.
    """
    found = _walk(data, reference.path)
    if found is _MISSING and "response" not in reference.slips:
        found = _walk(data, (RESPONSE, *reference.path))
    if found is _MISSING or found is None:
        raise KeyError(reference.text)
    return found


class TemplateFiller:
    """Replaces references by values.

    Args:
        responses: Results by step: what the step may see.
        steps: The ids of all steps of the plan.
        answers: Values for references that the results do not settle, by their text.
    """

    def __init__(
        self,
        responses: Mapping[str, Any],
        steps: Collection[str],
        answers: Mapping[str, Any] | None = None,
    ) -> None:
        self._responses = responses
        self._steps = steps
        self._answers = answers if answers is not None else {}

    def fill(self, value: Any) -> Filled:
        """A parameter's value with its references replaced; the value itself stays as it is."""
        filled = Filled(None)
        filled.is_reference = isinstance(value, str) and self._whole(value) is not None
        filled.value = _mapped(value, lambda text: self._put_in(text, filled))
        return filled

    def _whole(self, text: str) -> Reference | None:
        """The reference that a text is as a whole."""
        match = _BRACES.fullmatch(text.strip())
        return _read(match, self._steps) if match is not None else None

    def _put_in(self, text: str, filled: Filled) -> Any:
        """A text with its references replaced by text, or the value of the one that it is."""
        whole = self._whole(text)
        if whole is not None:
            return self._value(whole, filled, text)

        def put(match: re.Match[str]) -> str:
            reference = _read(match, self._steps)
            if reference is None:
                return match.group()
            value = self._value(reference, filled, reference.text)
            return value if isinstance(value, str) else canonical_json(value)

        return _BRACES.sub(put, text)

    def _value(self, reference: Reference, filled: Filled, instead: str) -> Any:
        """What a reference stands for, or `instead` where nothing is known."""
        if reference.step in self._responses:
            try:
                value = look_up(self._responses[reference.step], reference)
            except KeyError:
                logger.debug("%s is not in the result of %s", reference.text, reference.step)
            else:
                filled.steps.append(reference.step)
                if reference.slips:
                    logger.info("%s read as meant: %s", reference.text, reference.slips)
                return value
        if reference.text in self._answers:
            filled.steps.append(reference.step)
            return self._answers[reference.text]
        filled.unresolved.append(reference)
        return instead


def _read(match: re.Match[str], steps: Collection[str]) -> Reference | None:
    """The reference between two braces, or None for text that only looks like one."""
    inside = match.group(1).strip()
    step = _step_of(inside, steps)
    known = step is not None
    head = inside[: len(step)] if step is not None else re.split(r"[.\[]", inside)[0].strip()
    path = tuple(_segments(inside[len(head) :]))
    slips = []
    if path and path[0].casefold() == RESPONSE:
        path = path[1:]
    elif not known and not _LOOKS_LIKE_A_STEP.fullmatch(head):
        return None
    else:
        slips.append(RESPONSE)
    if step is not None and head != step:
        slips.append("case")
    return Reference(match.group(), step if step is not None else head, known, path, tuple(slips))


def _step_of(inside: str, steps: Collection[str]) -> str | None:
    """The step that a reference begins with: the longest id, in its own case if possible."""
    fitting = [step for step in steps if _begins_with(inside, step)]
    if not fitting:
        return None
    return max(fitting, key=lambda step: (inside.startswith(step), len(step)))


def _begins_with(inside: str, step: str) -> bool:
    rest = inside[len(step) :].lstrip()
    return inside[: len(step)].casefold() == step.casefold() and (not rest or rest[0] in ".[")


def _segments(path: str) -> Iterator[str]:
    for match in _SEGMENT.finditer(path):
        segment = next(group for group in match.groups() if group is not None).strip()
        if segment:
            yield segment


def _walk(data: Any, path: tuple[str, ...]) -> Any:
    for segment in path:
        data = _child(data, segment)
        if data is _MISSING:
            return _MISSING
    return data


def _child(data: Any, segment: str) -> Any:
    if isinstance(data, Mapping):
        if segment in data:
            return data[segment]
        alike = [value for key, value in data.items() if key.casefold() == segment.casefold()]
        return alike[0] if len(alike) == 1 else _MISSING
    if isinstance(data, list) and segment.isdecimal() and int(segment) < len(data):
        return data[int(segment)]
    return _MISSING


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _mapped(value: Any, change: Callable[[str], Any]) -> Any:
    """A copy of a JSON value with its texts changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    return value
