"""How chains of tools are planned and run."""

from dataclasses import dataclass, field, replace
from typing import Self

from libriscribe2.toolchain.bound import Layers


@dataclass(frozen=True, slots=True)
class OrchestratorConfig:
    """Switches and bounds of a chain; the defaults are those of the design documents.

    Attributes:
        plan_parse_retry_enabled: Whether a plan that cannot be parsed is asked for again.
        plan_parse_max_retries: How often, after the first time.
        plan_validation_retries: How often a plan that cannot be carried out is asked for again.
        max_steps: The longest plan.
        max_concurrency: Most steps under way at once.
        max_corrections: How often a refused call is repeated with other parameters.
        layers: Which layers bind parameters.
        error_analysis: Whether a model judges refused calls.
        function_calling: Whether a model is offered functions to answer with.
    """

    plan_parse_retry_enabled: bool = True
    plan_parse_max_retries: int = 2
    plan_validation_retries: int = 2
    max_steps: int = 50
    max_concurrency: int = 5
    max_corrections: int = 2
    layers: Layers = field(default_factory=Layers)
    error_analysis: bool = True
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
