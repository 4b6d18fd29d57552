"""Whether a call is meant, or shown: examples, syntax, quotations.

A model that explains a format writes the very text that another model writes to act. What tells
them apart is the sentence before (and sometimes behind): "I'll look that up." against "the syntax
looks like this:". Only the last sentence before a call is judged.
"""

import re
from typing import Final

_REACH: Final = 240
# A line that holds a block quote's marks or a table's row before a call is no longer than this.
_LONGEST_LINE: Final = 4_000
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“", "「": "」"}
_BLOCK_QUOTE: Final = re.compile(r"[ \t]*>[ \t>]*")
_ROW: Final = re.compile(r"[ \t]*\|")
_CELL_END: Final = re.compile(r"[^\n|]*\|")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？])(?<!e\.g\.)(?<!i\.e\.)[\s\"”)*]+|\n+")


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(patterns)})", re.IGNORECASE)


def _behind(*patterns: str) -> re.Pattern[str]:
    """What a text begins with, whatever stands before its first word."""
    return re.compile(rf"\W*+(?:{'|'.join(patterns)})", re.IGNORECASE)


# What shows a call even where the sentence also says what its author is about to do.
_ALWAYS_SHOWN: Final = _words(
    r"\bfor (?:example|instance|reference)\b",
    r"\b(?:e\.g\.|i\.e\.)",
    r"\blook(?:s|ed|ing)?\s+(?:\w+\s+)?like\b",
    r"\b(?:like|as) (?:this|so|follows)\W*$",
    r"\bsyntax\W*$|\bthe syntax\b(?! of\b)|^\W*+(?:try|paste|copy)\b",
    r"(?:^|\b(?:something|anything|calls?|tools?) )like\W*$",
    r"^\W*+(?:when|if|whenever|(?:each|every) time)\b.*\bi (?:call|use|invoke|write)\b",
    r"\bi know (?:that )?(?:i|how)\b|\bsupposed to (?:write|call|send|emit|use)\b",
    r"\b(?:will not|won't|(?:'m|am) not|cannot|can't|unable to)\b"
    r"(?!.*\b(?:so|but|and) (?:i|let)\b).*\b(?:call|run|execute|invoke)\b",
    r"\b(?:Beispiel\w*|exemples?|ejemplos?|esempi[oe]?|exemplos?|voorbeeld\w*)\b|例|たとえば",
)
_LABEL: Final = _words(
    r"^\W*+(?:(?:bad|good|wrong|right|correct|incorrect|invalid|valid|old|new|before|after|usage"
    r"|reference|schema|format|syntax|sample|illustration|template|input|snippet|demo|fixture)\b\W*+){1,3}$"
)
_SHOWN: Final = _words(
    r"\b(?:an?|another|the|this|one|some|short|two|three|more|further|usage) (?:\w+ )?examples?\b",
    r"\bexamples?\W*$",
    r"\bexamples? (?:of|call|usage|output|response|reply|format|would|is|are|tool)\b",
    r"\b(?:samples?|template|placeholder|fixture|syntax|hypothetical(?:ly)?)\b",
    r"\b(?:format|form|shape|notation|structure|signature) (?:is|of|for|would|below|shown)\b",
    r"\b(?:format|form|notation|signature|schema|definition|specification|documentation|docs"
    r"|manual)s?\W*$",
    r"\bin (?:the|this|that|their) (?:\w+ )?(?:format|form|notation)\b",
    r"\b(?:the|this|following|right|correct|proper|expected|old|new) (?:\w+ )?"
    r"(?:format|notation|syntax|structure)\b",
    r"\b(?:you|one|they|users?|models?|assistants?|agents?|it|that|this)"
    r"(?:'d| (?:can|could|would|should|must|may|might|will|have to|need to))(?: then)? (?:\w+ )?"
    r"(?:write|call|invoke|use|send|emit|output|produce|be|look|return|issue|type|respond|reply|answer)\b",
    r"\b(?:when|if|whenever) (?:you|one|(?:the|a) (?:user|model|assistant|agent))\b.*"
    r"\b(?:write|call|invoke|use|send|emit|output|return|respond|reply|answer)\b",
    r"\b(?:i|we|he|she) (?:could|would|might) (?:have )?(?:\w+ )?"
    r"(?:write|written|call|called|invoke|use|used|send|sent|emit|look)\b",
    r"\bto (?:call|invoke|use|run) (?:a|the|this|any|such a|an) (?:\w+ )?(?:tool|function|method)",
    r"\b(?:tools?|functions?|calls?) (?:is|are|was|were) (?:called|invoked|written|used|defined"
    r"|declared|formatted|made|documented|described|encoded|represented)\b",
    r"\b(?:tools?|functions?|calls?) (?:can|could|may|might|must|should) (?:\w+ )?be \w+",
    r"\b(?:typical|possible|common|usual|imaginary|fictional|dummy|mock|toy) (?:\w+ )?"
    r"(?:call|request|response|reply|output|message)\b",
    r"\b(?:is|are|was|were) (?:called|invoked|written|formatted|defined|declared|documented) "
    r"(?:as|like|with|by|using|in|this)\b",
    r"\bhow (?:to|you|an?|the|one|it|tools?|i|we|models?)\b|\bthis is (?:how|what|wrong|invalid)\b",
    r"\b(?:imagine|suppose|pretend|consider|instead of|rather than|such as)\b",
    r"\b(?:do not|don't|never(?! mind)|must not|should not|shouldn't|avoid|not actually)\b",
    r"\b(?:available|these|defined|provided|existing) (?:tools|functions)\b",
    r"\b(?:tool|function)s? (?:definitions?|schemas?|signatures?|declarations?|descriptions?)\b",
    r"\b(?:invalid|incorrect|wrong|malformed|deprecated|raw|legacy|illegal) (?:\w+ )?"
    r"(?:call|request|response|reply|format|output|message)\b",
    r"\b(?:earlier|previously|yesterday|before|last (?:time|turn|week))\b.{0,60}"
    r"\b(?:called|used|wrote|sent|ran|invoked|was|were)\b",
    r"\b(?:called|used|wrote|sent|ran|invoked)\b.{0,60}"
    r"\b(?:earlier|previously|yesterday|before|last (?:time|turn|week))\b",
    r"\b(?:your|the) (?:user|prompt|document|page|log|file|article|readme|novel|character|email"
    r"|message|request|chapter|text|docs|documentation)s? (?:\w+ )?"
    r"(?:say|said|wrote|write|contain|show|read|ask|quote|paste|had|has)(?:s|ed|d)?\b",
    r"\byou (?:sent|wrote|said|pasted|typed|gave)\b|\bthis line\b",
    r"\b(?:noticed|found|saw|spotted) (?:this|that|it|the following) (?:in|on)\b",
    r"^(?!\W*i\b).*\b(?:say|said|type|write|wrote|show|print|produce|output|emit|sent|send"
    r"|contain|return|respond|replie)(?:s|d|ed)?[^\w.!?]*$",
    r"\b(?:explain|describe|demonstrate|document)s?\b|\billustrat\w+",
    r"^\W*+(?:take|see|note|observe|compare|contrast)\b|\b(?:translated|equivalent)\b",
    r"\byou(?:'re| are) (?:thinking|describing|asking|talking)\b",
    # A sentence that only the call completes.
    r"\b(?:with|not|as|by|is|are|was|were|be|accepts?|ignores?|match(?:es)?|receive[sd]?|sees?"
    r"|gets?|got|has|had|reads?|parse[sd]?|reject(?:s|ed)?|produce[sd]?|expect(?:s|ed)?)$",
)
_MEANT: Final = _words(
    r"\b(?:i'?ll|i will|i'm going to|i am going to|let me|let's|let us|i need|i should|i must|i have to|i've decided|i think|i had better"
    r"|i want to|i can|i'm|i am|calling|we'll|we (?:can|should|will|need|must))\b",
    r"\w+ing\s*:\W*$",
    r"^\W*+(?:(?:so|then|now|and) )*i (?:now |then |next )?(?:call|invoke|run|execute)\b",
    r"\bnext step (?:is|will be)\b",
    r"^\W*+(?:je|ich|yo|io|eu|ik|jag)\b|^\W*+j['’]|^\W*+我",
    r"^\W*+(?:now|next|first|then|time to)\b",
    r"^\W*+(?!something|anything|nothing|according|regarding|following|during|assuming|given)"
    r"\w+ing\b(?! (?:\w+ ){1,4}(?:is|are) (?:simple|easy|done|possible|straightforward|trivial))",
)
# Intentions so plain that a format may be named behind them.
_MEANT_NOW: Final = _words(
    r"\b(?:i'?ll|i will|i'm going to|i am going to|let me) (?:now )?(?:call|invoke|run|execute)\b",
)
_ENDS_IN_SAMPLE: Final = _words(
    r"\b(?:format|syntax|notation|template|example|sample|illustration|schema)s?"
    r"(?: (?:of|for) [\w ]{1,40})?(?: (?:i|we)(?:'ll| will)? (?:use|follow))?\W*$",
)
_SEEKING: Final = _words(
    r"\b(?:search|look|find|fetch|get|retrieve|check|verify|confirm|review|inspect|read|open|load"
    r"|query)(?:ing)?\b"
    r"|\bneed (?:an?|the|some|more)\b",
)
_NEUTRAL: Final = _words(
    r"^\W* follows\W*$|^\W*+(?:(?:ok|okay|sure|on it|will do|great|right|alright|understood|certainly|of course"
    r"|done)\b\W*)?"
    r"(?:(?:here(?:'s| is| are| goes| we go)|this is|below is|this should work)\b\s*)?"
    r"(?:(?:the|my|your|an?|one(?: more)?|another)\s+)?(?:\w+\s+){0,2}"
    r"(?:calls?|search|look-?up|use|moment|results?|json|response|answer|action|tool|function"
    r"|request|query|output|analysis|assistant|command|plan|work|step(?: \d+)?)?(?: follows)?\W*$",
    r"\b(?:need|require)(?:s|ed)?\b",
)
_SHOWING: Final = _words(
    r"(?:'ll|will|let me|let us|let's|going to|need to|should|must|want to|can) (?:\w+ ){0,2}"
    r"(?:show|give you|illustrate|demonstrate|explain|describe|walk you|quote)\b"
)
_SHOWN_BEHIND: Final = _behind(
    r"(?:this|that|it|the above|above) (?:is|was|would be) (?:just |only |merely )?(?:an?|the) "
    r"(?:\w+ )?(?:example|syntax|format|template|sample|placeholder|shape|form|structure|notation)",
    r"(?:das|dies|c['’]est|ceci|ese|est[eoa]|questo|isto|dit|detta)\b[^\n.!?]{0,40}"
    r"\b(?:Beispiel|exemple|ejemplo|esempio|exemplo|voorbeeld|exempel)\b",
    r"[^\n。.!?]{0,40}(?:例子|示例|样例|例です)",
    r"(?:this|that|it|which|the (?:above|call|example|tool|snippet|code|first|format)) (?:\w+ )?"
    r"(?:would|shows?|illustrates?|demonstrates?|means)\b",
    r"(?:in|as) (?:this|that|the) example\b|replace\b.{1,80}\bwith\b",
    r"where\b.{1,60}\b(?:is|are|stands)\b|(?:is|are) (?:the|how|an?)\b|tags?\b",
    r"(?:do not|don't) (?:run|execute|call)\b",
)


