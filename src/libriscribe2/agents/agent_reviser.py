"""Revision: what code and a critic find wrong is mended by patches, each kept only if it helps."""

import logging
from collections.abc import Container, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.checks.gates.gate import GateContext, GateFigures, examined, measured
from libriscribe2.checks.patching import changed_paragraphs, passages, patched
from libriscribe2.context.notes import CITATIONS, CitedChapter, cited_notes, findings_of, own_notes
from libriscribe2.context.prompt_parts import block
from libriscribe2.context.scene_context import ChapterHead, within_room
from libriscribe2.context.story_so_far import scenes_of
from libriscribe2.errors import ContentFilteredError, MaxRetriesExceededError
from libriscribe2.models.excerpts import book_lines, scene_record, shown_blocks, to_json
from libriscribe2.models.findings import Finding, Place, by_severity
from libriscribe2.models.reviews import (
    MOST_ISSUES,
    MOST_PATCHES,
    BeatAnswer,
    CitationCheck,
    CriticIssue,
    Critique,
    CritiqueOfFacts,
    CritiqueWithBeats,
    Patches,
)
from libriscribe2.prompts.loader import SHARED, load_prompt
from libriscribe2.prose import lines_within, prose_words, shorten, tail, weigh, without_notes
from libriscribe2.research.quotes import line_of_quote
from libriscribe2.telemetry import CRITIQUE_QUOTES_DROPPED, PATCHES_REFUSED, REVISION_LEFT_OUT

logger = logging.getLogger(__name__)

MOST_ROUNDS: Final = 2

# Characters of each part of a request (`prose.weigh`); 48,000 would be 12,000 tokens of English.
SHOWN_BUDGET: Final = 9_000
PLAN_BUDGET: Final = 8_000
FOUND_BUDGET: Final = 800
BEFORE_BUDGET: Final = 1_200
TEXT_BUDGET: Final = 19_000
QUESTION: Final = 3_400
"""What a task of the critic takes with its schema."""

ISSUES_BUDGET: Final = 5_000
PASSAGES_BUDGET: Final = 18_000
CHANGES_BUDGET: Final = 8_000
CHANGE_BUDGET: Final = 1_200
NOTES_BUDGET: Final = 6_000

_MOST_PLACES: Final = 3
"""Places of one quote that are shown: two of the same are what most issues are about."""

_NOT_JUDGED: Final = frozenset(
    {"of", "mode", "entry_state", "transition_in", "transition_out", "target_words"}
)
"""Fields of a scene's plan by which its text is not judged: the scene before says how it begins, and
the length that is told is the chapter's."""

_CITATION: Final = "citation"
_MOST_REASONS: Final = 3
"""Edits that were not applied which the remark names with their reasons."""


@dataclass(frozen=True, slots=True)
class _Round:
    """One round of revision.

    Attributes:
        number: Its number from 1.
        unit: The work that asks.
        context: What the text is examined beside.
        blocks: What every request shows first.
    """

    number: int
    unit: Unit
    context: GateContext
    blocks: str

    @property
    def beats(self) -> Sequence[str]:
        """What the plan of a story wants to happen."""
        outline = self.context.outline
        return outline.beats if outline and self.context.kind == "fiction" else []

    def figures(self, text: str) -> GateFigures:
        """How bad a version is by the gates."""
        return measured(text, self.context)


@dataclass(frozen=True, slots=True)
class _Question:
    """A question that a round asks.

    Attributes:
        shape: The shape of the answer.
        prompt: The prompt.
        part: Name of the question within the unit.
        values: The prompt's values.
        also: Values for which the prompt need have no hole.
    """

    shape: type[BaseModel]
    prompt: str
    part: str
    values: Mapping[str, str]
    also: Mapping[str, str]


