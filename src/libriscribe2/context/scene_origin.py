"""From what the scenes of a chapter were written, as the journal keeps it."""

from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from libriscribe2.context.prompt_parts import ContextManifest
from libriscribe2.context.story_so_far import scenes_of
from libriscribe2.errors import IncompleteError, ProjectError, UsageError
from libriscribe2.project.artifacts import Book, check_chapter
from libriscribe2.project.paths import chapter_file, draft_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.wording import counted

PACKS: Final = "packs"
"""Where the parameters of a chapter's record hold the manifests of its scenes."""


@dataclass(frozen=True, slots=True)
class ChapterOrigin:
    """From what a chapter was written.

    Attributes:
        chapter: Its number now.
        file: The file that the scenes were written for.
        scenes: What each scene was written from, in order.
        models: The models that wrote.
        edited: Whether the author has changed the text since.
    """

    chapter: int
    file: str
    scenes: tuple[ContextManifest, ...]
    models: tuple[str, ...]
    edited: bool = False


def chapter_origin(view: ProjectView, number: int) -> ChapterOrigin:
    """From what chapter `number` was written.

    Raises:
        UsageError: The book has no such chapter.
        IncompleteError: The chapter is not written yet.
        ProjectError: It is the author's own text, or nothing is recorded of it.
    """
    check_chapter(number, Book(view).chapters())
    name = chapter_file(number)
    state = view.state(name, {}).kind
    if state in ("missing", "old"):
        project = view.paths.called
        raise IncompleteError(
            f"Chapter {number} is not written yet.", fix=f"Run `libriscribe2 resume {project}`."
        )
    made = view.manifest.files.get(name)
    if state == "edited" and (made is None or not made.params.get(PACKS)):
        raise ProjectError(
            f"Chapter {number} is your own text: it was edited or imported.",
            why=f"{name} is not the text that a model wrote, so there is no record of its context",
        )
    return _recorded(view, number)


def scene_origin(origin: ChapterOrigin, scene: int) -> ContextManifest:
    """From what one scene of a chapter was written.

    Args:
        origin: The chapter's.
        scene: The scene's number, from 1.

    Raises:
        UsageError: The chapter has no such scene.
    """
    if not 1 <= scene <= len(origin.scenes):
        has = counted(len(origin.scenes), "scene")
        raise UsageError(
            f"There is no scene {scene} in chapter {origin.chapter}.", why=f"it has {has}"
        )
    return origin.scenes[scene - 1]


def _recorded(view: ProjectView, number: int) -> ChapterOrigin:
    """What the journal says of a chapter, or of the draft of which it was made.

    Raises:
        ProjectError: It says nothing, or what it says belongs to another text.
    """
    for name in (chapter_file(number), draft_file(number)):
        made = view.manifest.files.get(name)
        packs = made.params.get(PACKS) if made is not None else None
        if made is None or not packs or not view.exists(name):
            continue
        body = view.read_text(name).partition("\n\n")[2]
        models = tuple(made.params.get("models", ()))
        edited = made.is_own or view.state(name, {}).kind == "edited"
        # A chapter that was asked for at once has one context for all its scenes.
        if len(scenes_of(body)) != len(packs) and (edited or len(packs) > 1):
            break
        return ChapterOrigin(number, name, _manifests(name, packs), models, edited)
    raise ProjectError(
        f"There is no record of the context of chapter {number}.",
        why="it is older than these records, has other scenes since you edited it, or was merged or "
        "split by a command",
        fix=f"`libriscribe2 redo {view.paths.called} chapters --chapter {number}` writes it "
        "again and keeps a record.",
    )


def _manifests(name: str, packs: object) -> tuple[ContextManifest, ...]:
    """The manifests of a record.

    Raises:
        ProjectError: They cannot be read.
    """
    try:
        listed = packs if isinstance(packs, list) else [packs]
        return tuple(ContextManifest.model_validate(one) for one in listed)
    except ValidationError as error:
        raise ProjectError(
            f"The record of {name} cannot be read.", why="a newer version may have written it"
        ) from error
