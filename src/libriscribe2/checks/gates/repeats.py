"""What a chapter says again: whole passages, sentences, phrases; of its own or of other chapters."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from libriscribe2.checks.gates.gate import SAID, GateContext, GateResult, finding, gate
from libriscribe2.checks.reference_ranges import ReferenceRange
from libriscribe2.checks.text import (
    PHRASE_WORDS,
    ChapterText,
    Gram,
    ParagraphIndex,
    grams,
    is_ideographic,
    paragraph_phrases,
    repeated_share,
    windows,
    words,
)
from libriscribe2.models.findings import Finding, Severity

MOST_PHRASES: Final = 3

_OFTEN_WORDS: Final = 4
"""Words of the phrases that a chapter may say too often."""

_FEWEST_USES: Final = 3
_GAP: Final = "\n"
"""Stands between words in which a phrase is looked for; no word holds it."""

_WITHIN: Final = ReferenceRange(0.013, 0.05)
_BEFORE: Final = ReferenceRange(0.005, 0.03)
"""Shares of a chapter's phrases that it, or the chapters before it, say again: beyond the first
lie one in twenty windows of 1,000 words by people, beyond the second texts that have gone wrong."""

_OTHER_WORDS: Final = "Say it in other words here."
_TAKE_OUT: Final = "Take it out here, or tell here what is new."


@gate("duplicate")
def duplicates(chapter: ChapterText, context: GateContext) -> GateResult:
    """Paragraphs of 25 words and more and sentences of 8 that are said again; the figure counts."""
    twice = dict(_paragraphs(chapter, context))
    again = [one for one in _sentences(chapter, context) if one[0] not in twice]
    return GateResult(float(len(twice) + len(again)), _duplicates(chapter, twice, again))


def _duplicates(
    chapter: ChapterText, twice: Mapping[int, bool], again: Sequence[tuple[int, str, bool]]
) -> Iterator[Finding]:
    for at, here in twice.items():
        paragraph = chapter.paragraphs[at]
        where = "an earlier paragraph of the chapter" if here else "another chapter"
        why = f"this paragraph says what {where} has said in the same words"
        weight: Severity = "warning" if SAID.match(paragraph.text) else "error"
        first = chapter.sentences_of[at][0]
        yield finding("duplicate", weight, first, paragraph.line, why, _TAKE_OUT)
    for at, text, here in again:
        where = "twice in the chapter" if here else "in another chapter, too"
        why = f"this sentence stands {where}"
        line = chapter.paragraphs[at].line
        yield finding("duplicate", "warning", text, line, why, _TAKE_OUT)


def _paragraphs(chapter: ChapterText, context: GateContext) -> Iterator[tuple[int, bool]]:
    """Paragraphs that share half of their phrases of five words with one before or elsewhere.

    Each by its place, and whether the one before is in the chapter.
    """
    before = ParagraphIndex()
    for at in _suspects(chapter, context):
        own = paragraph_phrases(chapter.words_of[at])
        here = before.has_like(own)
        if here or context.paragraphs.has_like(own):
            yield at, here
        before.add(own)


def _suspects(chapter: ChapterText, context: GateContext) -> Iterator[int]:
    """The places of the paragraphs of which half the phrases stand elsewhere, here or there.

    Two paragraphs that share half of their phrases are both among them, and next to no other one
    is: few paragraphs are left to be compared with all.
    """
    if is_ideographic(chapter.words):  # its phrases have more words than those of a paragraph may
        yield from range(len(chapter.words_of))
        return
    uses, elsewhere = Counter(chapter.phrases), context.paragraphs.phrases
    known = [uses[phrase] > 1 or phrase in elsewhere for phrase in chapter.phrases]
    start = 0
    for at, own in enumerate(chapter.words_of):
        inside = known[start : start + len(own) - PHRASE_WORDS + 1]
        if 2 * sum(inside) >= len(inside) or is_ideographic(own):
            yield at
        start += len(own)


def _sentences(chapter: ChapterText, context: GateContext) -> Iterator[tuple[int, str, bool]]:
    """Long sentences that stand before in the chapter, or elsewhere, word for word.

    Each by the place of its paragraph and its text, and whether the one before is in the chapter.
    """
    said: set[str] = set()
    for at, told in enumerate(chapter.long_sentences):
        for text, key in told:
            here = key in said
            if here or key in context.sentences:
                yield at, text, here
            said.add(key)


@gate("repetition", lesser=True)
def repetition(chapter: ChapterText, context: GateContext) -> GateResult:
    """Phrases that stand too often; the figure is how many more than in human books, in thousands.

    Findings tell of the worst page. The figure counts over the whole chapter: where pages begin,
    and what share of a text a phrase is, changes with every word that is taken out.
    """
    short, long = grams(chapter.words, _OFTEN_WORDS), chapter.phrases
    again = len(short) - len(frozenset(short))
    seen = [one for one in long if one in context.phrases]
    excess = max(0.0, again - _WITHIN.amber * len(short))
    excess += max(0.0, len(seen) - _BEFORE.amber * len(long))
    return GateResult(excess / 1_000, _repetitions(chapter, context, long, seen))


def _repetitions(
    chapter: ChapterText, context: GateContext, phrases: Sequence[Gram], seen: Sequence[Gram]
) -> Iterator[Finding]:
    names = {part for name in (*context.people, *context.others) for part in words(name)}
    limit = _WITHIN.red or 1.0
    if any(repeated_share(page) > limit for _, page in windows(chapter.words)):
        often = {gram: uses for gram, uses in Counter(phrases).items() if uses >= _FEWEST_USES}
        yield from _told(chapter, often, names, "`{phrase}` stands {uses} times in the chapter")
    if len(seen) > len(phrases) * (_BEFORE.red or 1.0):
        yield from _told(chapter, Counter(seen), names, "other chapters say `{phrase}`, too")


def _told(
    chapter: ChapterText, uses: Mapping[Gram, int], names: Collection[str], why: str
) -> Iterator[Finding]:
    """The most frequent phrases, no two at one sentence, each where it stands last."""
    text = _GAP.join(("", *chapter.words, ""))
    told: set[str] = set()
    for gram in sorted(uses, key=uses.__getitem__, reverse=True):
        if not _says_something(gram, chapter.function_words.union(names)):
            continue
        at = text.rindex(_GAP.join(("", *gram, "")))
        one = chapter.sentence_at(text.count(_GAP, 0, at))
        if one.text in told:
            continue
        told.add(one.text)
        said = why.format(phrase=" ".join(gram), uses=uses[gram])
        yield finding("repetition", "warning", one.text, one.line, said, _OTHER_WORDS)
        if len(told) == MOST_PHRASES:
            break


def _says_something(gram: Iterable[str], empty: Collection[str]) -> bool:
    """Whether a phrase has at least two words that are neither function words nor names."""
    return sum(word not in empty for word in gram) >= 2
