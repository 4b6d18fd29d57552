"""Variants of a part of a book: written beside each other, and one of them taken.

All variants of a part are one file of the program's, `.libriscribe/variants/7.2.json`. Nothing of the
book changes until one is taken; a run that breaks off goes on from its replies.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations
from string import ascii_lowercase
from typing import Any, Final

from pydantic import BaseModel, Field

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.agents.agent_passage_evaluator import PassageEvaluator
from libriscribe2.agents.chapter_writer import planned_scenes
from libriscribe2.checks.passage_pairs import CALIBRATION_PASSAGES, Pair, sound_passages
from libriscribe2.checks.text import sentences
from libriscribe2.commands.noting import Part, part_of
from libriscribe2.commands.projects import open_project, read_brief, stage_called, wanted_stages
from libriscribe2.commands.runs import OpenBook
from libriscribe2.context.story_so_far import joined_scenes
from libriscribe2.editing.versions import made_with, replace_text
from libriscribe2.engine.stages import input_hashes
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.models.story import ScenesFile
from libriscribe2.observe.events import EventConsumer
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import SCENES, STATE, ProjectPaths, note_on
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import peek
from libriscribe2.project.texts import content_sha, readable_json
from libriscribe2.prose import count_words

MOST: Final = 5
"""Most variants of one part."""


class Variant(BaseModel):
    """One way to write a part of a book.

    Attributes:
        name: Its letter.
        text: What the file, or the scene, would hold.
        keys: Keys of the calls that it was made from.
        params: What else the journal keeps of its making.
        wins: In how many comparisons a judge preferred it; None where none was heard.
    """

    name: str
    text: str
    keys: list[str] = Field(default_factory=list)
    params: dict[str, Any] = Field(default_factory=dict)
    wins: int | None = None

    @property
    def words(self) -> int:
        """Its words."""
        return count_words(self.text)


class VariantsFile(BaseModel):
    """All variants of one part, the preferred first where a judge has compared them.

    Attributes:
        file: The file that one of them would be put into.
        inputs: Hash of every input that they were made from.
        judged: What came of the judge's exam, in words; "" where none was asked.
    """

    file: str
    inputs: dict[str, str]
    variants: list[Variant]
    judged: str = ""


def variants_file(part: Part) -> str:
    """The name of the file of a part's variants."""
    return f"{STATE}/variants/{part.called}.json"


@dataclass(frozen=True, slots=True)
class _Work:
    """What is written several times."""

    part: Part
    agent: type[Agent]
    unit: Unit


def _work(part: Part, brief: Brief) -> _Work:
    """What makes a part.

    Raises:
        UsageError: It is nothing that one file holds.
    """
    agent = stage_called(part.stage, wanted_stages(brief)) if part.stage else None
    if agent is None or not agent.heeds or agent.per_chapter() != (part.chapter is not None):
        raise UsageError(
            f"There are no variants of {part.called!r}.",
            fix="Name a chapter (7), a scene (7.2), or a plan such as concept or outline.",
        )
    return _Work(part, agent, agent.unit(part.chapter))


async def make_variants(
    book: OpenBook, consumers: Sequence[EventConsumer], typed: str, count: int, *, judged: bool
) -> VariantsFile:
    """Have a part written several times, each blind to the others.

    With `judged`, a judge compares them in pairs, where it tells sound passages from spoiled ones.

    Raises:
        UsageError: There is no such part.
        LibriScribeError: A question got no usable reply; what was written is replayed next time.
    """
    store, brief = book.store, book.brief
    work = _work(part_of(typed, store, brief), brief)
    if judged and work.part.chapter is None:
        raise UsageError("--judge compares prose.", fix="Leave it out; a plan is yours to judge.")
    step, scene = f"variants/{work.part.called}", work.part.scene
    inputs = input_hashes(work.agent, work.unit, brief, store)
    if not store.manifest.asked_again(step):
        store.again(step)

    async def one(maker: Agent, letter: str) -> Variant:
        stage = f"{step}/{letter}/{work.agent.name}"
        part = "" if scene is None else f"scene{scene:02d}"
        made = await maker.execute(Unit(stage, work.part.chapter, work.unit.output, part))
        text = made if isinstance(made, str) else maker.as_text(made)
        if scene is not None:
            text = _scenes(store, work, text)[1][scene - 1]
        new = [key for key in maker.made_from.keys if store.manifest.step_of(key).startswith(step)]
        return Variant(name=letter, text=text, keys=new, params=maker.made_from.as_params())

    written = await book.ask(
        work.agent,
        lambda first: first.together(
            one(type(first)(first.context), letter) for letter in ascii_lowercase[:count]
        ),
        consumers,
    )
    made = VariantsFile(file=work.unit.output, inputs=inputs, variants=written)
    _keep(store, work.part, made)
    if judged:
        made = await _sorted(book, consumers, made)
        _keep(store, work.part, made)
    return made


