"""A name changed in all of a book: its forms, the places where they stand, and one change of all files.

What the program wrote stays as up to date as it was: the journal is told the new content of every
file, and of every file that is made from it, in the change itself.
"""

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final
from uuid import uuid4

import regex
import tomlkit

from libriscribe2.agents.agent_base import Unit
from libriscribe2.editing.structure_plan import renewed
from libriscribe2.editing.versions import check_in_place
from libriscribe2.engine.stages import AgentType, input_hashes, units_of
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.project import records
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import (
    BOOK_TOML,
    GIVEN,
    NOTE_FILES,
    RESEARCH,
    SERIES,
    TEXTS,
    text_copy,
)
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.structure_change import Change, ChangedView, Replacement, digest
from libriscribe2.project.texts import content_sha, decode_text

LONGEST: Final = 80
"""Most characters of a name."""

ENDING: Final = 3
"""So many letters more than the name an inflected form has at most."""

SHORTEST: Final = 3
"""A short form, and what all inflected forms of a name have in common, has at least so many letters."""

_OF_BRIEF: Final = ("premise", "title", "person")
"""Fields of the brief that may name somebody."""

_WORD: Final = regex.compile(r"\p{L}[\p{L}\p{M}]*")
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}]")
_LITERAL: Final = regex.compile(r'("(?:[^"\\]|\\.)*+")(\s*:)?')
_AROUND: Final = 30


@dataclass(frozen=True, slots=True)
class Form:
    """A form in which a name stands in a book.

    Attributes:
        old: The form.
        new: What would stand there instead; "" where only the author can say.
        count: How often it stands there.
        is_sure: Whether it is the name itself; every other form is asked about.
        is_likely: Whether it is the name with an ending of one or two letters, or a part of it.
    """

    old: str
    new: str
    count: int
    is_sure: bool = False
    is_likely: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A place where a form stands.

    Attributes:
        file: The file.
        line: Its line there.
        left: The words before it.
        old: The form.
        new: What is to stand there.
        right: The words after it.
    """

    file: str
    line: int
    left: str
    old: str
    new: str
    right: str

    @property
    def before(self) -> str:
        """The words there."""
        return " ".join(f"{self.left}{self.old}{self.right}".split())

    @property
    def after(self) -> str:
        """The same words once it is renamed."""
        return " ".join(f"{self.left}{self.new}{self.right}".split())


class Renamer:
    """Puts new names in the place of old ones.

    Args:
        forms: The new form of every old one.
    """

    def __init__(self, forms: Mapping[str, str]) -> None:
        self._new = {_folded(old): new for old, new in forms.items()}
        self._pattern = regex.compile("|".join(map(_spelled, sorted(forms, key=len, reverse=True))))

    def text(self, text: str) -> str:
        """A text with the new names."""
        return self._pattern.sub(lambda found: self._after(found[0]), text)

    def file(self, name: str, text: str) -> str:
        """The text of a file with the new names; of JSON only what its strings say."""
        if not name.endswith(".json"):
            return self.text(text)
        return _LITERAL.sub(lambda found: found[0] if found[2] else self._literal(found[1]), text)

    def hits(self, name: str, text: str) -> Iterator[Hit]:
        """Every place in a file where an old name stands."""
        for start, said in _told(name, text):
            for found in self._pattern.finditer(said):
                at = start if name.endswith(".json") else found.start()
                left = said[max(0, found.start() - _AROUND) : found.start()]
                right = said[found.end() : found.end() + _AROUND]
                if found.start() > _AROUND:
                    left = left.partition(" ")[2] or left
                if len(said) - found.end() > _AROUND:
                    right = right.rpartition(" ")[0] or right
                line = text.count("\n", 0, at) + 1
                yield Hit(name, line, left, found[0], self._after(found[0]), right)

    def _after(self, old: str) -> str:
        new, gaps = self._new[_folded(old)], regex.findall(r"\s+", old)
        parts = new.split(" ")
        if len(gaps) != len(parts) - 1:
            return new
        return "".join(part + gap for part, gap in zip(parts, [*gaps, ""], strict=True))

    def _literal(self, literal: str) -> str:
        value = _value(literal)
        new = self.text(value)
        return literal if new == value else json.dumps(new, ensure_ascii=False)


def _value(literal: str) -> str:
    """What a JSON string says; what is none is taken as it stands."""
    try:
        return str(json.loads(literal, strict=False))
    except ValueError:
        return literal


def _folded(name: str) -> str:
    """A name however it is spelled in bytes, and whatever stands between its words."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def _spelled(name: str) -> str:
    """The pattern of a name: whole words, composed or not, over the end of a line too."""
    spellings = {unicodedata.normalize(form, name) for form in ("NFC", "NFD")}
    either = "|".join(sorted(r"\s+".join(map(regex.escape, one.split())) for one in spellings))
    if _UNSPACED.search(name):
        return f"(?:{either})"
    return rf"(?<![\p{{L}}\p{{M}}\p{{N}}])(?:{either})(?![\p{{L}}\p{{M}}\p{{N}}])"


