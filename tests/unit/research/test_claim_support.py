"""Whether a claim follows from the words of its source, as far as code can tell."""

import pytest

from libriscribe2.models.notes import Note
from libriscribe2.research.support import (
    ClaimVerdict,
    missing_numbers,
    quote_length_fault,
    with_verdicts,
)


@pytest.mark.parametrize(
    ("claim", "passage", "missing"),
    [
        ("gunzip checks a CRC of 64 bits.", "gunzip checks a 32 bit CRC.", ["64"]),
        ("The table has 24 entries.", "a table of 20 entries is used", ["24"]),
        ("Die Brücke wurde 1912 gebaut.", "Le pont fut construit en 1921.", ["1912"]),
        ("They agree 99.8 per cent of the time.", "in 99.98% of the time", ["99.8"]),
        ("It fell to 33 metres.", "a fall of 32 metres, in 1931", ["33"]),
        ("It weighs 3.6 kg.", "It weighs 35 kg and costs 20 francs.", ["3.6"]),
    ],
)
def test_a_number_that_does_not_follow_is_missing(
    claim: str, passage: str, missing: list[str]
) -> None:
    assert missing_numbers(claim, passage) == missing


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("About 1.5 million were sold.", "It sold 1,500,000 copies."),
        ("A block has 64 KiB.", "blocks of 65,536 bytes"),
        ("It dates from the 1990s.", "first released in 1993"),
        ("It was built in the 18th century.", "The mill was built in 1769."),
        ("It ran for 35 years.", "opened in 1850 and closed in 1885"),
        ("Both together took 70 days.", "The first took 30 days, the second 40."),
        ("It turns every 176 days.", "a sunrise only every 175.97 days"),
        ("It runs at 32.8 kHz.", "a frequency of 32,768 Hz"),
        ("There are 3 keepers.", "Keepers, of whom there were several, came in 1850."),
        ("There are 250 lamps.", "There are two hundred and fifty lamps."),
        ("It is version 1.2.3.", "in version 1.2.3 of the library"),
        ("Er wiegt 1.500 kg.", "Il pèse 1 500 kg, soit 1.500 kilos."),
    ],
)
def test_a_number_that_is_written_otherwise_or_computed_follows(claim: str, passage: str) -> None:
    assert missing_numbers(claim, passage) == []


@pytest.mark.parametrize(
    ("quote", "longest", "fits"),
    [
        ("compression", 40, False),
        ("gzip format", 40, False),
        ("gunzip checks a 32 bit CRC.", 40, True),
        ("word " * 40, 40, True),
        ("word " * 41, 40, False),
        ("word " * 41, 80, True),
        ("word " * 11, 10, False),
        ("灯塔建于一八五一年三月", 40, True),
    ],
)
def test_a_quote_of_one_word_or_of_a_page_proves_nothing(
    quote: str, longest: int, *, fits: bool
) -> None:
    assert (quote_length_fault(quote, longest) == "") is fits


def test_a_claim_without_a_verdict_is_no_fact() -> None:
    notes = [Note(id=f"n-{n}", claim="c", quote="q", source="s", verified=True) for n in range(3)]
    verdicts = [
        ClaimVerdict(number=3, verdict="partly", why="the year is not there"),
        ClaimVerdict(number=1, verdict="yes", why="plainly"),
    ]
    judged = with_verdicts(notes, verdicts)
    assert [note.is_fact for note in judged] == [True, False, False]
    assert [note.supported for note in judged] == ["yes", "no", "partly"]
    assert judged[2].reason == "the year is not there"
    assert judged[0].reason == ""
