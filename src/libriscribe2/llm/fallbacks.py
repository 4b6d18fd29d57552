"""Whom a question is put to and in which words: the fallback chain, feedback, filtered replies.

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

import logging
import random
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Final

from libriscribe2.errors import (
    ContentFilteredError,
    IncompleteError,
    KeyMissingError,
    LibriScribeError,
    ModelError,
    ProviderError,
)
from libriscribe2.llm.backend import BackendError, CallLog, Completion, Message, Request, Usage
from libriscribe2.llm.limits.retries import Retries, RetryPolicy, Wait
from libriscribe2.llm.providers import key_variables
from libriscribe2.llm.server_addresses import address_asked
from libriscribe2.prompts.loader import load_text
from libriscribe2.replies.contract import split_leading_reasoning
from libriscribe2.telemetry import FALLBACK_GENERATION_USED

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


logger = logging.getLogger(__name__)

SIMPLIFIED_PROMPT: Final = "simplified prompt"

NOT_RECORDED: Final = "not_recorded"
"""The kind of failure of a recording that has no reply to a question."""


@dataclass(frozen=True, slots=True)
class Fallback:
    """One request by which the question may be answered.

    Attributes:
        request: What is asked, and whom.
        method: How this differs from the question as it was put, or "" for that one.
        is_last_model: Whether no other model is left.
        retries: How often it was sent.
    """

    request: Request
    method: str
    is_last_model: bool
    retries: Retries


class FallbackChain:
    """What may be asked for one question; at most each model once whole and once with less.

    Args:
        requests: The question, to each model; the first is the one that is wanted.
        policy: How often each is sent again, and how patiently.
        rng: Draws the jitter of the waits.
    """

    def __init__(
        self, requests: Sequence[Request], policy: RetryPolicy, rng: random.Random
    ) -> None:
        last = len(requests) - 1
        self._requests = requests
        self._retries = partial(Retries, policy, rng)
        self._asked: Fallback | None = None
        self._left = deque(
            Fallback(
                request, f"model {request.model}" if number else "", number == last, self._retries()
            )
            for number, request in enumerate(requests)
        )

    def perhaps_paid(self, journal: CallLog) -> Iterator[Request]:
        """The requests that may have left in an earlier run: whole ones before simplified ones.

        A simplified one leaves only after a reply to the whole one was filtered, which the journal
        knows by then; to make one and its key takes as long as all else that is done with a
        request.
        """
        yield from self._requests
        for request in self._requests:
            if journal.filtered(request.key()):
                yield simplified(request)

    def next(self) -> Fallback:
        """What is asked now; `failed` says before whether anything is left."""
        self._asked = self._left.popleft()
        return self._asked

    def failed(self, asked: Fallback, error: BackendError) -> Wait | None:
        """Go on with the same once more after a wait, or with what is left.

        Returns:
            The wait; None where the failure will not pass.

        Raises:
            LibriScribeError: Nothing is left; it explains the failure.
        """
        if (wait := asked.retries.wait_after(error)) is not None:
            self._left.appendleft(asked)
            return wait
        model = asked.request.model
        if error.kind == "filtered":
            self._ask_with_less(asked)
        if not self._left:
            raise explain(error, model) from error
        why = (model, error.kind, error.message, self._left[0].method)
        logger.warning("%s could not answer (%s: %s); continuing with the %s", *why)
        return None

    def answered(self) -> None:
        """Say that the question was answered in another way than it was put."""
        asked = self._asked
        if asked is not None and asked.method:
            logger.warning("%s: %s: %s", FALLBACK_GENERATION_USED, asked.request.step, asked.method)

    def _ask_with_less(self, asked: Fallback) -> None:
        """Ask the same model next with less context, unless its request has no more to lose."""
        less = simplified(asked.request)
        if less.messages != asked.request.messages:
            method = f"{SIMPLIFIED_PROMPT}, {asked.method}" if asked.method else SIMPLIFIED_PROMPT
            self._left.appendleft(Fallback(less, method, asked.is_last_model, self._retries()))


def explain(error: BackendError, model: str) -> LibriScribeError:
    """The failure in the user's terms: whose fault, why, and the next command to type."""
    why = error.message
    match error.kind:
        case "auth":
            return KeyMissingError(
                f"The provider of {model!r} refused the key", why, _key_fix(model)
            )
        case "not_found":
            fix = "choose another model with --model, or --model demo to continue without one"
            if address := address_asked(model):
                what = f"The server at {address} does not serve the model {model!r}"
                return ModelError(
                    what, why, f"look whether /v1 is missing in the address, or {fix}"
                )
            return ModelError(f"No provider serves the model {model!r}", why, fix)
        case "not_recorded":
            fix = f'name who answers it: `libriscribe2 resume --model "{model}, manual"`'
            return ModelError("The recording cannot answer", why, fix)
        case "filtered":
            fix = "reword the premise or the chapter's summary, then run `libriscribe2 resume`"
            return ContentFilteredError(f"The provider of {model!r} filtered a reply", why, fix)
        case "context":
            fix = "choose a model with a longer context with --model, then `libriscribe2 resume`"
            return IncompleteError(f"The request is too long for {model!r}", why, fix)
        case _:
            return _provider_error(error, model)


