"""Revision: what code and a critic find wrong is mended by patches, each kept only if it helps."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from pydantic import BaseModel

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.errors import ContentFilteredError, MaxRetriesExceededError
from libriscribe2.models.excerpts import scene_block, shown_blocks, to_json
from libriscribe2.models.reviews import (
    MOST_ISSUES,
    MOST_PATCHES,
    Critique,
    Issue,
    Patches,
    ToldIssue,
)
from libriscribe2.prose import parts, shorten, tail, weigh, without_notes
from libriscribe2.quality.gates.gates import GateFigures, errors, examined, measured
from libriscribe2.quality.gates.surroundings import Surroundings
from libriscribe2.quality.passages import passages
from libriscribe2.quality.patching import patched
from libriscribe2.telemetry import CRITIQUE_QUOTES_DROPPED, PATCHES_REFUSED, REVISION_LEFT_OUT
from libriscribe2.toolchain.quoted_lines import line_of_quote

logger = logging.getLogger(__name__)

MOST_ROUNDS: Final = 2

# Characters of each part of a request (`text_budget`); 48,000 would be 12,000 tokens of English.
SHOWN_BUDGET: Final = 8_000
PLAN_BUDGET: Final = 4_000
BEFORE_BUDGET: Final = 1_200
TEXT_BUDGET: Final = 22_000
ISSUES_BUDGET: Final = 5_000
PASSAGES_BUDGET: Final = 18_000

_MOST_PLACES: Final = 3
"""Places of one quote that are shown: two of the same are what most issues are about."""

ModelT = TypeVar("ModelT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class _Round:
    """One round of revision.

    Attributes:
        number: Its number from 1.
        unit: The work that asks.
        around: What the text is examined beside.
        blocks: What every request shows first.
    """

    number: int
    unit: Unit
    around: Surroundings
    blocks: str

    def figures(self, text: str) -> GateFigures:
        """How bad a version is by the gates."""
        return measured(text, self.around)


class Reviser:
    """Revises one chapter for an agent, which asks and notes what was used.

    Args:
        agent: The agent whose chapter it is.
    """

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._suggested = 0
        self._kept = 0
        self._left_out: list[str] = []

    async def revised(
        self, unit: Unit, draft: str, surroundings: Surroundings, shown: Mapping[str, str]
    ) -> str:
        """The draft with the patches that were kept, after at most two rounds.

        A second round comes only where the first changed something and errors are left. A
        critique or patches that cannot be had leave the draft as it is; the agent's remark says
        so, and how many patches were kept.

        Args:
            unit: The work that asks.
            draft: The chapter's text, with or without its title.
            surroundings: What it is examined beside.
            shown: Blocks for the requests, by name, such as the book and its characters.

        Raises:
            LibriScribeError: A request failed for another reason than its reply.
        """
        text, blocks = draft, shown_blocks(shown, SHOWN_BUDGET)
        seen = examined(text, surroundings).issues
        for number in range(1, MOST_ROUNDS + 1):
            this = _Round(number, unit, surroundings, blocks)
            told = await self._critique(this, text)
            changed = await self._patched(this, text, [*seen, *told])
            if changed == text:
                break
            text = changed
            if number == MOST_ROUNDS or not _errors_left(text, surroundings, told):
                break
            seen = examined(text, surroundings).issues
        self._tell()
        return text

    async def _critique(self, this: _Round, text: str) -> list[Issue]:
        """What a critic finds whose quotes stand in the text; a long chapter is read in parts."""
        texts = parts(without_notes(text), TEXT_BUDGET)
        scenes = this.around.scenes
        plans = [scene_block(one, at, len(scenes)) for at, one in enumerate(scenes, start=1)]
        found: list[Issue] = []
        for index, part in enumerate(texts, start=1):
            before = this.around.before if index == 1 else texts[index - 2]
            name = f"critique{this.number}" + (f"-part{index:02d}" if len(texts) > 1 else "")
            values = {
                "shown": this.blocks,
                "plan": shorten("\n".join(plans), PLAN_BUDGET),
                "text_before": tail(before, BEFORE_BUDGET),
                "text": part,
                "most": str(MOST_ISSUES),
            }
            told = await self._ask(this.unit, Critique, name, "critique", values)
            found += [] if told is None else _standing(this.unit, told.issues[:MOST_ISSUES], text)
        return found

    async def _patched(self, this: _Round, text: str, issues: Iterable[Issue]) -> str:
        """The text with the patches that were kept."""
        worth = [issue for issue in issues if issue.can_be_patched]
        lines, shown = _question(text, sorted(worth, key=_urgency))
        if not lines:
            return text
        values = {"shown": this.blocks, "issues": lines, "excerpts": shown}
        told = await self._ask(this.unit, Patches, f"patches{this.number}", "patches", values)
        if told is None:
            return text
        patches = told.patches[:MOST_PATCHES]
        done = patched(text, patches, this.figures)
        self._suggested += len(patches)
        self._kept += len(done.kept)
        if done.refused:
            count = f"{len(done.refused)} of {len(patches)}"
            reasons = "; ".join(sorted({reason for _, reason in done.refused}))
            logger.info("%s: %s: %s: %s", PATCHES_REFUSED, this.unit.step, count, reasons)
        return done.text

    async def _ask(
        self, unit: Unit, model: type[ModelT], part: str, prompt: str, values: Mapping[str, str]
    ) -> ModelT | None:
        """The reply to a question; None where no usable one came."""
        try:
            return await self._agent.ask(
                unit, model, prompt=prompt, part=part, limits=None, **values
            )
        except (MaxRetriesExceededError, ContentFilteredError) as error:
            logger.warning("%s: %s/%s: %s", REVISION_LEFT_OUT, unit.step, part, error.what)
            if prompt not in self._left_out:
                self._left_out.append(prompt)
            return None

    def _tell(self) -> None:
        """Add how it went to the agent's remark."""
        said = [self._agent.made_from.remark]
        if self._suggested:
            said.append(f"{self._kept} of {self._suggested} patches kept")
        said += [f"no usable reply for its {name}" for name in self._left_out]
        self._agent.made_from.remark = "; ".join(filter(None, said))


