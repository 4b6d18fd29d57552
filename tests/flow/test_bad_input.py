"""Input that cannot be used: the exit code, what, why and how to mend it, and no trace left."""

import tomllib

import pytest
from tests.support.authors import Author
from tests.support.desk import PREMISE, Desk, Ran


def refused(ran: Ran) -> str:
    """The one line of a refusal: what is wrong, and how to mend it."""
    assert ran.out == ""
    assert "Traceback" not in ran.err
    (line,) = ran.err.splitlines()
    assert line.startswith("error: ")
    assert " fix: " in line
    return line


def no_trace(desk: Desk) -> None:
    assert not (desk.folder / "projects").exists()
    assert not (desk.folder / "debug").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--chapters", "0"), ("--chapters '0'", "fewer than 1")),
        (("--chapters", "12-8"), ("--chapters '12-8'", "8-12")),
        (("--chapters", "many"), ("--chapters 'many'", "8-12")),
        (("--characters", "-1"), ("--characters '-1'",)),
        (("--scenes-per-chapter", "3,x"), ("--scenes-per-chapter '3,x'",)),
        (("--chapters", "1001"), ("--chapters '1001'", "at most 1,000")),
        (("--chapters", "100000"), ("--chapters '100000'", "at most 1,000")),
        (("--project-type", "saga"), ("--project-type 'saga'", "has to be 'short_story'")),
        (("--kind", "foo"), ("--kind 'foo'", "has to be 'fiction' or 'non-fiction'.")),
        (("--log-level", "foo"), ("--log-level cannot be 'foo'", "has to be 'DEBUG', 'INFO'")),
        (("--words", "9000000"), ("--words 9000000",)),
        (("--language", " "), ("--language ' '",)),
        (("--until", "outlin"), ("no stage 'outlin'", "Did you mean 'outline'?")),
        (("--project-name", "../evil"), ("'../evil' cannot be the name",)),
        (("--project-name", "CON"), ("'CON' cannot be the name", "Windows", "'con-book'")),
        (("--project-name", "x" * 300), ("xxx...' cannot be the name", "up to 60 letters")),
        (("--language", ""), ("--language ''", "it is empty")),
        (("--words", "10k"), ("--words", "a whole number, not '10k'")),
        (("--max-cost", "-1"), ("--max-cost", "0 or more, not '-1'")),
        (("--model", "openai/x"), ("--mock", "--model 'openai/x'")),
        (("--model", ""), ("--model has no value",)),
        (("-d", "Another book"), ("PREMISE", "--description")),
        (("--chapters", "2", "--scenes-per-chapter", "3,4,5"), ("3 chapters", "--chapters 2")),
    ],
)
def test_XC_08_a_wrong_value_is_exit_2_and_names_the_option(
    desk: Desk, options: tuple[str, ...], words: tuple[str, ...]
) -> None:
    line = refused(desk.run("create", PREMISE, "--mock", *options, expect=2))
    assert all(word in line for word in words), line
    no_trace(desk)


@pytest.mark.parametrize(
    "arguments",
    [("create",), ("create", "   "), ("create", "--no-input"), ("create-book", "-d", "")],
)
def test_XC_08_no_premise_and_no_terminal_is_exit_2(desk: Desk, arguments: tuple[str, ...]) -> None:
    line = refused(desk.run(*arguments, expect=2))
    assert "no premise" in line
    assert "libriscribe2 create" in line
    no_trace(desk)


@pytest.mark.parametrize("premise", ["\u200b\u200b", "...", "?!", "\u2014"])
def test_XC_08_a_premise_without_a_word_is_exit_2(desk: Desk, premise: str) -> None:
    line = refused(desk.run("create", premise, "--mock", expect=2))
    assert "PREMISE" in line
    assert "no word" in line
    no_trace(desk)


def test_XC_08_a_dash_reads_the_premise_from_stdin(desk: Desk) -> None:
    size = ("--mock", "--until", "concept", "--project-name", "book")
    desk.run("create", "-", *size, typed=f"{PREMISE}.\nIt rains.\n")
    brief = tomllib.loads(desk.project().text("book.toml"))["book"]
    assert brief["premise"] == f"{PREMISE}.\nIt rains."


@pytest.mark.parametrize(
    ("typed", "words"),
    [(b"", "no premise"), (b" \n", "no premise"), (b"caf\xe9", "not UTF-8"), (b"-", "no word")],
)
def test_XC_08_stdin_without_a_premise_is_exit_2(desk: Desk, typed: bytes, words: str) -> None:
    line = refused(desk.run("create", "-", "--mock", typed=typed, expect=2))
    assert words in line
    no_trace(desk)


