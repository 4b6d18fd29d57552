"""Checking a book, with what mends each problem; its figures as charts; and making it into a book."""

import mimetypes
from collections.abc import Callable
from typing import Any, Final

from markupsafe import Markup
from starlette.responses import HTMLResponse, JSONResponse, Response

from libriscribe2.checks.continuity.story_report import check_story
from libriscribe2.checks.plan.plan import plan_of
from libriscribe2.checks.plan.plan_report import allowance_for, allowances, plan_findings
from libriscribe2.checks.reference_ranges import NO_LIMIT
from libriscribe2.checks.report.book_report import BookReport
from libriscribe2.commands.book_state import book_findings
from libriscribe2.commands.calls import CallFilter
from libriscribe2.commands.chapter_edits import adopt_files
from libriscribe2.commands.exporting import choose_cover, cover_gallery, plan_export
from libriscribe2.commands.hand_edits import paragraphs
from libriscribe2.commands.mending import what_mending_asks
from libriscribe2.commands.projects import look_at, read_brief, settings_of
from libriscribe2.commands.run_progress import FOLDED
from libriscribe2.desk.drawn import bars_svg, prose_html, range_svg, tension_svg
from libriscribe2.desk.report_page import ReportShelf, report_page
from libriscribe2.desk.run_pages import call_rows
from libriscribe2.desk.server import FILTERS
from libriscribe2.desk.site import LiveAddresses, Site, plain_page
from libriscribe2.desk.snapshot import ProjectSource, Snapshot, take
from libriscribe2.desk.visits import Visit, change, page
from libriscribe2.engine.stages import book_status
from libriscribe2.errors import ConfigError, LibriScribeError, UsageError
from libriscribe2.exporters.covers import PICTURE
from libriscribe2.exporters.publishing import DISCLOSURE, all_exporters
from libriscribe2.models.findings import Finding
from libriscribe2.models.story import OutlineFile
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.paths import EXPORTS, OUTLINE, ProjectPaths, chapter_file
from libriscribe2.prose import prose_words

_LARGEST_COVER: Final = 10 * 2**20
_PICTURES: Final = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpg"}


def show_check(visit: Visit) -> Response:
    """Problems in groups, each with what mends it, and how far the book is from its plan."""
    status = book_status(visit.stages, visit.brief, visit.view)
    stale = [one for one in status if one.state in ("stale", "edited")]
    edited = {one.unit.output for one in stale if one.state == "edited"}
    files = _found(lambda: book_findings(visit.paths))
    groups: list[tuple[str, list[Finding]]] = [
        ("Files", [one for one in files if one.where.file not in edited]),
        ("Story", _found(lambda: [*_story(visit)])),
        ("Plan", _found(lambda: [*_plan(visit)])),
    ]
    return visit.page(
        "check",
        groups=[(name, [one for one in found if not one.allowed]) for name, found in groups],
        stale=stale,
        by_itself={*FOLDED, *(one.name for one in visit.stages if not one.prompts)},
        mending=_found_mending(visit),
        allowance_for=allowance_for,
    )


def _found(look: Callable[[], list[Finding]]) -> list[Finding]:
    try:
        return look()
    except LibriScribeError:
        return []


def _found_mending(visit: Visit) -> tuple[int, int, int]:
    try:
        return what_mending_asks(visit.view, visit.brief)
    except LibriScribeError:
        return 0, 0, 0


def _story(visit: Visit) -> list[Finding]:
    found = check_story(visit.brief, visit.view)
    return [*found.errors, *found.warnings]


def _plan(visit: Visit) -> list[Finding]:
    found = plan_findings(plan_of(visit.brief, visit.book), allowances(visit.brief.allow))
    return [one for one in found if one.severity != "note"]


def allow_finding(visit: Visit) -> Response:
    """Let something of the plan stand, from now on."""
    entry = visit.form.get("allow", "")
    allowances([entry])
    if entry not in visit.brief.allow:
        write_book_toml(visit.paths.book_toml, {"allow": [*visit.brief.allow, entry]}, {})
    return visit.go("check")


