"""Whether a book that the program writes reads better than what the same model writes without it.

    python -m bench.prose write FOLDER --model MODEL [--premises 10] [--yes]
    python -m bench.prose judge FOLDER --judge MODEL
    python -m bench.prose votes FOLDER [VOTES.json ...]

`write` makes a book of each premise in five ways with one model: chapter by chapter from the
premise alone; chapter by chapter from an outline of its own; the program; the program without
revision; and a loop of drafting, judging and writing anew, as others have it (after autonovel). It
says first what that costs at the model's list price. Then it makes `pairs/`: passages of the
beginning, the middle and the end of the same chapters, and `vote.html`, a page on which people
read them blind and vote. `judge` has another model vote, each pair in both orders. `votes` counts:
the strength of each way (Bradley and Terry 1952), with a 95 % interval over premises, by resampling.
"""

import argparse
import hashlib
import html
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import exp, log
from pathlib import Path
from random import Random
from typing import Any, Final

from bench import plain
from libriscribe2.checks.passage_pairs import Where, equal_windows
from libriscribe2.llm.litellm_library import load_litellm

PREMISES: Final = (
    ("literary", "A piano tuner learns that the instrument in a closed school was never played."),
    ("literary", "Two sisters share the care of a father who takes each for the other."),
    ("mystery", "A ferry's log shows one passenger more than ever came ashore."),
    ("mystery", "The judge of a dog show is found to have judged a dog that does not exist."),
    ("science fiction", "On a slow ship the gardener finds a tree that nobody planted."),
    ("science fiction", "A town rents out its night sky, and one family will not sign."),
    ("fantasy", "A bridge demands a true sentence from each who crosses; a liar must cross."),
    ("fantasy", "The apprentice of a map maker draws a street, and somebody moves in."),
    ("thriller", "An interpreter hears in one sentence that she is the subject of the talks."),
    ("thriller", "A night nurse is asked to sign for a patient who left years ago."),
)
CHAPTERS: Final = 6
WORDS: Final = 1_500

ALONE: Final = """\
You are a novelist. You write a {genre} novella of {chapters} chapters in English.

Premise: {premise}

# What is written so far

{before}

# Task

Write chapter {number} of {chapters}, about {each} words. Begin with its heading, `# ` and its \
title; then prose alone, no comment."""

CRITIC: Final = """\
You are an editor. Judge this chapter of a novella by its outline: give it a score from 1 to 10 and \
list its five worst weaknesses, each with a quote.

# Outline

{outline}

# Chapter

{draft}"""

ANEW: Final = """\
You are a novelist. Write this chapter anew, about {each} words, so that the weaknesses are gone. \
Begin with its heading; then prose alone, no comment.

# Outline

{outline}

# The end of the chapter before

{tail}

# Chapter

{draft}

# Weaknesses

{notes}"""

Way = Callable[[Path, str, str, str], None]
_OURS: Final = ("ours", "ours-no-revision")
_TAIL: Final = 4_000


def _alone(folder: Path, genre: str, premise: str, model: str) -> None:
    said = {"genre": genre, "premise": premise, "chapters": CHAPTERS, "each": WORDS}
    chapters: list[str] = []
    for number in range(1, CHAPTERS + 1):
        before = "\n\n".join(chapters) or "Nothing yet."
        prompt = ALONE.format(**said, before=before, number=number)
        chapters.append(plain.asked(folder / f"{number:02}.md", prompt, model))


def _outlined(folder: Path, genre: str, premise: str, model: str) -> None:
    plain.main(
        [
            *("write", premise, str(folder), "--model", model, "--chapters", str(CHAPTERS)),
            *("--words", str(CHAPTERS * WORDS), "--genre", f"{genre} novella"),
        ]
    )


