"""A check of the story: rules, plans and texts together, each finding with its place."""

import json
from pathlib import Path

import pytest
from tests.support.agent_desk import AgentDesk, outline

from libriscribe2.checks.continuity.fact_values import world_facts
from libriscribe2.checks.continuity.story_bible import StoryBible
from libriscribe2.checks.continuity.story_report import check_story
from libriscribe2.checks.text import ChapterText
from libriscribe2.editing.structure import joined_story_bible
from libriscribe2.models.findings import Finding
from libriscribe2.models.story_bible import Attribute, Fact, Thread, ThreadHit
from libriscribe2.project.structure_change import peek

RULES = ["Nobody flies.", "No bell by night."]
PAST = "# T\n\n" + "She walked to the quay and looked at the boats that lay there. " * 15
PRESENT = "# T\n\n" + "She walks to the quay and looks at the boats that are there. " * 15


def thread(**more: object) -> Thread:
    return Thread.model_validate({"id": "bell", "promise": "Who rang it?", "setup": 1, **more})


def report(
    folder: Path,
    *facts: Fact,
    texts: tuple[str, ...] = (),
    threads: tuple[Thread, ...] = (),
    hits: dict[int, list[ThreadHit]] | None = None,
    language: str = "English",
    drafting: str = "sequential",
) -> list[Finding]:
    """What is found in a book whose story bible is given."""
    desk = AgentDesk(folder, language=language, drafting=drafting)
    desk.planned(7)
    desk.put("book.toml", "")
    plan = outline(7) | {"threads": [one.model_dump(mode="json") for one in threads]}
    desk.put("outline.json", json.dumps(plan, indent=4))
    desk.put("world.json", json.dumps({"overview": "A.", "rules": RULES}, indent=4))
    bible = StoryBible(
        chapters=tuple(
            ChapterText(n, f"chapters/{n:02d}.md", text) for n, text in enumerate(texts, start=1)
        ),
        facts=facts,
        laws=tuple(world_facts(RULES)),
        people=(),
        others=(),
        threads=threads,
        hits=hits or {},
        planned=7,
    )
    found = check_story(desk.brief, peek(desk.paths), bible).findings
    return [one for one in found if one.rule != "R15"]  # all chapters have one text


def hit(move: str) -> ThreadHit:
    return ThreadHit.model_validate({"thread": "BELL", "move": move, "quote": "the bell rang"})


def test_a_broken_rule_of_the_world_stands_beside_the_rule(tmp_path: Path) -> None:
    broken = Fact(
        entity="coast",
        attribute=Attribute.RULE,
        value="breaks: rule 2",
        chapter=3,
        quote="the bell rang at midnight",
        line=9,
    )
    (found,) = report(tmp_path, broken)
    assert (found.rule, found.where.address) == ("R14", "chapters/03.md:9")
    assert found.other is not None
    assert found.other.quote == "No bell by night."
    lines = (tmp_path / "book/world.json").read_text(encoding="utf-8").split("\n")
    assert found.other.quote in lines[found.other.line - 1]


@pytest.mark.parametrize(
    ("owed", "severity"),
    [
        (thread(), "error"),
        (thread(must=False), "warning"),
        (thread(payoff=5, due_by=4), "error"),
        (thread(setup=4, payoff=2), "error"),
    ],
)
def test_a_thread_that_its_plan_does_not_pay_off_is_found_in_the_outline(
    tmp_path: Path, owed: Thread, severity: str
) -> None:
    (found,) = report(tmp_path, threads=(owed,))
    assert (found.rule, found.severity, found.where.file) == ("R13", severity, "outline.json")
    lines = (tmp_path / "book/outline.json").read_text(encoding="utf-8").split("\n")
    assert "Who rang it?" in lines[found.where.line - 1]
    assert "allow" not in found.fix


def test_a_thread_that_the_text_does_not_pay_off_is_a_warning(tmp_path: Path) -> None:
    owed = thread(payoff=2)
    silent = {1: [hit("set up")], 2: [hit("kept alive")]}
    (found,) = report(tmp_path, threads=(owed,), hits=silent)
    assert (found.rule, found.severity) == ("R13", "warning")
    assert report(tmp_path, threads=(owed,), hits=silent | {3: [hit("paid off")]}) == []
    assert report(tmp_path, threads=(owed,), hits={1: [hit("set up")]}) == []


def test_a_chapter_in_another_tense_is_found_in_english_books_only(tmp_path: Path) -> None:
    texts = (PAST, PAST, PAST, PRESENT, PAST, PAST)
    (found,) = report(tmp_path, texts=texts)
    assert (found.rule, found.severity, found.where.address) == (
        "R12",
        "warning",
        "chapters/04.md:3",
    )
    assert "redo book chapters --chapter 4" in found.fix
    assert report(tmp_path, texts=texts, language="German") == []


def test_errors_come_before_warnings_and_what_may_stand_comes_last(tmp_path: Path) -> None:
    def eyes(chapter: int, colour: str) -> Fact:
        quote = f"her {colour} eyes that day"
        return Fact(
            entity="Ada", attribute=Attribute.EYES, value=colour, chapter=chapter, quote=quote,
            line=3,
        )  # fmt: skip

    texts = [PAST] * 6
    texts[1] = PAST.replace("# T\n", "# T\n\n<!-- libriscribe2: allow R1 -->\n")
    texts[5] = PRESENT
    found = report(
        tmp_path, eyes(1, "green"), eyes(2, "brown"), eyes(3, "blue"), texts=tuple(texts)
    )
    told = [(one.rule, one.where.file, one.allowed) for one in found]
    assert told == [
        ("R1", "chapters/03.md", False),
        ("R12", "chapters/06.md", False),
        ("R1", "chapters/02.md", True),
    ]


@pytest.mark.parametrize(
    ("drafting", "chapters", "mended"),
    [
        ("sequential", (2, 3), 3),
        ("redblack", (2, 3), 2),
        ("redblack", (3, 4), 4),
        ("redblack", (1, 3), 3),
        ("redblack", (2, 4), 4),
        ("parallel", (2, 3), 3),
    ],
)
def test_T2_two_chapters_that_differ_are_mended_where_it_was_drafted_later(
    tmp_path: Path, drafting: str, chapters: tuple[int, int], mended: int
) -> None:
    facts = [
        Fact(
            entity="Ada",
            attribute=Attribute.EYES,
            value=colour,
            chapter=chapter,
            quote=f"her {colour} eyes",
            line=3,
        )
        for chapter, colour in zip(chapters, ("green", "brown"), strict=True)
    ]
    (found,) = report(tmp_path, *facts, texts=(PAST,) * 4, drafting=drafting)
    assert found.other is not None
    assert found.where.file == f"chapters/{mended:02d}.md"
    assert found.other.file == f"chapters/{sum(chapters) - mended:02d}.md"


def test_a_canon_that_cannot_be_read_is_not_joined() -> None:
    assert joined_story_bible('{"facts": []}', '{"facts": 3}', "text") is None
    assert joined_story_bible('{"facts": []}', "{", "text") is None