def book_texts(view: ProjectView, stages: Iterable[AgentType]) -> dict[str, str]:
    """The text of every file of a book that names somebody, by the file's name.

    What research found is not among them: a quotation says what its source says.

    Raises:
        ProjectError: One is not UTF-8.
    """
    made = [unit.output for agent in stages for unit in units_of(agent, view)]
    made = [name for name in made if not name.startswith(f"{RESEARCH}/")]
    given = [
        *view.names(NOTE_FILES),
        *view.names(f"{SERIES}/*.json"),
        *view.names(f"{GIVEN}/*.json"),
    ]
    found: dict[str, str] = {}
    for name in dict.fromkeys((*made, *given)):
        data = view.read_bytes(name)
        if data is not None and data.strip():
            decode_text(name, data)  # says where it is none
            found[name] = data.decode()
    return found


def forms_of(old: str, new: str, texts: Mapping[str, str], names: Iterable[str]) -> list[Form]:
    """The forms in which a name stands in a book: first itself, then what has to be asked about.

    Args:
        old: The name.
        new: The new one.
        texts: The book's texts.
        names: The other names of the book; none of their words is a form of this one.
    """
    said = said_in(texts)
    forms = [Form(old, new, _count(old, said), is_sure=True)]
    if old.upper() != old and (loud := _count(old.upper(), said)):
        forms.append(Form(old.upper(), new.upper(), loud, is_sure=True))
    words = Counter(word for text in said for word in _WORD.findall(text))
    others = {word for name in names if _folded(name) != _folded(old) for word in name.split()}
    alike = len(old.split()) == len(new.split())
    pairs = list(zip(old.split(), new.split(), strict=True)) if alike else [(old, new)]
    pairs = [(part, other) for part, other in pairs if part != other]
    asked: dict[str, Form] = {}
    for part, other in pairs:
        alone = words[part] - forms[0].count
        if part != old and part not in others and alone > 0:
            asked[part] = Form(part, other, alone, is_likely=True)
        for form in _inflected(part, other, words):
            if form.old not in others:
                asked.setdefault(form.old, form)
    asked |= {form.old: form for form in _bare_possessives(old, new, said)}
    return [*forms, *sorted(asked.values(), key=lambda one: (-one.is_likely, -one.count, one.old))]


def _inflected(old: str, new: str, words: Counter[str]) -> Iterator[Form]:
    """The words of a book that may be a name with another ending, or its beginning."""
    for word, count in words.items():
        is_common = word[:1].lower() + word[1:] in words and word[:1].isupper()
        proposal = None if is_common else _proposed(word, old, new)
        if proposal is not None:
            likely = word.startswith(old) and len(word) <= len(old) + 2
            yield Form(word, proposal, count, is_likely=likely)


