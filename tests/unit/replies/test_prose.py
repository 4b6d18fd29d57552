from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.replies.contract import plain_reply, prose_parser

CHAPTER = 'The *Titanic* sank.\n\n```\na telegram\n```\n\n"**No**," she said — 2 * 3 * 4.\n\n* * *\n\nEnd.'


def test_MS_21_italics_and_inner_fences_stay_byte_for_byte() -> None:
    assert prose_parser()(CHAPTER) == {"status": "success", "data": CHAPTER}


@pytest.mark.parametrize("fence", ["````", "```markdown", "~~~text", "````md"])
def test_MS_21_fence_around_the_whole_reply_is_taken_off(fence: str) -> None:
    closing = fence.rstrip("markdowntex")
    assert prose_parser()(f"{fence}\n{CHAPTER}\n{closing}\n")["data"] == CHAPTER


def test_MS_21_a_fence_around_all_but_a_line_of_chat_is_taken_off() -> None:
    text = "\n\n".join(f"Sie ging zum Fenster und sah hinaus, zum {n}. Mal." for n in range(9))
    told = f"Hier ist Kapitel 4:\n\n```\n{text}\n```\n\nSoll ich fortfahren?"
    assert prose_parser()(told)["data"] == text
    small = f"{text}\n\n```\nx = 1\n```\n\n{text}"
    assert prose_parser()(small)["data"] == small


def test_MS_21_two_plain_blocks_are_no_fence_around_the_reply() -> None:
    reply = "```\none\n```\nand\n```\ntwo\n```"
    assert prose_parser()(reply)["data"] == reply


@pytest.mark.parametrize("tag", ["think", "thinking", "THINK"])
def test_TR_03_leading_reasoning_is_dropped(tag: str) -> None:
    closing = tag if tag != "THINK" else "think"
    reply = f"\n<{tag}>\nA chapter, then.\n</{closing}>\n\n{CHAPTER}"
    assert prose_parser()(reply)["data"] == CHAPTER


def test_TR_03_orphan_closing_tag_ends_the_reasoning() -> None:
    assert plain_reply("I should begin at sea.\n</think>\nThe sea rose.") == "The sea rose."


def test_MS_21_reasoning_tags_further_inside_belong_to_the_story() -> None:
    story = "The machine printed <think>who am I</think> twice."
    assert prose_parser()(story)["data"] == story


def test_MS_21_ideographic_indent_stays() -> None:
    assert prose_parser()("\u3000\u3000海很静。\n")["data"] == "\u3000\u3000海很静。"


@pytest.mark.parametrize("reply", ["", " \n\t", "<think>never ends", cast("str", None)])
def test_TR_19_reply_without_text_is_refused(reply: str) -> None:
    assert prose_parser()(reply) == {
        "status": "error",
        "feedback": "Empty response. Please provide output.",
    }


def test_TR_11_short_text_names_both_counts() -> None:
    result = prose_parser(min_words=5)("Only four words here.")
    assert result["status"] == "error"
    assert "4 words; at least 5 are wanted" in result["feedback"]
    assert prose_parser(min_words=4)("Only four words here.")["status"] == "success"


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab*_` \n#~", min_size=1).filter(lambda text: text.strip() != ""))
def test_MS_21_fencing_a_text_changes_nothing(text: str) -> None:
    plain = plain_reply(text)
    assert plain in text
    assert plain_reply(f"\n{plain}\n") == plain
