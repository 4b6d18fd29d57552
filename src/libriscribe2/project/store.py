"""The door to a project: who holds it may change its files; replies that were paid for."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from types import TracebackType
from typing import Any, Self

from libriscribe2.errors import LibriScribeError, ProjectError, StorageError, UsageError
from libriscribe2.project import records
from libriscribe2.project.atomic import (
    atomic_write,
    is_file,
    make_folder,
    overwrite,
    spares,
    storage_errors,
)
from libriscribe2.project.journal import Journal
from libriscribe2.project.lock import MIN_FREE_BYTES, Machine, hold, put_in_trash
from libriscribe2.project.manifest import Ledger, Manifest
from libriscribe2.project.paths import CHAPTER_FILES, STATE, ProjectPaths, text_copy
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.structure_change import (
    Change,
    drop_pending,
    peek,
    place,
    read_pending,
    require_project,
    write_pending,
)
from libriscribe2.project.texts import content_sha


class JournalCallLog:
    """A call log on a project's journal; it fits the client's `CallLog` protocol."""

    def __init__(
        self, journal: Journal, manifest: Manifest, machine: Machine, owner: str = ""
    ) -> None:
        self._owner = owner
        self._journal = journal
        self._manifest = manifest
        self._others = Manifest()
        self._machine = machine

    def generation(self, step: str) -> int:
        """How often the step, or one that holds it, was asked to be written again."""
        return self._manifest.generation(step)

    def find(self, key: str, step: str = "") -> Mapping[str, Any] | None:
        """The record of a finished call, or None."""
        del step  # a key holds it
        return self._manifest.reply(key)

    def filtered(self, key: str) -> bool:
        """Whether a reply to the request was filtered."""
        return self._manifest.filtered(key)

    def sent(self, key: str, *, step: str, model: str, est_usd: float | None = None) -> None:
        """Note that a request is about to leave, and the most that it may cost.

        Raises:
            StorageError: The reply would find no room, or the journal cannot be written. The
                request must not leave.
            ProjectInUseError: The lock was taken away; the request must not leave.
        """
        self._journal.check_held()
        self._check_room()
        self.add(records.sent(key, step=step, model=model, est_usd=est_usd))

    def done(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep a raw reply before anyone reads it.

        Raises:
            StorageError: The journal cannot be written. The message says where the reply is; the
                next `ProjectStore.open` takes it from there.
            LibriScribeError: The same, because its mirror does not take the reply.
        """
        line = records.done(key, record)
        try:
            self.add(line)
        except LibriScribeError as error:
            raise self._rescued(key, record, error) from error

    def failed(self, key: str, *, kind: str, status: int | None, usd: float = 0.0) -> None:
        """Note that a request brought no reply, and what it may have cost all the same.

        Raises:
            StorageError: The journal cannot be written.
        """
        self.add(records.fail(key, kind=kind, status=status, usd=usd))

    def anew(self, step: str) -> None:
        """Have a step whose replies could not be used ask the model anew in the next run.

        Raises:
            StorageError: The journal cannot be written.
        """
        self.add(records.anew(step))

    def adopt_rescued(self) -> int:
        """Take rescued replies of this project into the journal; return how many.

        Raises:
            StorageError: A rescued reply cannot be read, or the journal cannot be written.
        """
        rescue = self._machine.rescue
        adopted = 0
        with storage_errors("read", rescue.folder):
            for key, completion in rescue.find(self._owner, tuple(self._manifest.open_calls)):
                self.add(records.done(key, completion))
                rescue.drop(self._owner, key)
                adopted += 1
        return adopted

    def spent_by_others(self) -> Ledger:
        """The calls of others that were found in the journal since this process has opened it.

        Raises:
            ProjectInUseError: Another file is in the journal's place and cannot be gone on with.
        """
        self._take(self._journal.follow())
        return self._others.ledger

    def add(self, record: records.Record, *, durable: bool = True) -> None:
        """Put a record into the journal, and into what it adds up to.

        Raises:
            LibriScribeError: As for `Journal.append`.
        """
        self._take(self._journal.append(record, durable=durable))
        self._manifest.fold(record)

    def _take(self, others: Iterable[records.Record]) -> None:
        """Count what others have done."""
        for record in others:
            self._manifest.fold(record)
            self._others.fold(record)

    def _check_room(self) -> None:
        folder = self._journal.path.parent
        with storage_errors("measure the free room of", folder):
            free = self._machine.free_bytes(folder)
        if free < MIN_FREE_BYTES:
            raise StorageError(
                f"The disk of {folder} is almost full",
                why=f"{free // 2**20} MiB are free; a reply needs {MIN_FREE_BYTES // 2**20} MiB",
                fix="Free some disk space, then run the same command again.",
            )

    def _rescued(
        self, key: str, record: Mapping[str, Any], error: LibriScribeError
    ) -> LibriScribeError:
        kind = type(error)
        try:
            path = self._machine.rescue.save(self._owner, key, record)
        except OSError as second:
            why = f"{error.why}; {self._machine.rescue.folder} cannot be written either: {second}"
            return kind("A reply came and could not be stored", why=why, fix=error.fix)
        return kind(
            "A reply came and could not be stored in the project",
            why=f"{error.why}; it is safe in {path}",
            fix=error.fix,
        )