def test_XC_08_words_without_quotes_are_told_to_take_some(desk: Desk) -> None:
    line = refused(desk.run("create", "A lighthouse", "keeper", "--mock", expect=2))
    assert "(keeper)" in line
    assert "quotes" in line
    assert "quotes" not in refused(desk.run("tools", "x", expect=2))


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("OPENAI_BASE_URL", "localhost:8080"),
        ("OPENAI_API_BASE", "http://127.0.0.1:8080/v1/chat/completions"),
        ("LIBRISCRIBE2_LLM__BASE_URL", "127.0.0.1:8080/v1"),
    ],
)
def test_XC_08_an_address_that_is_none_is_exit_3_before_anything_is_made(
    desk: Desk, variable: str, value: str
) -> None:
    desk.environment |= {"OPENAI_API_KEY": "sk-x", variable: value}
    line = refused(desk.run("create", PREMISE, "--no-input", expect=3))
    assert variable in line
    assert repr(value) in line
    no_trace(desk)


def test_an_address_that_is_none_does_not_hinder_the_stand_in_author(desk: Desk) -> None:
    desk.environment["OPENAI_BASE_URL"] = "localhost:8080"
    desk.create("--until", "concept")


def test_XC_08_a_key_that_cannot_be_sent_is_exit_4_and_not_shown(desk: Desk) -> None:
    desk.environment["ANTHROPIC_API_KEY"] = "'sk-ant-secret'"
    line = refused(desk.run("create", PREMISE, "--no-input", expect=4))
    assert "ANTHROPIC_API_KEY" in line
    assert "secret" not in line
    no_trace(desk)


@pytest.mark.parametrize(
    "arguments", [("nonsense",), ("create", PREMISE, "--words", "0"), ("resume",), ("--colour",)]
)
def test_XC_08_what_cannot_be_typed_is_exit_2(desk: Desk, arguments: tuple[str, ...]) -> None:
    ran = desk.run(*arguments, expect=2)
    assert "Traceback" not in ran.err
    assert ran.err
    no_trace(desk)


def test_XC_08_a_projects_folder_that_cannot_be_is_exit_6(desk: Desk) -> None:
    (desk.folder / "projects").symlink_to("projects")
    assert "projects/book" in refused(desk.create(expect=6))
    desk.environment["LIBRISCRIBE2_PROJECTS_DIR"] = str(desk.folder / ("x" * 300))
    assert "shorter name" in refused(desk.create(expect=6))
    refused(desk.run("resume", "book", expect=None))


def test_XC_08_an_existing_project_is_exit_3_and_says_resume(desk: Desk) -> None:
    desk.written("--until", "concept")
    before = desk.project().contents()
    assert "libriscribe2 resume book" in refused(desk.create(expect=3))
    assert desk.project().contents() == before


def test_XC_08_an_unknown_project_is_exit_3_and_names_the_nearest(desk: Desk) -> None:
    assert "no project 'book'" in refused(desk.run("resume", "book", expect=3))
    desk.written("--until", "concept")
    assert "Did you mean 'book'?" in refused(desk.run("resume", "bok", expect=3))
    assert "Did you mean 'book'?" in refused(desk.run("resume", "BOOK", expect=3))
    refused(desk.run("status", "bok", expect=3))


def test_XC_08_a_folder_that_is_no_project_is_exit_3(desk: Desk) -> None:
    (desk.folder / "projects" / "book").mkdir(parents=True)
    for command in ("status", "resume"):
        refused(desk.run(command, "book", expect=3))


def test_XC_08_an_unknown_key_of_the_user_file_names_file_key_and_the_nearest(desk: Desk) -> None:
    path = desk.folder / "home" / "libriscribe2" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[pipeline]\nmax_concurency = 3\n", encoding="utf-8")
    desk.environment["XDG_CONFIG_HOME"] = str(desk.folder / "home")
    text = refused(desk.create(expect=3))
    assert "config.toml" in text
    assert "max_concurency" in text
    assert "max_concurrency" in text
    no_trace(desk)


