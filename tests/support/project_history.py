"""Random histories of a project: runs, deaths, edits, deletions, damage; the author's text stays."""

import json
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.support.project_book import FILES, BookMaker
from tests.support.project_faults import Crash, DyingOps, QuickOps
from typing_extensions import override

from libriscribe2.editing.versions import put_back, versions_of
from libriscribe2.project.store import ProjectStore

NAMES = st.sampled_from(FILES)


class ProjectHistory(RuleBasedStateMachine):
    """What happens to a project, and what must hold after each event."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.book = BookMaker(self.folder)
        self.book.run(DyingOps(10_000))
        self.mine: dict[str, bytes] = {}
        self.journal_lost = False
        self.flipped = False

    def path(self, name: str) -> Path:
        return self.book.paths.root / name

    @rule(refresh=st.booleans())
    def runs(self, refresh: bool) -> None:
        self.book.resume(QuickOps(), refresh=refresh)
        assert set(self.book.contents()) == set(FILES)

    @rule(step=st.integers(1, 60), refresh=st.booleans())
    def dies(self, step: int, refresh: bool) -> None:
        try:
            self.book.resume(DyingOps(step), refresh=refresh)
        except Crash:
            return

    @rule(name=NAMES, text=st.text(st.characters(exclude_categories=["Cs"]), max_size=10))
    def edits(self, name: str, text: str) -> None:
        content = f"mine {text}\n"
        data = (json.dumps({"text": content}) if name.endswith(".json") else content).encode()
        if self.path(name).exists():
            self.path(name).write_bytes(data)
            self.mine[name] = data

    @rule(name=NAMES, other=st.integers(0, 5))
    def restores(self, name: str, other: int) -> None:
        """The author puts an older text back, out of the trash."""
        with ProjectStore.open(self.book.paths, self.book.machine(QuickOps())) as store:
            found = sorted(store.paths.trash.glob(f"*{name.replace('/', '_')}"))
            last = store.manifest.files.get(name)
            if not found or last is None or not last.placed or not self.path(name).exists():
                return
            data = found[other % len(found)].read_bytes()
            if store.sha(name) == last.sha:
                self.path(name).write_bytes(data)
                if store.sha(name) != last.sha:
                    self.mine[name] = data

    @rule(name=NAMES, other=st.integers(0, 5), step=st.integers(1, 80))
    def puts_back(self, name: str, other: int, step: int) -> None:
        """An earlier version is put back, or the process dies in between."""
        there = self.book.contents().get(name)
        found = versions_of(ProjectStore.peek(self.book.paths), name)
        if there is None or not found:
            return
        chosen = found[other % len(found)]
        with (
            suppress(Crash),
            ProjectStore.open(self.book.paths, self.book.machine(DyingOps(step))) as store,
        ):
            if chosen.is_text:
                put_back(store, name, chosen.text, "versions")
        with ProjectStore.open(self.book.paths, self.book.machine(QuickOps())) as store:
            now = self.book.contents()[name]
            assert now in (there, chosen.data)
            self.mine.pop(name, None)
            if store.state(name, {}).kind == "edited":
                self.mine[name] = now

    @rule(name=NAMES)
    def deletes(self, name: str) -> None:
        self.path(name).unlink(missing_ok=True)
        self.mine.pop(name, None)

    @rule(name=NAMES)
    def gives_back(self, name: str) -> None:
        with ProjectStore.open(self.book.paths, self.book.machine(QuickOps())) as store:
            if name in self.mine:
                store.adopt(name)
                del self.mine[name]

    @rule(name=NAMES)
    def asks_again(self, name: str) -> None:
        with ProjectStore.open(self.book.paths, self.book.machine(QuickOps())) as store:
            store.again(name)

    @precondition(lambda self: not self.journal_lost)
    @rule()
    def loses_journal(self) -> None:
        self.book.paths.journal.unlink(missing_ok=True)
        self.book.model.known.clear()
        self.mine |= self.book.contents()
        self.journal_lost = True

    @rule(length=st.integers(1, 30))
    def tears(self, length: int) -> None:
        """A process dies within a record that nobody has been told of."""
        with self.book.paths.journal.open("ab") as journal:
            journal.write(b'0badc0de {"t":"placed","p":"concept.json"}'[:length])

    @rule(place=st.integers(0, 100_000), bit=st.integers(0, 7))
    def flips(self, place: int, bit: int) -> None:
        """One bit of the journal changes; what it told is lost, and nothing is made up."""
        journal = self.book.paths.journal
        data = bytearray(journal.read_bytes() if journal.exists() else b"")
        if not data:
            return
        self.flipped = True
        data[place % len(data)] ^= 1 << bit
        journal.write_bytes(data)
        view = ProjectStore.peek(self.book.paths)
        known = self.book.model.known
        lost = {key for key in known if view.manifest.reply(key) is None}
        assert len(lost) <= 1
        known -= lost
        # A file of which no record is left counts as the author's: the safe side.
        self.mine = {
            name: data
            for name, data in self.book.contents().items()
            if view.state(name, {}).kind == "edited"
        }

    @invariant()
    def the_authors_text_is_untouched(self) -> None:
        for name, data in self.mine.items():
            assert self.path(name).read_bytes() == data

    @invariant()
    def nothing_is_torn(self) -> None:
        for name, data in self.book.contents().items():
            if name not in self.mine:
                assert json.loads(data) if name.endswith(".json") else data.endswith(b"\n")

    @invariant()
    def a_torn_line_is_no_damage(self) -> None:
        aside = self.book.paths.journal.parent.glob("trash/journal-*.jsonl")
        assert self.flipped or not [*aside]

    @invariant()
    def our_own_work_is_never_taken_for_an_edit(self) -> None:
        view = ProjectStore.peek(self.book.paths)
        edited = {name for name in FILES if view.state(name, {}).kind == "edited"}
        assert edited <= set(self.mine)

    @invariant()
    def no_acknowledged_reply_is_paid_twice(self) -> None:
        replies = ProjectStore.peek(self.book.paths).manifest
        assert all(replies.reply(key) is not None for key in self.book.model.known)

    @override
    def teardown(self) -> None:
        shutil.rmtree(self.folder)
