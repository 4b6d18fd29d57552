"""`libriscribe2 check --book-review`: what does a reader of the whole book stumble over?"""

from typing import Final

from libriscribe2.cli.check_story import Format, lines_of
from libriscribe2.cli.judging import consulted
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.rule_book import RuleBook
from libriscribe2.cli.story_junit import as_junit
from libriscribe2.cli.story_sarif import as_sarif
from libriscribe2.commands.projects import open_project
from libriscribe2.pipeline.book_review import BookReviewer
from libriscribe2.pipeline.book_review_report import RULES, book_to_read, review_report
from libriscribe2.pipeline.story_finding import StoryReport
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings import Settings
from libriscribe2.wording import counted

REVIEW: Final = RuleBook("book review", RULES, "inSource", "a note in the text")


def check_the_book(
    renderer: Renderer, paths: ProjectPaths, form: Format, settings: Settings
) -> None:
    """Have a model read a whole book, and tell what the text proves of its doubts.

    Raises:
        LibriScribeError: It could not be read.
    """
    with ProjectStore.open(paths) as store:
        brief, read = open_project(store), book_to_read(store)
        told = consulted(
            renderer,
            (store, brief, settings),
            BookReviewer,
            lambda reviewer: reviewer.review(read.chapters, read.summaries),
        )
    report = review_report(paths.root.name, read, told)
    _tell(renderer, paths, report, form)
    looked = sum(told.verdicts.values())
    sums = ", ".join(f"{count} {verdict}" for verdict, count in told.verdicts.items())
    doubts = counted(told.doubts, "doubt")
    renderer.note(f"{doubts} by the summaries, {looked} looked for in the text: {sums or 'none'}.")


def _tell(renderer: Renderer, paths: ProjectPaths, report: StoryReport, form: Format) -> None:
    """The findings on stdout."""
    if form == "json":
        renderer.data_json(report.as_record())
    elif form == "sarif":
        renderer.data_json(as_sarif(report, paths.root, REVIEW))
    elif form == "junit":
        renderer.data(as_junit(report, REVIEW))
    else:
        for finding in report.findings:
            if not finding.allowed:
                renderer.data(lines_of(finding))
