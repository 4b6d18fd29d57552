"""What somebody has to paste before a book whose model is a chat window gets further."""

from collections import Counter
from collections.abc import Sequence

from libriscribe2.agents.agent_base import Agent
from libriscribe2.engine.stages import RunDecision, book_status
from libriscribe2.errors import UsageError
from libriscribe2.llm.backends.manual import INDEX, Pastes
from libriscribe2.llm.backends.paste import Paste
from libriscribe2.llm.providers import MANUAL_MODEL, is_recorded
from libriscribe2.models.brief import Brief
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.project_view import ProjectView
from libriscribe2.settings.schema import ModelsConfig, Settings, StageModel

_SHARED = {"canon": 0, "world": 0}
"""Stages that share a paste with another one."""

_CONCEPT, _REVISED, _PLANS = 4, 3, 3
"""Pastes of the concept, and of a chapter that is revised; chapters whose scenes share one."""


def waiting_requests(view: ProjectView) -> list[Paste]:
    """The pastes that wait for a reply; none where no run has asked for any.

    Raises:
        ProjectError: The list of them is damaged.
        StorageError: A file cannot be read.
    """
    if not view.paths.resolve(INDEX).is_file():
        return []
    return Pastes(view.paths).waiting(view.manifest)


def pastes_left(stages: Sequence[type[Agent]], brief: Brief, view: ProjectView) -> int:
    """About how many pastes the book still takes, those that wait included."""
    by_name = {agent.name: agent for agent in stages}
    answered = {
        step
        for paste in Pastes(view.paths).all
        for key, step in zip(paste.keys, paste.steps, strict=True)
        if view.manifest.reply(key) is not None
    }
    done = Counter(step.partition("/")[0] for step in answered)
    chapters = Book(view).chapters() or brief.chapter_range().middle()
    due = [one for one in book_status(stages, brief, view) if one.runs]
    return sum(_pastes(one, by_name[one.unit.stage], brief, chapters, done) for one in due)


def _pastes(
    due: RunDecision, agent: type[Agent], brief: Brief, chapters: int, done: Counter[str]
) -> int:
    """About how many pastes a unit takes, or all units of a stage that is not divided yet."""
    match agent.name:
        case "concept":
            return _CONCEPT - done["concept"]
        case "scenes":
            return max(1, -(-chapters // _PLANS) - done["scenes"])
        case "chapters":
            each = _REVISED if brief.revision else 1
        case _:
            each = _SHARED.get(agent.name, 1) if agent.asks_model and not agent.made_where else 0
    return each * (chapters if agent.per_chapter() and due.unit.chapter is None else 1)


def settings_by_hand(settings: Settings, paths: ProjectPaths) -> Settings:
    """The settings by which a book goes on by hand, and asks no other model by mistake.

    Raises:
        UsageError: No model of the book is `manual`, and nobody was asked to answer for it.
    """
    if asks_by_hand(settings):
        return settings
    if not paths.resolve(INDEX).is_file():
        model = settings.models.default.model
        raise UsageError(
            f"{paths.root.name} does not wait for a chat window",
            why=f"its model is {model!r}" if model else "no model of it is `manual`",
            fix=f"`libriscribe2 answer {paths.called} --model {MANUAL_MODEL}` goes on by hand.",
        )
    first = settings.models.default.model
    # Of a book that is played only what the recording lacks is asked.
    names = (first, MANUAL_MODEL) if is_recorded(first) else (MANUAL_MODEL,)
    by_hand = ModelsConfig(default=StageModel(model=names[0], fallbacks=names[1:]))
    return settings.model_copy(update={"models": by_hand})


def asks_by_hand(settings: Settings, *, alone: bool = False) -> bool:
    """Whether a model is `manual`, or, with `alone`, whether every one is."""
    models = (settings.models.default, *settings.models.stages().values())
    named = [name for one in models for name in (one.model, *one.fallbacks) if name]
    return MANUAL_MODEL in named and not (alone and {*named} - {MANUAL_MODEL})


def check_not_by_hand(settings: Settings) -> None:
    """Refuse the model `manual` where many books are written at once.

    Raises:
        UsageError: It is one of the models.
    """
    if asks_by_hand(settings):
        raise UsageError(
            "A batch cannot ask the model 'manual'",
            why="a person pastes its replies, book by book",
            fix="Choose another --model, or `libriscribe2 create --model manual`.",
        )