def is_shown(text: str, start: int, end: int) -> bool:
    """Whether the region from `start` to `end` is shown to a reader rather than meant.

    Args:
        text: The reply.
        start: Where the call, or the fence around it, begins.
        end: Where it ends.
    """
    if is_quoted(text, start, end) or _SHOWN_BEHIND.match(text[end : end + _REACH]):
        return True
    return _shows(_last_sentence(text[max(0, start - _REACH) : start]))


def _shows(sentence: str) -> bool:
    """Whether a sentence says that what follows it is shown."""
    if _ALWAYS_SHOWN.search(sentence) or _LABEL.search(sentence):
        return True
    if _MEANT.search(sentence):
        return _presents(sentence)
    return bool(_SHOWN.search(sentence)) or _introduces(sentence)


def _presents(sentence: str) -> bool:
    """Whether what a sentence intends is to show: an explanation, or a sample at its end."""
    if _SHOWN.search(sentence) and _SHOWING.search(sentence):
        return True
    if _MEANT_NOW.search(sentence) or _SEEKING.search(sentence):
        return False
    return _ENDS_IN_SAMPLE.search(sentence) is not None


def _introduces(sentence: str) -> bool:
    """Whether a sentence without any intention ends in a colon: it presents what follows."""
    return sentence.rstrip("*_ ").endswith((":", "：")) and _NEUTRAL.search(sentence) is None


def is_quoted(text: str, start: int, end: int) -> bool:
    """Whether quotation marks stand right around the region, or a block quote or a table does."""
    if _is_marked_line(text, start, end):
        return True
    closing = _QUOTES.get(text[start - 1]) if start else None
    # A quotation may take the comma of the sentence that goes on behind it.
    return (
        closing is not None
        and closing in {text[end : end + 1], text[end + 1 : end + 2]}
        and (text[end] == closing or text[end] in ",.;!?")
    )


def _is_marked_line(text: str, start: int, end: int) -> bool:
    """Whether the line of the region is a block quote's or a table's."""
    reach = max(0, start - _LONGEST_LINE)
    line_start = text.rfind("\n", reach, start) + 1
    if not line_start and reach:
        return False
    if _BLOCK_QUOTE.fullmatch(text, line_start, start):
        return True
    is_row = _ROW.match(text, line_start, start) is not None
    return is_row and _CELL_END.match(text, end, end + _REACH) is not None


def _last_sentence(before: str) -> str:
    parts = [part for part in _SENTENCE_END.split(before.rstrip()) if part.strip()]
    return parts[-1].strip() if parts else ""
