"""Prompt files: strict holes, variants, overrides."""

from importlib import resources
from pathlib import Path

import pytest

from libriscribe2.errors import ConfigError, StorageError
from libriscribe2.prompts.loader import load_prompt, load_text

SHIPPED = sorted(
    path.name.removesuffix(".md")
    for path in resources.files("libriscribe2.prompts").iterdir()
    if path.name.endswith(".md")
)


def write(folder: Path, name: str, user: str) -> Path:
    text = f"--- system ---\nYou write.\n--- user ---\n{user}\n"
    (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_prompt_can_be_read_and_filled(name: str) -> None:
    base, _, kind = name.partition(".")
    prompt = load_prompt(base, kind=kind or "fiction")
    system, user = prompt.render(**dict.fromkeys(prompt.holes(), "VALUE"))
    assert (system["role"], user["role"]) == ("system", "user")
    assert "$" not in user["content"]
    assert len(prompt.sha) == 16


@pytest.mark.parametrize("name", [name for name in SHIPPED if name.endswith(".non-fiction")])
def test_both_kinds_of_a_prompt_want_the_same_values(name: str) -> None:
    base = name.removesuffix(".non-fiction")
    assert load_prompt(base).holes() == load_prompt(base, kind="non-fiction").holes()


def test_missing_and_unused_values_are_errors(tmp_path: Path) -> None:
    prompt = load_prompt("own", overrides=write(tmp_path, "own.md", "$a and $b"))
    with pytest.raises(ConfigError) as caught:
        prompt.render(a="1", c="2")
    assert "['b']" in caught.value.why
    assert "['c']" in caught.value.why


def test_values_are_filled_in_once_and_never_read_again(tmp_path: Path) -> None:
    prompt = load_prompt("own", overrides=write(tmp_path, "own.md", "$a"))
    _, user = prompt.render(a="$b {0.__class__} ${a}")
    assert user["content"] == "$b {0.__class__} ${a}"


def test_a_projects_own_prompt_is_taken_first(tmp_path: Path) -> None:
    write(tmp_path, "summaries.md", "mine $text")
    assert load_prompt("summaries", overrides=tmp_path).holes() == {"text"}
    assert load_prompt("summaries").holes() > {"text"}


def test_a_projects_own_prompt_outranks_the_shipped_one_of_the_kind(tmp_path: Path) -> None:
    write(tmp_path, "outline.md", "mine")
    assert load_prompt("outline", kind="non-fiction", overrides=tmp_path).user == "mine\n"
    write(tmp_path, "outline.non-fiction.md", "mine of facts")
    found = load_prompt("outline", kind="non-fiction", overrides=tmp_path)
    assert (found.user, found.name) == ("mine of facts\n", "outline.non-fiction")
    assert load_prompt("outline", overrides=tmp_path).user == "mine\n"


@pytest.mark.parametrize(("text", "line"), [("costs $5", 4), ("a\nb ${a", 5), ("$", 4)])
def test_a_dollar_that_is_no_hole_names_file_and_line(tmp_path: Path, text: str, line: int) -> None:
    write(tmp_path, "own.md", text)
    with pytest.raises(ConfigError) as caught:
        load_prompt("own", overrides=tmp_path)
    assert str(tmp_path / "own.md") in caught.value.what
    assert f"line {line}" in caught.value.what
    assert "$$" in caught.value.fix


def test_a_doubled_dollar_is_a_dollar(tmp_path: Path) -> None:
    prompt = load_prompt("own", overrides=write(tmp_path, "own.md", "costs $$5"))
    assert prompt.render()[1]["content"] == "costs $5"


def test_a_prompt_that_is_not_utf8_names_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "own.md").write_bytes(b"--- system ---\nCaf\xe9\n--- user ---\nx\n")
    with pytest.raises(ConfigError, match=r"own\.md, line 2") as caught:
        load_prompt("own", overrides=tmp_path)
    assert "UTF-8" in caught.value.what + caught.value.fix


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "own.md").write_text(
        "--- system ---\r\na\r\n--- user ---\r\nb", encoding="utf-8-sig", newline=""
    )
    assert load_prompt("own", overrides=tmp_path).user == "b"


def test_a_prompt_that_cannot_be_read_is_a_matter_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    write(tmp_path, "own.md", "x")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(StorageError, match=r"own\.md"):
        load_prompt("own", overrides=tmp_path)


def test_an_unknown_prompt_and_a_broken_file_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no prompt 'nothing'"):
        load_prompt("nothing")
    (tmp_path / "broken.md").write_text("just text", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"broken\.md"):
        load_prompt("broken", overrides=tmp_path)


def test_PR_03_and_MS_01_the_format_rules_are_the_seeds_nine_lines() -> None:
    rules = load_text("format_rules.txt").strip().splitlines()
    assert rules[0] == "CRITICAL FORMAT RULES (applies to all LLM providers):"
    assert len(rules) == 10
    assert rules[-1] == "- Start your response with { and end with } - nothing else"


@pytest.mark.parametrize("name", ["chapters", "critique", "patches"])
def test_no_task_shows_the_line_that_ends_a_level(name: str) -> None:
    prompt = load_prompt(name, kind="non-fiction")
    assert "--- level ---" not in prompt.user
    message = prompt.render(**dict.fromkeys(prompt.holes(), "said"))[1]
    assert len(message["levels"]) == 3
