"""A step's parameters while they are being bound, and what is known of them at the end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from libriscribe2.models.tooling import Binding, Capability, Layer, Parameter, PlanStep
from libriscribe2.toolchain.templates import Filled


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
        missing: Required parameters without a value.
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

    def settle(self, name: str, value: Any, layer: Layer, step: str = "") -> None:
        """Give a parameter its value; a reference that stood for it is done with."""
        self.dangling.pop(name, None)
        self.bound.parameters[name] = value
        self.bound.bindings[name] = Binding(parameter=name, value=value, layer=layer, step=step)

    def _is_open(self, name: str) -> bool:
        held = self.dangling.get(name)
        return name not in self.bound.parameters and (held is None or held.is_reference)
