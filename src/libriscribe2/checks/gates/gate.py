"""What a gate is, what it examines a chapter beside, and a chapter put through all gates."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from importlib import import_module
from itertools import chain, islice
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Final

import regex

from libriscribe2.checks import gates
from libriscribe2.checks.text import ChapterText, Gram, ParagraphIndex, plain
from libriscribe2.checks.text_figures import Narration, narration_of
from libriscribe2.models.draft_order import Kind
from libriscribe2.models.findings import Finding, Place, Severity
from libriscribe2.models.languages import is_english
from libriscribe2.models.notes import Note
from libriscribe2.models.story import OutlineChapter, ScenePlan

MOST_OF_A_GATE: Final = 6
"""Most findings of one gate: they are samples, the figure counts all."""

_SLACK: Final = 0.002
"""So much a figure may rise without being worse: shares move a little with every word."""

_RANK: Final = {"error": 0, "warning": 1, "note": 2}

SAID: Final = regex.compile(
    r"[\s\\*_]*[>`\"'\u2018-\u201f\u00ab\u00bb\u2039\u203a\u2013\u2014]"
    r"|\s*(?:[-*+]|\d{1,3}[.)])\s|\s*\[\^"
)
"""Begins speech, a quotation, code, an item of a list or a footnote: what may be said again."""

_LONGEST_QUOTE: Final = 240
_CAPITALISED: Final = regex.compile(r"\p{Lu}\p{L}+")
_SETTLED_USES: Final = 2


@dataclass(frozen=True)
class GateContext:
    """Where a chapter stands. What is not known is empty, and what needs it is not looked for.

    What follows from the texts around the chapter is worked out when a gate first asks for it,
    and serves all versions of the chapter that are examined with this value.

    Attributes:
        number: The chapter's number, from 1.
        outline: Its entry in the outline.
        scenes: The plans of its scenes, in order.
        before: The text of the chapter before, or the end of it.
        after: The beginning of the chapter after, where it is written already.
        earlier: Whole texts of chapters that are written, those of lower numbers first; as many
            as the caller wants to have compared.
        people: Names of the characters.
        others: Names of places and terms.
        words: The chapter's wanted length; 0 where nothing was asked.
        language: The language of the book, as the brief has it.
        kind: Whether it is a story.
        notes: The notes that a book of facts may cite.
        sources: What their sources call themselves, by id.
        drafted: Whether this program had a model write the chapter. A person may quote, repeat
            and divide a text on purpose, so in theirs nothing that a gate finds is an error.
    """

    number: int = 1
    outline: OutlineChapter | None = None
    scenes: Sequence[ScenePlan] = ()
    before: str = ""
    after: str = ""
    earlier: Sequence[str] = ()
    people: Sequence[str] = ()
    others: Sequence[str] = ()
    words: int = 0
    language: str = "English"
    kind: Kind = "fiction"
    notes: Sequence[Note] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    drafted: bool = False

    @property
    def english(self) -> bool:
        """Whether lists of English words may be used."""
        return is_english(self.language)

    @cached_property
    def written(self) -> tuple[ChapterText, ...]:
        """The whole chapters that it is compared with."""
        return tuple(ChapterText(0, "", text) for text in self.earlier)

    @cached_property
    def endings(self) -> tuple[ChapterText, ...]:
        """Texts whose ends are ends of chapters."""
        return self._with(self.before)

    @cached_property
    def openings(self) -> tuple[ChapterText, ...]:
        """Texts whose beginnings are beginnings of chapters."""
        return self._with(self.after)

    @cached_property
    def texts(self) -> tuple[ChapterText, ...]:
        """Everything written that the chapter must not say again, each text once."""
        either = {one.text: one for one in (*self.endings, *self.openings)}
        return tuple(either.values())

    @cached_property
    def phrases(self) -> frozenset[Gram]:
        """The phrases of five words of everything written."""
        return frozenset(chain.from_iterable(one.phrases for one in self.texts))

    @cached_property
    def sentences(self) -> frozenset[str]:
        """The words of every long sentence of everything written (`ChapterText.long_sentences`)."""
        told = chain.from_iterable(one.long_sentences for one in self.texts)
        return frozenset(said for _, said in chain.from_iterable(told))

    @cached_property
    def paragraphs(self) -> ParagraphIndex:
        """The long paragraphs of everything written."""
        return ParagraphIndex(chain.from_iterable(one.words_of for one in self.texts))

    @cached_property
    def settled(self) -> tuple[str, ...]:
        """Capitalised words that the chapters before have more than once: those are no slips."""
        found = (_CAPITALISED.findall(plain(text)) for text in self.earlier)
        count = Counter(chain.from_iterable(found))
        return tuple(word for word, uses in count.items() if uses >= _SETTLED_USES)

    @cached_property
    def has_sections(self) -> bool:
        """Whether most of the whole chapters, and at least two, have headings of sections."""
        headed = sum("\n##" in f"\n{text}" for text in self.earlier)
        return headed > max(1, len(self.earlier) / 2)

    @cached_property
    def views(self) -> tuple[Narration, ...]:
        """How the whole chapters are told."""
        return tuple(map(narration_of, self.written))

    def _with(self, part: str) -> tuple[ChapterText, ...]:
        """The whole chapters, and a part of one unless it is among them."""
        known = any(part.strip() in text for text in self.earlier)
        return self.written if known else (*self.written, ChapterText(0, "", part))


@dataclass(frozen=True, slots=True)
class GateResult:
    """What a gate says of a version of a chapter.

    Attributes:
        figure: How bad it is: 0 where nothing is wrong, the higher the worse.
        findings: Where it is wrong; read once, and only where somebody wants to know.
    """

    figure: float = 0.0
    findings: Iterable[Finding] = ()


Look = Callable[[ChapterText, GateContext], GateResult]


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate.

    Attributes:
        name: Its name, by which its figure and its findings are called.
        look: Examines a chapter.
        lesser: Whether nothing that it finds is an error.
    """

    name: str
    look: Look
    lesser: bool = False


