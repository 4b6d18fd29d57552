"""A whole book by the offline author, from concept to last scene, with the real shapes."""

import json
import re
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from libriscribe2.llm.backend import Request
from libriscribe2.llm.offline_author import answer
from libriscribe2.models.base import request_schema
from libriscribe2.models.story import (
    ChapterScenes,
    CharactersFile,
    ConceptModel,
    KeywordsModel,
    OutlineFile,
    ScenePlan,
    TitleFile,
    WorldFile,
)
from libriscribe2.utils.json_utils import JSONProcessor

CHAPTERS, SCENES, WORDS = 5, 2, 400

CLICHES = {"Elara", "Thorne", "Blackwood", "Mara", "Silas", "Jax", "Lila", "Kael", "Voss", "Lyra"}


@dataclass(frozen=True)
class Book:
    concept: ConceptModel
    keywords: KeywordsModel
    cast: CharactersFile
    world: WorldFile
    outline: OutlineFile
    scenes: list[tuple[int, int, ScenePlan, str]]


def reply(text: str, schema: dict[str, Any] | None = None) -> str:
    return answer(Request("s", "offline", ({"role": "user", "content": text},), schema=schema))


def structured(
    model: type[BaseModel], text: str, limits: dict[str, dict[str, Any]] | None = None
) -> Any:
    schema = request_schema(model, limits)
    raw = reply(f"{text}\n<json_schema>{json.dumps(schema)}</json_schema>")
    report = JSONProcessor.extract_with_report(raw, schema=model)
    assert report.ok, report
    assert not report.lossy
    return model.model_validate(report.value)