def test_XC_08_a_brief_in_the_user_file_is_an_unknown_key(desk: Desk) -> None:
    path = desk.folder / "home" / "libriscribe2" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[book]\nlanguage = 'German'\n", encoding="utf-8")
    desk.environment["XDG_CONFIG_HOME"] = str(desk.folder / "home")
    assert "unknown key `book.language`" in refused(desk.create(expect=3))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("language = ", "langage = ", ("langage", "unknown key", "'language'")),
        ("words = 200", 'words = "many"', ("words", "whole number")),
        ("words = 200", "words = = 2", ("line",)),
        ('series_number = ""', 'series_number = "x"', ("series_number", "such as 2 or 2.5")),
        ("allow = []", 'allow = "P3"', ("allow", "a list in square brackets")),
        ("[models.default]", "[modles]", ("modles", "models")),
        ("[models.default]", "[models.defualt]", ("defualt", "default")),
    ],
)
def test_XC_08_a_wrong_book_toml_is_exit_3_naming_the_place(
    desk: Desk, old: str, new: str, words: tuple[str, ...]
) -> None:
    desk.written("--until", "concept")
    book = desk.project()
    assert old in book.text("book.toml")
    book.write("book.toml", book.text("book.toml").replace(old, new))
    before = book.contents()
    author = Author()
    text = refused(desk.run("resume", "book", backend=author, expect=3))
    assert all(word in text for word in (*words, "book.toml")), text
    assert author.asked == []
    assert book.contents() == before


def test_XC_08_a_book_toml_that_is_not_text_or_gone_is_exit_3(desk: Desk) -> None:
    desk.written("--until", "concept")
    book = desk.project()
    for data, word in ((b"premise = '\xff\xfe'\n", "UTF-8"), (b"", "empty"), (None, "missing")):
        if data is None:
            book.path("book.toml").unlink()
        else:
            book.path("book.toml").write_bytes(data)
        for command in ("resume", "status"):
            text = refused(desk.run(command, "book", expect=3))
            assert "book.toml" in text
            assert word in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("openai/gpt-5.4-mini", ("OPENAI_API_KEY", "keys set openai", "--model manual")),
        ("anthropic/claude-sonnet-5", ("ANTHROPIC_API_KEY", "keys set anthropic")),
        ("nosuchprovider/nosuchmodel", ("nosuchmodel", "--model demo")),
    ],
)
def test_XC_08_a_missing_key_or_unknown_model_is_exit_4_before_anything_is_made(
    desk: Desk, model: str, words: tuple[str, ...]
) -> None:
    text = refused(desk.run("create", PREMISE, "--model", model, expect=4))
    assert all(word in text for word in words), text
    no_trace(desk)


def test_XC_08_the_model_of_a_single_stage_is_looked_at_too(desk: Desk) -> None:
    desk.written("--until", "outline")
    book = desk.project()
    book.write("book.toml", book.text("book.toml") + '[models]\nchapters = "openai/gpt-5.4-mini"\n')
    author = Author()
    ran = desk.run("resume", "book", backend=author, expect=4)
    assert "OPENAI_API_KEY" in ran.err
    assert author.asked == []


@pytest.mark.parametrize("model", ["", "  ", ","])
def test_an_empty_model_does_not_stand_for_the_stand_in_author(desk: Desk, model: str) -> None:
    line = refused(desk.run("create", PREMISE, "--model", model, expect=2))
    assert "--model has no value." in line
    no_trace(desk)


def test_XC_08_with_json_an_error_is_one_json_line_on_stderr(desk: Desk) -> None:
    ran = desk.run("create", "--json", expect=2)
    assert ran.out == ""
    assert Ran(0, ran.err, "").value.keys() == {"error", "message", "why", "fix"}


def test_XC_08_a_folder_that_cannot_be_written_is_exit_6(desk: Desk) -> None:
    (desk.folder / "projects").write_text("a file, not a folder", encoding="utf-8")
    assert refused(desk.create(expect=6))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("chapters = 0", "[book] chapters: '0' asks for fewer than 1."),
        ("chapters = 2.5", "[book] chapters: write a whole number, or a text in quotes such as"),
        ("chapters = true", "[book] chapters: write a whole number, or a text in quotes such as"),
        ('book_kind = "foo"', "[book] book_kind: it has to be 'fiction' or 'non-fiction'."),
        ("title = 5", "[book] title: it has to be a text in quotes."),
        ('words = "many"', "[book] words: it has to be a whole number."),
        ("words = -1", "[book] words: it has to be 0 or more."),
    ],
)
def test_a_wrong_line_of_a_book_toml_is_told_in_plain_words(
    desk: Desk, line: str, told: str
) -> None:
    folder = desk.folder / "projects" / "book"
    folder.mkdir(parents=True)
    (folder / "book.toml").write_text(f'[book]\npremise = "x"\n{line}\n', "utf-8")
    assert told in desk.run("status", "book", expect=3).err
