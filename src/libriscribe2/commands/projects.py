"""From what a user names to a project, its settings, its brief and its stages."""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_passage_evaluator import PassageEvaluator
from libriscribe2.checks.plan.plan_report import allowances
from libriscribe2.engine.stages import all_stages, find_stage, stages_of, up_to
from libriscribe2.errors import ConfigError, ProjectError, UsageError
from libriscribe2.llm.providers import DEMO_MODEL, DEMO_NAMES, ModelChoice
from libriscribe2.models.brief import Brief
from libriscribe2.project.artifacts import check_chapter
from libriscribe2.project.atomic import is_file, storage_errors
from libriscribe2.project.book_file import read_book_toml
from libriscribe2.project.legacy import ConvertedView, convert, is_legacy, read_legacy
from libriscribe2.project.paths import (
    BOOK_TOML,
    PROJECT_DATA,
    STATE,
    ProjectPaths,
    check_project_name,
    project_name_from,
)
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import is_project, peek
from libriscribe2.settings.loading import Loaded, load_for_project
from libriscribe2.settings.schema import ModelsConfig, Settings, StageModel
from libriscribe2.settings.trust import ANY_ADDRESS
from libriscribe2.wording import plain_fault, stage_name


def settings_of(root: Path | None, flags: Mapping[str, Any], *, mock: bool = False) -> Settings:
    """The settings in force for the project in `root`, or for none, as `loaded_for` has them."""
    return loaded_for(root, flags, mock=mock).settings


def loaded_for(root: Path | None, flags: Mapping[str, Any], *, mock: bool = False) -> Loaded:
    """The settings in force for the project in `root`, or for none, with what is to be said of them.

    Args:
        root: The project's folder, or None.
        flags: Values of the command line by dotted key.
        mock: Whether every stage uses the stand-in author, whatever its own model is.

    Raises:
        ConfigError: A file or a variable cannot be used.
        UsageError: The command line names no model after --model, or another one beside the
            stand-in author.
    """
    named = flags.get("models.default")
    if named is not None and not named.strip(" ,\t\n"):
        raise UsageError(
            "--model has no value.",
            fix="Name one, such as openai/gpt-5.4-mini, or leave --model out.",
        )
    if mock and named and named not in DEMO_NAMES:
        raise UsageError(
            f"--mock and --model {named!r} contradict each other.",
            why="--mock is the same as --model demo.",
            fix="Leave out one of them.",
        )
    names = stage_names()
    loaded = load_for_project(root, environ=os.environ, flags=flags, stages=names)
    stand_in = ModelsConfig(default=StageModel(model=DEMO_MODEL))
    settings = loaded.settings.model_copy(update={"models": stand_in}) if mock else loaded.settings
    return replace(loaded, settings=settings)


def kept_settings(settings: Settings, choice: ModelChoice) -> dict[str, dict[str, Any]]:
    """What a book keeps of the settings that it was begun with: model, caps, evaluator.

    A model whose name is an address stays the user's: no book may name one.
    """
    budget = settings.budget
    caps = {"max_cost": budget.max_cost, "max_calls": budget.max_calls}
    given = {name: cap for name, cap in caps.items() if cap is not None}
    kept: dict[str, dict[str, Any]] = {}
    if not ANY_ADDRESS.search(choice.model):
        kept["models"] = {"default": {"model": choice.model}}
    if given:
        kept["budget"] = given
    if settings.pipeline.whole_chapters:
        kept["pipeline"] = {"whole_chapters": True}
    if settings.revision.evaluator:
        kept["revision"] = {"evaluator": True}
    return kept


def open_project(store: ProjectStore) -> Brief:
    """The brief of a project; one of the original LibriScribe2 is converted first.

    Raises:
        ConfigError: A key of `book.toml` is unknown or a value is wrong.
        ProjectError: The project cannot be read.
    """
    if is_legacy(store.paths):
        convert(store)
    return read_brief(store.paths)


def look_at(paths: ProjectPaths) -> ProjectView:
    """A project as it is, or as it will be once it is converted; nothing is written.

    Raises:
        ProjectError: There is no project, or it cannot be read.
        StorageError: A file cannot be read.
    """
    view = peek(paths)
    return ConvertedView(view) if is_legacy(paths) else view


