"""Everything that somebody should look at, each with the command that mends it."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from libriscribe2.checks.project_health import examine_files, examine_records, finding_of
from libriscribe2.commands.calls import CUT_OFF, Call, conversation
from libriscribe2.desk.snapshot import ChapterEntry, Snapshot, artifact
from libriscribe2.errors import LibriScribeError
from libriscribe2.models.story import CharactersFile, ScenesFile
from libriscribe2.project.paths import BOOK_TOML, CHARACTERS, OUTLINE, SCENES, chapter_file

Weight = Literal["error", "warning", "note"]

_ORDER: Final[tuple[Weight, ...]] = ("error", "warning", "note")
_SHORTEST_PARAGRAPH: Final = 80
_TOO_SHORT, _TOO_LONG = 0.6, 1.6


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to look at.

    Attributes:
        weight: `error`: it stops a run; `warning`: it may be wrong; `note`: it is waiting.
        where: The file.
        place: Where in it.
        what: What is wrong.
        fix: What mends it.
        call: The call that it is about, or None.
        chapter: The chapter's key in addresses, or "".
    """

    weight: Weight
    where: str
    place: str
    what: str
    fix: str
    call: Call | None = field(default=None, compare=False)
    chapter: str = ""


def problems(snapshot: Snapshot) -> list[Problem]:
    """All of them, the heaviest first."""
    found = [
        *_of_files(snapshot),
        *_of_calls(snapshot),
        *_of_the_budget(snapshot),
        *_of_units(snapshot),
        *_of_texts(snapshot),
        *_of_plans(snapshot),
    ]
    return sorted(dict.fromkeys(found), key=lambda one: _ORDER.index(one.weight))


def problem_page(found: Sequence[Problem]) -> dict[str, Any]:
    """The values of the page."""
    return {"problems": found, "counts": Counter(one.weight for one in found)}


def _of_files(snapshot: Snapshot) -> Iterator[Problem]:
    """What `libriscribe2 check` finds."""
    findings = [*snapshot.faults]
    try:
        findings += examine_files(snapshot.view, snapshot.stages)
        findings += examine_records(snapshot.view.paths)
    except LibriScribeError as error:
        findings.append(finding_of(error, BOOK_TOML))
    for one in findings:
        yield Problem(one.severity, one.where.file, one.where.part, one.why, one.fix)


def _of_calls(snapshot: Snapshot) -> Iterator[Problem]:
    """Conversations that ended without a usable reply, cut replies, damaged dumps."""
    for call in snapshot.calls:
        file = call.path.name
        if call.state in ("damaged", "old"):
            fix = "Delete the file, or leave it: nothing depends on a dump."
            yield Problem("warning", file, "", f"the dump is {call.state}: {call.fault}", fix, call)
        elif CUT_OFF in call.issues:
            fix = "Nothing, if the next attempt is complete; otherwise choose a model with longer replies."
            yield Problem("warning", file, call.dump.step, "the reply was cut off", fix, call)
    newest = {call.dump.step: call for call in snapshot.calls if call.dump.step}
    for step, call in newest.items():
        if call.state == "refused":
            attempts = conversation(snapshot.calls, call)
            tries = "one attempt" if len(attempts) == 1 else f"{len(attempts)} attempts"
            what = f"there was no usable reply in {tries}"
            fix = f"libriscribe2 resume {shlex.quote(snapshot.name)}"
            yield Problem("error", call.path.name, step, what, fix, call)