class Reviser:
    """Revises one chapter for an agent, which asks and notes what was used.

    Args:
        agent: The agent whose chapter it is.
        head: What all requests of the chapter show first; None where that is not known.
    """

    def __init__(self, agent: Agent, head: ChapterHead | None = None) -> None:
        self._agent = agent
        self._head = head
        self._suggested = 0
        self._kept = 0
        self._refused: list[str] = []
        self._reasons: list[tuple[str, str]] = []
        self._left_out: list[str] = []
        self._mended: list[Finding] = []
        self._judged: list[Finding] = []
        self._read = ""
        """The text that a judge of its citations has read."""

    async def revised(
        self, unit: Unit, draft: str, context: GateContext, shown: Mapping[str, str]
    ) -> str:
        """The draft with the patches that were kept, after at most two rounds.

        A second round comes only where the first changed something and errors are left. A
        critique or patches that cannot be had leave the draft as it is; the agent's remark says
        so, and how many patches were kept.

        Args:
            unit: The work that asks.
            draft: The chapter's text, with or without its title.
            context: What it is examined beside.
            shown: Blocks for the requests, by name, such as the book and its characters.

        Raises:
            LibriScribeError: A request failed for another reason than its reply.
        """
        text, told, blocks = draft, list[Finding](), shown_blocks(shown, SHOWN_BUDGET)
        asked: set[tuple[str, str]] = set()
        for number in range(1, MOST_ROUNDS + 1):
            this = _Round(number, unit, context, blocks)
            seen = [one for one in examined(text, context).findings if _is_new(one, asked)]
            if number > 1:
                told = _still_wrong((one for one in told if one not in self._mended), text)
                if not told and not any(map(_can_be_patched, by_severity(seen, "error"))):
                    break
            answers: list[BaseModel] = []
            for one in self._questions(this, draft, text, seen):
                with self._optional(unit, one):
                    answers.append(await self._asked(unit, one))
            told += self._found(this, draft, text, answers)
            seen = [one for one in seen if not self._is_settled(one, number)]
            asked = {(one.rule, one.where.quote) for one in seen}
            wrong, question = self._to_patch(this, text, _most_urgent_first(seen, told))
            changed = text
            if wrong:
                with self._optional(unit, question):
                    patches = await self._asked(unit, question)
                    changed = self._patched(this, text, wrong, patches)
            if changed == text:
                break
            text = changed
        self._tell(draft, text)
        return text

    def _asked(self, unit: Unit, one: _Question) -> Coroutine[Any, Any, Any]:
        """The answer to a question, to be awaited."""
        return self._agent.ask_about(
            unit, one.shape, one.prompt, one.values, one.also, part=one.part
        )

    @contextmanager
    def _optional(self, unit: Unit, one: _Question) -> Iterator[None]:
        """Go on without the answer to a question where none can be had, and say so."""
        try:
            yield
        except (MaxRetriesExceededError, ContentFilteredError) as error:
            logger.warning("%s: %s/%s: %s", REVISION_LEFT_OUT, unit.step, one.part, error.what)
            if one.prompt not in self._left_out:
                self._left_out.append(one.prompt)

    def _questions(
        self, this: _Round, draft: str, text: str, seen: Sequence[Finding]
    ) -> Iterator[_Question]:
        """What a round asks before it mends anything: of the text, then of what was changed."""
        if this.number > 1:
            yield self._about_changes(this, draft, text)
            return
        yield from self._critique(this, text, seen)
        yield from self._citations(this, text)

    def _found(
        self, this: _Round, draft: str, text: str, answers: Sequence[BaseModel]
    ) -> list[Finding]:
        """What the answers find wrong, as far as their quotes stand in the text."""
        found: list[Finding] = []
        for one in answers:
            if isinstance(one, CitationCheck):
                found = [*self._unsupported(this, text, one), *found]
            elif isinstance(one, Critique | CritiqueOfFacts):
                found += _standing(this.unit, one.issues[:MOST_ISSUES], text)
        if this.number > 1:
            return [one for one in found if line_of_quote(one.where.quote, draft) is None]
        beats = [b for one in answers if isinstance(one, CritiqueWithBeats) for b in one.beats]
        return [*found, *_missing(this.beats, beats, text)]

    def _critique(self, this: _Round, text: str, seen: Sequence[Finding]) -> Iterator[_Question]:
        """What a critic is asked about the text; a long chapter is read in parts."""
        shape: type[BaseModel] = CritiqueWithBeats if this.beats else Critique
        shape = shape if this.context.kind == "fiction" else CritiqueOfFacts
        plan = _plan(this.context, this.beats, text, seen)
        texts = within_room(without_notes(text), self._room(weigh(plan)))
        for index, part in enumerate(texts, start=1):
            before = this.context.before if index == 1 else texts[index - 2]
            name = f"critique{this.number}" + (f"-part{index:02d}" if len(texts) > 1 else "")
            values = {"plan": plan, "most": str(MOST_ISSUES)}
            own = {"text_before": tail(before, BEFORE_BUDGET), "text": part}
            yield _Question(shape, "critique", name, values, own | self._shared(this, part))

    def _citations(self, this: _Round, text: str) -> Iterator[_Question]:
        """What a judge is asked about the marks in a book of facts."""
        if self._head is None or not this.context.notes:
            return
        state = self._head.state
        plants = [one for scene in state.scenes for one in own_notes(scene, state.notes)]
        own = [note.id for note in plants]
        chapter = CitedChapter(
            state.number, state.chapter.title, text, own, state.notes, state.sources
        )
        if chapter.has_notes:
            values = {"book": book_lines(state.brief), **chapter.shown()}
            yield _Question(CitationCheck, CITATIONS, f"{CITATIONS}{this.number}", values, {})

    def _unsupported(self, this: _Round, text: str, told: CitationCheck) -> list[Finding]:
        """What a judge finds in the marks of a book of facts; why notes are not used is kept."""
        self._agent.made_from.declined = {one.id: one.why for one in told.declined}
        self._read = text
        self._judged = findings_of(told, text, {note.id: note for note in this.context.notes})
        return list(self._judged)

    def _is_settled(self, one: Finding, number: int) -> bool:
        """Whether a judge of the citations has decided about what code finds in a sentence.

        What code only doubts, it has seen and let stand; what it found, too, is told once.
        """
        if one.rule != _CITATION or not self._read:
            return False
        if one.severity != "error":
            return line_of_quote(one.where.quote, self._read) is not None
        return number == 1 and any(two.where.quote in one.where.quote for two in self._judged)

    def _about_changes(self, this: _Round, draft: str, text: str) -> _Question:
        """What a critic is asked of new passages, who sees the old ones and why they were changed."""
        changes = changed_paragraphs(without_notes(draft), without_notes(text))
        lines = lines_within((self._change(was, now) for was, now in changes), CHANGES_BUDGET)
        # A passage that was only added has no place of its own.
        at = [[place] for was, _ in changes if was and (place := draft.find(was)) >= 0]
        values = {"changes": "\n".join(lines), "most": str(MOST_ISSUES)}
        also = self._around(this, draft, passages(draft, at, PASSAGES_BUDGET).text)
        shape = Critique if this.context.kind == "fiction" else CritiqueOfFacts
        return _Question(shape, "critique_again", f"critique{this.number}", values, also)

    def _change(self, was: str, now: str) -> str:
        """A change as a line, with what the patches in it were made for."""
        why = [why for find, why in self._reasons if find and line_of_quote(find, was) is not None]
        texts = {"old": shorten(was, CHANGE_BUDGET), "new": shorten(now, CHANGE_BUDGET)}
        return to_json({**texts, "what_was_wrong": list(dict.fromkeys(why))})

    def _to_patch(
        self, this: _Round, text: str, findings: Sequence[Finding]
    ) -> tuple[list[Finding], _Question]:
        """The findings that patches are asked for, and the question."""
        asked, lines, shown = _question(text, findings)
        also = self._around(this, text, shown) | {"notes": self._notes(lines, shown)}
        question = _Question(Patches, "patches", f"patches{this.number}", {"issues": lines}, also)
        return asked if lines else [], question

    def _patched(self, this: _Round, text: str, asked: Sequence[Finding], told: Patches) -> str:
        """The text with the patches that were kept."""
        whys = dict(enumerate((one.why for one in asked), start=1))
        patches = told.patches[:MOST_PATCHES]
        errors = {at for at, one in enumerate(asked, start=1) if one.severity == "error"}
        notes = {note.id for note in this.context.notes}
        done = patched(text, patches, this.figures, notes, errors)
        self._suggested += len(patches)
        self._kept += len(done.kept)
        self._mended += [asked[one.issue - 1] for one in done.kept if one.issue in whys]
        self._reasons += [(one.find, whys[one.issue]) for one in done.kept if one.issue in whys]
        if done.refused:
            reasons = [f"\u201c{_opening(one.find)}\u201d: {why}" for one, why in done.refused]
            self._refused += reasons
            count, said = f"{len(reasons)} of {len(patches)}", "; ".join(reasons)
            logger.info("%s: %s: %s: %s", PATCHES_REFUSED, this.unit.step, count, said)
        return done.text

    def _notes(self, issues: str, shown: str) -> str:
        """The notes that issues are about or passages cite, as a block."""
        if self._head is None:
            return ""
        state = self._head.state
        lines = cited_notes(f"{issues}\n{shown}", state.notes, state.sources)
        return block("notes", "\n".join(lines_within(lines, NOTES_BUDGET)))

    def _around(self, this: _Round, text: str, excerpts: str) -> dict[str, str]:
        """What all requests of the chapter begin with: its whole text, or passages where it is long."""
        whole = without_notes(text)
        fits = self._head is not None and weigh(whole) <= self._room(CHANGES_BUDGET)
        also = self._shared(this, whole) if fits else self._shared(this, excerpts, "excerpts")
        return also | {"excerpts": excerpts}

    def _room(self, shown: int) -> int:
        """What the text may take in a request that shows so much besides."""
        return TEXT_BUDGET if self._head is None else self._head.body_room(QUESTION + shown)

    def _shared(self, this: _Round, text: str, name: str = "text") -> dict[str, str]:
        """What all requests of the chapter begin with, the text of the chapter last."""
        told = {"shown": this.blocks}
        if self._head is not None:
            body = text.removeprefix(f"# {self._head.state.chapter.title}").strip()
            return told | self._head.values(scenes_of(body), weigh(body))
        nothing = {hole: "" for hole in load_prompt(SHARED).holes() if hole != "format_rules"}
        return nothing | told | {"chapter": this.blocks, "text_before": block(name, text)}

    def _tell(self, draft: str, text: str) -> None:
        """Add how it went to the agent's remark, and what a judge found and still stands."""
        if self._judged:
            self._agent.made_from.unsupported = _unmended(self._judged, draft, text)
        said = []
        if self._suggested:
            said.append(f"{self._kept} of {self._suggested} suggested edits applied")
        if self._refused:
            more = len(self._refused) - _MOST_REASONS
            rest = [f"and {more} more (run.log)"] if more > 0 else []
            said.append(f"not applied: {', '.join([*self._refused[:_MOST_REASONS], *rest])}")
        said += [f"no usable reply to the prompt {name}" for name in self._left_out]
        self._agent.remark("; ".join(said))