def locate(typed: str | None, named: str | None, settings: Settings) -> ProjectPaths:
    """The project that a command line names.

    Args:
        typed: The PROJECT argument: a name, or the path of a folder.
        named: The value of --project-name.
        settings: Say where projects lie.

    Raises:
        UsageError: No project was named.
        ProjectError: There is no such project.
        StorageError: The folder cannot be read.
    """
    project = typed or named
    if not project:
        raise UsageError("Which project?", fix="Name one: `libriscribe2 status PROJECT`.")
    found = None if _is_path(project) else _begun_with(project, settings)
    if found is not None:
        return found
    root = (
        Path(os.path.realpath(project))
        if _is_path(project)
        else settings.projects_dir / check_project_name(project)
    )
    with storage_errors("read", root):
        is_there = root.is_dir()
        others = [] if is_there else _projects(settings.projects_dir)
    if is_there:
        typed = project if _is_path(project) else ""
        return _at(root, settings, typed)
    folded = {other.casefold(): other for other in others}
    close = get_close_matches(root.name.casefold(), folded, n=1)
    raise ProjectError(
        f"There is no project {project!r} in {root.parent}.",
        fix=f"Did you mean {folded[close[0]]!r}?"
        if close
        else "Start one with `libriscribe2 create`.",
    )


def book_at(typed: str, settings: Settings) -> ProjectPaths:
    """The book to which a whole path leads that was typed or pasted where no shell reads it.

    Args:
        typed: The path of the book's folder, or of a file in it; it may begin with `~`, and stand
            in quotation marks, as file managers copy it.
        settings: Say where dumps lie.

    Raises:
        UsageError: There is no book.
        StorageError: The folder cannot be read.
    """
    bare = typed.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'":
        bare = bare[1:-1]
    path = Path(bare)
    with suppress(RuntimeError):  # nobody is called so: then it is no whole path
        path = path.expanduser()
    if path.is_absolute():
        with storage_errors("read", path):
            folders = path.parents if is_file(path) else (path,)
        for root in folders:
            paths = ProjectPaths(root, settings.debug_dir / root.name, str(root))
            if is_project(paths):
                return paths
    raise UsageError(
        f"There is no book at {path}." if bare else "Which book?",
        why=f"The folder of a book holds {BOOK_TOML}, or the {PROJECT_DATA} of the original LibriScribe2",
        fix="Give the whole path of such a folder, or of a file in it.",
    )


def here(settings: Settings) -> ProjectPaths | None:
    """The project in whose folder the command is run, else the only one there is; None: neither.

    Raises:
        StorageError: The folder of the projects cannot be read.
    """
    folder = Path.cwd()
    root = next((one for one in (folder, *folder.parents) if _is_project(one)), None)
    if root is not None:
        return _at(root, settings, os.path.relpath(root))
    names = project_names(settings)
    if len(names) != 1:
        return None
    return ProjectPaths(settings.projects_dir / names[0], settings.debug_dir / names[0])


def _at(root: Path, settings: Settings, typed: str) -> ProjectPaths:
    """The project in a folder; named from inside, its dumps are where they are from outside."""
    base, shelf = Path(), settings.projects_dir
    if Path.cwd().is_relative_to(root) and not shelf.is_absolute():
        is_shelved = root.parent.parts[-len(shelf.parts) :] == shelf.parts
        base = root.parents[len(shelf.parts)] if is_shelved else root.parent
    return ProjectPaths(root, base / settings.debug_dir / root.name, typed)


def project_names(settings: Settings) -> list[str]:
    """The names of the books there are.

    Raises:
        StorageError: The folder of the projects cannot be read.
    """
    folder = settings.projects_dir
    with storage_errors("read", folder):
        return sorted(name for name in _projects(folder) if _is_project(folder / name))


def _is_project(folder: Path) -> bool:
    """Whether a folder holds a book: one of this program, or of the original LibriScribe2."""
    known = (folder / STATE).is_dir() and (folder / BOOK_TOML).is_file()
    return known or (folder / PROJECT_DATA).is_file()