def block(name: str, value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"<{name}>\n{text}\n</{name}>\n"


def write(premise: str, kind: str) -> Book:
    about = block("book", f"kind: {kind}")
    idea = about + block("premise", premise)
    concept = structured(ConceptModel, f"{idea}The description has 150-200 words.")
    known = about + block("concept", concept.model_dump())
    keywords = structured(KeywordsModel, known)
    count = {"characters": {"minItems": 4, "maxItems": 4}}
    cast = structured(CharactersFile, known + block("premise", premise), count)
    world = structured(WorldFile, known, {"places": {"minItems": 3}})
    people = [{"name": person.name} for person in cast.characters]
    known += block("characters", people) + block("places", world.model_dump()["places"])
    chapters = {"chapters": {"minItems": CHAPTERS, "maxItems": CHAPTERS}}
    outline = structured(OutlineFile, f"{known}Say it in 60 to 120 words.", chapters)
    scenes = [
        (number, index, plan, text)
        for number, chapter in enumerate(outline.chapters, start=1)
        for index, plan, text in write_chapter(known, number, chapter.model_dump(), people)
    ]
    return Book(concept, keywords, cast, world, outline, scenes)


def write_chapter(
    known: str, number: int, chapter: dict[str, Any], people: list[dict[str, str]]
) -> list[tuple[int, ScenePlan, str]]:
    about = known + block("chapter", {"number": number, "of": CHAPTERS, **chapter})
    names = {"type": "string", "enum": [person["name"] for person in people]}
    limits: dict[str, dict[str, Any]] = {
        "scenes": {"minItems": SCENES, "maxItems": SCENES},
        "scenes.characters": {"items": names},
    }
    plans = structured(ChapterScenes, about, limits).scenes
    written = []
    for index, plan in enumerate(plans, start=1):
        scene = {"number": index, "of": SCENES, **plan.model_dump()}
        text = reply(f"{about}{block('scene', scene)}Write this scene in about {WORDS} words.")
        written.append((index, plan, text))
    return written


@pytest.fixture(scope="module")
def novel() -> Book:
    return write("A detective in Lagos hunts the thief who stole her brother's name.", "fiction")


@pytest.fixture(scope="module")
def guide() -> Book:
    return write("How to keep bees in a small garden", "non-fiction")


def test_XC_03_a_book_lands_within_ten_percent(novel: Book, guide: Book) -> None:
    for book in (novel, guide):
        total = sum(len(text.split()) for *_, text in book.scenes)
        assert total == pytest.approx(CHAPTERS * SCENES * WORDS, rel=0.05)


def test_names_stay_from_cast_to_last_scene(novel: Book) -> None:
    names = {person.name for person in novel.cast.characters}
    for _, _, plan, text in novel.scenes:
        assert plan.characters
        assert set(plan.characters) <= names
        assert all(name in text for name in plan.characters)
    assert any(name in novel.concept.description for name in names)


def test_names_are_unlike_each_other_and_no_cliches(novel: Book) -> None:
    names = [person.name for person in novel.cast.characters]
    assert len({name[0] for name in names}) == len(names)
    assert not CLICHES & {part for name in names for part in name.split()}


def test_the_premise_is_kept_and_the_description_has_its_length(novel: Book, guide: Book) -> None:
    assert "stole her brother's name" in novel.concept.description
    assert "Lagos" in novel.concept.logline + novel.concept.title + novel.concept.description
    assert "keeping bees" in guide.concept.logline.lower()
    for book in (novel, guide):
        assert 140 <= len(book.concept.description.split()) <= 220


def test_chapters_have_titles_and_summaries_of_their_own(novel: Book, guide: Book) -> None:
    for book in (novel, guide):
        chapters = book.outline.chapters
        assert len({chapter.title for chapter in chapters}) == CHAPTERS
        assert all(50 <= len(chapter.summary.split()) <= 120 for chapter in chapters)


def test_scenes_happen_where_the_world_has_places(novel: Book) -> None:
    places = {place.name for place in novel.world.places}
    assert all(plan.place in places for _, _, plan, _ in novel.scenes)
    assert all(re.sub(r"^The ", "", plan.place) in text for _, _, plan, text in novel.scenes)


def test_a_scene_does_what_its_plan_says(novel: Book) -> None:
    for _, _, plan, text in novel.scenes:
        assert plan.goal[3:] in text
        assert plan.outcome[1:] in text


def test_scenes_tell_what_the_chapter_promised(novel: Book) -> None:
    for number, chapter in enumerate(novel.outline.chapters, start=1):
        plans = [plan.summary for n, _, plan, _ in novel.scenes if n == number]
        assert sum(summary in chapter.summary for summary in plans) >= SCENES - 1


def test_sentences_rarely_come_twice_in_a_book(novel: Book, guide: Book) -> None:
    for book in (novel, guide):
        whole = " ".join(text for *_, text in book.scenes)
        found = [s for s in re.split(r"(?<=[.?!])”?\s+", whole) if len(s.split()) > 4]
        assert len(set(found)) >= 0.9 * len(found)


def test_scenes_end_on_different_lines(novel: Book) -> None:
    last = [re.split(r"(?<=[.?!])\s+", text)[-1] for *_, text in novel.scenes]
    assert len(set(last)) == len(last)


def test_non_fiction_speaks_of_its_subject_and_its_people(guide: Book) -> None:
    for _, _, plan, text in guide.scenes:
        assert "keeping bees" in text
        assert all(name in text for name in plan.characters)


def test_keywords_and_world_are_filled(novel: Book, guide: Book) -> None:
    assert "detective" in novel.keywords.primary_keywords
    assert guide.keywords.primary_keywords == ["keeping bees"]
    for book in (novel, guide):
        assert len(book.world.terms) >= 3
        assert len(set(book.world.rules)) == len(book.world.rules) >= 3
        assert len(book.keywords.genre_keywords) >= 3


def test_a_better_title_is_another_one_than_the_alternatives() -> None:
    prompt = block("premise", "A fox on Mars") + block("outline", "1. One: a\n2. Two: b")
    found = structured(TitleFile, prompt, {"alternatives": {"maxItems": 4}})
    assert found.title not in found.alternatives
    assert len(set(found.alternatives)) == len(found.alternatives) > 0


def test_the_authors_title_is_kept() -> None:
    prompt = block("book", "title: Salt and Iron") + block("premise", "A fox on Mars")
    assert structured(ConceptModel, prompt).title == "Salt and Iron"


def test_later_batches_of_chapters_continue_the_count() -> None:
    limits = {"chapters": {"minItems": 40, "maxItems": 40}}
    first = structured(OutlineFile, block("premise", "A fox on Mars"), limits)
    lines = "\n".join(f"{n}. {c.title}: x" for n, c in enumerate(first.chapters, start=1))
    more = structured(
        OutlineFile, block("premise", "A fox on Mars") + block("outline", lines), limits
    )
    assert len({c.title for c in first.chapters}) == 40
    assert first.chapters[0].summary != more.chapters[0].summary


def test_people_of_the_premise_are_people_of_the_book() -> None:
    premise = block("premise", "Ada Okoro, a detective in Lagos, and Bayo find a letter.")
    limits = {"characters": {"minItems": 30, "maxItems": 30}}
    names = [p.name for p in structured(CharactersFile, premise, limits).characters]
    assert names[:2] == ["Ada Okoro", "Bayo"]
    assert "Ada Okoro" in structured(ConceptModel, premise).description
    assert len(set(names)) == 30


def test_people_of_a_strangers_concept_are_kept() -> None:
    concept = {
        "title": "X",
        "logline": "Y.",
        "description": "Then Brynhild Olsen meets Mr Otto Falk.",
    }
    prompt = block("premise", "A fox on Mars") + block("concept", concept)
    names = [p.name for p in structured(CharactersFile, prompt).characters]
    assert {"Brynhild Olsen", "Mr Otto Falk"} <= set(names)
