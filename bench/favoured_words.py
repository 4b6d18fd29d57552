"""`python -m bench.favoured_words --machine FOLDER ... --human FOLDER ...`: words that models favour.

Machine books are files `MODEL__PREMISE.txt`. A word counts if it stands in most books of half of the
models (by the hash of their names) and of nearly all premises, and is more frequent there than in
any English: `wordfreq`, and half of the books by people. The lists of `checks/reference_ranges.py` are
its output; the other halves say what they are worth.
"""

import argparse
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import wordfreq

WORDS: Final = 100
_WORD: Final = re.compile(r"(?<![\w'])[a-z]{4,}(?![\w'])")
_NAME: Final = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b")
_OFTEN: Final = 10
_FEWEST_MODELS: Final = 6
_RARE: Final = 3.5

Counts = dict[str, Counter[str]]


def _half(name: str) -> bool:
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 0


def _model(book: str) -> str:
    return book.rpartition("__")[0]


def _premise(book: str) -> str:
    return book.rpartition("__")[2]


def _counted(folders: Iterable[Path], pattern: re.Pattern[str]) -> Counts:
    files = {file.stem: file for folder in folders for file in sorted(folder.glob("*.txt"))}
    texts = {name: file.read_text("utf-8-sig", errors="replace") for name, file in files.items()}
    return {
        name: Counter(pattern.findall(text.replace("\u2019", "'"))) for name, text in texts.items()
    }


def _rates(books: Counts) -> dict[str, float]:
    """The mean rate of each word over books."""
    rates: defaultdict[str, float] = defaultdict(float)
    for counts in books.values():
        total = sum(counts.values()) or 1
        for word, count in counts.items():
            rates[word] += count / total / len(books)
    return rates


def favoured(machine: Counts, human: Counts) -> list[str]:
    """The words, those that stand out most first."""
    ours = {name: counts for name, counts in machine.items() if _half(_model(name))}
    theirs = _rates({name: counts for name, counts in human.items() if _half(name)})
    rates = _rates(ours)
    models, premises = ({part(name) for name in ours} for part in (_model, _premise))
    found = []
    for word, rate in rates.items():
        having = [name for name, counts in ours.items() if word in counts]
        common = max(wordfreq.word_frequency(word, "en"), theirs.get(word, 0.0))
        wide = len({*map(_model, having)}) >= 0.6 * len(models)
        wide = wide and len({*map(_premise, having)}) >= 0.8 * len(premises)
        if common > 1e-7 and wide and len(having) >= 0.3 * len(ours):
            found.append((rate / common, word))
    return [word for _, word in sorted(found, reverse=True)[:WORDS]]


def favoured_names(machine: Counts, human: Counts) -> list[str]:
    """Rare names that many models give to people of several premises, and hardly any person does."""
    models, premises = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for book, counts in machine.items():
        for name, count in counts.items():
            if count >= _OFTEN:
                models[name].add(_model(book))
                premises[name].add(_premise(book))
    people = Counter(
        name for counts in human.values() for name, count in counts.items() if count >= _OFTEN
    )
    return sorted(
        name
        for name in models
        if len(models[name]) >= _FEWEST_MODELS and len(premises[name]) > 2 and people[name] <= 1
        if wordfreq.zipf_frequency(name, "en") < _RARE
    )


def _told(what: str, books: Counts, words: Iterable[str], chosen: Mapping[str, bool]) -> None:
    per = sorted(
        1_000 * sum(counts[word] for word in words) / (sum(counts.values()) or 1)
        for name, counts in books.items()
        if chosen[name]
    )
    shown = [per[min(len(per) - 1, int(share * len(per)))] for share in (0, 0.1, 0.5, 0.9, 1)]
    print(f"{what}: {len(per)} books, per 1,000 words", *(f"{one:.2f}" for one in shown))


def main() -> None:
    """Print the lists, and how books that they were not made from lie."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machine", nargs="+", type=Path, required=True)
    parser.add_argument("--human", nargs="+", type=Path, required=True)
    given = parser.parse_args()
    machine, human = _counted(given.machine, _WORD), _counted(given.human, _WORD)
    words = favoured(machine, human)
    print(*sorted(words))
    print(*favoured_names(_counted(given.machine, _NAME), _counted(given.human, _NAME)))
    _told("people, held out", human, words, {name: not _half(name) for name in human})
    _told("models, held out", machine, words, {name: not _half(_model(name)) for name in machine})


if __name__ == "__main__":
    main()