def gate(name: str, *, lesser: bool = False) -> Callable[[Look], Gate]:
    """Make a gate of a function."""
    return partial(Gate, name, lesser=lesser)


def finding(
    rule: str, severity: Severity, quote: str, line: int, why: str, fix: str = ""
) -> Finding:
    """What a gate finds at a line of the chapter's text; "" for no passage in particular."""
    return Finding(severity, Place(line=line, quote=_clipped(quote)), why, fix, rule)


def _clipped(quote: str) -> str:
    """The first words of a quote, so many that they fit a line or two."""
    if len(quote) <= _LONGEST_QUOTE:
        return quote
    return quote[:_LONGEST_QUOTE].rpartition(" ")[0] or quote[:_LONGEST_QUOTE]


@cache
def every_gate() -> Mapping[str, Gate]:
    """The gates of all modules beside this one by their names, in the order of the modules."""
    modules = iter_modules(gates.__path__, f"{gates.__name__}.")
    named = (vars(import_module(module.name)).values() for module in modules)
    found = (one for one in chain.from_iterable(named) if isinstance(one, Gate))
    return MappingProxyType({one.name: one for one in found})


@dataclass(frozen=True, slots=True)
class GateFigures:
    """How bad a chapter is by each gate, so that two versions of it can be compared.

    Attributes:
        values: The figure of each gate, 0 where nothing is wrong.
    """

    values: Mapping[str, float]

    def worse_than(self, other: "GateFigures", *, errors: bool = False) -> tuple[str, ...]:
        """The gates by which this version is worse than another one; none means never worse.

        Args:
            other: The other version.
            errors: Whether only what may be an error counts: a whole fault more, by a gate that
                finds errors.
        """
        more = {name: value - other.values.get(name, 0.0) for name, value in self.values.items()}
        if not errors:
            return tuple(name for name, much in more.items() if much > _SLACK)
        known = every_gate()
        severe = (name for name in more if name not in known or not known[name].lesser)
        return tuple(name for name in severe if more[name] > 1 - _SLACK)


@dataclass(frozen=True, slots=True)
class Examined:
    """What the gates say of a version of a chapter.

    Attributes:
        findings: What is wrong, errors first, then in the order of the text.
        figures: How bad it is.
    """

    findings: tuple[Finding, ...]
    figures: GateFigures


def examined(text: str, context: GateContext) -> Examined:
    """Put a chapter through all gates.

    Args:
        text: Its Markdown, with or without its title.
        context: What it is examined beside.
    """
    results = _results(text, context)
    every = [one for result in results.values() for one in islice(result.findings, MOST_OF_A_GATE)]
    if not context.drafted:
        doubt: Severity = "warning"
        every = [replace(one, severity=doubt) if one.severity == "error" else one for one in every]
    every.sort(key=lambda one: (_RANK[one.severity], one.where.line, one.rule))
    return Examined(tuple(every), _figures(results))


def measured(text: str, context: GateContext) -> GateFigures:
    """How bad a version of a chapter is, without saying where."""
    return _figures(_results(text, context))


def _results(text: str, context: GateContext) -> Mapping[str, GateResult]:
    chapter = ChapterText(context.number, "", text)
    return {name: one.look(chapter, context) for name, one in every_gate().items()}


def _figures(results: Mapping[str, GateResult]) -> GateFigures:
    return GateFigures({name: one.figure for name, one in results.items()})
