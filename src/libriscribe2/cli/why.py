"""`libriscribe2 why`: from what a scene was written."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from libriscribe2.cli.frame import Frame, JsonOption, RequiredProjectArgument, command
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.calls import Call, load_calls, lost_dumps
from libriscribe2.commands.projects import look_at
from libriscribe2.context.scene_context import ContextManifest, ShownFact, ShownPart
from libriscribe2.context.scene_origin import ChapterOrigin, chapter_origin, scene_origin
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.project.paths import ProjectPaths, draft_file
from libriscribe2.wording import counted

_PLACE: Final = re.compile(
    r"(?:ch(?:apter)?)?0*(?P<chapter>\d{1,6})(?:\.(?:s(?:cene)?)?0*(?P<scene>\d{1,6}))?",
    re.IGNORECASE,
)

PlaceArgument = Annotated[
    str,
    typer.Argument(metavar="PLACE", help="A chapter, such as ch12, or a scene, such as ch12.s3."),
]


@command
def why(
    frame: Frame,
    project: RequiredProjectArgument,
    place: PlaceArgument,
    prompt: Annotated[
        bool, typer.Option("--prompt", help="Print the prompt of the scene instead.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show from what a scene was written.

    The parts of its prompt are listed, the facts and chapters in it, and the model. No model is
    asked and nothing is written.
    """
    renderer = frame.renderer
    chapter, scene = place_of(place)
    if prompt and scene is None:
        raise UsageError("Which scene's prompt?", fix=f"Name one, such as ch{chapter}.s1.")
    paths = frame.project(project)
    origin = chapter_origin(look_at(paths), chapter)
    wanted = origin.scenes if scene is None else (scene_origin(origin, scene),)
    calls = _calls_of(paths, wanted)
    if lost := lost_dumps(paths):
        renderer.warning(lost)
    told = _prompt(calls[0], wanted[0]) if prompt else []
    if as_json:
        scenes = [_record(one, call) for one, call in zip(wanted, calls, strict=True)]
        models = list(origin.models)
        about = {"project": paths.root.name, "chapter": chapter, "models": models, "scenes": scenes}
        renderer.data_json(about | ({"prompt": told} if prompt else {}))
    elif prompt:
        renderer.data("\n\n".join(f"== {one['role']}\n{one['content']}" for one in told))
    elif scene is None:
        _tell_chapter(renderer, origin)
    else:
        _tell_scene(renderer, origin, wanted[0], calls[0])


def place_of(typed: str) -> tuple[int, int | None]:
    """Chapter and scene that a user types: `ch12.s3`, `12.3` or `ch12`.

    Raises:
        UsageError: It is neither.
    """
    found = _PLACE.fullmatch(typed.strip())
    if found is None:
        raise UsageError(
            f"{typed!r} is no place in a book.", fix="Write ch12.s3 or 12.3 for a scene, or ch12."
        )
    scene = found["scene"]
    return int(found["chapter"]), None if scene is None else int(scene)


def _calls_of(paths: ProjectPaths, scenes: Sequence[ContextManifest]) -> list[Call | None]:
    """The dump of the request for each scene; None where it is gone."""
    found = {call.dump.key: call for call in reversed(load_calls(paths.debug))}
    return [found.get(scene.key) for scene in scenes]


def _prompt(call: Call | None, scene: ContextManifest) -> list[dict[str, str]]:
    """The messages of a request.

    Raises:
        ProjectError: Its dump is gone.
    """
    if call is None:
        raise ProjectError(
            f"The dump of scene {scene.scene}'s request is gone.",
            why=f"no file in the folder of the dumps has the key {scene.key}",
        )
    return [{"role": turn.role, "content": str(turn.content)} for turn in call.dump.prompt]


def _record(scene: ContextManifest, call: Call | None) -> dict[str, Any]:
    """A scene's origin as JSON."""
    dump = None if call is None else str(call.path)
    return {**scene.model_dump(mode="json"), "size": scene.size, "dump": dump}


def _tell_chapter(renderer: Renderer, origin: ChapterOrigin) -> None:
    """One line per scene."""
    rows = [
        (
            f"ch{origin.chapter}.s{one.scene}",
            f"{one.size:,}",
            ", ".join(_called(part) for part in one.parts if part.fit != "whole") or "nothing",
            len(one.facts),
            _numbers(one.chapters),
        )
        for one in origin.scenes
    ]
    renderer.table(("scene", "characters", "cut or left out", "facts", "from chapters"), rows)
    _remark(renderer, origin, origin.scenes)


def _tell_scene(
    renderer: Renderer, origin: ChapterOrigin, scene: ContextManifest, call: Call | None
) -> None:
    """Parts, facts, and the request."""
    renderer.table(("part", "characters", "shown", "from chapters"), _part_rows(scene.parts))
    if scene.facts:
        renderer.data("")
        columns = ("entity", "attribute", "value", "chapter:line", "quote")
        renderer.table(columns, [_fact_row(fact) for fact in scene.facts])
    renderer.data("")
    renderer.panel(
        f"ch{origin.chapter}.s{scene.scene}",
        {
            "written from": f"{scene.size:,} of at most {scene.budget:,} characters",
            "chapters": _numbers(scene.chapters) or "none: from its plan",
            "drafting": scene.drafting,
            "model": call.dump.model if call is not None else ", ".join(origin.models),
            "key": scene.key,
            "dump": str(call.path) if call is not None else "gone",
        },
    )
    _remark(renderer, origin, (scene,))


def _called(part: ShownPart) -> str:
    """A part in words; in the prompt it stands below its own name."""
    return "next scene" if part.name == "next" else part.name.replace("_", " ")


def _part_rows(parts: tuple[ShownPart, ...]) -> list[tuple[object, ...]]:
    """The parts of a prompt as rows of a table."""
    return [(one.name, f"{one.size:,}", one.fit, _numbers(one.chapters)) for one in parts]


def _fact_row(fact: ShownFact) -> tuple[object, ...]:
    where = f"{fact.file or fact.chapter}:{fact.line}"
    return fact.entity, fact.attribute, fact.value, where, fact.quote


def _numbers(chapters: tuple[int, ...]) -> str:
    """Numbers of chapters in words: `1-4, 7`."""
    runs: list[list[int]] = []
    for number in chapters:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _remark(renderer: Renderer, origin: ChapterOrigin, scenes: Sequence[ContextManifest]) -> None:
    """What a reader of the table has to know."""
    then = scenes[0].chapter
    if then != origin.chapter:
        renderer.note(
            f"It was written as chapter {then}; the chapters are numbered as they were then."
        )
    if origin.file == draft_file(origin.chapter):
        renderer.note("This is the draft; the chapter's opening was written anew after it.")
    facts, size = sum(len(one.facts) for one in scenes), sum(one.size for one in scenes)
    of = f"{counted(len(scenes), 'scene')}: " if len(scenes) > 1 else ""
    renderer.note(f"{of}{counted(facts, 'fact')} of the story bible, {size:,} characters.")
