"""A tool's failure in HTTP's terms, whatever the tool is made of, so that one table routes all."""

from collections.abc import Mapping
from typing import Any


class ToolError(Exception):
    """A tool call that brought no result.

    Attributes:
        status: An HTTP status: 404 where nothing has that name, 409 where several have, 422 where
            an argument makes no sense.
        code: A stable machine-readable name, such as `character_not_found`.
        message: What went wrong, in a sentence that a model can act on.
        details: Plain JSON that helps to correct the call, such as close names.
    """

    def __init__(
        self, status: int, code: str, message: str, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = dict(details) if details is not None else {}

    def as_record(self) -> dict[str, Any]:
        """The error as plain JSON."""
        return {
            "status": self.status,
            "code": self.code,
            "message": self.message,
            "details": self.details,
        }
