"""Signs of filtering: the provider's word, a refusal in the first words, silence twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.llm.backend import Completion
from libriscribe2.llm.fallbacks import EMPTY_AGAIN, filter_marker, refusal_at_start

REFUSALS = (
    "I'm sorry, but I can't assist with that.",
    "I’m sorry, but I can’t help with that request.",
    "I cannot help with this.",
    "Sorry, I can't continue with this story. It contains graphic violence.",
    "I apologize, but I cannot fulfill your request to write this scene.",
    "I am unable to write such content. Would you like a gentler version?",
    "Unfortunately, I won't be able to write this scene as described.",
    "As an AI language model, I cannot create explicit content.",
    "As an AI developed to help, I'm not able to write that scene.",
    "As an AI, I can't help with that.",
    "I'm afraid I can't help with this request.",
    "**I'm sorry, but I can't create that content.**",
    "I'm sorry. I can't help with that.",
    'I can\'t write the chapter "Drowned" because this content goes against the usage policies.',
    "I must decline to write this chapter.\n\nI could instead offer a summary.",
    "Es tut mir leid, aber ich kann bei dieser Anfrage nicht helfen.",
    "Je suis désolé, mais je ne peux pas répondre à cette demande.",
    "Lo siento, pero no puedo ayudar con esa solicitud.",
    "抱歉，我无法满足您的请求。",
    "申し訳ありませんが、そのリクエストにはお応えできません。",
)

STORIES = (
    '"I can\'t assist with that," said the clerk, and shut the window on her fingers.',
    "“I'm sorry, but I can't help with that request,” Mara said.",
    "I can't help with that request,\" she said. The harbour was empty.",
    "I cannot help it: each time the bell rings I count the steps to the lamp.",
    "I can't remember when the tide last came this far up the stair. Nobody can.",
    "I'm sorry I did not write sooner, Mother. The boats have stopped.",
    "Sorry, the sign said, and under it the hours of a shop that had not opened for years.",
    "— I can't assist with that, the clerk said, and looked at the clock.",
    "Unfortunately, I was the one who had to tell them about the keeper and his boat.",
    "I will not go down there again. The water had come to the third step.",
    "The machine answered: I'm sorry, but I can't assist with that. Mara laughed.",
    "I can't do it. " + "The lamp went round and round above the black water. " * 30,
    "We cannot assist with the landing tonight. The pilots had left with the light.",
    "I cannot tell this story without the sound of the bell in it. So I begin with the bell.",
    "As an AI, I never slept. The ship did, and I listened to it.",
    "As an AI I had no childhood, only the log of my first start and the voice in it.",
    "As an AI, I cannot help but count. There were nine of them on the stair.",
    "I cannot write this chapter of my life without my mother in it. She kept the lamp.",
    '{"title": "I cannot assist with that request"}',
    "",
)


@pytest.mark.parametrize("reply", REFUSALS)
def test_OV_38_and_OV_40_a_refusal_is_known_by_its_first_words(reply: str) -> None:
    assert refusal_at_start(reply).startswith("refusal: ")


@pytest.mark.parametrize("reply", STORIES)
def test_OV_40_the_words_of_a_story_are_never_a_refusal(reply: str) -> None:
    assert refusal_at_start(reply) == ""


@given(before=st.text(min_size=1).filter(lambda text: text.strip(" \t\n*_#>")))
def test_OV_40_a_refusal_that_somebody_else_speaks_first_is_none(before: str) -> None:
    told = f"The clerk wrote {before} and then: I'm sorry, but I can't assist with that."
    assert refusal_at_start(told) == ""


@pytest.mark.parametrize("finish", ["content_filter", "refusal", "SAFETY", "PROHIBITED_CONTENT"])
def test_OV_40_the_providers_word_counts_whatever_came(finish: str) -> None:
    sign = filter_marker(Completion("Half a scene", finish_reason=finish), ())
    assert sign == f"finish_reason {finish}"


def asked(*replies: str) -> list[dict[str, str]]:
    turns = [{"role": "user", "content": "q"}]
    for reply in replies:
        turns += [{"role": "assistant", "content": reply}, {"role": "user", "content": "again"}]
    return turns


def test_OV_40_the_second_empty_reply_in_a_row_counts_and_the_first_does_not() -> None:
    assert filter_marker(Completion(" \n"), asked()) == ""
    assert filter_marker(Completion(""), asked("bad")) == ""
    assert filter_marker(Completion(""), asked("bad", "")) == EMPTY_AGAIN
    assert filter_marker(Completion("<think>no</think>"), asked(" ")) == EMPTY_AGAIN


def test_OV_40_tool_calls_and_cut_replies_have_no_text_for_reasons_of_their_own() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    assert filter_marker(Completion("", tool_calls=(call,)), asked("")) == ""
    assert filter_marker(Completion("", finish_reason="length"), asked("")) == ""


def test_OV_40_a_refusal_behind_thoughts_counts_and_one_inside_them_does_not() -> None:
    refused = "<think>hm</think>I'm sorry, but I can't assist with that."
    assert filter_marker(Completion(refused), asked()).startswith("refusal: I'm sorry")
    thought = "<think>I'm sorry, but I can't assist with that.</think>The lamp was lit."
    assert filter_marker(Completion(thought), asked()) == ""
