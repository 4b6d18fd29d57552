"""The questions of `create` on a terminal, and what it would take, before anything is paid for."""

import os
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from libriscribe2.cli.frame import local_servers
from libriscribe2.cli.questions import Check, Questions
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.new_book import (
    WORDS_OF_A_PAGE,
    brief_from,
    option_of,
    read_samples,
    read_sources,
)
from libriscribe2.errors import LibriScribeError
from libriscribe2.forecast.quote import Quote
from libriscribe2.llm.default_model import choose_model
from libriscribe2.llm.providers import MANUAL_MODEL, PROVIDERS, configured_provider
from libriscribe2.models.brief import SIZES, Brief
from libriscribe2.models.languages import UNKNOWN, language_of
from libriscribe2.wording import cost, counted, duration, plain_fault

_FICTION: Final = (
    *("Fantasy", "Science fiction", "Mystery", "Thriller", "Romance", "Historical", "Horror"),
    *("Literary", "Adventure", "Young adult"),
)
_NON_FICTION: Final = (
    *("Guide", "Business", "History", "Science", "Biography", "Self-help", "Travel", "Cookbook"),
)
_KINDS: Final = ("fiction", "non-fiction")
_VOICES: Final[tuple[tuple[str, dict[str, str]], ...]] = (
    ("as the story asks for", {}),
    ("third person, past tense", {"person": "third person", "tense": "past"}),
    ("first person, past tense", {"person": "first person", "tense": "past"}),
    ("third person, present tense", {"person": "third person", "tense": "present"}),
    ("first person, present tense", {"person": "first person", "tense": "present"}),
)
_MOST_OF_A_SERVER: Final = 3

_IN_SCRIPTS: Final = "In scripts `--yes` starts at once, and `--until plan` stops at the plan."


def interview(
    renderer: Renderer,
    given: Mapping[str, Any],
    *,
    model: str,
    samples: Sequence[Path],
    sources: Sequence[Path] = (),
    before: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], str, list[Path], list[Path]]:
    """Ask for what the options leave open, each until the answer can be used.

    Args:
        renderer: The screen.
        given: Keys of the brief; None was not given.
        model: The model that is named already, or "".
        samples: The texts of the author's that are named already.
        sources: Files and folders in which facts are looked up that are named already.
        before: The answers that were given before; Enter keeps each.

    Returns:
        The keys with the answers, the model, the samples, and the sources.

    Raises:
        UsageError: An option is wrong, and nothing was asked; or the input has ended.
        ModelError: There is no model to choose.
    """
    brief_from({**given, "premise": "not known yet"})
    models = [] if model else _models()
    answers, asks = dict(given), Questions(renderer, _IN_SCRIPTS)
    was = _known(before or {})
    if not (answers.get("premise") or "").strip():
        answers["premise"] = asks.ask("What is your book about?", "", _usable("premise"))
    if answers.get("category") is None and answers.get("book_kind") is None:
        answers["book_kind"] = asks.choose(
            "Fiction or non-fiction", _KINDS, was.get("book_kind", "1"), Questions.one_of(_KINDS)
        )
    told = answers.get("book_kind") or Brief.model_validate(_known(answers)).kind
    field, kinds = ("genre", _FICTION) if told == "fiction" else ("category", _NON_FICTION)
    if answers.get(field) is None:
        question = f"{field.capitalize()}, by number or in your own words"
        answers[field] = asks.choose(question, kinds, was.get(field, "1"), _wordy)
    _ask_length(asks, answers, was)
    if answers.get("language") is None:
        answers["language"] = asks.ask("\nLanguage", was.get("language", "English"), _a_language())
    files = [*samples] if samples else _ask_voice(asks, answers, was, is_story=told == "fiction")
    if models:
        model = asks.choose("Model, by number or as PROVIDER/NAME", models, "1", _wordy)
    asked = told != "fiction" and not sources and answers.get("research") is not False
    return answers, model, files, _ask_sources(asks) if asked else [*sources]


def equal_command(options: Mapping[str, Any]) -> str:
    """The command line that says the same as the answers; None and "" need no option."""
    given: list[str] = []
    for key, value in options.items():
        name = option_of(key)
        if isinstance(value, bool):
            given.append(name if value else f"--no-{name[2:]}")
        elif isinstance(value, list):
            given += [word for one in value for word in (name, str(one))]
        elif key != "premise" and value not in (None, ""):
            given += [name, str(value)]
    premise = str(options["premise"])
    words = [*given, "--", premise] if premise.startswith("-") else [premise, *given]
    return shlex.join(["libriscribe2", "create", *words])


def may_start(
    renderer: Renderer, title: str, brief: Brief, model: str, quote: Quote, *, stops: bool
) -> str:
    """Say what the whole book would take, and ask.

    Args:
        renderer: The screen.
        title: How the book is called.
        brief: What the author asks for.
        model: Who answers.
        quote: What the whole book would take.
        stops: Whether its plan is shown before the rest is written.

    Returns:
        `y`, `e` for other answers, or `n`.

    Raises:
        UsageError: The input has ended.
    """
    wanted, total = brief.chapter_range(), quote.total
    words = brief.words or brief.size.words
    seconds = quote.times.seconds.get(brief.drafting) if quote.times is not None else None
    low, high = cost(total.low_usd), cost(total.high_usd)
    values = {
        "chapters": wanted.wording("chapter").partition(" chapter")[0],
        "words": f"about {words:,}",
        "pages": f"about {max(1, round(words / WORDS_OF_A_PAGE)):,}",
        "model": model,
        "calls": f"about {total.calls:,}",
        "cost": low if low == high else f"{low} to {high}",
        "time": f"about {duration(seconds)}" if seconds else "",
    }
    if model == MANUAL_MODEL:
        values |= {"model": "a chat window", "calls": f"about {total.calls:,} to copy and paste"}
        values |= {"cost": "", "time": ""}
    renderer.panel(title, {name: value for name, value in values.items() if value}, talk=True)
    if stops:
        renderer.note("First the plan is written; then you see it, and decide about the rest.")
    return Questions(renderer, _IN_SCRIPTS).key("Start? [Y/e/n] (e: change the answers) ", "yen")


