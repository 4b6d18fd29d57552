"""A project as it will be once a change has happened, without a byte being written."""

from fnmatch import fnmatchcase

from typing_extensions import override

from libriscribe2.project.file_memory import FileContent
from libriscribe2.project.structure_change import Change
from libriscribe2.project.view import ProjectView, natural_order


class ChangedView(ProjectView):
    """Reads a project through a change that has not happened, or has happened in part.

    Args:
        view: The project as it is.
        change: What is going to happen.
    """

    def __init__(self, view: ProjectView, change: Change) -> None:
        super().__init__(view.paths, view.manifest.after(change.record), view.damaged)
        self._under = view
        self._new = {one.name: one.data for one in change.files}

    @override
    def exists(self, name: str) -> bool:
        """Whether there will be a file of that name."""
        return self._new[name] is not None if name in self._new else self._under.exists(name)

    @override
    def find(self, name: str) -> FileContent | None:
        """What the file will hold; None where there will be no file."""
        if name not in self._new:
            return self._under.find(name)
        data = self._new[name]
        return None if data is None else FileContent(name, data)

    @override
    def names(self, pattern: str) -> tuple[str, ...]:
        """The names of the files that will match a glob, numbers in order."""
        kept = {name for name in self._under.names(pattern) if name not in self._new}
        added = {
            name
            for name, data in self._new.items()
            if data is not None and fnmatchcase(name, pattern)
        }
        return tuple(sorted(kept | added, key=natural_order))