def _key_fix(model: str) -> str:
    """Which variable holds the key, and the way on without one."""
    names = " or ".join(key_variables(model))
    variable = f"set {names} to a valid key" if names else "set the provider's key variable"
    return f"{variable}, or choose --model demo"


def _provider_error(error: BackendError, model: str) -> ProviderError:
    """What the network or the provider did, per kind; the work so far is safe in every case."""
    sentence, fix = _PROVIDER_SENTENCES.get(error.kind, _UNEXPLAINED)
    status = f" (HTTP {error.status})" if error.status is not None else ""
    what = f"{sentence.format(model=repr(model))}{status}"
    if error.retry_after is not None and error.retry_after <= _LONGEST_TOLD:
        fix = f"wait {error.retry_after:.0f} seconds, then run `libriscribe2 resume`"
    return ProviderError(what, error.message, fix)


_LONGEST_TOLD = 86_400.0
"""The longest wait in seconds that is told to the user; a provider may say any number."""

_RESUME = "run `libriscribe2 resume` later; nothing that was paid for is lost"
_UNEXPLAINED = ("The request to {model} was refused", "choose another model with --model")
_PROVIDER_SENTENCES = {
    "quota": (
        "The account behind {model} has no credit left",
        "top up the account or choose another --model, then run `libriscribe2 resume`",
    ),
    "resting": (
        "{model} failed several times in a row and is paused for a while",
        "choose another --model or name fallbacks, or run `libriscribe2 resume` later",
    ),
    "rate": ("The provider of {model} still limits the rate after all retries", _RESUME),
    "timeout": ("{model} did not answer in time", _RESUME),
    "connection": (
        "No connection to the provider of {model}",
        "check the network (or that the local server is running), then run `libriscribe2 resume`",
    ),
    "server": ("The provider of {model} failed", _RESUME),
    "cut": ("The reply of {model} broke off", _RESUME),
    "malformed": (
        "{model} sent something that is not a reply",
        "check the address (OPENAI_BASE_URL) and any proxy, then run `libriscribe2 resume`",
    ),
    "unusable": (
        "{model} sent no picture that can be used, and may have charged for it",
        "try once more with --again, or choose another model with --model",
    ),
}


Messages = str | Iterable[str | Message]
"""A conversation: one user message, several, or turns with roles."""

MOST_PARTS: Final = 5
"""Of how many replies a long text is joined before it is refused."""

CUT: Final = "Your response was cut off at the length limit. Please answer again, more briefly."
CUT_WITH_ROOM: Final = (
    "Your response was cut off at the length limit. There is more room now. Please answer again, "
    "from the beginning to the end."
)
CONTINUE: Final = "Continue exactly where you stopped. Do not repeat anything and add no remarks."


def as_messages(messages: Messages) -> tuple[Message, ...]:
    """Text, texts or role dicts as a conversation; the caller's list is left alone."""
    if isinstance(messages, str):
        messages = [messages]
    return tuple(
        {"role": "user", "content": turn} if isinstance(turn, str) else turn for turn in messages
    )


def with_feedback(request: Request, reply: str, feedback: str) -> tuple[Message, ...]:
    """The conversation that asks again after a refusal.

    Args:
        request: What was asked, which may be simpler than what was wanted.
        reply: What came.
        feedback: What is wrong with it.
    """
    return (
        *request.messages,
        {"role": "assistant", "content": reply},
        {"role": "user", "content": feedback},
    )


def joined(first: Completion, more: Completion) -> Completion:
    """Two parts of a reply as one: each without its reasoning block, tokens and cost summed."""
    parts = [split_leading_reasoning(part.reply) for part in (first, more)]
    thoughts = [first.reasoning, parts[0][0], more.reasoning, parts[1][0]]
    known = first.cost_usd is not None and more.cost_usd is not None
    return replace(
        more,
        reply="".join(text for _, text in parts),
        reasoning="\n".join(thought for thought in thoughts if thought) or None,
        usage=_sum(first.usage, more.usage),
        cost_usd=(first.cost_usd or 0.0) + (more.cost_usd or 0.0) if known else None,
        seconds=first.seconds + more.seconds,
    )


def _sum(one: Usage, other: Usage) -> Usage:
    """The tokens of both; known only where both are."""
    counts = {
        field.name: getattr(one, field.name) + getattr(other, field.name)
        for field in fields(Usage)
        if field.name != "known"
    }
    return Usage(**counts, known=one.known and other.known)
