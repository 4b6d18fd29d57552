"""The offline author through its public door: prose, plans, determinism."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import pytest

from libriscribe2.llm.backend import Completion, Request
from libriscribe2.llm.offline_author import OfflineAuthor, answer

KEEPER = "A lighthouse keeper on a drowned coast"
DETECTIVE = "A detective in Lagos hunts the thief who stole her brother's name."
BREAD = "A non-fiction book about sourdough"
GERMAN = "Ein Leuchtturmwärter an einer versunkenen Küste"
PINNED = "76894171dbba270b"
PREMISES = (KEEPER, DETECTIVE, BREAD, GERMAN, "dragons", "")


def ask(
    text: str, schema: Mapping[str, Any] | None = None, *, generation: int = 0, step: str = "s"
) -> str:
    message = {"role": "user", "content": text}
    return answer(Request(step, "offline", (message,), schema=schema, generation=generation))


def as_value(reply: str) -> Any:
    """The JSON of a reply, whatever stands around it; a comma before the end is dropped."""
    body = re.sub(r"<think>.*?</think>", "", reply, flags=re.DOTALL)
    found = re.search(r"[\[{].*[\]}]", body, re.DOTALL)
    assert found is not None
    return json.loads(re.sub(r",\s*([\]}])\Z", r"\1", found[0]))


def scene_prompt(words: int, premise: str = KEEPER, kind: str = "fiction", **scene: Any) -> str:
    cast = [{"name": name} for name in scene.get("characters", ["Petra Nowak", "Joel Brandt"])]
    plan = {"number": 1, "of": 3, **scene}
    return (
        f"<book>\nkind: {kind}\n</book>\n<premise>\n{premise}\n</premise>\n"
        f"<characters>\n{json.dumps(cast)}\n</characters>\n"
        f'<chapter>\n{{"number": 2, "of": 6, "title": "The Salt Door"}}\n</chapter>\n'
        f"<scene>\n{json.dumps(plan)}\n</scene>\n\nWrite this scene in about {words} words."
    )


def sentences_of(text: str) -> list[str]:
    parts = re.split(r"(?<=[.!?])\s+|(?<=[.!?]”)\s+", text)
    return [part.strip(" “”") for part in parts if part.strip(" “”")]


async def test_XC_03_completion_is_free_whole_and_counted() -> None:
    request = Request("s", "offline", ({"role": "user", "content": scene_prompt(120)},))
    completion = await OfflineAuthor().complete(request)
    assert completion.finish_reason == "stop"
    assert completion.cost_usd == 0.0
    assert completion.model == "offline"
    assert completion.usage.known
    assert completion.usage.output_tokens == len(completion.reply.split()) * 4 // 3
    assert completion.usage.input_tokens == len(scene_prompt(120).split()) * 4 // 3


async def test_XC_03_stream_joins_to_the_completion() -> None:
    request = Request("s", "offline", ({"role": "user", "content": scene_prompt(200)},))
    items = [item async for item in OfflineAuthor().stream(request)]
    whole = items[-1]
    assert isinstance(whole, Completion)
    pieces = [item for item in items[:-1] if isinstance(item, str)]
    assert "".join(pieces) == whole.reply
    assert len(pieces) > 40
    assert whole == await OfflineAuthor().complete(request)


async def test_reasoning_comes_now_and_then() -> None:
    requests = [
        Request("s", "offline", ({"role": "user", "content": f"Write {n} words."},))
        for n in range(10, 60)
    ]
    thoughts = [(await OfflineAuthor().complete(request)).reasoning for request in requests]
    assert 1 <= sum(thought is not None for thought in thoughts) <= 15


def test_XC_03_replies_are_pinned() -> None:
    """A change of this hash means that every finished book of the offline author changes."""
    prose = sha256(ask(scene_prompt(300)).encode()).hexdigest()
    assert prose == sha256(ask(scene_prompt(300), step="elsewhere").encode()).hexdigest()
    assert prose[:16] == PINNED


def test_replies_do_not_depend_on_the_hash_seed_of_python() -> None:
    code = (
        "from libriscribe2.llm.backend import Request\n"
        "from libriscribe2.llm.offline_author import answer\n"
        "message = {'role': 'user', 'content': 'Write about 80 words. <premise>A fox</premise>'}\n"
        "print(answer(Request('s', 'offline', (message,))).encode('unicode_escape').decode())\n"
    )
    here = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            encoding="utf-8",
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path), "LC_ALL": "C"},
        ).stdout
        for seed in ("1", "2")
    ]
    assert here[0] == here[1]
    direct = ask("Write about 80 words. <premise>A fox</premise>")
    assert here[0].strip() == direct.encode("unicode_escape").decode()


def test_another_generation_is_another_text_about_the_same_people() -> None:
    first, second = (ask(scene_prompt(300), generation=g) for g in (0, 1))
    assert first != second
    assert "Petra Nowak" in first
    assert "Petra Nowak" in second


@pytest.mark.parametrize("kind", ["fiction", "non-fiction"])
@pytest.mark.parametrize("words", [60, 61, 75, 90, 120, 250, 850, 1500, 3000])
def test_XC_03_prose_has_the_asked_length(words: int, kind: str) -> None:
    for premise in PREMISES:
        count = len(ask(scene_prompt(words, premise, kind)).split())
        assert abs(count - words) <= words * 0.05


@pytest.mark.parametrize("task", ["Summarise this text", "Criticise this concept"])
@pytest.mark.parametrize("kind", ["fiction", "non-fiction"])
def test_notes_have_the_asked_length(task: str, kind: str) -> None:
    for words in (60, 110, 150, 400):
        prompt = (
            f"<book>kind: {kind}</book><premise>{KEEPER}</premise><text>Long ago.</text>"
            f'<chapter>{{"number": 1, "of": 3, "summary": "Petra finds a key. She hides it."}}'
            f"</chapter>{task} in about {words} words."
        )
        assert abs(len(ask(prompt).split()) - words) <= words * 0.05


def test_a_summary_opens_with_what_the_chapter_was_to_tell() -> None:
    chapter = {"number": 1, "of": 3, "summary": "Petra finds a key. She hides it."}
    prompt = f"<chapter>{json.dumps(chapter)}</chapter>Summarise this text in about 60 words."
    assert ask(prompt).startswith("Petra finds a key. She hides it.")


def test_without_a_wanted_length_prose_is_short() -> None:
    assert 110 <= len(ask("Go on.").split()) <= 130


@pytest.mark.parametrize(("asked", "words"), [("1,200 words", 1200), ("80 to 120 words", 100)])
def test_lengths_are_read_with_separators_and_as_ranges(asked: str, words: int) -> None:
    count = len(ask(f"Write {asked} about <premise>{KEEPER}</premise>").split())
    assert abs(count - words) <= words * 0.05


def test_words_inside_data_are_not_the_wanted_length() -> None:
    prompt = f"<text>He wrote 900 words.</text><premise>{KEEPER}</premise>Write 90 words."
    assert abs(len(ask(prompt).split()) - 90) <= 4


@pytest.mark.parametrize("kind", ["fiction", "non-fiction"])
@pytest.mark.parametrize("premise", PREMISES)
def test_no_sentence_comes_twice_in_a_reply(premise: str, kind: str) -> None:
    found = sentences_of(ask(scene_prompt(2000, premise, kind)))
    assert len(found) > 80
    assert len(found) == len(set(found))


def test_nothing_from_the_text_before_is_said_again() -> None:
    first = ask(scene_prompt(400))
    second = ask(f"<text_before>{first}</text_before>{scene_prompt(400)}")
    assert not set(sentences_of(first)) & set(sentences_of(second))


@pytest.mark.parametrize("premise", PREMISES)
def test_prose_is_well_formed(premise: str) -> None:
    text = ask(scene_prompt(1500, premise))
    assert text.count("“") == text.count("”") > 0
    assert not re.search(
        r"[{}|\"]|\s,|\.\.|  |the the|\ba [aeio]\w|\ban [bcdfgjklmnpqrstvwxyz]", text
    )
    for paragraph in text.split("\n\n"):
        assert re.match(r"[“A-Z]", paragraph)
        assert re.search(r"[.?!]”?\Z", paragraph)


def test_prose_keeps_the_names_of_its_scene() -> None:
    cast = ["Captain Odile Marsh", "Tunde Bello", "Wen"]
    text = ask(scene_prompt(300, characters=cast, place="the tide market"))
    assert all(name in text for name in cast)
    assert "the tide market" in text


def test_a_plan_in_other_words_is_quoted_and_not_bent() -> None:
    plan: dict[str, Any] = {
        "summary": "They cross the ice.",
        "goal": "Reach the far bank.",
        "conflict": "The ice is thin.",
        "outcome": "They fall in.",
        "characters": ["Petra Nowak"],
    }
    text = ask(scene_prompt(300, **plan))
    assert all(f"“{plan[key]}”" in text for key in ("goal", "conflict", "outcome"))


def test_a_lonely_scene_speaks_of_nobody_else() -> None:
    text = ask(scene_prompt(600, characters=["Petra Nowak"]))
    assert "Petra" in text
    assert "{" not in text
    assert not re.search(r"\b(asked|answered|put in)\b Petra|Joel", text)


def test_a_title_is_short_and_about_the_premise() -> None:
    title = ask(f"<premise>{KEEPER}</premise>Give this book a title.")
    assert 1 <= len(title.split()) <= 10
    assert title[0].isupper()


def test_headings_that_are_asked_for_come_back() -> None:
    reply = ask(f"<premise>{KEEPER}</premise>Answer in 80 words.\n[Strengths]\n[Weak Points]")
    assert re.findall(r"^\[(.+)\]$", reply, re.MULTILINE) == ["Strengths", "Weak Points"]
    assert all(len(part.split()) > 20 for part in re.split(r"\[.+\]", reply)[1:])


def test_a_later_turn_of_a_conversation_still_knows_the_prompt() -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    first = {"role": "user", "content": f"<json_schema>{json.dumps(schema)}</json_schema>"}
    turns = (first, {"role": "assistant", "content": "?"}, {"role": "user", "content": "Again."})
    assert list(as_value(answer(Request("s", "offline", turns)))) == ["name"]


def test_a_schema_that_cannot_be_read_gets_an_empty_answer_in_json() -> None:
    assert as_value_or_text(ask("<json_schema>{broken</json_schema>")) is not None


def as_value_or_text(reply: str) -> Any:
    return json.loads(reply.strip("` \njson")) if reply.startswith(('"', "`")) else reply
