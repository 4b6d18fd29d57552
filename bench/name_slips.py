"""`python -m bench.name_slips FOLDER [--language L] [--books N]`: misspelt names in human books.

FOLDER holds novels as text files, a paragraph a line or with blank lines between; none is in the
repository. A book is cut into chapters of 3,000 words. Its cast, which languages that capitalise
nouns need, is the 25 most frequent words with a capital that are rare in the language. Prints the
alarms and their rate; how many are true has to be read.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from wordfreq import zipf_frequency

from libriscribe2.checks.text import ChapterText
from libriscribe2.checks.text_names import name_drift, used_names
from libriscribe2.models.languages import language_of

CHAPTER_WORDS: Final = 3_000
CAST: Final = 25
_FEWEST_USES: Final = 10
_RARE_WORD: Final = 3.3


def chapters_of(text: str) -> list[ChapterText]:
    """A novel in chapters of about 3,000 words."""
    return [
        ChapterText(number, f"{number:02d}.md", f"# {number}\n\n" + "\n\n".join(held) + "\n")
        for number, held in enumerate(_parts(text), start=1)
    ]


def _parts(text: str) -> Iterator[list[str]]:
    held, words = list[str](), 0
    for paragraph in filter(None, map(str.strip, text.split("\n"))):
        held.append(paragraph)
        words += len(paragraph.split())
        if words > CHAPTER_WORDS:
            yield held
            held, words = [], 0
    if held:
        yield held


def cast_of(chapters: Sequence[ChapterText], code: str) -> list[str]:
    """Words with a capital that are frequent in the book and rare in its language."""
    uses: Counter[str] = Counter()
    for chapter in chapters:
        uses.update(used_names(chapter))
    often = (name for name, count in uses.most_common() if count >= _FEWEST_USES)
    return [name for name in often if zipf_frequency(name, code) < _RARE_WORD][:CAST]


def main() -> None:
    """Print the alarms of the books of a folder, and their rate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--language", default="English")
    parser.add_argument("--books", type=int, default=None)
    given = parser.parse_args()
    code, words, alarms = language_of(given.language).code, 0, 0
    for file in sorted(given.folder.glob("*.txt"))[: given.books]:
        text = file.read_text("utf-8-sig", errors="replace")
        chapters = chapters_of(text)
        found = name_drift(chapters, cast_of(chapters, code), language=given.language)
        words, alarms = words + len(text.split()), alarms + len(found)
        for one in found:
            print(f"{file.name}: {one.spelling} ({one.uses}) for {one.name} ({one.name_uses})")
    print(f"{alarms} alarms in {words} words: {1e4 * alarms / max(1, words):.3f} per 10,000")


if __name__ == "__main__":
    main()
