"""Turning a folder of the original LibriScribe2 into a project of this one."""

from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.legacy.reading import LegacyProject, read_legacy
from libriscribe2.project.paths import PROJECT_DATA, ProjectPaths
from libriscribe2.project.store import ProjectStore


def is_legacy(paths: ProjectPaths) -> bool:
    """Whether the folder holds an old project that was not converted yet."""
    return not paths.book_toml.exists() and (paths.root / PROJECT_DATA).is_file()


def convert(store: ProjectStore) -> LegacyProject:
    """Write an old project's converted files beside its own, `book.toml` last.

    The files count as the author's: they are read and never overwritten. A conversion that was
    interrupted is done again by the next one.

    Raises:
        ProjectError: A file of the old project cannot be read as what it should be.
        StorageError: A file cannot be read or written.
    """
    old = read_legacy(store.paths.root)
    for name, text in old.artifacts.items():
        store.import_text(name, text)
    write_book_toml(store.paths.book_toml, old.brief, {})
    return old