def _standing(unit: Unit, told: Iterable[CriticIssue], text: str) -> list[Finding]:
    """The critic's issues whose quotes stand in the text."""
    issues = list(told)
    found = [
        Finding(
            severity="note" if one.severity == "info" else one.severity,
            where=Place(line=line, quote=one.quote),
            why=one.why,
            fix=one.fix,
            rule=one.kind or "style",
        )
        for one in issues
        if (line := line_of_quote(one.quote, text)) is not None
    ]
    if len(found) < len(issues):
        dropped = len(issues) - len(found)
        logger.info("%s: %s: %d", CRITIQUE_QUOTES_DROPPED, unit.step, dropped)
    return found


def _missing(beats: Sequence[str], answers: Sequence[BeatAnswer], text: str) -> Iterator[Finding]:
    """Beats of the plan that do not happen, each at the words after which it would come."""
    happen = {one.beat for one in answers if one.happens}
    absent = {one.beat: one for one in answers if one.beat not in happen}
    for number, beat in enumerate(beats, start=1):
        answer = absent.get(number)
        line = None if answer is None else line_of_quote(answer.quote, text)
        if answer is not None and line is not None:
            why = f"the plan has this, and it does not happen in the text: {beat}"
            fix = "Let it happen after these words, in as few sentences as it needs."
            yield Finding("warning", Place(line=line, quote=answer.quote), why, fix, "plan")