def _bare_possessives(old: str, new: str, said: Sequence[str]) -> Iterator[Form]:
    """A name in -s with an apostrophe: its possessive, or the end of something that is said."""
    if old.endswith("s") and not new.endswith("s"):
        for sign in ("'", "\u2019"):
            pattern = regex.compile(rf"{_spelled(old)}{sign}(?!\p{{L}})")
            if count := sum(len(pattern.findall(text)) for text in said):
                yield Form(f"{old}{sign}", f"{new}{sign}s", count)


def said_in(texts: Mapping[str, str]) -> list[str]:
    """What all texts of a book say: those in JSON string by string."""
    return [said for name, text in texts.items() for _, said in _told(name, text)]


def _told(name: str, text: str) -> Iterator[tuple[int, str]]:
    """What a file says with its place: in JSON every string, but for the keys."""
    if not name.endswith(".json"):
        yield 0, text
        return
    for found in _LITERAL.finditer(text):
        if not found[2]:
            yield found.start(), _value(found[1])


def _count(name: str, texts: Iterable[str]) -> int:
    pattern = regex.compile(_spelled(name))
    return sum(len(pattern.findall(text)) for text in texts)


def _proposed(word: str, old: str, new: str) -> str | None:
    """What an inflected or short form becomes, "" where only the author knows; None for another word."""
    if word[:1] != old[:1] or word in (old, old.upper()) or len(word) > len(old) + ENDING:
        return None
    if old.startswith(word):
        return None if len(word) < SHORTEST or new.startswith(word) else new[: len(word)]
    stem = old if len(old) <= SHORTEST else old[:-1]
    if not word.startswith(stem):
        return None
    if word.startswith(old):
        return new + word[len(old) :]
    return new[:-1] + word[len(stem) :] if new.endswith(old[-1]) else ""


def check_names(old: str, new: str, texts: Mapping[str, str]) -> None:
    """Make sure that a name can be changed, and that the new one is free.

    Raises:
        UsageError: The name is not in the book, or the new one is, or cannot be one.
    """
    for name in (old, new):
        if not name.strip() or len(name) > LONGEST or any(one in name for one in '"\\\n\r\t<>`*_#'):
            raise UsageError(
                f"{name!r} cannot be a name.", fix=f"Use up to {LONGEST} letters and blanks."
            )
    if _folded(old) == _folded(new):
        raise UsageError("Both names are the same.")
    said = said_in(texts)
    if not _count(old, said):
        words = sorted({word for text in said for word in _WORD.findall(text)})
        inside = [word for word in words if old in word]
        # A lower-case word of the text is no name, unless that is how this one was typed.
        close = get_close_matches(old, [w for w in words if w[:1].isupper() or old.islower()], n=1)
        hint = f"Did you mean {close[0]!r}?" if close else "Write it as the book does."
        raise UsageError(
            f"The book does not name {old!r}.",
            why=f"it occurs only inside {inside[0]!r}" if inside else "",
            fix=hint,
        )
    taken = [
        name
        for name, text in texts.items()
        if not name.startswith("notes/") and _count(new, said_in({name: text}))
    ]
    if taken:
        raise UsageError(
            f"The book names {new!r} already, in {taken[0]}.",
            why="the two could not be told apart again",
            fix="Choose another name.",
        )


