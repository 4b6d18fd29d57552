"""Prompt files: strict holes, variants, overrides."""

from importlib import resources
from pathlib import Path

import pytest

from libriscribe2.errors import ConfigError
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