def _of_the_budget(snapshot: Snapshot) -> Iterator[Problem]:
    """Calls without a reply, and a cap that is reached."""
    totals, ledger = snapshot.view.manifest.totals, snapshot.view.manifest.ledger
    log = "The reasons are in .libriscribe/run.log."
    if totals.failed:
        yield Problem("warning", "journal", "", f"{totals.failed} calls got no reply", log)
    if totals.filtered:
        what = f"the provider's content filter blocked {totals.filtered} replies"
        fix = f"libriscribe2 resume {shlex.quote(snapshot.name)} --model ANOTHER"
        yield Problem("warning", "journal", "", what, fix)
    if snapshot.max_cost is not None and ledger.possible_usd() >= snapshot.max_cost:
        what = f"the cap of ${snapshot.max_cost:,.2f} is reached"
        fix = (
            f"libriscribe2 resume {shlex.quote(snapshot.name)} --max-cost {snapshot.max_cost * 2:g}"
        )
        yield Problem("error", BOOK_TOML, "budget.max_cost", what, fix)


def _of_units(snapshot: Snapshot) -> Iterator[Problem]:
    """Parts that are stale or not yet made."""
    fixes = {
        "stale": f"libriscribe2 resume {shlex.quote(snapshot.name)} --refresh",
        "missing": f"libriscribe2 resume {shlex.quote(snapshot.name)}",
        "again": f"libriscribe2 resume {shlex.quote(snapshot.name)}",
    }
    for unit in snapshot.units:
        if unit.state in fixes:
            weight: Weight = "warning" if unit.state == "stale" else "note"
            yield Problem(weight, unit.unit.output, "", unit.reason, fixes[unit.state])


def _of_texts(snapshot: Snapshot) -> Iterator[Problem]:
    """Paragraphs that stand twice, and chapters whose length is far from what was asked."""
    entries, seen = snapshot.chapters, dict[str, str]()
    for entry in entries:
        yield from _repeats(snapshot, entry, seen)
        yield from _length(snapshot, entry)


def _repeats(snapshot: Snapshot, entry: ChapterEntry, seen: dict[str, str]) -> Iterator[Problem]:
    """Paragraphs of a chapter that stood before; `seen` says where."""
    for number, paragraph in enumerate(entry.text.split("\n\n"), start=1):
        text = " ".join(paragraph.split())
        if len(text) < _SHORTEST_PARAGRAPH:
            continue
        place = f"chapter {entry.key}, paragraph {number}"
        if text in seen:
            what = f"the paragraph is also in {seen[text]}"
            yield _in_chapter(snapshot, entry, place, what)
        seen.setdefault(text, place)


def _length(snapshot: Snapshot, entry: ChapterEntry) -> Iterator[Problem]:
    """A chapter that is much shorter or longer than it was to be."""
    planned = snapshot.planned_chapters()
    if snapshot.brief is None or not planned or entry.fault:
        return
    wanted = snapshot.brief.words_per_chapter(planned)
    if not _TOO_SHORT <= entry.words / wanted <= _TOO_LONG:
        what = f"it has {entry.words:,} words; the target is about {wanted:,}"
        yield _in_chapter(snapshot, entry, "", what)


def _in_chapter(snapshot: Snapshot, entry: ChapterEntry, place: str, what: str) -> Problem:
    number = int(entry.key) if entry.key.isdecimal() else 0
    fix = f"libriscribe2 redo {shlex.quote(snapshot.name)} chapters --chapter {number}"
    return Problem("warning", chapter_file(number), place, what, fix, chapter=entry.key)


def _of_plans(snapshot: Snapshot) -> Iterator[Problem]:
    """People in the plan whom the cast does not have."""
    book = snapshot.book
    people = artifact(book, CHARACTERS, CharactersFile)
    scenes = artifact(book, SCENES, ScenesFile)
    if people is None or scenes is None or not book.has(OUTLINE):
        return
    cast = {person.name.casefold() for person in people.characters}
    for plan in scenes.chapters:
        planned = dict.fromkeys(name for scene in plan.scenes for name in scene.characters)
        for name in planned:
            if name.casefold() not in cast:
                fix = f"Add {name} to {CHARACTERS}, or correct {SCENES}."
                what = f"{name} is not in the cast"
                yield Problem("warning", SCENES, f"chapter {plan.chapter}", what, fix)
