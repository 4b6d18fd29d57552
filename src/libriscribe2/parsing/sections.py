"""The seed's name for `replies.headed`, and its parsers of plain markers, which nothing else has."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from libriscribe2.replies.contract import EMPTY_REPLY, ParserResult, failure, has_text, success
from libriscribe2.replies.headed import multi_section_parser

__all__ = ["make_marker_parser", "multi_section_parser", "parser_template"]

TOO_SHORT: Final = "Extracted content is too short. Please provide more detailed information."
INVALID_DATA: Final = "Invalid data. Please ensure all fields are present."


def make_marker_parser(
    required_markers: Sequence[str] = (), min_length: int = 10
) -> Callable[[str], ParserResult]:
    """A parser that wants every marker and enough text.

    Args:
        required_markers: Texts that must all occur, such as "[Plan]".
        min_length: The least number of characters of the extracted text.

    Returns:
        A parser whose `data` is the text behind the marker when exactly one is required, else the
        whole reply, stripped.
    """
    markers = tuple(required_markers)

    def parse(raw_reply: str) -> ParserResult:
        if not has_text(raw_reply):
            return failure(EMPTY_REPLY)
        for marker in markers:
            if marker not in raw_reply:
                return failure(
                    f"Missing required section: {marker}. "
                    "Please format your response with this section."
                )
        text = raw_reply.partition(markers[0])[2] if len(markers) == 1 else raw_reply
        content = text.strip()
        return success(content) if len(content) >= min_length else failure(TOO_SHORT)

    return parse


def parser_template(
    raw_reply: str,
    *,
    required_markers: Sequence[str] = (),
    extract_data: Callable[[str], Any] = str.strip,
    validate_data: Callable[[Any], bool] = bool,
) -> ParserResult:
    """The five steps of a custom parser: input, structure, extraction, validation, result.

    Args:
        raw_reply: The model's reply.
        required_markers: Texts that must all occur.
        extract_data: Reads the value out of the reply; a ValueError, TypeError or LookupError
            from it becomes feedback.
        validate_data: Whether the value is complete.

    Returns:
        The value as `data`, or feedback that names what is missing.
    """
    if not has_text(raw_reply):
        return failure("Empty response")
    for marker in required_markers:
        if marker not in raw_reply:
            return failure(f"Missing {marker}. Please include it.")
    try:
        data = extract_data(raw_reply)
    except (ValueError, TypeError, LookupError) as error:
        return failure(f"Parse error: {error}. Please check format.")
    return success(data) if validate_data(data) else failure(INVALID_DATA)
