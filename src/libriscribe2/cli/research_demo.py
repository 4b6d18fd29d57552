"""A project with three sample sources, for the demonstration of research."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from typing import Final

from libriscribe2.commands.projects import open_project
from libriscribe2.errors import ProjectError
from libriscribe2.llm.providers import DEMO_MODEL
from libriscribe2.models.brief import Brief
from libriscribe2.project.atomic import atomic_write, make_folder, storage_errors
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.paths import RESEARCH_SOURCES, ProjectPaths, check_project_name
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings import Settings

NAME: Final = "research-demo"
_SAMPLES: Final = resources.files("libriscribe2.cli") / "research_samples"


@contextmanager
def begin_demo(
    settings: Settings, name: str, question: str
) -> Iterator[tuple[ProjectStore, Brief]]:
    """A new project of non-fiction about a question, with the samples as its sources.

    Raises:
        UsageError: The name cannot be used.
        ProjectError: There is a project of that name.
        StorageError: The folder cannot be written.
    """
    root = settings.projects_dir / check_project_name(name)
    if root.exists():
        raise ProjectError(
            f"There is a project {name!r} already.",
            fix=f"Ask it: `libriscribe2 research {name} QUESTION`, or choose another name.",
        )
    paths = ProjectPaths(root, settings.debug_dir / name)
    brief = Brief(
        premise=question,
        category="Popular science",
        book_kind="non-fiction",
        project_type="short_story",
        chapters="2",
        scenes_per_chapter="2",
        words=1_200,
    )
    with ProjectStore.create(paths) as store:
        model = {"models": {"default": {"model": DEMO_MODEL}}}
        write_book_toml(paths.book_toml, brief.model_dump(), model)
        _put_samples(paths)
        yield store, open_project(store)


def _put_samples(paths: ProjectPaths) -> None:
    """Copy the samples into the folder of the author's own sources."""
    folder = paths.resolve(RESEARCH_SOURCES)
    with storage_errors("write", folder):
        make_folder(folder)
        for sample in sorted(_SAMPLES.iterdir(), key=lambda one: one.name):
            if sample.name.endswith(".md"):
                atomic_write(folder / sample.name, sample.read_bytes())
