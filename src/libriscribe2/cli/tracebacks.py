"""Tracebacks and unexpected errors as they may be shown and reported."""

import os
import traceback

from libriscribe2.llm.redaction import redact, secrets_in
from libriscribe2.wording import clean, one_line


def traceback_of(error: Exception) -> str:
    """Where an error comes from, without the values of variables and without a key."""
    return clean(redact("".join(traceback.format_exception(error)), secrets_in(os.environ)))


def bug_of(error: Exception) -> str:
    """An error that nobody expected in one line, without a key."""
    return one_line(redact(f"{type(error).__name__}: {error}", secrets_in(os.environ)))
