import json

import pytest
from tests.support.legacy_project import IDEA, KEYWORDS, PERSON, OldFolder, without, wrapper

from libriscribe2.models.brief import Brief
from libriscribe2.project.legacy import read_legacy
from libriscribe2.project.paths import CHARACTERS, CONCEPT, WORLD


def test_OV_44_the_brief_is_what_the_author_had_asked_for(old: OldFolder) -> None:
    brief = read_legacy(old.paths.root).brief
    assert brief == {
        "premise": "A long tale.",
        "title": "L'été",
        "author": "A. Writer, B. Writer",
        "genre": "elegy",
        "category": "Fiction",
        "language": "fr",
        "audience": "Adult",
        "tone": "Informative",
        "project_type": "novella",
        "chapters": "2-4",
        "characters": "3-5",
        "scenes_per_chapter": "3-6",
        "worldbuilding": True,
        "auto_title": False,
    }
    Brief.model_validate(brief)


def test_OV_44_placeholders_of_the_original_are_no_answers(old: OldFolder) -> None:
    old.state(
        title="Untitled Book",
        genre="Unknown Genre",
        category="Unknown Category",
        description="No description provided.",
        logline="A summer ends.",
        num_chapters=0,
        num_characters=None,
        chapters_str="8 - 12",
        scenes_per_chapter="3,4,x",
        worldbuilding_needed="yes",
        author=None,
    )
    brief = read_legacy(old.paths.root).brief
    assert brief == {"premise": "A summer ends.", "chapters": "8 - 12"}
    Brief.model_validate(brief)


def test_OV_44_a_title_stands_in_for_a_premise_that_is_missing(old: OldFolder) -> None:
    old.state(title="The Sea", logline="No logline available")
    assert read_legacy(old.paths.root).brief == {"premise": "The Sea", "title": "The Sea"}


def test_OV_44_the_concept_of_the_state_file_is_the_last_resort(old: OldFolder) -> None:
    assert old.read(CONCEPT) == {
        "concept": IDEA,
        "keywords": {
            "primary_keywords": ["sea", "salt"],
            "secondary_keywords": [],
            "genre_keywords": [],
        },
    }


def test_OV_44_a_debug_wrapper_is_read_through_the_cleanup_pipeline(old: OldFolder) -> None:
    raw = f"Here it is:\n```json\n{json.dumps(IDEA | {'title': 'Wrapped'})}\n```\nEnjoy!"
    old.json("concept.json", wrapper(raw))
    old.json("keywords.json", wrapper(json.dumps(KEYWORDS)))
    assert old.read(CONCEPT) == {"concept": IDEA | {"title": "Wrapped"}, "keywords": KEYWORDS}


@pytest.mark.parametrize("raw", ["sorry", '{"title": "A", "logline": "cut of', '{"title": "A"}'])
def test_OV_44_a_wrapper_of_a_useless_reply_is_passed_over(old: OldFolder, raw: str) -> None:
    old.json("concept.json", wrapper(raw))
    assert old.read(CONCEPT)["concept"] == IDEA


def test_OV_44_the_refined_concept_comes_first(old: OldFolder) -> None:
    revised = {"concept": IDEA | {"title": "Refined"}, "keywords": KEYWORDS, "critique": "Good."}
    old.json("2-concept_revised.json", revised)
    old.json("1-concept.json", {"concept": IDEA | {"title": "First"}, "timestamp": "250112"})
    wrapped = {key: value for key, value in wrapper("x").items() if key != "raw_content"}
    old.json("concept.json", wrapped)
    assert old.read(CONCEPT) == {"concept": IDEA | {"title": "Refined"}, "keywords": KEYWORDS}
    (old.paths.root / "2-concept_revised.json").unlink()
    assert old.read(CONCEPT)["concept"]["title"] == "First"


def test_OV_44_a_concept_without_a_part_is_left_to_be_made(old: OldFolder) -> None:
    old.state(**without(logline="No logline available"))
    assert old.read(CONCEPT) is None


def test_OV_44_characters_keep_all_that_was_said_of_them(old: OldFolder) -> None:
    expected = {
        "name": "Ana",
        "role": "character",
        "age": "31",
        "appearance": "tall",
        "personality": "Brave, Loyal",
        "background": "a port",
        "motivation": "rest",
        "conflict": "doubt; storm",
        "relationships": "Bo: brother",
        "arc": "learns",
    }
    assert old.read(CHARACTERS) == {"characters": [expected]}
    old.state(**without("characters"))
    for value in ({"Ana": PERSON}, [PERSON, {"age": "3"}], wrapper(json.dumps([PERSON]))):
        old.json("characters.json", value)
        assert old.read(CHARACTERS) == {"characters": [expected]}


def test_OV_44_characters_are_read_from_their_markdown(old: OldFolder) -> None:
    old.state(**without("characters"))
    assert old.read(CHARACTERS) is None
    old.text(
        "characters.md",
        "# Characters\n\n## Ana\n\n**Age:** 31\n\n**Physical Description:** tall,\nthin\n\n"
        "**Role:** hero\n\n---\n\n## Bo\n\n**Personality:** calm\n\n---\n\n",
    )
    ana, bo = old.read(CHARACTERS)["characters"]
    assert (ana["name"], ana["age"], ana["appearance"], ana["role"]) == (
        "Ana",
        "31",
        "tall,\nthin",
        "hero",
    )
    assert (bo["name"], bo["personality"], bo["role"]) == ("Bo", "calm", "character")


def test_OV_44_a_world_becomes_named_entries(old: OldFolder) -> None:
    world = {"geography": "An island.", "key_locations": "The pier.", "rules_and_laws": "None."}
    expected = {
        "overview": "An island.",
        "places": [{"name": "Key locations", "description": "The pier."}],
        "terms": [],
        "rules": ["None."],
    }
    old.state(**without("worldbuilding"))
    assert old.read(WORLD) is None
    old.text(
        "worldbuilding.md",
        "# Worldbuilding\n\n## Geography\n\nAn island.\n\n## Key Locations\n\nThe pier.\n\n"
        "## Rules And Laws\n\nNone.\n",
    )
    assert old.read(WORLD) == expected
    old.json("worldbuilding.json", wrapper(json.dumps(world)))
    assert old.read(WORLD) == expected
    old.state(**without(worldbuilding={"conclusion": "All ends.", "economy": "Fish."}))
    assert old.read(WORLD) == {
        "overview": "All ends.",
        "places": [],
        "terms": [{"name": "Economy", "description": "Fish."}],
        "rules": [],
    }