def _loop(folder: Path, genre: str, premise: str, model: str) -> None:
    """Outline, then for each chapter a draft, an editor's judgement and a second draft."""
    said: dict[str, Any] = {
        "genre": f"{genre} novella",
        "premise": premise,
        "language": "English",
        "chapters": CHAPTERS,
        "each": WORDS,
        "words": CHAPTERS * WORDS,
    }
    outline = plain.asked(folder / "outline.md", plain.OUTLINE.format(**said), model)
    tail = "Nothing yet."
    for number in range(1, CHAPTERS + 1):
        asked = plain.CHAPTER.format(**said, outline=outline, before=tail, number=number)
        draft = plain.asked(folder / f"draft{number:02}.md", asked, model)
        critic = CRITIC.format(outline=outline, draft=draft)
        notes = plain.asked(folder / f"notes{number:02}.md", critic, model)
        anew = ANEW.format(outline=outline, tail=tail, draft=draft, notes=notes, each=WORDS)
        tail = plain.asked(folder / f"{number:02}.md", anew, model)[-_TAIL:]


def _ours(folder: Path, genre: str, premise: str, model: str) -> None:
    """The program, as its user runs it; a run that stopped goes on."""
    more = ["--no-revision"] if folder.name == _OURS[1] else []
    command = [sys.executable, "-m", "libriscribe2"]
    book = folder / "projects" / "book"
    if (book / "book.toml").exists():
        command += ["resume", "book", "--model", model]
    else:
        command += ["create", premise, "-p", "book", "--model", model, "--genre", genre, "--yes"]
        command += ["--chapters", str(CHAPTERS), "--words", str(CHAPTERS * WORDS), *more]
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(command, cwd=folder, check=True, env=os.environ | {"NO_COLOR": "1"})
    for number in range(1, CHAPTERS + 1):
        text = (book / "chapters" / f"{number:02}.md").read_text(encoding="utf-8")
        (folder / f"{number:02}.md").write_text(text, encoding="utf-8")


WAYS: Final[Mapping[str, Way]] = {
    "chapters-alone": _alone,
    "own-outline": _outlined,
    **dict.fromkeys(_OURS, _ours),
    "draft-judge-anew": _loop,
}
_TOKENS: Final = {
    "chapters-alone": (40_000, 13_000),
    "own-outline": (48_000, 15_000),
    "ours": (330_000, 45_000),
    "ours-no-revision": (220_000, 34_000),
    "draft-judge-anew": (90_000, 32_000),
}
"""About how many tokens a book takes, in and out."""


def write(options: argparse.Namespace) -> None:
    """Say what it costs, write the books that are missing, and make the pairs."""
    count = options.premises
    sent, made = (count * sum(one[side] for one in _TOKENS.values()) for side in (0, 1))
    litellm = load_litellm()
    try:
        usd = sum(litellm.cost_per_token(options.model, prompt_tokens=sent, completion_tokens=made))
        price = f"about {usd:.2f} USD by LiteLLM's list"
    except Exception:  # noqa: BLE001 - LiteLLM raises plain ones for a model without a price
        price = "no list price is known"
    print(f"{count} premises, {len(WAYS)} ways, {CHAPTERS} chapters of {WORDS:,} words: ", end="")
    print(f"{sent:,} tokens in, {made:,} out, {price}.")
    if not options.yes and input("Start? [y/N] ").strip().casefold() != "y":
        return
    folder = Path(options.folder)
    for number, (genre, premise) in enumerate(PREMISES[:count], start=1):
        for name, way in WAYS.items():
            at = folder / "books" / f"{number:02}" / name
            at.mkdir(parents=True, exist_ok=True)
            way(at, genre, premise, options.model)
    pairs = _pairs(folder, count)
    (folder / "pairs.json").write_text(json.dumps(pairs, indent=1), encoding="utf-8")
    (folder / "vote.html").write_text(_page(pairs), encoding="utf-8")
    print(f"{len(pairs)} pairs in {folder / 'pairs.json'}; read them blind: {folder / 'vote.html'}")