class ProjectStore(ProjectView):
    """A project that this process holds; a context manager that lets go of it at the end.

    Attributes:
        journal: The record of calls and writes.
        call_log: The journal as the client's memory of calls.
        finished: The interrupted change that the opening has finished (`Change.what`), or "".
    """

    peek = staticmethod(peek)

    def __init__(self, paths: ProjectPaths, journal: Journal, machine: Machine) -> None:
        super().__init__(paths, Manifest(journal.found.records), len(journal.found.damaged))
        self.journal = journal
        self.call_log = JournalCallLog(journal, self.manifest, machine, paths.id)
        self.finished = ""
        self._machine = machine
        self._held = ExitStack()

    @classmethod
    def create(cls, paths: ProjectPaths, machine: Machine | None = None) -> Self:
        """Begin a project in a folder that is empty or absent, and hold it.

        Raises:
            UsageError: The folder holds something.
            ProjectInUseError: Another process is working there.
            StorageError: The folder cannot be written.
        """
        with storage_errors("read", paths.root):
            if paths.root.exists() and any(path.name != STATE for path in paths.root.iterdir()):
                raise UsageError(
                    f"{paths.root} is not empty",
                    why="a new book needs a folder of its own",
                    fix="Choose another --project-name, or continue with `libriscribe2 resume`.",
                )
        return cls._hold(paths, machine)

    @classmethod
    def open(cls, paths: ProjectPaths, machine: Machine | None = None) -> Self:
        """Hold a project that exists; a project of the original LibriScribe2 is one too.

        Raises:
            ProjectError: There is no project, or a newer version wrote it.
            ProjectInUseError: Another process is working on it.
            StorageError: The folder cannot be read and written.
        """
        require_project(paths)
        return cls._hold(paths, machine)

    @classmethod
    def _hold(cls, paths: ProjectPaths, machine: Machine | None) -> Self:
        machine = machine if machine is not None else Machine()
        with ExitStack() as held:
            store = cls(paths, hold(paths, machine, held), machine)
            store._look_at_spares()
            store._finish_interrupted()
            store.call_log.adopt_rescued()
            store._held = held.pop_all()
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the project; a second time does nothing."""
        self._held.close()

    def write(  # noqa: PLR0913 - all that a record of a file says
        self,
        name: str,
        text: str,
        *,
        step: str,
        inputs: Mapping[str, str | None],
        params: Mapping[str, Any],
        keys: Sequence[str] = (),
        draft: str = "",
    ) -> None:
        """Put the program's own text into a file, first announcing it in the journal.

        A file that has this content already, in whatever layout, is left as it is.

        Args:
            name: The file's name.
            text: Its whole content.
            step: The step that made it.
            inputs: Hash of every input, by the input's name.
            params: What else shaped it; plain JSON.
            keys: Keys of the calls that it was made from.
            draft: The text before it was revised, of which a copy is kept.

        Raises:
            ProjectError: The author changed the file, the name leads out of the project, or the
                text cannot be UTF-8. Nothing was changed.
            StorageError: The system refused; the file has its old content.
            ProjectInUseError: The lock was taken away.
        """
        self.journal.check_held()
        for read, known in inputs.items():
            if known is not None and fnmatchcase(read, CHAPTER_FILES):
                self._keep_text(read, known, self._on_disk(read))
        data = _encoded(name, text)
        there, sha = self._on_disk(name), content_sha(name, data)
        present = None if there is None else content_sha(name, there)
        if present is not None and not self.manifest.is_ours(name, present):
            raise _edited(name)
        if draft:
            before = _encoded(name, draft)
            params = {**params, "draft": content_sha(name, before)}
            self._keep_text(name, params["draft"], before)
        said = records.write(name, sha, step=step, inputs=inputs, params=params, keys=keys)
        self.call_log.add(said)
        if present != sha:
            self._place(name, data, there)
        # Lost, it is missed only by who puts an older text of ours back before the next record.
        self.call_log.add(records.placed(name, sha), durable=False)

    def import_text(self, name: str, text: str) -> None:
        """Put a text of the author's into a file; other content that was there goes to the trash.

        The file then counts as edited: it is read, and never overwritten.

        Raises:
            ProjectError: The name leads out of the project, or the text cannot be UTF-8.
            StorageError: The system refused; the file has its old content.
        """
        data, there = _encoded(name, text), self._on_disk(name)
        if data != there:
            if there is not None:
                put_in_trash(self.paths, name, there, self._machine)
            self._place(name, data, there)

    def trash(self, name: str) -> str | None:
        """Keep a copy of a file's present content before it is replaced.

        Returns:
            The name of the copy, or None where there was no file.

        Raises:
            ProjectError: The name leads out of the project.
            StorageError: The copy cannot be written.
        """
        data = self._on_disk(name)
        return None if data is None else put_in_trash(self.paths, name, data, self._machine)

    def adopt(
        self, name: str, inputs: Mapping[str, str | None] | None = None, step: str = ""
    ) -> None:
        """Let the author's content of a file count as the program's: it may be replaced again.

        Args:
            name: The file's name.
            inputs: Hashes of the inputs on which the content stands; None keeps those of the
                last write.
            step: The step that makes it, which then is not done again as a redo asked; "" leaves
                that as it is.

        Raises:
            ProjectError: There is no such file.
            StorageError: The file cannot be read, or the journal not written.
        """
        sha = self.sha(name)
        if sha is None:
            raise ProjectError(f"{name} is missing in {self.paths.root}")
        last = self.manifest.files.get(name)
        known = last.inputs if last is not None else {}
        self.call_log.add(records.adopt(name, sha, inputs if inputs is not None else known, step))

    def again(self, step: str) -> None:
        """Have a step, and every step below it, ask the model anew the next time.

        Raises:
            StorageError: The journal cannot be written.
        """
        self.call_log.add(records.again(step))

    def keep_exam(self, passages: Sequence[str], names: Sequence[str]) -> None:
        """Keep the passages on which judges are examined: the same ones replay for nothing.

        Raises:
            StorageError: The journal cannot be written.
        """
        self.call_log.add(records.exam(passages, names))

    def change(self, change: Change) -> None:
        """Give several files another content in one step that a crash cannot tear.

        What the change takes away goes to the trash. From the moment that it is written down it
        is going to happen: after a crash or a refusal, the next opening finishes it.

        Raises:
            ProjectError: A name leads out of the project.
            StorageError: The system refused.
        """
        kept = {one.data for one in change.files}
        for one in change.files:
            if self._on_disk(one.name) not in kept:
                self.trash(one.name)
        write_pending(self.paths, change, self._machine)
        self._finish(change)

    def _look_at_spares(self) -> None:
        """Put what a killed process held aside into the trash, unless it is a text of ours."""
        with storage_errors("clean up", self.paths.root):
            for name, spare in list(spares(self.paths.root)):
                data = spare.read_bytes()
                if not self.manifest.is_ours(name, content_sha(name, data)):
                    put_in_trash(self.paths, name, data, self._machine)
                self._machine.ops.unlink(spare)

    def _finish_interrupted(self) -> None:
        """Finish a change that a crash interrupted."""
        change = read_pending(self.paths)
        if change is not None:
            self._finish(change)
            self.finished = change.what

    def _finish(self, change: Change) -> None:
        """Carry out what is left of a change that is written down."""
        if change.id not in self.manifest.changes:
            place(self.paths, change, self._machine)
            self.call_log.add(change.record)
        drop_pending(self.paths, self._machine)

    def note_run(self, run_id: str, *, version: str, command: str) -> None:
        """Note in the journal that a run begins.

        Raises:
            StorageError: The journal cannot be written.
        """
        self.call_log.add(records.run(run_id, version=version, command=command))

    def _on_disk(self, name: str) -> bytes | None:
        """The bytes of a file that may be replaced, read at this moment, whatever is remembered."""
        path = self.paths.resolve(name)
        with storage_errors("read", path):
            return path.read_bytes() if is_file(path) else None

    def _keep_text(self, name: str, sha: str, data: bytes | None) -> None:
        """Keep a copy of a chapter from which something is made: an edit is compared with it."""
        copy = self.paths.resolve(text_copy(sha))
        if data is None or content_sha(name, data) != sha:
            return
        with storage_errors("write", copy):
            if not copy.exists():
                make_folder(copy.parent, ops=self._machine.ops)
                atomic_write(copy, data, ops=self._machine.ops)

    def _place(self, name: str, data: bytes, there: bytes | None) -> None:
        """Put a text where `there` was read; what the author saved meanwhile stays.

        Raises:
            ProjectError: The author saved the file meanwhile.
            StorageError: The system refused.
        """
        path = self.paths.resolve(name)
        with storage_errors("write", path):
            make_folder(path.parent, ops=self._machine.ops)
            if there is None:
                atomic_write(path, data, ops=self._machine.ops)
                return
            *older, newest = overwrite(path, data, there, ops=self._machine.ops) or (None,)
        for one in older:
            put_in_trash(self.paths, name, one, self._machine)
        if newest is not None:
            raise _edited(name)


def _edited(name: str) -> ProjectError:
    return ProjectError(
        f"{name} was edited, so it is not overwritten",
        fix="Keep it, or have it written again with `libriscribe2 redo ... --replace-mine`.",
    )


def _encoded(name: str, text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        why = f"character {error.start} is half of a surrogate pair"
        raise ProjectError(f"The text of {name} cannot be saved as UTF-8", why=why) from error
