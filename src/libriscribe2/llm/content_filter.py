"""Replies that a provider or a model filtered for their content, and the request with less in it.

Three markers show that a reply was filtered, and no others. A provider says so by its finish
reason; a model refuses in the first words of its reply; or it stays silent after it was told that
its reply was empty, or was asked with less. Words inside a story are never a marker: nobody's "I
can't assist with that" in the middle of a scene counts.

The simplified request: of the messages that asked, the blocks of story context that the answer can
do without (`OPTIONAL_BLOCKS`) are left out, and a sentence from `prompts/simplified.txt` is added
to the instructions. Instructions, wanted length, schema and all other blocks stay. Turns that the
model left empty go, with the feedback on them. It is a pure function of the request, so a run that
is resumed simplifies in the same way and finds what it paid for.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from libriscribe2.llm.backend import BackendError, Completion, Message, Request
from libriscribe2.prompts.loader import load_text
from libriscribe2.replies.contract import split_leading_reasoning

OPTIONAL_BLOCKS: Final = (
    *("story_so_far", "ahead", "passages", "habits", "text_before", "text_after", "next"),
    *("outline", "world", "places"),
)
"""Names of `<name>...</name>` blocks of a prompt that hold context and not the task."""


def simplified(request: Request) -> Request:
    """The request with less context and the sentence about the filter; twice is as once."""
    return replace(request, messages=_simplified(request.messages))


def is_simplified(messages: Iterable[Message]) -> bool:
    """Whether a conversation carries the sentence already."""
    sentence = _sentence()
    return any(turn.get("role") == "system" and sentence in _text_of(turn) for turn in messages)


def _simplified(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The conversation by the rule; it keeps its order."""
    kept = [_shortened(turn) for turn in _without_empty_turns(messages)]
    if is_simplified(kept):
        return tuple(kept)
    sentence = _sentence()
    if kept and kept[0].get("role") == "system":
        kept[0] = {**kept[0], "content": f"{kept[0]['content']}\n\n{sentence}"}
    else:
        kept.insert(0, {"role": "system", "content": sentence})
    return tuple(kept)


def _shortened(turn: Message) -> dict[str, Any]:
    """A turn of ours without its optional blocks; the model's own turns stay as they are."""
    content = turn.get("content")
    if turn.get("role") != "user" or not isinstance(content, str):
        return dict(turn)
    for name in OPTIONAL_BLOCKS:
        content = _without_block(content, name)
    return {"role": turn["role"], "content": content}


def _without_block(text: str, name: str) -> str:
    """The text without the blocks of a name, whose tags stand at the beginnings of lines."""
    opening, closing = f"<{name}>\n", f"\n</{name}>"
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start + len(opening) - 1)
        if end >= 0 and (start == 0 or text[start - 1] == "\n"):
            text = text[:start] + text[end + len(closing) :].lstrip("\n")
        else:
            start += 1
        start = text.find(opening, start)
    return text


def _without_empty_turns(messages: tuple[Message, ...]) -> list[Mapping[str, Any]]:
    """The conversation without the model's empty turns and what was said about each."""
    kept: list[Mapping[str, Any]] = []
    silent = False
    for turn in messages:
        empty = turn.get("role") == "assistant" and not (turn.get("tool_calls") or _text_of(turn))
        if not empty and not silent:
            kept.append(turn)
        silent = empty
    return kept


def _sentence() -> str:
    """What is added to the instructions."""
    return load_text("simplified.txt").strip()


def _text_of(turn: Message) -> str:
    """The text of a turn, without white space around it."""
    return str(turn.get("content") or "").strip()


FILTER_FINISHES: Final = frozenset({
    "content_filter", "refusal", "safety", "recitation", "prohibited_content", "blocklist", "spii",
    "guardrail_intervened", "sensitive",
})  # fmt: skip
"""Finish reasons, in lower case, by which OpenAI, Anthropic, Google and others say it."""

EMPTY_AGAIN: Final = "empty reply again"

