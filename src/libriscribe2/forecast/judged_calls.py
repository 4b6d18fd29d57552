"""The calls of a judge of revised chapters as a part of the chapters that wait for them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from libriscribe2.forecast.drafting_times import CHAPTERS, DRAFTS
from libriscribe2.forecast.estimate import QuotedCall

_JUDGE: Final = re.compile(r"judge/(?:(?P<chapter>ch\d+)/)?(?P<rest>.+)")


def with_their_chapters(calls: Sequence[QuotedCall]) -> list[QuotedCall]:
    """The calls, those of the judge counted among those of the chapter that is judged.

    The exam belongs to the first chapter that is judged.
    """
    drafted = {one.step.split("/")[1] for one in calls if one.stage == DRAFTS}
    asked = [(one, _JUDGE.fullmatch(one.step)) for one in calls]
    chapters = (found["chapter"] for _, found in asked if found is not None)
    first = next((chapter for chapter in chapters if chapter), None)
    told = []
    for call, found in asked:
        chapter = None if found is None else found["chapter"] or first
        if found is None or chapter is None:
            told.append(call)
        else:
            stage = DRAFTS if chapter in drafted else CHAPTERS
            step = f"{stage}/{chapter}/judge/{found['rest']}"
            told.append(replace(call, stage=stage, step=step))
    return told
