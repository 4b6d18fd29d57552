"""Earlier texts of a file: those in the trash, and one of them put back."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any
from uuid import uuid4

from libriscribe2.checks.text import sentences
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.project import records
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.manifest import FileRecord, Manifest
from libriscribe2.project.paths import text_copy
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.records import Record
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import Change, Replacement, digest
from libriscribe2.project.texts import content_sha
from libriscribe2.prose import prose_words


@dataclass(frozen=True, slots=True)
class Version:
    """An earlier text of a file.

    Attributes:
        number: Its number; the oldest is 1.
        replaced: When another text took its place, in UTC, such as `20250112T103000Z`.
        data: What it says.
    """

    number: int
    replaced: str
    data: bytes

    @property
    def text(self) -> str:
        """Its text, as far as it is text."""
        return self.data.decode("utf-8", "replace")

    @property
    def is_text(self) -> bool:
        """Whether all of it is."""
        return self.text.encode() == self.data

    @property
    def words(self) -> int:
        """Its words of prose, counted as those of the present text are."""
        return prose_words(self.text)


def versions_of(view: ProjectView, name: str) -> list[Version]:
    """The earlier texts of a file, the oldest first; of equal ones the last, and not the present one.

    Raises:
        StorageError: The trash cannot be read.
    """
    trash, flat = view.paths.trash, name.replace("/", "_")
    pattern = re.compile(rf"(\d{{8}}T\d{{6}}Z)-(?:(\d+)-)?{re.escape(flat)}")
    found: dict[bytes, tuple[str, int]] = {}
    with storage_errors("read", trash):
        for path in trash.glob(f"*-{flat}") if trash.is_dir() else ():
            if copy := pattern.fullmatch(path.name):
                data, place = path.read_bytes(), (copy[1], int(copy[2] or 1))
                found[data] = max(place, found.get(data, place))
    found.pop(view.read_bytes(name) or b"", None)
    ordered = sorted(found.items(), key=lambda one: one[1])
    return [Version(n, at[0], data) for n, (data, at) in enumerate(ordered, start=1)]


def version(view: ProjectView, name: str, number: int | None) -> Version:
    """One of the earlier texts of a file; the last without a number.

    Raises:
        UsageError: There is none of that number, or none at all.
    """
    found = versions_of(view, name)
    if not found:
        raise _no_version(view, name)
    if number is not None and not 1 <= number <= len(found):
        raise UsageError(
            f"There is no version {number} of {name}.", fix=f"Choose one of 1 to {len(found)}."
        )
    chosen = found[-1 if number is None else number - 1]
    if not chosen.is_text:
        raise UsageError(f"Version {chosen.number} of {name} is not UTF-8 text.")
    return chosen


def _no_version(view: ProjectView, name: str) -> UsageError:
    """What is told of a file that has no earlier text."""
    what, called = f"There is no earlier version of {name}.", view.paths.called
    if not view.exists(name):
        why, fix = "it is not there yet", f"Run `libriscribe2 resume {called}` to have it made."
        return UsageError(what, why=why, fix=fix)
    return UsageError(
        what,
        why="the project's trash, which keeps every replaced text, holds no other text of it",
        fix=f"`libriscribe2 versions {called} CHAPTER` lists those of another chapter.",
    )


def edits_of(store: ProjectStore, names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """What the program wrote last of files, and what the author made of it, by name.

    A file is left out where it is as it was written, or where no copy of what was written is kept.

    Raises:
        ProjectError: A file is not UTF-8.
        StorageError: A file cannot be read.
    """
    wanted, shas, then = tuple(names), dict[str, str](), Manifest()
    for record in store.journal.found.records:
        then.fold(record)
        written = ((name, then.files.get(name)) for name in wanted)
        shas |= {name: last.sha for name, last in written if last is not None and not last.is_own}
    found: dict[str, tuple[str, str]] = {}
    for name, sha in shas.items():
        was, now = store.find_text(text_copy(sha)), store.find_text(name)
        state = store.state(name, {})
        if was is not None and now is not None and (state.own or state.kind == "edited"):
            found[name] = was, now
    return found


def put_back(store: ProjectStore, name: str, text: str, what: str) -> None:
    """Give a file an earlier text; the present one goes to the trash.

    What the program wrote is known as its own again, with what it was made from then; any other
    text is the author's.

    Raises:
        StorageError: The system refused.
    """
    sha = content_sha(name, text.encode())
    made = _made_as(store.journal.found.records, name, sha)
    replace_text(store, name, text, what, None if made is None else _said(made, sha))


def replace_text(
    store: ProjectStore, name: str, text: str, what: str, made: Mapping[str, Any] | None
) -> None:
    """Give a file another text in one step that a crash cannot tear.

    Args:
        store: The project.
        name: The file.
        text: Its new text.
        what: The command that asks for it.
        made: What the journal is to say of it; None where it is the author's.
    """
    replace_texts(store, {name: text}, what, {name: made})


def replace_texts(
    store: ProjectStore,
    texts: Mapping[str, str],
    what: str,
    made: Mapping[str, Mapping[str, Any] | None],
    asked: Sequence[str] = (),
) -> None:
    """The same for several files, and steps that are to be done again because of it."""
    change = uuid4().hex
    files = {name: said for name, said in made.items() if said is not None}
    replaced = tuple(
        Replacement(name, digest(store.read_bytes(name)), text) for name, text in texts.items()
    )
    record = records.reshaped(change, files=files, steps={}, asked=asked)
    store.change(Change(change, what, replaced, record))


def check_in_place(view: ProjectView, name: str, kind: str) -> None:
    """Refuse to work on a file whose newest content a crash kept from its place.

    Args:
        view: The project.
        name: The file.
        kind: How it stands there.

    Raises:
        ProjectError: It is an older text than the journal knows.
    """
    if kind == "old":
        raise ProjectError(
            f"{name} is not up to date: a run ended before it was written",
            fix=f"Run `libriscribe2 resume {view.paths.called}` first.",
        )


def made_with(
    store: ProjectStore, name: str, text: str, keys: Iterable[str]
) -> Mapping[str, Any] | None:
    """What the journal is to say of a file whose text was changed by some more replies.

    None where the file is the author's: it stays so.

    Raises:
        ProjectError: A crash kept its newest text from its place.
    """
    kind = store.state(name, {}).kind
    check_in_place(store, name, kind)
    last = store.manifest.files.get(name)
    if last is None or kind == "edited":
        return None
    return _said(last, content_sha(name, text.encode()), keys)


def _made_as(found: Iterable[Record], name: str, sha: str) -> FileRecord | None:
    """What was known of a file when it had a content last; None where it never was the program's."""
    then, made = Manifest(), None
    for record in found:
        then.fold(record)
        last = then.files.get(name)
        made = last if last is not None and last.sha == sha else made
    return made


def _said(made: FileRecord, sha: str, keys: Iterable[str] = ()) -> Mapping[str, Any]:
    """What the journal is to say of a content that was made from what another one was, and from more."""
    known = {"step": made.step, "in": dict(made.inputs), "params": dict(made.params)}
    return {"sha": sha, **known, "k": [*made.keys, *keys]}


def diff_lines(name: str, old: str, new: str) -> list[str]:
    """What is different in a text, sentence by sentence, as the lines of a diff."""
    before, after = (
        [one for line in text.splitlines() for one in sentences(line) or [line]]
        for text in (old, new)
    )
    return list(unified_diff(before, after, name, name, n=0, lineterm=""))
