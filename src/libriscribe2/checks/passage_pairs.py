"""Passages of two drafts that stand for the same place, of one length.

An evaluator that sees a longer text beside a shorter one prefers it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

from rapidfuzz import fuzz

from libriscribe2.errors import IncompleteError, UsageError
from libriscribe2.project.artifacts import Book, check_chapter
from libriscribe2.project.paths import CHAPTER_FILES, chapter_file, summary_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.prose import divided, shorten, without_notes

CALIBRATION_PASSAGES: Final = 3
"""Passages that are spoiled in every way to calibrate an evaluator."""

WINDOW: Final = 4_000
"""Most characters of a passage."""

SHORTEST: Final = 400
"""A passage with fewer characters shows nothing that could be judged."""

Where = Literal["beginning", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two passages for the same place.

    Attributes:
        name: What they are, such as `chapter 3, beginning`; also a part of the calls' steps.
        ours: The one.
        theirs: The other.
        whole: Whether they are digests of two whole books, in place of passages.
    """

    name: str
    ours: str
    theirs: str
    whole: bool = False


def equal_windows(ours: str, theirs: str, where: Where = "beginning") -> tuple[str, str] | None:
    """The beginnings (middles, ends) of two texts, cut at paragraphs to much the same length.

    Returns:
        Both passages, or None where one of them is too short to compare.
    """
    ours, theirs = prose_of(ours), prose_of(theirs)
    size = min(WINDOW, len(ours), len(theirs))
    if size < SHORTEST:
        return None
    found = _cut(ours, size, where), _cut(theirs, size, where)
    size = min(map(len, found))
    return _cut(found[0], size, where), _cut(found[1], size, where)


def sound_passages(text: str, most: int) -> list[str]:
    """The first passages of a text, whole paragraphs each; one that is too short is left out."""
    found = [""]
    for paragraph in prose_of(text).split("\n\n"):
        longer = f"{found[-1]}\n\n{paragraph}".strip()
        if len(longer) > WINDOW and found[-1]:
            found.append(paragraph)
        else:
            found[-1] = longer
    return [one for one in found if len(one) >= SHORTEST][:most]


def prose_of(text: str) -> str:
    """A chapter without its heading and without remarks to oneself."""
    return divided(without_notes(text))[1].strip()


