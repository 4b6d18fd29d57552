"""Templates in parameters, calls with bound parameters, and the limits of a chain."""

import logging
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from libriscribe2.models.tooling import Binding, Capability, Layer, Parameter, PlanStep
from libriscribe2.project.texts import canonical_json
from libriscribe2.replies.strict_json import map_strings, string_leaves

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
    for _, text in string_leaves(value):
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
        filled.value = map_strings(value, lambda _, text: self._put_in(text, filled))
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


@dataclass(frozen=True, slots=True)
class Layers:
    """Which layers are on.

    Attributes:
        templates: References of the plan are resolved.
        auto_wiring: Layer 1.
        micro_resolution: Layer 2; without it nothing is asked of a model at all.
        semantic_fallback: A model is asked for references that lead nowhere.
    """

    templates: bool = True
    auto_wiring: bool = True
    micro_resolution: bool = True
    semantic_fallback: bool = True


@dataclass(slots=True)
class Bound:
    """A step's parameters as far as they could be settled.

    Attributes:
        parameters: Values by name.
        bindings: Where each came from.
        missing: Required parameters, and groups (`source or text`), without a value.
        unresolved: References of the plan without a value.
        available: What the step could see, in words.
    """

    parameters: dict[str, Any] = field(default_factory=dict)
    bindings: dict[str, Binding] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)
    available: str = ""

    @property
    def problem(self) -> str:
        """Why the tool must not be called, or ""."""
        said = [f"unresolved template {text}" for text in self.unresolved]
        if self.missing:
            said.append(f"no value for the required {', '.join(map(repr, self.missing))}")
        return f"{'; '.join(said)} (available: {self.available})" if said else ""


@dataclass(slots=True)
class Draft:
    """A step's binding under way.

    Attributes:
        step: The step.
        capability: Its tool.
        responses: Results of the steps that it depends on.
        sources: Those of them that are objects.
        request: What the user asked for.
        known: The ids of the steps that a reference may name.
        bound: What is settled.
        dangling: Parameters whose references lead nowhere yet.
    """

    step: PlanStep
    capability: Capability
    responses: Mapping[str, Any]
    sources: Mapping[str, Mapping[str, Any]]
    request: str
    known: frozenset[str]
    bound: Bound
    dangling: dict[str, Filled] = field(default_factory=dict)

    @property
    def purpose(self) -> str:
        """The step's instruction with the user's request."""
        asked = f"The user asked: {self.request}" if self.request else ""
        return "\n".join(filter(None, (self.step.instruction, asked)))

    def open(self) -> list[Parameter]:
        """Parameters without a value, those that are text around a reference not among them."""
        return [one for one in self.capability.parameters if self._is_open(one.name)]

    def needed(self) -> list[Parameter]:
        """Open parameters that a call cannot do without: of a group, all while none is settled."""
        groups = (
            one
            for one in self.capability.one_of
            if not any(name in self.bound.parameters for name in one)
        )
        grouped = {name for group in groups for name in group}
        return [one for one in self.open() if one.required or one.name in grouped]

    def settle(self, name: str, value: Any, layer: Layer, step: str = "") -> None:
        """Give a parameter its value; a reference that stood for it is done with."""
        self.dangling.pop(name, None)
        self.bound.parameters[name] = value
        self.bound.bindings[name] = Binding(parameter=name, value=value, layer=layer, step=step)

    def _is_open(self, name: str) -> bool:
        held = self.dangling.get(name)
        return name not in self.bound.parameters and (held is None or held.is_reference)


@dataclass(frozen=True, slots=True)
class OrchestratorConfig:
    """Switches and bounds of a chain; the defaults are those of the design documents.

    Attributes:
        plan_parse_retry_enabled: Whether a plan that cannot be parsed is asked for again.
        plan_parse_max_retries: How often, after the first time.
        plan_validation_retries: How often a plan that cannot be carried out is asked for again.
        max_steps: The longest plan.
        goal: The tool that a plan has to come to; "" where any may be the last.
        max_concurrency: Most steps under way at once.
        max_corrections: How often a refused call is repeated with other parameters.
        layers: Which layers bind parameters.
        error_analysis: Whether a model judges refused calls.
        error_verdict: Whether the model decides if a refused call is worth other values; without
            it a fixed rule on the tool's message does, and the model gives the values alone.
        function_calling: Whether a model is offered functions to answer with.
    """

    plan_parse_retry_enabled: bool = True
    plan_parse_max_retries: int = 2
    plan_validation_retries: int = 2
    max_steps: int = 50
    goal: str = ""
    max_concurrency: int = 5
    max_corrections: int = 2
    layers: Layers = field(default_factory=Layers)
    error_analysis: bool = True
    error_verdict: bool = True
    function_calling: bool = True

    @classmethod
    def default(cls) -> Self:
        """The defaults."""
        return cls()

    def with_plan_parse_retry(self, enabled: bool, max_retries: int) -> Self:  # noqa: FBT001 - the design's
        """The same with other plan retries; a negative number leaves the number as it is."""
        most = max_retries if max_retries >= 0 else self.plan_parse_max_retries
        return replace(self, plan_parse_retry_enabled=enabled, plan_parse_max_retries=most)

    @property
    def parse_retries(self) -> int:
        """How often a plan that cannot be parsed is really asked for again."""
        return self.plan_parse_max_retries if self.plan_parse_retry_enabled else 0


def default_config() -> OrchestratorConfig:
    """The defaults."""
    return OrchestratorConfig.default()