def _begun_with(typed: str, settings: Settings) -> ProjectPaths | None:
    """The one project whose name begins so; None where a project is called just that, or none is.

    Raises:
        UsageError: Several begin so.
        StorageError: The folder of the projects cannot be read.
    """
    exact = settings.projects_dir / typed
    with storage_errors("read", exact):
        if exact.is_dir():
            return None
    inside = here(settings)
    if inside is not None and inside.root.name.startswith(typed):
        return inside
    names = project_names(settings)
    begun = [name for name in names if name.startswith(typed)]
    if len(begun) > 1:
        raise UsageError(
            f"{len(begun)} projects begin with {typed!r}.", fix=f"Name one: {', '.join(begun)}."
        )
    if not begun:
        return None
    return ProjectPaths(settings.projects_dir / begun[0], settings.debug_dir / begun[0])


def new_paths(
    brief: Brief,
    settings: Settings,
    name: str | None,
    *,
    may_hold: Callable[[Path], bool] = lambda _root: False,
) -> ProjectPaths:
    """Where the new project goes.

    Args:
        brief: Gives the name where there is none.
        settings: Say where projects lie.
        name: The folder's name, or None.
        may_hold: Whether a folder that is there and holds something can be gone on with.

    Raises:
        UsageError: The name cannot be used.
        ProjectError: There is a project of that name.
        StorageError: The folder cannot be read.
    """
    folder = check_project_name(name) if name else _short_name(brief, settings)
    root = settings.projects_dir / folder
    paths = ProjectPaths(root, settings.debug_dir / folder)
    with storage_errors("read", root):
        holds = root.exists() and any(path.name != STATE for path in root.iterdir())
    if holds and not may_hold(root):
        raise ProjectError(
            f"There is a project {folder!r} already.",
            fix=f"Continue with `libriscribe2 resume {paths.called}`, or choose another --project-name.",
        )
    return paths


_SHORT: Final = 28


def _short_name(brief: Brief, settings: Settings) -> str:
    """A name that can be typed, made from the title or the premise; another book's gets a number."""
    name = project_name_from(brief.title or brief.premise, _SHORT)
    there = settings.projects_dir / name / BOOK_TOML
    if not there.is_file() or read_book_toml(there).get("book", {}).get("premise") == brief.premise:
        return name
    return free_name(settings, name)


def free_name(settings: Settings, name: str) -> str:
    """The name, or with `-2` and so on where there is such a project already."""
    number, free = 1, name
    while (settings.projects_dir / free).exists():
        number += 1
        free = f"{name}-{number}"
    return free


def read_brief(paths: ProjectPaths) -> Brief:
    """The brief in a project's `book.toml`, or in what the original LibriScribe2 kept.

    Raises:
        ConfigError: A key is unknown or a value is wrong; the error names both.
        ProjectError: The file is missing or unreadable.
    """
    old = read_legacy(paths.root).brief if is_legacy(paths) else None
    table = read_book_toml(paths.book_toml).get("book", {}) if old is None else old
    try:
        brief = Brief.model_validate(table)
    except ValidationError as error:
        raise _bad_brief(paths, error) from error
    allowances(brief.allow)
    return brief


def _is_path(project: str) -> bool:
    """Whether it is a folder that is named; the shell's completion leaves a slash at the end."""
    return project in (".", "..") or any(
        mark in project for mark in ("/", os.sep, os.altsep or os.sep)
    )


