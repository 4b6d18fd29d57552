"""An old project as it will be once it is converted, without a byte being written."""

from fnmatch import fnmatchcase

from typing_extensions import override

from libriscribe2.project.file_memory import FileContent
from libriscribe2.project.legacy.reading import read_legacy
from libriscribe2.project.view import ProjectView, natural_order


class ConvertedView(ProjectView):
    """Reads a project of the original LibriScribe2 in the terms of this program.

    Args:
        view: The old project as it is.

    Raises:
        ProjectError: A file of the old project cannot be read as what it should be.
        StorageError: A file cannot be read.
    """

    def __init__(self, view: ProjectView) -> None:
        super().__init__(view.paths, view.manifest, view.damaged)
        self._new = read_legacy(view.paths.root).artifacts

    @override
    def exists(self, name: str) -> bool:
        """Whether there will be a file of that name."""
        return name in self._new or super().exists(name)

    @override
    def find(self, name: str) -> FileContent | None:
        """What the file will hold; None where there will be no file."""
        text = self._new.get(name)
        return super().find(name) if text is None else FileContent(name, text.encode("utf-8"))

    @override
    def names(self, pattern: str) -> tuple[str, ...]:
        """The names of the files that will match a glob, numbers in order."""
        new = {name for name in self._new if fnmatchcase(name, pattern)}
        return tuple(sorted({*super().names(pattern), *new}, key=natural_order))