def _pairs(folder: Path, count: int) -> list[dict[str, Any]]:
    """Passages of all ways in pairs; which one is A is drawn, and known from the pair's name."""
    places: tuple[tuple[int, Where], ...] = ((1, "beginning"), (4, "middle"), (CHAPTERS, "end"))
    pairs = []
    for premise in range(1, count + 1):
        for one, other in combinations(WAYS, 2):
            for chapter, where in places:
                files = [
                    folder / "books" / f"{premise:02}" / way / f"{chapter:02}.md"
                    for way in (one, other)
                ]
                ours, theirs = (file.read_text(encoding="utf-8") for file in files)
                found = equal_windows(ours, theirs, where)
                if found is None:
                    continue
                name = hashlib.sha256(f"{premise} {one} {other} {where}".encode()).hexdigest()[:12]
                turned = int(name, 16) % 2
                ways, texts = (one, other)[:: -1 if turned else 1], found[:: -1 if turned else 1]
                pairs.append(
                    {"name": name, "premise": premise, "where": where, "a": texts[0]}
                    | {"b": texts[1], "ways": list(ways)}
                )
    return sorted(pairs, key=lambda pair: pair["name"])


def _page(pairs: Sequence[Mapping[str, Any]]) -> str:
    """A page that shows each pair without saying who wrote it, and saves the votes as a file."""
    shown = "".join(
        f"<section><h2>{number} of {len(pairs)}</h2><div class=pair>"
        + "".join(
            f"<article><h3>{side.upper()}</h3>{_prose(pair[side])}</article>" for side in "ab"
        )
        + "</div><p>Which would you read on in? "
        + "".join(
            f"<label><input type=radio name={pair['name']} value={vote}> {vote.upper()}</label> "
            for vote in ("a", "b", "neither")
        )
        + "</p></section>"
        for number, pair in enumerate(pairs, start=1)
    )
    return (
        "<!doctype html><meta charset=utf-8><title>Which one?</title><style>body{font:18px/1.5 "
        "Georgia,serif;max-width:75rem;margin:2rem auto;padding:0 1rem}.pair{display:grid;"
        "grid-template-columns:1fr 1fr;gap:3rem}label{margin-right:1rem}</style>"
        f"{shown}<button>Save my votes</button><script>document.querySelector('button').onclick="
        "()=>{const v={};document.querySelectorAll('input:checked').forEach(i=>v[i.name]=i.value);"
        "const a=document.createElement('a');a.href=URL.createObjectURL(new Blob([JSON.stringify("
        "v)]));a.download='votes.json';a.click()}</script>"
    )


def _prose(text: str) -> str:
    return "".join(f"<p>{html.escape(one)}</p>" for one in text.split("\n\n"))


def judge(options: argparse.Namespace) -> None:
    """Have a model vote, each pair in both orders; where they disagree it votes for neither."""
    folder = Path(options.folder)
    votes: dict[str, str] = {}
    for pair in json.loads((folder / "pairs.json").read_text(encoding="utf-8")):
        said = []
        for order in ("ab", "ba"):
            prompt = (
                "Two passages for the same place of a novella. In which would a demanding reader "
                "read on? Answer with one letter, A or B, alone.\n\n"
                f"# A\n\n{pair[order[0]]}\n\n# B\n\n{pair[order[1]]}"
            )
            file = folder / "judged" / f"{pair['name']}-{order}.md"
            file.parent.mkdir(exist_ok=True)
            letter = re.search(r"\b([AB])\b", plain.asked(file, prompt, options.judge))
            said.append(order["AB".index(letter[1])] if letter else "neither")
        votes[pair["name"]] = said[0] if said[0] == said[1] else "neither"
    (folder / "judge.votes.json").write_text(json.dumps(votes), encoding="utf-8")
    print(f"{sum(vote != 'neither' for vote in votes.values())} of {len(votes)} pairs decided")