async def _sorted(
    book: OpenBook, consumers: Sequence[EventConsumer], made: VariantsFile
) -> VariantsFile:
    """The variants in the order of a judge that passes its exam.

    Raises:
        LibriScribeError: A question got no usable reply.
    """
    texts = {one.name: one.text for one in made.variants}
    pairs = [Pair(f"{a} and {b}", texts[a], texts[b]) for a, b in combinations(sorted(texts), 2)]
    sound = sound_passages("\n\n".join(texts.values()), CALIBRATION_PASSAGES)
    names = [one.name for one in Book(book.store).characters()]
    found = await book.ask(
        PassageEvaluator, lambda asked: asked.evaluate(pairs, sound, names), consumers
    )
    wins = dict.fromkeys(texts, 0)
    for one in found.decisions:
        ours, _, theirs = one.name.partition(" and ")
        if one.side != "tie":
            wins[ours if one.side == "ours" else theirs] += 1
    heard = found.calibration.passed
    told = f"The judge told {found.calibration.share:.0%} of sound passages from spoiled ones"
    judged = f"{told}." if heard else f"{told}: too few to be heard, so nothing is sorted."
    scored = [
        one.model_copy(update={"wins": wins[one.name] if heard else None}) for one in made.variants
    ]
    ordered = sorted(scored, key=lambda one: (-(one.wins or 0), one.name))
    return made.model_copy(update={"variants": ordered, "judged": judged})


def shown_variants(paths: ProjectPaths, typed: str) -> tuple[str, VariantsFile]:
    """The text that a part has now, and its variants.

    Raises:
        UsageError: There are none.
    """
    view, brief = peek(paths), read_brief(paths)
    part = part_of(typed, view, brief)
    made = _kept(view, part)
    now = (view.read_bytes(made.file) or b"").decode("utf-8", "replace")
    if part.scene is not None:
        now = _scenes(view, _work(part, brief), now)[1][part.scene - 1]
    return now, made


def likeness(one: str, other: str) -> float:
    """The share of the sentences of two texts that stand in both, from 0 to 1."""
    first, second = (
        [said for line in text.splitlines() for said in sentences(line)] for text in (one, other)
    )
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def pick(paths: ProjectPaths, typed: str, letter: str, *, replace_mine: bool) -> str:
    """Put a variant into the book; the old text goes to the trash.

    Returns:
        The file.

    Raises:
        UsageError: There is no such variant.
        ProjectError: The file is the author's own, and nothing is said of replacing it.
        StorageError: The system refused.
    """
    with ProjectStore.open(paths) as store:
        brief = open_project(store)
        part = part_of(typed, store, brief)
        made, work = _kept(store, part), _work(part, brief)
        chosen = next((one for one in made.variants if one.name == letter.strip().lower()), None)
        if chosen is None:
            names = ", ".join(sorted(one.name for one in made.variants))
            raise UsageError(
                f"There is no variant {letter!r} of {part.called}.", fix=f"Choose one of {names}."
            )
        state = store.state(made.file, {})
        if (state.kind == "edited" or state.own) and not replace_mine:
            raise ProjectError(
                f"{made.file} is your own text.",
                why="you edited or imported it, and only --replace-mine replaces that",
                fix=f"`libriscribe2 pick {paths.called} {part.called} {chosen.name} --replace-mine` "
                "replaces it; a copy goes to the project's trash.",
            )
        _take(store, work, made, chosen)
    return made.file


def _take(store: ProjectStore, work: _Work, made: VariantsFile, chosen: Variant) -> None:
    """Put a variant into its file, in one step."""
    text, what = chosen.text, f"pick {work.part.called} {chosen.name}"
    said: dict[str, Any] | None = {
        "sha": content_sha(made.file, text.encode()),
        "step": work.unit.step,
        "in": made.inputs,
        "params": chosen.params,
        "k": chosen.keys,
    }
    if work.part.scene is not None:
        title, scenes = _scenes(store, work, Book(store).text(made.file))
        scenes[work.part.scene - 1] = chosen.text
        text = f"{title}{joined_scenes(scenes)}\n"
        kept = made_with(store, made.file, text, chosen.keys)
        said = None if kept is None else {**kept, **_of_scene(kept, made, work, chosen)}
    replace_text(store, made.file, text, what, said)


def _of_scene(kept: Any, made: VariantsFile, work: _Work, chosen: Variant) -> dict[str, Any]:
    """What a chapter's record says otherwise with another scene: its own notes, and its context."""
    note = note_on(work.part.chapter or 1, work.part.scene)
    inputs = {name: sha for name, sha in kept["in"].items() if name != note}
    inputs |= {note: made.inputs[note]} if note in made.inputs else {}
    packs = {one["scene"]: one for one in kept["params"].get("packs", [])}
    packs |= {
        one["scene"]: one
        for one in chosen.params.get("packs", [])
        if one["scene"] == work.part.scene
    }
    params = {**kept["params"], "packs": [packs[number] for number in sorted(packs)]}
    return {"in": inputs, "params": params if packs else kept["params"]}


def _scenes(view: ProjectView, work: _Work, text: str) -> tuple[str, list[str]]:
    """A chapter's title and its scenes.

    Raises:
        ProjectError: It does not have the scenes of its plan.
    """
    planned = Book(view).load(SCENES, ScenesFile).chapters
    scenes = planned[(work.part.chapter or 1) - 1].scenes
    return planned_scenes(text, work.unit.output, len(scenes))


def _keep(store: ProjectStore, part: Part, made: VariantsFile) -> None:
    """Save the variants of a part; those before are gone."""
    name, text = variants_file(part), readable_json(made.model_dump(mode="json"))
    keys = [key for one in made.variants for key in one.keys]
    store.write(name, text, step=f"variants/{part.called}", inputs={}, params={}, keys=keys)


def _kept(view: ProjectView, part: Part) -> VariantsFile:
    """The variants of a part.

    Raises:
        UsageError: There are none.
    """
    name = variants_file(part)
    if not view.exists(name):
        raise UsageError(
            f"There are no variants of {part.called}.",
            fix=f"`libriscribe2 redo {view.paths.called} {part.called} --variants 3` writes some.",
        )
    return Book(view).load(name, VariantsFile)
