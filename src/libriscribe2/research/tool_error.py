"""A tool's failure in HTTP's terms, whatever the tool is made of, so that one table routes all."""

from collections.abc import Mapping
from typing import Any


class ToolError(Exception):
    """A tool call that brought no result.

    Attributes:
        status: An HTTP status: 404 where nothing has that name, 409 where several have, 422 where
            an argument makes no sense, 403 where the call is forbidden, 413 and 415 where a
            content is too large or not what it says, 502 and 504 where a server was not reached
            or not in time; else what the server answered.
        code: A stable machine-readable name, such as `character_not_found`.
        message: What went wrong, in a sentence that a model can act on.
        details: Plain JSON that helps to correct the call, such as close names. Where a server
            answered, `body` is the beginning of its answer and `retry_after_seconds` the wait
            that it asked for.
    """

    def __init__(
        self, status: int, code: str, message: str, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = dict(details) if details is not None else {}

    @property
    def body(self) -> str:
        """The beginning of what a server answered; "" where none did."""
        return str(self.details.get("body", ""))

    @property
    def retry_after_seconds(self) -> float | None:
        """How long the server asked to wait; None where it did not."""
        wait = self.details.get("retry_after_seconds")
        return float(wait) if isinstance(wait, int | float) else None

    def as_record(self) -> dict[str, Any]:
        """The error as plain JSON."""
        return {
            "status": self.status,
            "code": self.code,
            "message": self.message,
            "details": self.details,
        }