def _unmended(judged: Iterable[Finding], draft: str, text: str) -> dict[str, str]:
    """The sentences of a text that a judge found unsupported in its draft, with the reasons."""
    from libriscribe2.checks.cited_sentences import sentence_with  # noqa: PLC0415 -- not for stories

    told = {sentence_with(one.where.quote, draft): one.why for one in judged}
    return {one: why for one, why in told.items() if line_of_quote(one, text) is not None}


def _opening(words: str) -> str:
    """The first words of a passage, on one line."""
    return shorten(" ".join(words.split()), 40)


def _can_be_patched(one: Finding) -> bool:
    """Whether a change to a passage may mend it, and whether that is worth a request."""
    return bool(one.where.quote) and one.severity != "note"


def _most_urgent_first(gates: Iterable[Finding], critics: Iterable[Finding]) -> list[Finding]:
    """What can be patched: errors, those of the gates first; then warnings, the critic's first."""
    ours, theirs = (list(filter(_can_be_patched, one)) for one in (gates, critics))
    errors = [one for one in (*ours, *theirs) if one.severity == "error"]
    return errors + [one for one in (*theirs, *ours) if one.severity != "error"]


def _question(text: str, findings: Sequence[Finding]) -> tuple[list[Finding], str, str]:
    """The findings that fit, their numbered lines, and the passages that they are about."""
    lines: list[str] = []
    asked: list[Finding] = []
    room = ISSUES_BUDGET
    for one in findings[:MOST_PATCHES]:
        said = {"kind": one.rule, "severity": one.severity, "quote": one.where.quote}
        line = to_json({"issue": len(asked) + 1, **said, "why": one.why, "fix": one.fix})
        if weigh(line) < room:
            room -= weigh(line) + 1
            lines.append(line)
            asked.append(one)
    chosen = passages(text, [_places(one.where, text) for one in asked], PASSAGES_BUDGET)
    return asked, "\n".join(lines[index] for index in chosen.shown), chosen.text


