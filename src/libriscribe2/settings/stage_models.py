"""Which model does what: an entry per stage over a default, each with its fallbacks."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from libriscribe2.settings.numbers import NotBool


def split_names(value: Any) -> Any:
    """A comma-separated string as a list of names; anything else unchanged."""
    if not isinstance(value, str):
        return value
    return [name.strip() for name in value.split(",") if name.strip()]


def as_table(value: Any) -> Any:
    """The short forms of an entry as a table; a table unchanged.

    `"a"`, `"a, b"` and `["a", "b"]` all name the model first and its fallbacks after it. A short
    form says everything about both, so `"a"` also clears fallbacks of a lower layer.
    """
    if isinstance(value, Mapping | StageModel):
        return value
    names = split_names(value)
    if not isinstance(names, list | tuple):
        names = [value]
    return {"model": names[0] if names else "", "fallbacks": list(names[1:])}


class StageModel(BaseModel):
    """The model of one stage.

    Attributes:
        model: The name as LiteLLM spells it, or `offline`; empty takes the default's.
        fallbacks: Tried in this order when `model` cannot answer.
        temperature: From 0 to 2; None takes the default's, and there leaves it to the provider.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    model: str = ""
    fallbacks: Annotated[
        tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(split_names)
    ] = ()
    temperature: Annotated[float, NotBool, Field(ge=0, le=2)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_short_form(cls, value: Any) -> Any:
        return as_table(value)


class ModelsConfig(BaseModel):
    """The `[models]` table: `default` and one optional entry per stage."""

    model_config = ConfigDict(frozen=True, extra="allow")

    __pydantic_extra__: dict[str, StageModel] = Field(init=False)

    default: StageModel = StageModel()

    def stages(self) -> Mapping[str, StageModel]:
        """The entries besides `default`, by the stage's name."""
        return dict(self.__pydantic_extra__)

    def for_stage(self, stage: str) -> StageModel:
        """What `stage` uses: its own entry, completed from `default`.

        A stage that names a model has its own fallbacks; one that names none takes the default's
        model and fallbacks. `model` is empty where nobody has chosen one.
        """
        own = self.__pydantic_extra__.get(stage, self.default)
        temperature = own.temperature if own.temperature is not None else self.default.temperature
        source = own if own.model else self.default
        return StageModel(model=source.model, fallbacks=source.fallbacks, temperature=temperature)
