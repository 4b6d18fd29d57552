"""`libriscribe2 demo`: a recorded book, written again before the eyes of whoever has no key yet."""

from libriscribe2.app import AppOptions
from libriscribe2.cli.frame import Frame, JsonLinesOption, ModelOptions, ProjectNameOption, command
from libriscribe2.cli.run_output import command_line, run_book
from libriscribe2.commands.exporting import plan_export
from libriscribe2.commands.new_book import NewBook, begin_book, brief_from
from libriscribe2.commands.projects import free_name, new_paths
from libriscribe2.commands.recordings import played_book, sample_recording
from libriscribe2.commands.runs import OpenBook
from libriscribe2.exporters.export_book import Edition
from libriscribe2.llm.backends.recorded import read_recording
from libriscribe2.project.paths import EXPORTS
from libriscribe2.wording import counted

DEMO_NAME = "demo"


@command
def demo(
    frame: Frame, project_name: ProjectNameOption = None, as_json: JsonLinesOption = False
) -> None:
    """Replay a recorded novel, reply by reply, without a key.

    A language model wrote it through this program. Each of its replies is read, checked and filed
    again, as in a run of your own: nothing is sent, nothing is paid. You get a project like any
    other, and the book as an EPUB.
    """
    with sample_recording() as file:
        model = f"recorded:{file}"
        told = read_recording(model)
        keys, settings, choice, files = played_book({}, frame.settings(ModelOptions(model=model)))
    frame.renderer.note(
        f"“{told.title}” was written by a language model on {told.date}; its "
        f"{counted(len(told.steps), 'reply', 'replies')} pass through the program once more. "
        "Nothing is sent, nothing is paid."
    )
    brief = brief_from(keys)
    paths = new_paths(brief, settings, project_name or free_name(settings, DEMO_NAME))
    frame.is_about(paths)
    with begin_book(paths, brief, settings, choice, NewBook(given=files)) as (store, request):
        book = OpenBook(store, brief, settings, choice, AppOptions(command_line()))
        run_book(frame.renderer, book, request, as_json=as_json)
    done = plan_export(paths, Edition(), ("epub",)).make()
    if done.failure is not None:
        raise done.failure
    if not as_json:
        frame.renderer.data(str(paths.root / EXPORTS / done.files[0].path.name))
        frame.renderer.note("A book of your own: libriscribe2 create")
