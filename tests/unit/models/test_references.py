"""References as Chicago and APA have them, and CSL-JSON both ways."""

import pytest

from libriscribe2.models.brief import CitationStyle
from libriscribe2.models.citations import cited
from libriscribe2.models.notes import Note, Source, SourcesFile
from libriscribe2.models.references import References, csl_items, with_csl

FAQ = Source(
    id="s-000000000001",
    kind="web",
    title="XZ Utils FAQ",
    place="https://tukaani.org/xz/faq.html",
    sha256="0" * 64,
    retrieved="2026-11-23",
    authors=("Lasse Collin",),
    published="2024-05-02",
    publisher="Tukaani",
)
MANUAL = Source(
    id="s-000000000002",
    kind="file",
    title="bzip2 and libbzip2",
    place="manual.html",
    sha256="0" * 64,
    authors=("Seward, Julian", "Jean-loup Gailly"),
    published="2019",
    publisher="Sourceware",
    version="1.0.8",
)
BARE = Source(
    id="s-000000000003",
    kind="web",
    title="What is a CRC?",
    place="https://example.org/crc",
    sha256="0" * 64,
    retrieved="2026-11-23",
    authors=("{World Wide Web Consortium}",),
)
ALL = (FAQ, MANUAL, BARE)


@pytest.mark.parametrize(
    ("source", "place", "expected"),
    [
        (
            FAQ,
            "What is LZMA?",
            "Lasse Collin, “XZ Utils FAQ,” Tukaani, May 2, 2024, sec. “What is LZMA?”, "
            "accessed November 23, 2026, <https://tukaani.org/xz/faq.html>.",
        ),
        (
            MANUAL,
            "page 12",
            "Julian Seward and Jean-loup Gailly, *bzip2 and libbzip2*, version 1.0.8 "
            "(Sourceware, 2019), 12.",
        ),
        (
            MANUAL,
            'paragraph 20, “"tar -z" is …”',
            "Julian Seward and Jean-loup Gailly, *bzip2 and libbzip2*, version 1.0.8 "
            "(Sourceware, 2019), par. 20, “'tar -z' is …”.",
        ),
        (
            BARE,
            "",
            "World Wide Web Consortium, “What is a CRC?,” accessed November 23, 2026, "
            "<https://example.org/crc>.",
        ),
    ],
)
def test_a_note_is_as_chicago_has_it(source: Source, place: str, expected: str) -> None:
    assert References("notes", ALL).full(source, place) == expected


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (
            "notes",
            [
                "Collin, Lasse. “XZ Utils FAQ.” Tukaani, May 2, 2024. Accessed November 23, 2026, "
                "<https://tukaani.org/xz/faq.html>.",
                "Seward, Julian, and Jean-loup Gailly. *bzip2 and libbzip2*. Version 1.0.8. "
                "Sourceware, 2019.",
                "World Wide Web Consortium. “What is a CRC?” Accessed November 23, 2026, "
                "<https://example.org/crc>.",
            ],
        ),
        (
            "author-date",
            [
                "Collin, Lasse. 2024. “XZ Utils FAQ.” Tukaani. Accessed November 23, 2026, "
                "<https://tukaani.org/xz/faq.html>.",
                "Seward, Julian, and Jean-loup Gailly. 2019. *bzip2 and libbzip2*. Version 1.0.8. "
                "Sourceware.",
                "World Wide Web Consortium. n.d. “What is a CRC?” Accessed November 23, 2026, "
                "<https://example.org/crc>.",
            ],
        ),
        (
            "apa",
            [
                "Collin, L. (2024, May 2). *XZ Utils FAQ*. Tukaani. Retrieved 23 November 2026, "
                "from <https://tukaani.org/xz/faq.html>",
                "Seward, J., & Gailly, J.-l. (2019). *bzip2 and libbzip2* (Version 1.0.8). "
                "Sourceware.",
                "World Wide Web Consortium. (n.d.). *What is a CRC?* Retrieved 23 November 2026, "
                "from <https://example.org/crc>",
            ],
        ),
    ],
)
def test_a_list_of_sources_is_as_its_style_has_it(
    style: CitationStyle, expected: list[str]
) -> None:
    references = References(style, ALL)
    assert ["".join(references.entry(one)) for one in sorted(ALL, key=references.order)] == expected


@pytest.mark.parametrize(
    ("retrieved", "english", "expected"),
    [
        ("2026-11-03", True, "Retrieved 3 November 2026, from <https://tukaani.org/xz/faq.html>"),
        ("2026-11", True, "Retrieved November 2026, from <https://tukaani.org/xz/faq.html>"),
        ("", True, "<https://tukaani.org/xz/faq.html>"),
        ("2026-11-03", False, "<https://tukaani.org/xz/faq.html> [2026-11-03]."),
        ("", False, "<https://tukaani.org/xz/faq.html>"),
    ],
)
def test_apa_says_when_a_page_was_read_where_its_record_does(
    retrieved: str, english: bool, expected: str
) -> None:
    page = FAQ.model_copy(update={"retrieved": retrieved})
    told = "".join(References("apa", [page], english=english).entry(page))
    assert told.partition("Tukaani. ")[2] == expected


