"""Dumps of attempts, one file each, and the rates of clean and refused replies."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from slugify import slugify

from libriscribe2.errors import ProjectError
from libriscribe2.project.atomic import (
    PRIVATE,
    atomic_create,
    make_folder,
    read_regular,
    storage_errors,
)
from libriscribe2.project.lock import Machine, mark_dumps
from libriscribe2.project.records import DumpRecord
from libriscribe2.project.texts import iso_utc, listed_json, utf8

_NAME: Final = re.compile(r"(\d{4,})-.+-try\d+\.json")
# The key is the last field, so that the end of a dump is enough to know which call it shows.
_KEY: Final = re.compile(rb'"key": "([^"\\]+)"\s*\}\s*\}\s*\Z')
_TAIL_BYTES: Final = 256


_FIELDS: Final = tuple(one.name for one in fields(DumpRecord))


@dataclass(eq=False)
class DebugDumps:
    """The folder of a project's dumps.

    Args:
        folder: Where the dumps are; it is made when the first one is written.
        redact: Masks secrets in a text.
        owner: The id of the project whose dumps they are.
        machine: The machine under the folder.
    """

    folder: Path
    redact: Callable[[str], str] = str
    owner: str = ""
    machine: Machine = field(default_factory=Machine)
    _keys: set[str] | None = None
    _number: int | None = None

    def write(self, record: DumpRecord) -> Path:
        """Write a dump under the next free number and return its path.

        Raises:
            StorageError: The folder cannot be written.
        """
        data = utf8(listed_json("debug_info", self._info(record)))
        stage = _in_a_name(record.stage)
        with storage_errors("write a debug dump in", self.folder):
            if self._number is None:
                make_folder(self.folder, ops=self.machine.ops)
                mark_dumps(self.folder, self.owner)
            number = (self._last_number() if self._number is None else self._number) + 1
            while not self._created(
                path := self.folder / f"{number:04d}-{stage}-try{record.attempt}.json", data
            ):
                number += 1
        self._number = number
        if self._keys is not None:
            self._keys.add(record.key)
        return path

    def has(self, key: str) -> bool:
        """Whether there is a dump of the call with this key.

        Raises:
            StorageError: The folder cannot be read.
        """
        if self._keys is None:
            with storage_errors("read the debug dumps in", self.folder):
                self._keys = {found for path in self.list() if (found := _key_of(path))}
        return key in self._keys

    def list(self) -> tuple[Path, ...]:
        """The dumps, oldest first; a file that a crash left empty is not one.

        Raises:
            StorageError: The folder cannot be read.
        """
        with storage_errors("read the debug dumps in", self.folder):
            found = [path for path in self._files() if path.is_file() and path.stat().st_size]
        return tuple(sorted(found, key=lambda path: (_number(path), path.name)))

    def load(self, path: Path) -> dict[str, Any]:
        """What a dump says: the fields of `DumpRecord`, and `timestamp`.

        Raises:
            ProjectError: The file is not a dump.
            StorageError: The file cannot be read.
        """
        with storage_errors("read", path):
            data = read_regular(path)
        try:
            content = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ProjectError(f"{path} is not a debug dump", why=str(error)) from error
        info = content.get("debug_info") if isinstance(content, dict) else None
        if not isinstance(info, dict):
            raise ProjectError(f"{path} is not a debug dump", why="it has no `debug_info`")
        return info

    def _info(self, record: DumpRecord) -> dict[str, Any]:
        # Not `asdict`: it would copy in depth what `_masked` is about to copy.
        said = {name: getattr(record, name) for name in _FIELDS}
        stamp = {"agent_name": "", "timestamp": iso_utc(self.machine.clock())}
        return {name: self._masked(value) for name, value in (stamp | said).items()}

    def _masked(self, value: Any) -> Any:
        """The value with secrets masked in every text in it."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, Mapping):
            return {key: self._masked(item) for key, item in value.items()}
        if isinstance(value, Sequence):
            return [self._masked(item) for item in value]
        return value

    def _created(self, path: Path, data: bytes) -> bool:
        try:
            atomic_create(path, data, mode=PRIVATE, ops=self.machine.ops, durable=False)
        except FileExistsError:
            return False
        return True

    def _files(self) -> Sequence[Path]:
        if not self.folder.is_dir():
            return ()
        return [path for path in self.folder.iterdir() if _NAME.fullmatch(path.name)]

    def _last_number(self) -> int:
        return max(map(_number, self._files()), default=0)


def _in_a_name(stage: str) -> str:
    """A stage as part of a file name."""
    return slugify(stage, separator="_", max_length=40) or "stage"


def _number(path: Path) -> int:
    return int(path.name.partition("-")[0])


def _key_of(path: Path) -> str:
    """The key at the end of a dump; empty where there is none."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        match = _KEY.search(file.read())
    return match[1].decode("utf-8", "replace") if match else ""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share, with what it was counted from.

    Attributes:
        name: What is counted.
        count: The numerator.
        of: The denominator; 0 means that nothing was there to count.
        agent: Class name of the agent, or "" for all.
        model: The model, or "" for all.
    """

    name: str
    count: int
    of: int
    agent: str = ""
    model: str = ""


def reply_rates(dumps: Iterable[Mapping[str, Any]], calls: int, filtered: int) -> list[Rate]:
    """The rates over all replies, then per agent and model.

    Args:
        dumps: What the dumps say (`DebugDumps.load`).
        calls: All calls that had an outcome.
        filtered: Those that the content filter filtered.
    """
    groups: dict[tuple[str, str], Counter[str]] = {("", ""): Counter()}
    for dump in dumps:
        own = groups.setdefault((dump.get("agent_name", ""), dump.get("model", "")), Counter())
        for counted in _facts(dump):
            own[counted] += 1
            groups["", ""][counted] += 1
    overall = [Rate("content_filtering_occurrence", filtered, calls)]
    return overall + [rate for group in groups.items() for rate in _rates(*group)]


def _facts(dump: Mapping[str, Any]) -> Iterator[str]:
    """What one attempt counts as."""
    accepted = not dump.get("feedback")
    if dump.get("formatting_issues"):
        yield "untidy"
        if accepted:
            yield "untidy and accepted"
    if dump.get("content_type") == "json":
        yield "json"
        if dump.get("extraction_method") != "failed":
            yield "extracted"
            if not accepted:
                yield "invalid"


def _rates(group: tuple[str, str], counts: Counter[str]) -> list[Rate]:
    """The rates of one agent and model."""
    return [
        Rate("json_extraction_success", counts["extracted"], counts["json"], *group),
        Rate("validation_failure", counts["invalid"], counts["extracted"], *group),
        Rate("cleanup_effectiveness", counts["untidy and accepted"], counts["untidy"], *group),
    ]
