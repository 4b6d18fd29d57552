"""Validation of plain JSON values by Pydantic models, with error messages that name the field."""

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

ModelT = TypeVar("ModelT", bound=BaseModel)


def field_errors(error: ValidationError) -> list[str]:
    """One message per wrong field, as "concept.title: Field required".

    An error of the whole object has no field; its message then stands alone.
    """
    messages = []
    for detail in error.errors(include_url=False, include_context=False):
        path = ".".join(str(part) for part in detail["loc"])
        messages.append(f"{path}: {detail['msg']}" if path else detail["msg"])
    return messages


def validated_model(data: Any, model: type[ModelT]) -> tuple[ModelT | None, list[str]]:
    """The validated, normalised model instance, or None and the field errors."""
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        return None, field_errors(error)
