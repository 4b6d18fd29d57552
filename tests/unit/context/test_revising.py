"""What a chapter is revised from: what it was written from, and never more of a longer book."""

import json

import pytest
from tests.support.rich_book import PEOPLE, chapter_text, shuffled, state

from libriscribe2.agents.agent_reviser import SHOWN_BUDGET
from libriscribe2.context.revision_context import COMPARED, gate_context, shown_for_revision
from libriscribe2.models.draft_order import Drafting
from libriscribe2.models.excerpts import shown_blocks


@pytest.mark.parametrize("mode", ["sequential", "redblack", "parallel"])
def test_T2_only_finished_chapters_stand_beside_a_text(mode: Drafting) -> None:
    for number in (1, 6, 7, 12):
        one = state(number, 12, mode)
        around = gate_context(one, 3_000)
        known = one.order.known(number)
        allowed = {chapter_text(n) for n in known}
        assert set(around.earlier) <= allowed
        assert len(around.earlier) == min(COMPARED, len(known))
        assert around.before == (chapter_text(number - 1) if number - 1 in known else "")
        assert around.after == (chapter_text(number + 1) if number + 1 in known else "")


def test_the_nearest_chapters_are_compared_in_their_order() -> None:
    around = gate_context(state(30, 40), 3_000)
    assert around.drafted  # a model was asked for the chapter: what it says twice is an error
    assert list(around.earlier) == [chapter_text(n) for n in range(30 - COMPARED, 30)]
    assert around.words == 3_000
    assert around.people == PEOPLE
    assert "The Slip" in around.others


def test_T1_what_requests_show_does_not_grow_with_the_book_and_fits() -> None:
    sizes = []
    for chapters in (10, 30, 100):
        shown = shown_for_revision(state(chapters - 2, chapters))
        blocks = shown_blocks(shown, SHOWN_BUDGET)
        for name in ("book", "concept", "chapter", "characters", "state", "style"):
            assert f"<{name}>" in blocks
        sizes.append(len(blocks))
    assert max(sizes) <= 1.05 * min(sizes)


def test_the_people_of_all_scenes_are_shown_and_nobody_else() -> None:
    one = state(3, 12)
    wanted = {name for scene in one.scenes for name in scene.characters}
    shown = json.loads(shown_for_revision(one)["characters"])
    assert {card["name"] for card in shown} == wanted
    assert wanted < set(PEOPLE)


def test_T5_the_same_state_shows_the_same_blocks() -> None:
    one = state(9, 12, "redblack")
    assert shown_for_revision(one) == shown_for_revision(shuffled(one))
    assert gate_context(one, 9) == gate_context(shuffled(one), 9)
