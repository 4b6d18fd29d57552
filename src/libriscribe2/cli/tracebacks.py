"""Tracebacks as they may be shown and reported."""

import os
import traceback

from libriscribe2.llm.redaction import redact, secrets_in


def traceback_of(error: Exception) -> str:
    """Where an error comes from, without the values of variables and without a key."""
    return redact("".join(traceback.format_exception(error)), secrets_in(os.environ))