def _projects(folder: Path) -> list[str]:
    """The names of the projects in a folder."""
    return [path.name for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []


def _bad_brief(paths: ProjectPaths, error: ValidationError) -> ConfigError:
    """The first fault of a brief."""
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    close = get_close_matches(key, Brief.model_fields, n=1)
    unknown = first["type"] == "extra_forbidden"
    known = ", ".join(Brief.model_fields)
    if first["type"] == "missing":
        return ConfigError(
            f"{paths.root / BOOK_TOML}: [book] {key} is missing",
            fix=f'Write it below a line `[book]`: `{key} = "..."`.',
        )
    return ConfigError(
        f"{paths.root / BOOK_TOML}: [book] {key}: {'unknown key' if unknown else plain_fault(first)}",
        fix=(f"Did you mean {close[0]!r}?" if close else f"Known keys: {known}.")
        if unknown
        else f"Correct {key} in {BOOK_TOML}.",
    )


_SWITCHES: Final = {
    "title": ("--auto-title without --title", "auto_title = true"),
    "world": ("--worldbuilding", "worldbuilding = true"),
    "characters": ("--characters N", "characters = N"),
    "research": ("--research", "research = true"),
    "canon": ("--story-bible, for fiction", "story_bible = true"),
    "drafts": ("--drafting parallel", 'drafting = "parallel"'),
}
"""What has the book get a stage that not every book has: at `create`, and in `book.toml`."""


_PLAN: Final = "plan"
"""How the command line also calls the stage that completes the plan."""


def stage_names() -> tuple[str, ...]:
    """Every name under which settings know a stage, or the evaluator, which is none."""
    return _names((*all_stages(), PassageEvaluator))


def wanted_stages(brief: Brief, until: Iterable[str] = ()) -> tuple[type[Agent], ...]:
    """The stages of a run.

    Args:
        brief: Says which stages the book has.
        until: Stages to run up to; none means all.

    Raises:
        UsageError: There is no such stage, or this book has none of that name.
    """
    stages = stages_of(brief)
    ends = [stage_called(name, stages) for name in until]
    if not ends:
        return stages
    kept = {agent.name for end in ends for agent in up_to(end.name, stages)}
    return tuple(agent for agent in stages if agent.name in kept)


_CHAPTER: Final = re.compile(r"chapter:(\d{1,6})")


def _last_chapter(until: str | None) -> int | None:
    """The number in `chapter:5`; None where it is no such word."""
    found = _CHAPTER.fullmatch(until or "")
    return None if found is None else int(found[1])


def _up_to_chapter(stages: Iterable[type[Agent]], last: int) -> frozenset[str]:
    """The files of the plan, and those of chapters up to one."""
    return frozenset(
        unit.output
        for agent in stages
        if agent.asks_model
        for unit in (
            map(agent.unit, range(1, last + 1)) if agent.per_chapter() else (agent.unit(),)
        )
    )


def stages_up_to(
    brief: Brief, until: Iterable[str], planned: int = 0
) -> tuple[tuple[type[Agent], ...], frozenset[str] | None]:
    """The stages of a run that ends with some stages, or with a chapter such as `chapter:5`.

    Args:
        brief: Says which stages the book has.
        until: The names; none means all.
        planned: How many chapters the outline has; 0 where there is none yet.

    Returns:
        The stages, and the files that alone are made; None for all of theirs.

    Raises:
        UsageError: The book has no such stage or chapter.
    """
    ends = tuple(until)
    last = max((n for one in ends if (n := _last_chapter(one)) is not None), default=None)
    if last is None:
        return wanted_stages(brief, ends), None
    if last and (most := planned or brief.chapter_range().high):
        check_chapter(last, most)
    stages = wanted_stages(brief, [] if last else [_PLAN])
    return stages, _up_to_chapter(stages, last) if last else None


def stage_called(name: str, stages: Iterable[type[Agent]]) -> type[Agent]:
    """The stage of that name, or of one of its other names.

    Raises:
        UsageError: The book has none; one that is only switched off says how to switch it on.
    """
    known = tuple(stages)
    found = _named(name, known)
    if found is not None:
        return found
    listed = ", ".join(_listed(agent) for agent in known)
    switched_off = _named(name, all_stages())
    if switched_off is not None:
        raise UsageError(
            f"This book has no stage {name!r}: it is switched off.",
            fix=f"{_switch(switched_off.name)}Its stages are {listed}.",
        )
    close = get_close_matches(name, _names(known), n=1)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    raise UsageError(
        f"This book has no stage {name!r}.",
        fix=f"{hint}Its stages are {listed}.",
    )


def _named(name: str, stages: Iterable[type[Agent]]) -> type[Agent] | None:
    """The stage that is known under a name."""
    known, name = tuple(stages), re.sub(r"[ -]", "_", name)
    called = (agent for agent in known if name in agent.also_called)
    return find_stage(name, known) or next(called, None)


def _names(stages: Iterable[type[Agent]]) -> tuple[str, ...]:
    """Every name under which the stages are known."""
    return tuple(name for agent in stages for name in (agent.name, *agent.also_called))


def _listed(agent: type[Agent]) -> str:
    """A stage's name with the word for all that is there once it is done."""
    name = stage_name(agent.name)
    return f"{name} ({_PLAN})" if _PLAN in agent.also_called else name


def _switch(stage: str) -> str:
    """How the author gets a stage; empty where nothing is known of it."""
    if stage not in _SWITCHES:
        return ""
    option, line = _SWITCHES[stage]
    return f"Switch it on: {option} at `create`, or `{line}` in {BOOK_TOML}. "
