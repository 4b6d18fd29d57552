"""What fuzzing found and what it covered, read at every test run; see `fuzz_replies.py`."""

from pathlib import Path
from typing import Final

import pytest
from tests.fuzz.reply_laws import LAWS, assert_from, check

CORPUS: Final = sorted((Path(__file__).parent / "corpus").iterdir())
LEAST: Final = 200


@pytest.mark.parametrize("law", range(len(LAWS)), ids=[law.__name__ for law in LAWS])
def test_OV_47_the_laws_hold_on_the_corpus(law: int) -> None:
    held = 0
    for path in CORPUS:
        data = path.read_bytes()
        if data[:1] == bytes([law]):
            check(data)
            held += 1
    assert held >= LEAST // len(LAWS) // 2


def test_made_up_text_is_noticed() -> None:
    with pytest.raises(AssertionError):
        assert_from("The tide brings it back.", ["the storm"])
    assert_from("The tide brings it back.", ["tide back", "The"])
