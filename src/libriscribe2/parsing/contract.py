"""The parser contract: what a parser hands back to `think_with_retry`.

A parser is any callable that takes the raw reply first. It answers with a plain dict: `status` is
"success" or "error"; a success carries `data` (one value) or `sections` (several, by header); an
error carries `feedback`, the sentence that is sent to the model as the next turn.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, Required, TypedDict, TypeGuard, cast

from libriscribe2.utils.report import ExtractionReport

EMPTY_REPLY: Final = "Empty response. Please provide output."
DEFAULT_FEEDBACK: Final = (
    "Your reply could not be used. Please check the requested format and reply again in full."
)


class ParserResult(TypedDict, total=False):
    """One parser's answer about one reply.

    Attributes:
        status: "success" or "error".
        data: The parsed value; may be falsy (an empty list is a value).
        sections: Header to text, in the order that was asked for.
        feedback: What to tell the model; present whenever `status` is "error".
        report: How the value was found and repaired, for the debug dump.
    """

    status: Required[Literal["success", "error"]]
    data: Any
    sections: dict[str, str]
    feedback: str
    report: ExtractionReport


Parser = Callable[..., ParserResult]


def has_text(reply: object) -> TypeGuard[str]:
    """Whether a reply is a string with something else than white space in it."""
    return isinstance(reply, str) and bool(reply.strip())


def success(data: object) -> ParserResult:
    """A success that carries one value."""
    return {"status": "success", "data": data}


def failure(feedback: str) -> ParserResult:
    """An error that tells the model what was wrong and what is wanted."""
    return {"status": "error", "feedback": feedback}


def check_result(result: object) -> ParserResult:
    """Hold a parser's answer against the contract.

    The alias `content` is accepted for `data`. An error without feedback is completed with a
    default sentence, because a conversation turn without text is refused by providers.

    Args:
        result: Whatever a parser returned.

    Returns:
        The same answer, complete.

    Raises:
        TypeError: The answer breaks the contract; asking the model again would not mend that.
    """
    if not isinstance(result, Mapping):
        raise TypeError(f"a parser must return a dict, this one returned {result!r:.200}")
    answer = dict(result)
    status = answer.get("status")
    if status == "error":
        feedback = answer.get("feedback")
        if not isinstance(feedback, str) or not feedback.strip():
            answer["feedback"] = DEFAULT_FEEDBACK
        return cast("ParserResult", answer)
    if status != "success":
        raise TypeError(f'a parser\'s status must be "success" or "error", not {status!r:.200}')
    if "data" not in answer and "sections" not in answer:
        if "content" not in answer:
            raise TypeError("a parser's success must carry `data` or `sections`")
        answer["data"] = answer.pop("content")
    return cast("ParserResult", answer)


def payload(result: ParserResult) -> Any:
    """The value of a success: `data` whenever the key is there, even if falsy, else `sections`."""
    return result["data"] if "data" in result else result["sections"]
