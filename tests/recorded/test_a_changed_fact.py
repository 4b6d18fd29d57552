"""A fact of chapter 1 is changed: what is offered, beside a list made from the text before.

`NAME/edits.json` holds the edit, the list, and the replies that a model gave to the requests.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.desk import Desk
from tests.support.recorded_books import FOLDER, played

from libriscribe2.llm.backend import BackendError, Completion, Request
from libriscribe2.llm.backends.demo import DemoAuthor

EDITS = {
    f"{name}: {one['what']}": (name, one)
    for name in ("skarra", "unruh")
    for one in json.loads((FOLDER / name / "edits.json").read_text(encoding="utf-8"))["edits"]
}


KEY = "skarra: The key's bow has an anchor, no wave."
WAVE = "with the wave against her wrist"


def with_patches(*pairs: tuple[str, str]) -> str:
    told = json.loads(EDITS[KEY][1]["replies"]["mend/ch05"])
    patches = [{"issue": 1, "find": find, "replace": replace} for find, replace in pairs]
    return json.dumps(told | {"patches": patches})


def with_change(**fields: Any) -> str:
    told = json.loads(EDITS[KEY][1]["replies"]["canon/ch01/change"])
    (fact,) = told["facts"]
    facts = [fact | fields.pop("fact", {})]
    return json.dumps(told | {"facts": facts} | fields)


class Answers(DemoAuthor):
    """The replies by their steps; nothing else is answered."""

    def __init__(self, replies: dict[str, str]) -> None:
        super().__init__()
        self._replies = replies
        self.asked: list[str] = []

    async def complete(self, request: Request) -> Completion:
        self.asked.append(request.step)
        if request.step not in self._replies:
            raise BackendError("bad_request", f"{request.step} is not asked for here")
        return Completion(self._replies[request.step])


@pytest.mark.parametrize("which", EDITS)
def test_finding_4_a_changed_fact_of_a_real_book_is_offered_as_the_patches_of_a_blind_list(
    tmp_path: Path, which: str
) -> None:
    name, edit = EDITS[which]
    desk = Desk(tmp_path / "desk")
    book = played(desk, name)
    before = book.chapters()
    listed: dict[str, Any] = edit["contradicting"]
    assert all(one in before[int(n) - 1] for n, said in listed.items() for one in said)
    text = before[0]
    for old, new in edit["edit"]:
        assert text.count(old) == 1
        text = text.replace(old, new)
    book.write("chapters/01.md", text)
    answers = Answers(edit["replies"])
    desk.run("resume", name, "--refresh", "--yes", "--model", "demo", backend=answers)
    assert len(answers.asked) <= 3 + len(listed)
    assert answers.asked[2:] == [f"mend/ch{int(n):02d}" for n in listed]
    after = book.chapters()
    changed = {str(n) for n in range(2, len(after) + 1) if after[n - 1] != before[n - 1]}
    assert changed == set(listed)
    for n, said in listed.items():
        lines = [one for one in before[int(n) - 1].split("\n") if one not in after[int(n) - 1]]
        assert all(any(one in line for one in said) for line in lines)
        assert not [one for one in said if one != "Silber." and one in after[int(n) - 1]]


@pytest.mark.parametrize(
    ("step", "reply", "code", "changed", "said"),
    [
        ("canon/ch01/change", "I think nothing has changed.", 5, [], "got no usable reply"),
        ("canon/ch01/change", with_change(gone=[0, 99, -1, 12, 12]), 0, [5, 9], ""),
        ("canon/ch01/change", with_change(fact={"quote": "never said here"}), 0, [5, 9], ""),
        ("canon/ch01/change", with_change(fact={"attribute": "smell"}), 0, [5, 9], ""),
        ("canon/ch01/change", with_change(changes=[{"was": "", "now": ""}]), 0, [], ""),
        ("mend/find1", "None of them.", 5, [], "got no usable reply"),
        ("mend/find1", '{"sentences": [0, 99, -3, 1, 1]}', 0, [5], ""),
        ("mend/find1", '{"sentences": ["1", "2"]}', 0, [5, 9], ""),
        ("mend/ch05", with_patches(("a wave of gold", "x")), 0, [9], "do not stand in the text"),
        ("mend/ch05", with_patches(("the key", "it")), 0, [9], "stand more than once"),
        ("mend/ch05", with_patches((WAVE, WAVE)), 0, [9], "it changes nothing"),
        (
            "mend/ch05",
            with_patches((WAVE, f"{WAVE}, and rang " * 90)),
            0,
            [9],
            "the length too much",
        ),
    ],
)
def test_finding_4_a_wrong_reply_of_a_mending_is_told_and_takes_no_sentence_along(
    tmp_path: Path, step: str, reply: str, code: int, changed: list[int], said: str
) -> None:
    name, edit = EDITS[KEY]
    desk = Desk(tmp_path / "desk")
    book = played(desk, name)
    before = book.chapters()
    (old, new), *_ = edit["edit"]
    book.write("chapters/01.md", before[0].replace(old, new))
    answers = Answers(edit["replies"] | {step: reply})
    options = ("--refresh", "--yes", "--model", "demo")
    ran = desk.run("resume", name, *options, backend=answers, expect=code)
    after = book.chapters()
    assert [n for n in range(2, len(after) + 1) if after[n - 1] != before[n - 1]] == changed
    assert said in ran.err.replace("\n", " ")
    assert "Traceback" not in ran.err
    if not changed and not code:
        assert answers.asked == ["canon/ch01/change"]