def _ask_length(asks: Questions, answers: dict[str, Any], was: Mapping[str, Any]) -> None:
    """Ask for words and chapters, by the name of a size or as figures."""
    if any(answers.get(key) is not None for key in ("words", "chapters", "project_type")):
        return
    sizes = list(SIZES)
    shown = [
        f"{name.replace('_', ' '):<12} {SIZES[name].words:>7,} words, "
        f"{counted(int(SIZES[name].chapters), 'chapter')}"
        for name in sizes
    ]

    def figures(answer: str) -> str:
        if answer in shown:
            return ""
        words, chapters = _size(answer)
        wrong = "Write words and chapters, such as 50000 10, or a number of the list."
        if not words.isdecimal() or int(words) < 1:
            return wrong
        return _usable("chapters")(chapters) if chapters else ""

    question = "Length, by number, or words and chapters such as 50000 10"
    usual = str(sizes.index(was.get("project_type", "novel")) + 1)
    default = f"{was['words']} {was.get('chapters', '')}".strip() if "words" in was else usual
    answer = asks.choose(question, shown, default, figures)
    if answer in shown:
        answers["project_type"] = sizes[shown.index(answer)]
        return
    words, chapters = _size(answer)
    answers["words"] = int(words)
    if chapters:
        answers["chapters"] = chapters


def _size(answer: str) -> tuple[str, str]:
    """The words and the chapters of an answer such as `50,000 10 chapters`."""
    words, _, chapters = answer.replace(",", "").partition(" ")
    return words, chapters.strip().removesuffix("chapters").strip()


def _ask_voice(
    asks: Questions, answers: dict[str, Any], was: Mapping[str, Any], *, is_story: bool
) -> list[Path]:
    """Ask whose voice the book takes: a preset, or a text of the author's."""
    if answers.get("person") or answers.get("tense"):
        return []
    names = [name for name, _ in (_VOICES if is_story else _VOICES[:1])]
    held = {key: was[key] for key in ("person", "tense") if key in was}
    default = next((n for n, (_, keys) in enumerate(_VOICES[: len(names)], 1) if keys == held), 1)

    def check(answer: str) -> str:
        own = Path(answer).expanduser()
        return "" if answer in names else _fault_of(lambda: read_samples([own]))

    chosen = asks.choose(
        "Voice, by number, or the path of a text of yours", names, f"{default}", check
    )
    if chosen not in names:
        return [Path(chosen).expanduser()]
    answers.update(_VOICES[names.index(chosen)][1])
    return []


def _ask_sources(asks: Questions) -> list[Path]:
    """Ask in what the facts of a book are looked up; nothing is an answer, too."""

    def check(answer: str) -> str:
        return _fault_of(lambda: read_sources([Path(answer)] if answer.strip() else []))

    answer = asks.ask("Sources, a file or a folder; Enter for none", "", check)
    return [Path(answer).expanduser()] if answer.strip() else []


def _fault_of(read: Callable[[], object]) -> str:
    """Why files cannot be read; "" where they can."""
    try:
        read()
    except LibriScribeError as error:
        return f"{error.what}: {error.why}" if error.why else error.what
    return ""


def _models() -> list[str]:
    """The models that can be asked here, the one that would be taken first.

    Raises:
        ModelError: There is neither a key nor a server.
    """
    first = configured_provider(os.environ)
    with_key = (
        one.default_model
        for one in PROVIDERS
        if one.default_model and any(os.environ.get(name, "").strip() for name in one.keys)
    )
    servers = local_servers()
    if first is None:
        choose_model("", os.environ, lambda: servers, lambda _server: True)  # says what is missing
    served: Iterable[str] = (model for one in servers for model in one.models[:_MOST_OF_A_SERVER])
    found = list(dict.fromkeys([*([first.model] if first else []), *with_key, *served]))
    return [*found, MANUAL_MODEL]


def _usable(key: str) -> Check:
    """A check of an answer by the brief's own rules."""

    def check(answer: str) -> str:
        try:
            Brief.model_validate({"premise": "not known yet", key: answer})
        except ValidationError as error:
            fault = plain_fault(error.errors(include_url=False)[0])
            return f"{fault[:1].upper()}{fault[1:]}."
        return ""

    return check


def _wordy(answer: str) -> str:
    """Whether something is named by letters."""
    if any(character.isalpha() for character in answer):
        return ""
    return "Write a number of the list, or a name."


def _a_language() -> Check:
    """A check that takes a language that nobody here knows when it is said twice."""
    doubted: list[str] = []

    def check(answer: str) -> str:
        if _wordy(answer):
            return "Write the name of a language, such as English, Deutsch or pt-BR."
        if language_of(answer).tag != UNKNOWN or answer in doubted:
            return ""
        doubted.append(answer)
        return f"No language {answer!r} is known here; write it again to keep it."

    return check


def _known(answers: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answers.items() if value is not None}
