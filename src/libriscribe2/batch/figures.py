"""What books came to: words, calls, cost and times, summed over every run of a book."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from libriscribe2.llm.caps import UNKNOWN_USD_PER_MILLION
from libriscribe2.llm.prices import flat, price_of
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.peek import peek


class ModelTime(BaseModel):
    """How long a model took.

    Attributes:
        calls: Requests that were answered.
        seconds: How long they took together.
    """

    model_config = ConfigDict(frozen=True)

    calls: int = 0
    seconds: float = 0.0

    def plus(self, other: "ModelTime") -> "ModelTime":
        """The sum of both."""
        return ModelTime(calls=self.calls + other.calls, seconds=self.seconds + other.seconds)


class RunTimes(BaseModel):
    """The times of one run of a book, or of several.

    Attributes:
        seconds: Wall time.
        waited: Seconds that requests waited for a provider or a rate limit.
        stages: Seconds of each stage, of all its units together.
        models: How long each model took.
    """

    model_config = ConfigDict(frozen=True)

    seconds: float = 0.0
    waited: float = 0.0
    stages: Mapping[str, float] = Field(default_factory=dict)
    models: Mapping[str, ModelTime] = Field(default_factory=dict)

    def plus(self, other: "RunTimes") -> "RunTimes":
        """The sum of both."""
        stages = dict(self.stages)
        for name, seconds in other.stages.items():
            stages[name] = stages.get(name, 0.0) + seconds
        models = dict(self.models)
        for name, one in other.models.items():
            models[name] = models.get(name, ModelTime()).plus(one)
        return RunTimes(
            seconds=self.seconds + other.seconds,
            waited=self.waited + other.waited,
            stages=stages,
            models=models,
        )


class Sums(BaseModel):
    """What a book came to over all its life, by its own journal.

    Attributes:
        words: Words of its chapters.
        calls: Requests that left.
        input_tokens: Tokens read, where the provider said.
        output_tokens: Tokens written, where the provider said.
        cost_usd: US dollars; None where a price is unknown.
        possible_usd: US dollars that were or may have been paid; what counts for a cap.
    """

    model_config = ConfigDict(frozen=True)

    words: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    possible_usd: float = 0.0


def sums_of(paths: ProjectPaths, words: int, unknown_usd: float = UNKNOWN_USD_PER_MILLION) -> Sums:
    """What a project's journal says that it came to.

    Args:
        paths: The project; one that is not there has come to nothing.
        words: Words of its chapters, as its run told them.
        unknown_usd: What a million tokens without a known price count as.

    Raises:
        LibriScribeError: The project cannot be read.
    """
    if not paths.state.is_dir():
        return Sums(words=words)
    return sums_in(peek(paths).manifest, words, unknown_usd)


def sums_in(manifest: Manifest, words: int, unknown_usd: float) -> Sums:
    """What the records of a journal add up to."""
    totals, ledger = manifest.totals, manifest.ledger
    unpriced = sum(
        (price_of(model) or flat(unknown_usd)).cost(*tokens)
        for model, tokens in ledger.unpriced().items()
    )
    return Sums(
        words=words,
        calls=ledger.sent,
        input_tokens=totals.input_tokens,
        output_tokens=totals.output_tokens,
        cost_usd=None if totals.unknown_costs else totals.cost_usd,
        possible_usd=ledger.possible_usd() + unpriced,
    )
