"""Whether a call is meant, or shown: examples, syntax, quotations.

A model that explains a format writes the very text that another model writes to act. What tells
them apart is the sentence before (and sometimes behind): "I'll look that up." against "the syntax
looks like this:". Only the last sentence before a call is judged.
"""

import re
from typing import Final

_REACH: Final = 240
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“", "「": "」"}
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？])[\s\"”)*]+|\n+")
_SHOWN: Final = re.compile(
    r"""\b(?:
    for\ (?:example|instance) | e\.g\. | (?:an?|another|the|this|one|some|short|usage)\ (?:\w+\ )?examples?\b
    | examples?\ (?:of|call|usage|output|response|reply|format|would|is|are|tool) | ^\W*examples?\W*$
    | sample\ (?:call|output|response|reply|usage) | syntax | template | placeholder
    | (?:format|form|shape|notation|structure|signature)\ (?:is|of|for|would|looks?|below|shown|\w*\ ?:)
    | (?:format|form|notation|signature|schema|definition|specification|documentation|docs|manual)s?\W*$
    | in\ (?:the|this|that|their)\ (?:\w+\ )?(?:format|form|notation)
    | (?:the|this|following|right|correct|proper|expected)\ (?:\w+\ )?(?:format|notation|syntax)
    | look(?:s|ed|ing)?\ (?:\w+\ )?like | (?:like|as)\ (?:this|so|follows)\W*$
    | (?:you|one|we|they|users?|models?|assistants?|agents?|it|that|this)\ 
      (?:can|could|would|should|must|may|might|will|have\ to|need\ to)\ (?:\w+\ )?
      (?:write|call|invoke|use|send|emit|output|produce|be|look|return|issue|type|do)
    | (?:i|he|she)\ (?:could|would|might)\ (?:have\ )?(?:\w+\ )?
      (?:write|written|call|called|invoke|use|used|send|sent|emit|look)
    | to\ (?:call|invoke|use|run)\ (?:a|the|this|any|such\ a|an)\ (?:\w+\ )?(?:tool|function|method)
    | (?:tools?|functions?|calls?)\ (?:is|are|was|were)\ (?:called|invoked|written|used|defined|declared|formatted|made|documented|described|encoded|represented)
    | (?:is|are|was|were)\ (?:called|invoked|written|formatted|defined|declared|documented)\ (?:as|like|with|by|using|in|this)
    | how\ (?:to|you|a|an|the|one|it|tools?|i|we|models?) | what\ (?:a|an|the|it)\ .{0,60}\b(?:look|call)
    | imagine | suppose | hypothetical(?:ly)? | pretend | instead\ of | rather\ than | such\ as
    | (?:do\ not|don't|never|must\ not|should\ not|shouldn't|avoid|not\ actually)\b
    | (?:available|following|these|defined|provided|existing)\ (?:tools|functions)
    | (?:tool|function)s?\ (?:definitions?|schemas?|signatures?|declarations?|descriptions?|specifications?)
    | (?:earlier|previously|yesterday|before|last\ (?:time|turn|week)) .{0,60}\b(?:called|used|wrote|sent|ran|invoked|was|were)
    | (?:called|used|wrote|sent|ran|invoked)\b.{0,60}\b(?:earlier|previously|yesterday|before|last\ (?:time|turn|week))
    | (?:user|prompt|document|page|log|file|article|readme|novel|character|email)\ (?:\w+\ )?
      (?:says?|said|wrote|writes|contains?|contained|shows?|showed|reads?|asked|quotes?|pasted)
    | (?:explain|describe|illustrate|demonstrate|document)s?\b | zum\ beispiel | par\ exemple | por\ ejemplo | ad\ esempio
    )|例如|比如|たとえば""",
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip
_MEANT: Final = re.compile(
    r"\b(?:i'?ll|i will|i'm going to|i am going to|let me|let's|let us|i need to|i should|i must"
    r"|i want to|i can|i'm|i am|calling|now|next|first|then)\b",
    re.IGNORECASE,
)
_SHOWING: Final = re.compile(
    r"\b(?:show|give you|illustrate|demonstrate|explain|describe|walk you|quote|document)\b",
    re.IGNORECASE,
)
_SHOWN_BEHIND: Final = re.compile(
    r"""^\W*(?:
    (?:this|that|it|the\ above|above)\ (?:is|was|would\ be)\ (?:just\ |only\ |merely\ )?(?:an?|the)\ (?:\w+\ )?(?:example|syntax|format|template|sample|placeholder)
    | (?:this|that|it|which|the\ (?:above|call|example|tool|snippet|code|first|format))\ (?:\w+\ )?(?:would|shows?|illustrates?|demonstrates?|means)
    | (?:in|as)\ (?:this|that|the)\ example | replace\b .{1,80}\bwith\b | where\b .{1,60}\b(?:is|are|stands)\b
    | (?:is|are)\ (?:the|how|an?)\b | tags?\b | (?:do\ not|don't)\ (?:run|execute|call)
    )""",
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip


def is_shown(text: str, start: int, end: int) -> bool:
    """Whether the region from `start` to `end` is shown to a reader rather than meant.

    Args:
        text: The reply.
        start: Where the call, or the fence around it, begins.
        end: Where it ends.
    """
    if is_quoted(text, start, end):
        return True
    if _SHOWN_BEHIND.match(text[end : end + _REACH]):
        return True
    sentence = _last_sentence(text[max(0, start - _REACH) : start])
    if _SHOWN.search(sentence) is None:
        return False
    return _MEANT.search(sentence) is None or _SHOWING.search(sentence) is not None


def is_quoted(text: str, start: int, end: int) -> bool:
    """Whether quotation marks stand right around the region."""
    if start == 0 or end >= len(text):
        return False
    return _QUOTES.get(text[start - 1]) == text[end]


def _last_sentence(before: str) -> str:
    parts = [part for part in _SENTENCE_END.split(before.rstrip()) if part.strip()]
    return parts[-1].strip() if parts else ""