Won = tuple[int, str, str]
"""The premise, who won and who lost."""


def strengths(won: Sequence[Won], ways: Sequence[str]) -> dict[str, float]:
    """The strength of each way (Bradley and Terry): 1 is the mean, twice as strong wins two of three.

    Half a win is added on each side of each pair, so that who never lost has a strength, too.
    """
    wins: defaultdict[tuple[str, str], float] = defaultdict(float)
    for one, other in combinations(ways, 2):
        wins[one, other] = wins[other, one] = 0.5
    for _, better, worse in won:
        wins[better, worse] += 1
    strength = dict.fromkeys(ways, 1.0)
    for _ in range(200):
        for one in ways:
            others = [other for other in ways if other != one]
            games = {other: wins[one, other] + wins[other, one] for other in others}
            per = sum(count / (strength[one] + strength[other]) for other, count in games.items())
            strength[one] = sum(wins[one, other] for other in others) / per
        mean = exp(sum(map(log, strength.values())) / len(ways))
        strength = {way: value / mean for way, value in strength.items()}
    return strength


def votes(options: argparse.Namespace) -> None:
    """Tell the strengths with their intervals, and what they do not show."""
    folder = Path(options.folder)
    files = [*map(Path, options.votes)] or sorted(folder.glob("*votes.json"))
    pairs = {
        one["name"]: one for one in json.loads((folder / "pairs.json").read_text(encoding="utf-8"))
    }
    won: list[Won] = []
    ties = 0
    for file in files:
        for name, vote in json.loads(file.read_text(encoding="utf-8")).items():
            if vote in ("a", "b"):
                better = "ab".index(vote)
                ways = pairs[name]["ways"]
                won.append((pairs[name]["premise"], ways[better], ways[1 - better]))
            else:
                ties += 1
    found = strengths(won, [*WAYS])
    intervals = _intervals(won)
    print(f"{len(won)} votes, {ties} for neither")
    for way in sorted(found, key=lambda one: -found[one]):
        low, high = intervals[way]
        print(f"{way}: {found[way]:.2f} ({low:.2f} to {high:.2f})")
    best, second = sorted(found, key=lambda one: -found[one])[:2]
    if intervals[best][0] <= intervals[second][1]:
        print(f"No difference shown between {best} and {second}.")


def _intervals(won: Sequence[Won], draws: int = 200) -> dict[str, tuple[float, float]]:
    """The 95 % interval of each strength, by drawing premises anew."""
    by_premise: defaultdict[int, list[Won]] = defaultdict(list)
    for one in won:
        by_premise[one[0]].append(one)
    dice, drawn = Random(1), defaultdict[str, list[float]](list)  # noqa: S311 -- no secret
    for _ in range(draws):
        some = [
            one for n in dice.choices([*by_premise], k=len(by_premise)) for one in by_premise[n]
        ]
        for way, value in strengths(some, [*WAYS]).items():
            drawn[way].append(value)
    edge = draws // 40
    return {way: (sorted(all_)[edge], sorted(all_)[-edge - 1]) for way, all_ in drawn.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(prog="python -m bench.prose", description=__doc__)
    ways = parser.add_subparsers(required=True)
    writing = ways.add_parser("write")
    writing.add_argument("folder")
    writing.add_argument("--model", required=True)
    writing.add_argument("--premises", type=int, default=len(PREMISES))
    writing.add_argument("--yes", action="store_true")
    writing.set_defaults(run=write)
    judging = ways.add_parser("judge")
    judging.add_argument("folder")
    judging.add_argument("--judge", required=True)
    judging.set_defaults(run=judge)
    counting = ways.add_parser("votes")
    counting.add_argument("folder")
    counting.add_argument("votes", nargs="*")
    counting.set_defaults(run=votes)
    options = parser.parse_args(arguments)
    options.run(options)


if __name__ == "__main__":
    main()