def accept_edits(visit: Visit) -> Response:
    """Take edited files, or a file that is out of date, as current."""
    file = visit.form.get("file", "")
    adopt_files(visit.paths, [file] if file else [])
    return visit.go(*visit.form.get("back", "check").split("/"))


def show_report(visit: Visit) -> Response:
    """The figures of a book beside those of published books."""
    snapshot = _snapshot(visit.paths)
    values = report_page(snapshot, _reports(visit))
    lengths = [
        (f"chapter {n}", float(prose_words(visit.book.text(chapter_file(n)))))
        for n in range(1, visit.book.chapters() + 1)
        if visit.view.exists(chapter_file(n))
    ]
    outline = visit.book.load(OUTLINE, OutlineFile) if visit.view.exists(OUTLINE) else None
    tension = tension_svg([one.tension for one in outline.chapters] if outline is not None else [])
    return visit.page(
        "report",
        **{key: value for key, value in values.items() if key != "earlier"},
        lengths=bars_svg(lengths, "Words of each chapter"),
        tension=tension,
        ranges=_ranges(values["report"]),
    )


def _reports(visit: Visit) -> ReportShelf:
    """The figures of the book, which all pages share: a long one takes seconds to be measured."""
    return visit.desk.reports.setdefault(str(visit.paths.root), ReportShelf())


def _ranges(report: BookReport | None) -> dict[str, Markup]:
    """Each figure drawn beside the range of published books, by its name for people."""
    if report is None:
        return {}
    found = {}
    for one in report.metrics.metrics:
        known = one.range
        high = None if known.amber == NO_LIMIT else known.amber
        if known.is_known:
            found[one.name_in_words] = range_svg(one.value, known.low, high)
    return found


def _snapshot(paths: ProjectPaths) -> Snapshot:
    source = _source(paths)
    return take(source, source.calls())


def _source(paths: ProjectPaths) -> ProjectSource:
    return ProjectSource(
        paths,
        look=lambda: look_at(paths),
        brief=lambda: read_brief(paths),
        max_cost=settings_of(paths.root, {}).budget.max_cost,
    )


def show_calls(visit: Visit) -> Response:
    """The pages of calls and dumps, for those who look closer."""
    keys = [visit.keys.get(name) for name in ("kind", "key", "version")]
    way = tuple(key for key in keys if key is not None) or ("overview",)
    asked = {name: visit.asked.get(name, "") for name in FILTERS}
    snapshot, addresses = _snapshot(visit.paths), LiveAddresses(visit.at("look"))
    if way == ("calls",) and visit.asked.get("format") == "json":
        rows = call_rows(snapshot, CallFilter(**asked))
        return JSONResponse({"project": snapshot.name, "calls": rows})
    html = Site(snapshot, addresses, visit.seen, _reports(visit)).render(way, CallFilter(**asked))
    if html is None:
        return HTMLResponse(plain_page("missing", addresses), 404)
    return HTMLResponse(html.encode("utf-8", "replace"))


def show_finish(visit: Visit) -> Response:
    """Formats, cover and disclosure, with the first pages as a reader gets them."""
    return _finish(visit)


def _finish(visit: Visit, **more: Any) -> Response:
    try:
        plan = plan_export(visit.paths, settings_of(visit.paths.root, {}).export, partial=True)
        hindrances: dict[str, ConfigError] = dict(plan.hindrances)
        missing, book = plan.book.missing, plan.book
    except LibriScribeError as error:
        return visit.page("finish", fault=error, files=_files(visit), **more)
    first = paragraphs(book.parts[0].text)[:7] if book.parts else []
    return visit.page(
        "finish",
        fault=None,
        files=_files(visit),
        formats=[one.name for one in all_exporters()],
        hindrances=hindrances,
        missing=missing,
        export=book,
        first=[prose_html(one) for one in first],
        **{"done": None, **more},
    )


def _files(visit: Visit) -> list[tuple[str, int]]:
    folder = visit.paths.resolve(EXPORTS)
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return [(one.name, one.stat().st_size) for one in found if one.is_file()]