@dataclass(frozen=True)
class Renaming:
    """Works out what a new name does to a project; writes nothing.

    Attributes:
        view: The project as it is.
        brief: What the author asked for.
        stages: The stages of the book.
        renamer: Puts in the new names.
    """

    view: ProjectView
    brief: Brief
    stages: Sequence[AgentType]
    renamer: Renamer

    def hits(self) -> list[Hit]:
        """Every place where an old form stands, in the order of the book."""
        texts = book_texts(self.view, self.stages)
        return [hit for name, text in texts.items() for hit in self.renamer.hits(name, text)]

    def keeps_meaning(self, agent: AgentType, after: ProjectView) -> bool:
        """Whether a stage's files say the same as before with the new name, and nothing else.

        A word of a fixed set, such as how a chapter begins, is no name.

        Raises:
            ProjectError: A file cannot be read.
        """
        if agent.shape is None:
            return True
        for name in (unit.output for unit in units_of(agent, self.view)):
            if not self.view.exists(name) or name.startswith(f"{RESEARCH}/"):
                continue
            old = Book(self.view).load(name, agent.shape).model_dump(mode="json")
            wanted = self.renamer.file(name, json.dumps(old, ensure_ascii=False))
            try:
                new = Book(after).load(name, agent.shape).model_dump(mode="json")
            except ProjectError:
                return False
            if new != json.loads(wanted):
                return False
        return True

    def plan(self, what: str) -> Change:
        """The change of all files.

        Raises:
            ProjectError: A file cannot be read, or was left unfinished by a crash.
        """
        texts = book_texts(self.view, self.stages)
        new = {name: self.renamer.file(name, text) for name, text in texts.items()}
        toml, brief = self._brief()
        copies = self._copies()
        new |= {BOOK_TOML: toml} | {text_copy(sha): text for sha, text in copies.values()}
        files = tuple(
            Replacement(name, digest(data), text)
            for name, text in new.items()
            if (data := self.view.read_bytes(name)) != text.encode()
        )
        change = uuid4().hex
        bare = records.reshaped(change, files={}, steps={})
        after = ChangedView(self.view, Change(change, what, files, bare))
        known = {old: sha for old, (sha, _) in copies.items()}
        facts = {
            unit.output: fact
            for agent in self.stages
            for unit in units_of(agent, self.view)
            if (fact := self._fact(agent, unit, brief, after, known)) is not None
        }
        return Change(change, what, files, records.reshaped(change, files=facts, steps={}))

    def _fact(
        self,
        agent: AgentType,
        unit: Unit,
        brief: Brief,
        after: ProjectView,
        copies: Mapping[str, str],
    ) -> Mapping[str, Any] | None:
        """What the journal is to say of a file; nothing where it is the author's."""
        name = unit.output
        then = input_hashes(agent, unit, self.brief, self.view)
        state, made = self.view.state(name, then), self.view.manifest.files.get(name)
        check_in_place(self.view, name, state.kind)
        if made is None or state.kind not in ("fresh", "stale"):
            return None
        inputs = renewed(made, state.changed, input_hashes(agent, unit, brief, after), str)
        inputs = {one: copies.get(sha or "", sha) for one, sha in inputs.items()}
        params = dict(made.params)
        if unit.chapter is not None and "plans" in params:
            old, new = (Book(view).plan_shas(unit.chapter) for view in (self.view, after))
            names = dict(zip(old, new, strict=False))
            params["plans"] = [names.get(sha, sha) for sha in params["plans"]]
        said = {"step": made.step, "in": inputs, "params": params, "k": list(made.keys)}
        return {"sha": after.sha(name), **said}

    def _brief(self) -> tuple[str, Brief]:
        """`book.toml` with the new names, and what it says."""
        text = self.view.paths.book_toml.read_text(encoding="utf-8")
        document = tomlkit.parse(text)
        table: Any = document["book"]
        changed = False
        for field in _OF_BRIEF:
            value = str(table.get(field, ""))
            new = self.renamer.text(value)
            if new != value:
                table[field], changed = new, True
        text = tomlkit.dumps(document) if changed else text
        return text, Brief.model_validate(tomlkit.parse(text).unwrap()["book"])

    def _copies(self) -> dict[str, tuple[str, str]]:
        """The kept texts from which something was made, by their hash: new hash and new text."""
        found: dict[str, tuple[str, str]] = {}
        for name in self.view.names(f"{TEXTS}/*.md"):
            old = (self.view.read_bytes(name) or b"").decode("utf-8", "replace")
            new = self.renamer.text(old)
            if new != old:
                sha = name.removeprefix(f"{TEXTS}/").removesuffix(".md")
                found[sha] = content_sha(name, new.encode()), new
        return found