def _standing(unit: Unit, told: Iterable[ToldIssue], text: str) -> list[Issue]:
    """The critic's issues whose quotes stand in the text."""
    issues = list(told)
    found = [
        Issue(
            kind=one.kind or "style",
            severity=one.severity,
            detector="critique",
            quote=one.quote,
            line=line,
            why=one.why,
            fix=one.fix,
        )
        for one in issues
        if (line := line_of_quote(one.quote, text)) is not None
    ]
    if len(found) < len(issues):
        dropped = len(issues) - len(found)
        logger.info("%s: %s: %d", CRITIQUE_QUOTES_DROPPED, unit.step, dropped)
    return found


def _urgency(issue: Issue) -> int:
    """Errors before warnings; errors that code found and warnings of the critic before others."""
    is_critics = issue.detector == "critique"
    return int(is_critics) if issue.severity == "error" else 3 - int(is_critics)


def _question(text: str, issues: Sequence[Issue]) -> tuple[str, str]:
    """The issues as numbered lines, as many as fit, and the passages that they are about."""
    lines: list[str] = []
    asked: list[Issue] = []
    room = ISSUES_BUDGET
    for issue in issues[:MOST_PATCHES]:
        fields = issue.model_dump(include={"kind", "severity", "quote", "why", "fix"})
        line = to_json({"issue": len(asked) + 1, **fields})
        if weigh(line) < room:
            room -= weigh(line) + 1
            lines.append(line)
            asked.append(issue)
    chosen = passages(text, [_places(issue, text) for issue in asked], PASSAGES_BUDGET)
    return "\n".join(lines[index] for index in chosen.shown), chosen.text


def _places(issue: Issue, text: str) -> list[int]:
    """Where an issue's words stand, as offsets; the beginning of its line at least."""
    lines = text.split("\n")[: issue.line - 1]
    found, at = [sum(map(len, lines)) + len(lines)], text.find(issue.quote)
    while at >= 0 and len(found) <= _MOST_PLACES:
        found.append(at)
        at = text.find(issue.quote, at + 1)
    return found


def _errors_left(text: str, around: Surroundings, told: Iterable[Issue]) -> bool:
    """Whether code finds an error that can be patched, or what a critic's is about still stands."""
    if any(issue.can_be_patched for issue in errors(text, around)):
        return True
    theirs = (issue for issue in told if issue.severity == "error")
    return any(line_of_quote(issue.quote, text) is not None for issue in theirs)