def make_book(visit: Visit) -> Response:
    """Make the formats that were chosen."""
    wanted = [one.name for one in all_exporters() if visit.form.get(f"format:{one.name}")]
    if not wanted:
        raise UsageError("Choose at least one format.")
    partial, check = bool(visit.form.get("partial")), bool(visit.form.get("check"))
    check = check and "epub" in wanted
    plan = plan_export(
        visit.paths, settings_of(visit.paths.root, {}).export, wanted, partial=partial, check=check
    )
    return _finish(visit, done=plan.make())


def set_imprint(visit: Visit) -> Response:
    """What the title page and the catalogue say."""
    names = ("title", "author", "rights", "publisher", "series", "series_number", "identifier")
    said = {name: visit.form[name].strip() for name in names if name in visit.form}
    write_book_toml(visit.paths.book_toml, said, {})
    read_brief(visit.paths)
    return visit.go("finish")


def take_cover(visit: Visit) -> Response:
    """Take a picture as the cover."""
    kind = next((end for mark, end in _PICTURES.items() if visit.upload.startswith(mark)), None)
    if kind is None or len(visit.upload) > _LARGEST_COVER:
        return JSONResponse({"fault": "A cover is a PNG or JPEG of at most 10 MB."}, 400)
    path = visit.paths.resolve(f"images/cover.{kind}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(visit.upload)
    write_book_toml(visit.paths.book_toml, {"cover": f"images/cover.{kind}"}, {})
    return JSONResponse({"go": visit.at("finish")})


def show_covers(visit: Visit) -> Response:
    """Every cover that can be drawn, to choose one."""
    edition = settings_of(visit.paths.root, {}).export
    visit.desk.galleries[str(visit.paths.root)] = cover_gallery(visit.paths, edition)
    names = visit.desk.galleries[str(visit.paths.root)]
    chosen = "" if visit.brief.cover and edition.cover != PICTURE else edition.cover
    return visit.page("covers", names=[*names], chosen=chosen)


def send_cover(visit: Visit) -> Response:
    """The picture of one of them."""
    found = visit.desk.galleries.get(str(visit.paths.root), {}).get(visit.keys["name"])
    if found is None:
        raise UsageError(f"There is no cover {visit.keys['name']!r} here.")
    return Response(found, media_type="image/png")


def set_cover(visit: Visit) -> Response:
    """Have the cover drawn in a design; "" is the one that suits the book."""
    choose_cover(visit.paths, visit.form.get("cover", ""))
    return visit.go("finish")


def send_file(visit: Visit) -> Response:
    """An exported file, to be saved."""
    name = visit.keys["file"]
    if name not in {one for one, _ in _files(visit)}:
        raise UsageError(f"There is no file {name!r}.")
    data = (visit.paths.resolve(EXPORTS) / name).read_bytes()
    kind = "text/plain; charset=utf-8" if name == DISCLOSURE else mimetypes.guess_type(name)[0]
    how = "inline" if name == DISCLOSURE else "attachment"
    safe = name.encode("ascii", "replace").decode().replace('"', "")
    headers = {"Content-Disposition": f'{how}; filename="{safe}"'}
    return Response(data, media_type=kind or "application/octet-stream", headers=headers)


SCREEN: Final = (
    page("/b/{book}/check", show_check),
    change("/b/{book}/check/allow", allow_finding),
    change("/b/{book}/check/accept", accept_edits),
    page("/b/{book}/report", show_report),
    page("/b/{book}/look", show_calls),
    page("/b/{book}/look/{kind}", show_calls),
    page("/b/{book}/look/{kind}/{key}", show_calls),
    page("/b/{book}/look/{kind}/{key}/{version}", show_calls),
    page("/b/{book}/finish", show_finish),
    change("/b/{book}/finish", make_book),
    change("/b/{book}/finish/imprint", set_imprint),
    change("/b/{book}/finish/cover", take_cover),
    page("/b/{book}/finish/covers", show_covers),
    change("/b/{book}/finish/covers", set_cover),
    page("/b/{book}/finish/covers/{name}", send_cover),
    page("/b/{book}/exports/{file}", send_file),
)