def test_apa_does_not_say_when_a_file_of_the_author_was_read() -> None:
    file = MANUAL.model_copy(
        update={"retrieved": "2026-11-03", "url": "https://sourceware.org/bzip2/"}
    )
    told = "".join(References("apa", [file]).entry(file))
    assert told.endswith("Sourceware. <https://sourceware.org/bzip2/>")


def note(number: int, source: Source, locator: str) -> Note:
    return Note(
        id=f"n-{number:012x}",
        claim="c",
        quote='It says "so".',
        source=source.id,
        locator=locator,
        verified=True,
    )


NOTES = [note(1, FAQ, "Threads"), note(2, MANUAL, "page 12"), note(3, FAQ, "Threads")]
TEXT = "One [@n-000000000001]. Two [@n-000000000002] [@n-000000000003]. Three [@n-000000000003]."


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("numbers", "One [1]. Two [1, 2]. Three [1]."),
        (
            "author-date",
            "One (Collin 2024, sec. “Threads”). Two (Seward and Gailly 2019, 12; Collin 2024, "
            "sec. “Threads”). Three (Collin 2024, sec. “Threads”).",
        ),
        (
            "apa",
            "One (Collin, 2024, “Threads” section). Two (Seward & Gailly, 2019, p. 12; Collin, "
            "2024, “Threads” section). Three (Collin, 2024, “Threads” section).",
        ),
        ("notes", "One[^cite-1]. Two[^cite-2]. Three[^cite-3]."),
    ],
)
def test_a_text_cites_as_its_style_does(style: CitationStyle, expected: str) -> None:
    found = cited([TEXT], NOTES, ALL, style=style)
    assert found.texts[0].partition("\n")[0] == expected
    assert found.bad == ()
    assert "World Wide Web" not in found.references  # nobody cites it


def test_notes_give_a_source_in_full_once_and_its_quote_where_it_is_wanted() -> None:
    _, first, second, third = cited([TEXT], NOTES, ALL, style="quoted-notes").texts[0].split("\n\n")
    assert first.startswith("[^cite-1]: Lasse Collin, “XZ Utils FAQ,” Tukaani")
    assert first.endswith("“It says 'so'.”")
    assert second.count("[^") == 1
    assert "Julian Seward" in second
    assert third.startswith("[^cite-3]: Collin, “XZ Utils FAQ,” sec. “Threads”. ")


def test_two_works_of_one_author_and_year_are_told_apart() -> None:
    other = FAQ.model_copy(update={"id": "s-000000000004", "title": "A History"})
    references = References("author-date", (FAQ, other))
    assert references.in_text(other, [])[0] == "Collin 2024a"
    assert references.in_text(FAQ, [])[0] == "Collin 2024b"
    assert "2024b" in references.entry(FAQ)[1]


def test_signs_stand_for_words_where_the_book_is_in_no_english() -> None:
    told = References("notes", ALL, english=False).full(FAQ, "page 12")
    assert told == (
        "Lasse Collin, “XZ Utils FAQ,” Tukaani, 2024-05-02, p. 12, [2026-11-23], "
        "<https://tukaani.org/xz/faq.html>."
    )


def test_marks_of_markdown_in_a_record_stay_what_they_are() -> None:
    odd = FAQ.model_copy(update={"title": "a *b* [c](d)", "authors": ("<i>",), "version": "{x}"})
    told = References("numbers", [odd]).full(odd, "{0} _e_")
    assert r"a \*b\* \[c\](d)" in told
    assert r"\<i\>" in told


def test_csl_json_goes_out_and_comes_back() -> None:
    bare = [one.model_copy(update={"authors": (), "published": ""}) for one in ALL]
    items = csl_items(ALL)
    assert items[0]["author"] == [{"family": "Collin", "given": "Lasse"}]
    assert items[0]["issued"] == {"date-parts": [[2024, 5, 2]]}
    assert items[2]["author"] == [{"literal": "World Wide Web Consortium"}]
    found, left = with_csl(SourcesFile(sources=bare), [*items, {"title": "Other"}, "x"])
    assert left == ["Other"]
    assert [one.published for one in found.sources] == ["2024-05-02", "2019", ""]
    assert found.sources[0].authors == ("Collin, Lasse",)
    assert found.sources[2].authors == ("{World Wide Web Consortium}",)


def test_an_item_of_zotero_is_known_by_its_address() -> None:
    item = {
        "id": "http://zotero.org/users/1/items/ABCD",
        "URL": "https://tukaani.org/xz/faq.html",
        "title": "The FAQ",
        "author": [{"family": "Berg", "given": "Jan", "non-dropping-particle": "van den"}],
        "container-title": "tukaani.org",
        "issued": {"date-parts": [["2025", 1]]},
    }
    found, left = with_csl(SourcesFile(sources=[FAQ]), [item])
    assert left == []
    (source,) = found.sources
    assert (source.title, source.authors) == ("The FAQ", ("van den Berg, Jan",))
    assert (source.published, source.publisher) == ("2025-01", "tukaani.org")


@pytest.mark.parametrize("item", [{}, {"id": 3, "author": "x", "issued": []}, {"author": [None]}])
def test_an_item_of_any_shape_is_read(item: dict[str, object]) -> None:
    told = item | {"title": FAQ.title}
    found, _ = with_csl(SourcesFile(sources=[FAQ]), [told])
    assert len(found.sources) == 1