_LONGEST_REFUSAL: Final = 1_200
_LONGEST_BARE_REFUSAL: Final = 240
_QUOTED: Final = 80
_APOLOGY_WORDS: Final = 20
"""A sentence that ends before so many characters is a mere apology; what counts follows it."""
_OPENING: Final = (
    r"(?:as an ai\b[^,.!?\n]{0,60},?\s+|"
    r"(?:(?:i['’]?m|i am|we['’]?re|we are) (?:(?:very |really |so |truly )?sorry|afraid)|sorry|"
    r"i (?:sincerely )?apologi[sz]e|my apologies|unfortunately)\b[,.;:!]?\s+(?:but\s+|however,?\s+)?)"
)
_UNABLE: Final = (
    r"(?:i|we)(?:['’]m| am|['’]re| are)? (?:can['’]?t|cannot|can not|unable to|not able to|"
    r"not comfortable|won['’]?t(?: be able to)?|will not(?: be able to)?|(?:must|have to) decline|"
    r"decline)\b"
)
_ACT: Final = (
    r"\s+(?:to\s+)?(?:assist|help|fulfil+|comply|continue|engage|provide|create|generate|write|"
    r"writing|creating|generating|produce|producing|complete|support|respond|do|process|discuss)\b"
)
_REFUSES: Final = re.compile(
    rf"[\s*_#>]*(?:(?:{_OPENING})?{_UNABLE}{_ACT}|as an ai language model\b)",
    re.IGNORECASE,
)
_ABOUT_THE_REQUEST: Final = re.compile(
    r"\b(?:(?:this|that|your|the|such a|such) (?:kind of |type of |specific |particular )?"
    r"(?:request|prompt|content|topic|material|scene|story|chapter|text)s?(?! of my\b)|"
    r"language model|(?:content|usage|safety) polic(?:y|ies)|guidelines|"
    r"(?:explicit|graphic|harmful|sexual|inappropriate) (?:content|material|scenes?))\b",
    re.IGNORECASE,
)
_BARE: Final = re.compile(
    rf"[\s*_#>]*(?:{_OPENING})?{_UNABLE}{_ACT}(?: you)?(?: with)?(?: (?:this|that|it))?[.!\s*_]*",
    re.IGNORECASE,
)
_ELSEWHERE: Final = re.compile(
    r"[\s*_#>]*(?:"
    r"(?:es )?tut mir (?:sehr )?leid, (?:aber )?(?:ich kann|dabei kann ich)|"
    r"(?:je suis )?désolée?, (?:mais )?je ne peux pas|"
    r"lo siento, (?:pero )?no puedo|mi dispiace, (?:ma )?non posso|desculpe, (?:mas )?não posso|"
    r"(?:很)?(?:抱歉|对不起)[，,]?\s*(?:但)?我(?:无法|不能)|申し訳(?:ありません|ございません)が"
    r").*?(?:anfrage|bitte nicht|inhalte?\b|helfen|demande|contenu|aider|solicitud|contenido|ayudar|"
    r"richiesta|aiutart?i?|solicitação|pedido|ajudar|请求|內容|内容|帮助|協助|リクエスト|ご要望|お手伝い|応え)",
    re.IGNORECASE,
)
_SPEECH: Final = re.compile(r"[,.!?…—-][\"”“»」]")
"""The end of something that somebody says."""


class FilteredReplyError(BackendError):
    """A reply that came and is none: of kind `filtered`, with what came.

    Attributes:
        completion: The reply.
    """

    def __init__(self, marker: str, completion: Completion) -> None:
        super().__init__("filtered", marker)
        self.completion = completion


def filter_marker(completion: Completion, messages: Sequence[Message]) -> str:
    """By what a reply shows that it was filtered, or "" where it does not.

    Args:
        completion: The reply.
        messages: The conversation that it answers.
    """
    finish = (completion.finish_reason or "").lower()
    if finish in FILTER_FINISHES:
        return f"finish_reason {completion.finish_reason}"
    if completion.tool_calls or finish == "length":
        return ""
    answer = split_leading_reasoning(completion.reply)[1]
    if not answer.strip():
        return EMPTY_AGAIN if _was_silent_before(messages) else ""
    return refusal_at_start(answer)


def refusal_at_start(reply: str) -> str:
    """The first words of a reply that is a refusal from its first word, quoted; "" for any other.

    Such a reply is short, holds no JSON, lets nobody speak, and its first sentence says that the
    writer cannot and names the request or its content, or is "I can't help with that" and no more.
    """
    text = reply.strip()
    if len(text) > _LONGEST_REFUSAL or "{" in text or _SPEECH.search(text) is not None:
        return ""
    first = _first_sentence(text)
    in_english = _REFUSES.match(text) is not None and _ABOUT_THE_REQUEST.search(first) is not None
    bare = len(text) <= _LONGEST_BARE_REFUSAL and _BARE.fullmatch(first) is not None
    if in_english or bare or _ELSEWHERE.match(first) is not None:
        return f"refusal: {' '.join(text[:_QUOTED].split())}"
    return ""


def _first_sentence(text: str) -> str:
    """The text up to its first full stop, with what follows a mere apology."""
    ends = [
        end.end() for end in re.finditer(r"[.!?。](?:\s|$)", text) if end.end() > _APOLOGY_WORDS
    ]
    return text[: ends[0]] if ends else text


def _was_silent_before(messages: Sequence[Message]) -> bool:
    """Whether the model's last turn was empty, too, or the request is a simplified one."""
    turns = [turn for turn in messages if turn.get("role") == "assistant"]
    last = split_leading_reasoning(str(turns[-1].get("content") or ""))[1] if turns else "none"
    return not last.strip() or is_simplified(messages)
