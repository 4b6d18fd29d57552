"""Changes of a project are told as they happen, and nothing else is."""

from tests.support.review_book import ReviewBook

from libriscribe2.desk.server import changes, stamp


async def test_a_change_is_told_once_and_silence_now_and_then(review_book: ReviewBook) -> None:
    looks = 0

    async def sleep(_seconds: float) -> None:
        nonlocal looks
        looks += 1
        if looks == 3:
            review_book.write("chapters/01.md", "# By hand\n")

    stream = changes(review_book.paths, sleep, ended=lambda: looks >= 60)
    told = [(looks, piece) async for piece in stream]
    assert told[0] == (0, ": watching\n\n")
    assert told[1] == (3, "data: changed\n\n")
    assert [piece for _, piece in told[2:]] == [": still here\n\n"]


def test_a_new_dump_a_new_record_and_an_edit_all_change_the_stamp(review_book: ReviewBook) -> None:
    stamps = [stamp(review_book.paths)]
    review_book.dump("x")
    stamps.append(stamp(review_book.paths))
    with review_book.paths.journal.open("ab") as file:
        file.write(b"\n")
    stamps.append(stamp(review_book.paths))
    review_book.write("research/notes.json", "{}")
    stamps.append(stamp(review_book.paths))
    assert len(set(stamps)) == len(stamps)
    assert stamp(review_book.paths) == stamps[-1]