def _cut(text: str, size: int, where: Where) -> str:
    """At most `size` characters, whole paragraphs unless one is longer than half of them."""
    if len(text) <= size:
        return text
    if where == "middle":
        start = (len(text) - size) // 2
        near = text.find("\n\n", start, start + size // 2)
        return _cut(text[near if near >= 0 else start :].strip(), size, "beginning")
    if where == "end":
        start = text.find("\n\n", len(text) - size)
        near = 0 <= start < len(text) - size // 2
        return text[start:].strip() if near else text[len(text) - size :].strip()
    end = text.rfind("\n\n", 0, size)
    return text[: end if end > size // 2 else size].strip()


MOST_PASSAGES: Final = 2
"""Most passages of a chapter that are compared; those with the largest changes are taken."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Paragraphs of both versions that belong together, from and up to; and how much changed."""

    ours: tuple[int, int]
    theirs: tuple[int, int]
    weight: int


def changed_passages(ours: str, theirs: str) -> list[tuple[str, str]]:
    """Passages of both versions that differ, in the order of the text.

    Each is taken with the paragraphs around it, which are the same on both sides. What is too
    short to be judged even so is left out.

    Args:
        ours: The one version.
        theirs: The other.
    """
    parts = prose_of(ours).split("\n\n"), prose_of(theirs).split("\n\n")
    stretches = [_widened(one, parts) for one in _changes(parts)]
    joined = _joined(stretches, parts)
    long_enough = [one for one in joined if min(map(len, _texts(one, parts))) >= SHORTEST]
    chosen = sorted(long_enough, key=lambda one: -one.weight)[:MOST_PASSAGES]
    return [_texts(one, parts) for one in sorted(chosen, key=lambda one: one.ours)]


def _changes(parts: tuple[list[str], list[str]]) -> list[_Stretch]:
    """The paragraphs that are not in both versions."""
    ours, theirs = parts
    found = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    return [
        _Stretch((a, b), (c, d), len("".join(ours[a:b])) + len("".join(theirs[c:d])))
        for kind, a, b, c, d in found
        if kind != "equal"
    ]


def _widened(one: _Stretch, parts: tuple[list[str], list[str]]) -> _Stretch:
    """A change with a paragraph on each side, and more where it is too short to compare."""
    wide = _with_one_more(one, parts)
    while min(map(len, _texts(wide, parts))) < SHORTEST:
        wider = _with_one_more(wide, parts)
        if wider == wide:
            break
        wide = wider
    return wide


def _with_one_more(one: _Stretch, parts: tuple[list[str], list[str]]) -> _Stretch:
    """A stretch with the paragraph before and the paragraph after it, as far as there are any.

    Both versions have what lies before and after a change alike, or it is a change, too.
    """
    before = min(one.ours[0], one.theirs[0], 1)
    after = min(len(parts[0]) - one.ours[1], len(parts[1]) - one.theirs[1], 1)
    ours = (one.ours[0] - before, one.ours[1] + after)
    return _Stretch(ours, (one.theirs[0] - before, one.theirs[1] + after), one.weight)


def _joined(stretches: list[_Stretch], parts: tuple[list[str], list[str]]) -> list[_Stretch]:
    """Stretches that touch as one, as long as it is no longer than a passage may be."""
    found: list[_Stretch] = []
    for one in stretches:
        both = _union(found[-1], one) if found else one
        touches = bool(found) and one.ours[0] <= found[-1].ours[1]
        if touches and max(map(len, _texts(both, parts))) <= WINDOW:
            found[-1] = both
        else:
            found.append(one)
    return found


def _union(one: _Stretch, other: _Stretch) -> _Stretch:
    ours = (min(one.ours[0], other.ours[0]), max(one.ours[1], other.ours[1]))
    theirs = (min(one.theirs[0], other.theirs[0]), max(one.theirs[1], other.theirs[1]))
    return _Stretch(ours, theirs, one.weight + other.weight)


def _texts(one: _Stretch, parts: tuple[list[str], list[str]]) -> tuple[str, str]:
    """The passages of both versions."""
    return "\n\n".join(parts[0][slice(*one.ours)]), "\n\n".join(parts[1][slice(*one.theirs)])


_PLACES: Final[tuple[Where, ...]] = ("beginning", "middle", "end")

DIGEST: Final = "whole book"
"""The name of the pair of digests."""


@dataclass(frozen=True, slots=True)
class DraftPairs:
    """What a judge is to compare.

    Attributes:
        pairs: Passages of chapters in which the same happens, up to three pairs of each chapter,
            and digests of both books.
        sound: Passages of the first draft, for the exam.
        names: Names of its people.
    """

    pairs: tuple[Pair, ...]
    sound: tuple[str, ...]
    names: tuple[str, ...]


def pairs_of(
    ours: ProjectView, theirs: ProjectView, *, chapter: int | None = None, most: int = 10
) -> DraftPairs:
    """The passages of two drafts.

    Args:
        ours: The one draft.
        theirs: The other.
        chapter: The only chapter to look at; None takes chapters spread over the book.
        most: Most chapters to look at.

    Raises:
        UsageError: The drafts do not both have the chapter.
        IncompleteError: They have no chapter in common that is long enough.
    """
    books = Book(ours), Book(theirs)
    count, called = min(
        (book.chapters(), view.paths.called)
        for book, view in zip(books, (ours, theirs), strict=True)
    )
    if chapter is not None:
        why = f"{called} is the book; only chapters that both books have are compared"
        check_chapter(chapter, count, why)
    written = [
        [n for n in range(1, book.chapters() + 1) if book.has(chapter_file(n))] for book in books
    ]
    if chapter is not None and any(chapter not in numbers for numbers in written):
        raise UsageError(f"Chapter {chapter} is not written in both books.")
    common = _alike(*books, *written)
    chosen = [one for one in common if one[0] == chapter] if chapter else _spread(common, most)
    pairs = [pair for numbers in chosen for pair in _passages(books, numbers)]
    if chapter is None and pairs and (digests := _digests(books)):
        pairs.append(Pair(DIGEST, *digests, whole=True))
    if not pairs:
        raise IncompleteError(
            "The two books have no chapter in common that can be compared.",
            why="a passage needs about a hundred words on both sides",
        )
    sound = tuple(dict.fromkeys(_sound(books[0], chosen)))[:CALIBRATION_PASSAGES]
    return DraftPairs(tuple(pairs), sound, tuple(one.name for one in books[0].characters()))


def writers_of(view: ProjectView) -> list[str]:
    """The models that wrote the chapters of a project, by name."""
    chapters = view.names(CHAPTER_FILES)
    records = (view.manifest.files.get(name) for name in chapters)
    return sorted(
        {
            name
            for one in records
            if one is not None and not one.is_own
            for name in one.params.get("models", ())
        }
    )


def _passages(books: tuple[Book, Book], numbers: tuple[int, int]) -> Iterator[Pair]:
    """The beginnings, middles and ends of a chapter of each book; of short ones what they have."""
    ours, theirs = (
        book.text(chapter_file(number)) for book, number in zip(books, numbers, strict=True)
    )
    name = f"chapter {numbers[0]}" + (f" and {numbers[1]}" if numbers[1] != numbers[0] else "")
    short = min(len(prose_of(ours)), len(prose_of(theirs))) <= len(_PLACES) * WINDOW
    for where in (one for one in _PLACES if one != "middle" or not short):
        found = equal_windows(ours, theirs, where)
        if found is not None:
            yield Pair(f"{name} {where}", *found)


def _sound(book: Book, chosen: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The beginnings of chapters of the first draft."""
    for number, _ in chosen:
        yield from sound_passages(book.text(chapter_file(number)), 1)


def _digests(books: tuple[Book, Book]) -> tuple[str, str] | None:
    """What happens in both books, chapter by chapter; None where one of them is not written."""
    summaries = [_summaries(book) for book in books]
    if not all(summaries) or not all(map(all, summaries)):
        return None
    budget = [2 * WINDOW // len(each) for each in summaries]
    ours, theirs = (
        "\n".join(f"{n}. {shorten(one, most)}" for n, one in enumerate(each, start=1))
        for each, most in zip(summaries, budget, strict=True)
    )
    return ours, theirs


def _summaries(book: Book) -> list[str]:
    """What each chapter comes to; "" where nobody has read it."""
    return [book.found(summary_file(n)) or "" for n in range(1, book.chapters() + 1)]


def _alike(
    ours: Book, theirs: Book, here: Sequence[int], there: Sequence[int]
) -> list[tuple[int, int]]:
    """The chapters of two drafts in which the same happens, in the order of both.

    Of all pairings that keep the order the one whose summaries are most alike; drafts of one plan
    are paired by number.
    """
    told = [_summaries(book) for book in (ours, theirs)]
    best: dict[tuple[int, int], tuple[float, list[tuple[int, int]]]] = {}
    for i in range(len(here) + 1):
        for j in range(len(there) + 1):
            options = [(0.0, list[tuple[int, int]]())]
            if i:
                options.append(best[i - 1, j])
            if j:
                options.append(best[i, j - 1])
            if i and j:
                score, pairs = best[i - 1, j - 1]
                one, other = here[i - 1], there[j - 1]
                like = fuzz.token_set_ratio(told[0][one - 1], told[1][other - 1])
                options.append((score + like + (one == other), [*pairs, (one, other)]))
            best[i, j] = max(options, key=lambda option: option[0])
    return best[len(here), len(there)][1]


def _spread(numbers: list[tuple[int, int]], most: int) -> list[tuple[int, int]]:
    """At most so many of some chapters, evenly spread."""
    if len(numbers) <= most:
        return numbers
    return [numbers[index * len(numbers) // most] for index in range(most)]
