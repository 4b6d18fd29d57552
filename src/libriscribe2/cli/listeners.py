"""Who hears a run beside the screen."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from libriscribe2.cli.render import Renderer
from libriscribe2.observe.event_file import EventFile
from libriscribe2.observe.events import Listener
from libriscribe2.observe.span_export import traced
from libriscribe2.project.paths import ProjectPaths


@contextmanager
def run_listeners(renderer: Renderer, paths: ProjectPaths) -> Iterator[tuple[Listener, ...]]:
    """The project's file of events, and the collector of spans that the environment names."""
    name = paths.root.name
    with EventFile(paths.events) as file, traced(name, os.environ, renderer.warning) as spans:
        yield (file, *spans)