def _places(where: Place, text: str) -> list[int]:
    """Where the words of a place stand, as offsets; the beginning of its line at least."""
    lines = text.split("\n")[: where.line - 1]
    found, at = [sum(map(len, lines)) + len(lines)], text.find(where.quote)
    while at >= 0 and len(found) <= _MOST_PLACES:
        found.append(at)
        at = text.find(where.quote, at + 1)
    return found


def _still_wrong(told: Iterable[Finding], text: str) -> list[Finding]:
    """The errors that a critic found before, which no patch was for, and whose words still stand."""
    theirs = by_severity(told, "error")
    return [one for one in theirs if line_of_quote(one.where.quote, text) is not None]


def _is_new(one: Finding, asked: Container[tuple[str, str]]) -> bool:
    """Whether a finding of code was not asked about before; an error always is, until it is gone."""
    return one.severity == "error" or (one.rule, one.where.quote) not in asked


def _plan(context: GateContext, beats: Sequence[str], text: str, seen: Iterable[Finding]) -> str:
    """The plan of a chapter, its wanted and its actual length, and what code has found."""
    scenes = context.scenes
    plans = [f"Beat {at}: {beat}" for at, beat in enumerate(beats, start=1)]
    records = (scene_record(one, at, len(scenes)) for at, one in enumerate(scenes, start=1))
    plans += [to_json({k: v for k, v in one.items() if k not in _NOT_JUDGED}) for one in records]
    room = (
        PLAN_BUDGET // max(1, len(plans)) if sum(map(weigh, plans)) > PLAN_BUDGET else PLAN_BUDGET
    )
    plans = [shorten(one, room) for one in plans]
    wanted = f" of about {context.words} that were wanted" if context.words else ""
    length = f"Length: {_rounded(prose_words(text))} words{wanted}."
    first = {one.rule: one for one in reversed([*seen]) if one.severity != "note"}
    found = [f"- {rule}: {shorten(one.why, 120)}" for rule, one in first.items()]
    lines = lines_within(found, FOUND_BUDGET)
    known = ["Found by code:", *lines] if lines else []
    return "\n".join([*plans, length, *known])


def _rounded(words: int) -> int:
    """A number of words as one speaks of it."""
    return round(words, -1 if words < 1_000 else -2)
