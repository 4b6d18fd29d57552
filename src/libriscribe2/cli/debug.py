"""`libriscribe2 debug` and `why`: what the models answered, and from what a scene was written."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from libriscribe2.cli.frame import Frame, RequiredProjectArgument, command_group, command_with_json
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.calls import (
    STATES,
    Call,
    CallFilter,
    all_calls,
    call_numbered,
    calls_to_replay,
    lost_dumps,
    problems_first,
    stats_of,
    whole_call,
)
from libriscribe2.commands.noting import place_of
from libriscribe2.commands.projects import look_at
from libriscribe2.commands.reply_replay import (
    Piece,
    Replayed,
    first_difference,
    raw_against_clean,
    replay,
)
from libriscribe2.context.prompt_parts import ContextManifest, ShownFact, ShownPart
from libriscribe2.context.scene_origin import ChapterOrigin, chapter_origin, scene_origin
from libriscribe2.errors import IncompleteError, ProjectError, UsageError
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import ProjectPaths, draft_file
from libriscribe2.wording import cost, counted

app = command_group("debug", "Inspect the replies of the models and how they were read.")

NumberArgument = Annotated[int, typer.Argument(metavar="N", min=1, help="Number of the dump.")]


_STATES: Final = ", ".join(STATES)


@app.command("list")
@command_with_json
def list_calls(
    frame: Frame,
    project: RequiredProjectArgument,
    agent: Annotated[str, typer.Option("--agent", help="Only this agent's calls.")] = "",
    stage: Annotated[str, typer.Option("--stage", help="Only this stage's calls.")] = "",
    model: Annotated[str, typer.Option("--model", help="Only this model's calls.")] = "",
    issue: Annotated[str, typer.Option("--issue", help="Only calls with this issue.")] = "",
    state: Annotated[
        str, typer.Option("--state", help="refused, damaged, old, repaired or clean.")
    ] = "",
    text: Annotated[
        str, typer.Option("--text", help="Only calls whose line contains this text.")
    ] = "",
) -> None:
    """List the calls of a book, problems first."""
    renderer = frame.renderer
    paths = frame.project(project)
    if state and state.casefold() not in STATES:
        raise UsageError(f"There is no state {state!r}.", fix=f"Choose one of {_STATES}.")
    calls = all_calls(paths)
    wanted = CallFilter(agent, stage, model, state, issue, text)
    found = problems_first(call for call in calls if wanted.fits(call))
    if lost := lost_dumps(paths):
        renderer.warning(lost)
    if renderer.told_json({"project": paths.root.name, "calls": [one.as_row() for one in found]}):
        return
    columns = ("file", "step", "try", "model", "state", "issues", "cost")
    renderer.table(columns, [_row(call) for call in found])
    problems = sum(call.is_problem for call in found)
    of = f" of {len(calls):,}" if len(found) < len(calls) else ""
    renderer.note(f"{counted(len(found), 'call')}{of}, {counted(problems, 'problem')}.")


@app.command()
@command_with_json
def show(frame: Frame, project: RequiredProjectArgument, number: NumberArgument) -> None:
    """Show one call: prompt, reply, what was read from it and what was wrong."""
    renderer = frame.renderer
    call = call_numbered(frame.project(project), number)
    if renderer.told_json(whole_call(call)):
        return
    dump = call.dump
    renderer.panel(
        call.path.name,
        {
            "state": f"{call.state}: {call.fault}" if call.fault else call.state,
            "agent": f"{dump.agent_name}, attempt {dump.attempt}",
            "step": dump.step,
            "model": dump.model,
            "at": dump.timestamp,
            "read by": dump.extraction_method,
            "issues": ", ".join(call.issues) or "none",
            "finish": dump.finish_reason or "not recorded",
            "cost": cost(dump.cost_usd),
        },
    )
    for turn in dump.prompt:
        renderer.data(f"\n== {turn.role}\n{turn.content}")
    renderer.data(f"\n== reply\n{dump.raw_response}")
    if dump.feedback:
        renderer.data(f"\n== refused, with this feedback to the model\n{dump.feedback}")


@app.command()
@command_with_json
def diff(frame: Frame, project: RequiredProjectArgument, number: NumberArgument) -> None:
    """Compare a raw reply with what was read from it.

    Removed text is shown as [-...-], text added by a repair as {+...+}.
    """
    renderer = frame.renderer
    call = call_numbered(frame.project(project), number)
    pieces = raw_against_clean(call)
    if renderer.as_json:
        listed = None if pieces is None else [[one.kind, one.text] for one in pieces]
        renderer.data_json({"file": call.path.name, "state": call.state, "pieces": listed})
    elif pieces is None:
        renderer.data(f"[-{call.dump.raw_response}-]")
        renderer.note(f"{call.path.name} is {call.state}: {_why_nothing(call)}.")
    else:
        renderer.data("".join(map(_marked, pieces)))
        if all(piece.kind == "same" for piece in pieces):
            renderer.note("Nothing was removed and nothing was repaired.")


@app.command("replay")
@command_with_json
def replay_calls(
    frame: Frame,
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="A project, a dump, or a folder of dumps.")
    ],
) -> None:
    """Read stored replies again, and show what would be read differently today.

    No model is asked and nothing is written. The exit code is 5 if anything differs.
    """
    renderer = frame.renderer
    outcomes = [replay(call) for call in calls_to_replay(target)]
    if renderer.as_json:
        _tell_replay_json(renderer, outcomes)
    else:
        _tell_replay(renderer, outcomes)
    differing = sum(one.likeness == "differs" for one in outcomes)
    if differing:
        raise IncompleteError(
            f"{counted(differing, 'reply', 'replies')} would be read differently today",
            why="the cleanup pipeline or a schema has changed since",
        )


@app.command()
@command_with_json
def stats(frame: Frame, project: RequiredProjectArgument) -> None:
    """Show how many replies could be read: four rates, per agent and model."""
    renderer = frame.renderer
    paths = frame.project(project)
    rates, unread = stats_of(paths)
    if lost := lost_dumps(paths):
        renderer.warning(lost)
    if renderer.as_json:
        listed = [{**one, "rate": one["count"] / one["of"] if one["of"] else None} for one in rates]
        renderer.data_json({"project": paths.root.name, "rates": listed, "unread_dumps": unread})
        return
    rows = [
        (one["name"], one["count"], one["of"], _percent(one), one["agent"], one["model"])
        for one in rates
    ]
    renderer.table(("rate", "count", "of", "share", "agent", "model"), rows)
    if unread:
        renderer.warning(f"{counted(unread, 'dump')} cannot be read and is not counted.")


def _row(call: Call) -> tuple[object, ...]:
    dump = call.dump
    told = f"{call.state}: {call.fault}" if call.fault else call.state
    issues = ", ".join(call.issues)
    return call.path.name, dump.step, dump.attempt, dump.model, told, issues, cost(dump.cost_usd)


def _marked(piece: Piece) -> str:
    """A piece in the notation of wdiff."""
    if piece.kind == "same":
        return piece.text
    return f"[-{piece.text}-]" if piece.kind == "gone" else f"{{+{piece.text}+}}"


def _why_nothing(call: Call) -> str:
    if call.fault:
        return call.fault
    return "nothing was read from it" if call.state == "refused" else "its dump has no clean value"


def _tell_replay_json(renderer: Renderer, outcomes: list[Replayed]) -> None:
    counts = {name: _count(outcomes, name) for name in ("same", "differs", "not replayed")}
    renderer.data_json({"counts": counts, "calls": [one.as_record() for one in outcomes]})


def _tell_replay(renderer: Renderer, outcomes: list[Replayed]) -> None:
    rows = [
        (one.call.path.name, one.likeness, _what_differs(one))
        for one in outcomes
        if one.likeness != "same"
    ]
    renderer.table(("file", "replay", "what"), rows)
    same, skipped = _count(outcomes, "same"), _count(outcomes, "not replayed")
    renderer.note(f"{same:,} of {len(outcomes):,} are read the same, {skipped:,} not replayed.")


def _what_differs(one: Replayed) -> str:
    if one.reason:
        return one.reason
    found = (first_difference(change.field, change.then, change.now) for change in one.changes)
    return "; ".join(f"{at.path}: {at.then} is now {at.now}" for at in found)


def _count(outcomes: list[Replayed], likeness: str) -> int:
    return sum(one.likeness == likeness for one in outcomes)


def _percent(rate: dict[str, object]) -> str:
    count, of = rate["count"], rate["of"]
    return f"{count / of:.1%}" if isinstance(count, int) and isinstance(of, int) and of else ""


PlaceArgument = Annotated[
    str,
    typer.Argument(metavar="PLACE", help="A chapter, such as ch12, or a scene, such as ch12.s3."),
]


@command_with_json
def why(
    frame: Frame,
    project: RequiredProjectArgument,
    place: PlaceArgument,
    prompt: Annotated[
        bool, typer.Option("--prompt", help="Print the prompt of the scene instead.")
    ] = False,
) -> None:
    """Show the context a scene was written from.

    Lists the parts of its prompt, the facts and chapters in it, and the model. No model is asked
    and nothing is written.
    """
    renderer = frame.renderer
    chapter, scene = place_of(place)
    paths = frame.project(project)
    origin = chapter_origin(look_at(paths), chapter)
    if origin.edited:
        renderer.note(f"{origin.file}: edited by you since; this is what it was written from.")
    if prompt and scene is None:
        raise UsageError("Which scene's prompt?", fix=f"Name one, such as ch{chapter}.s1.")
    wanted = origin.scenes if scene is None else (scene_origin(origin, scene),)
    calls = _calls_of(paths, wanted)
    for number in Book(look_at(paths)).touched_scenes(chapter):
        renderer.note(f"The plan of scene {number} has changed since it was written.")
    if lost := lost_dumps(paths):
        renderer.warning(lost)
    told = _prompt(calls[0], wanted[0]) if prompt else []
    if renderer.as_json:
        scenes = [_origin_record(one, call) for one, call in zip(wanted, calls, strict=True)]
        models = list(origin.models)
        about = {"project": paths.root.name, "chapter": chapter, "models": models, "scenes": scenes}
        renderer.data_json(about | ({"prompt": told} if prompt else {}))
    elif prompt:
        renderer.data("\n\n".join(f"== {one['role']}\n{one['content']}" for one in told))
    elif scene is None:
        _tell_chapter(renderer, origin)
    else:
        _tell_scene(renderer, origin, wanted[0], calls[0])


def _calls_of(paths: ProjectPaths, scenes: Sequence[ContextManifest]) -> list[Call | None]:
    """The dump of the request for each scene; None where it is gone."""
    found = {call.dump.key: call for call in reversed(all_calls(paths))}
    return [found.get(scene.key) for scene in scenes]


def _prompt(call: Call | None, scene: ContextManifest) -> list[dict[str, str]]:
    """The messages of a request.

    Raises:
        ProjectError: Its dump is gone.
    """
    if call is None:
        raise ProjectError(
            f"The dump of scene {scene.scene}'s request is gone.",
            why=f"no dump has the key {scene.key}",
        )
    return [{"role": turn.role, "content": str(turn.content)} for turn in call.dump.prompt]


def _origin_record(scene: ContextManifest, call: Call | None) -> dict[str, Any]:
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
    renderer.table(("part", "characters", "shown", "from chapters"), _part_rows(scene))
    if scene.facts:
        renderer.data("")
        columns = ("entity", "attribute", "value", "chapter:line", "quote")
        renderer.table(columns, [_fact_row(fact) for fact in scene.facts])
    renderer.data("")
    renderer.panel(
        f"ch{origin.chapter}.s{scene.scene}",
        {
            "context": f"{scene.size:,} of at most {scene.budget:,} characters",
            "chapters": _numbers(scene.chapters) or "none: its plan",
            "drafting": scene.drafting,
            "model": call.dump.model if call is not None else ", ".join(origin.models),
            "key": scene.key,
            "dump": str(call.path) if call is not None else "gone",
        },
    )
    _remark(renderer, origin, (scene,))


def _called(part: ShownPart) -> str:
    """A part in words; in the prompt it stands below its own name."""
    return _PARTS.get(part.name, part.name.replace("_", " "))


_PARTS: Final = {"next": "next scene", "ahead": "later chapters", "habits": "overused phrases"}


def _part_rows(scene: ContextManifest) -> list[tuple[object, ...]]:
    """The parts of a prompt as rows of a table."""
    return [
        (_called(one), f"{one.size:,}", _shown(one, scene.budget), _numbers(one.chapters))
        for one in scene.parts
    ]


def _shown(part: ShownPart, most: int) -> str:
    """How much of a part is shown, and what keeps the rest out."""
    own = f"it has at most {part.room:,}" if part.room else "it has no more room"
    why = {
        "cut": f"shortened: {own}",
        "trimmed": f"shortened: all parts have at most {most:,}",
        "left out": f"left out: {own if part.room else 'the others need the room'}",
    }
    return why.get(part.fit, part.fit)


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
        renderer.note(f"It was written as chapter {then}; chapter numbers are those of that time.")
    if origin.file == draft_file(origin.chapter):
        renderer.note("This is the draft; the chapter's opening was rewritten after it.")
    facts, size = sum(len(one.facts) for one in scenes), sum(one.size for one in scenes)
    of = f"{counted(len(scenes), 'scene')}: " if len(scenes) > 1 else ""
    renderer.note(f"{of}{counted(facts, 'fact')} from the story bible, {size:,} characters.")
