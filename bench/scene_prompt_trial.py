"""Pairs of prompts for a blind trial: today's request for a scene, and a rival with other craft rules.

`python -m bench.scene_prompt_trial RECORDING FOLDER` plays a recording and writes ten pairs to
`FOLDER/NN/a.md` and `b.md`; which is which stands in `FOLDER.key.json`, beside the folder, alone. Both show the same
material, word for word: only the rules of prose and the task differ.
"""

import json
import re
import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.context_laws import played

PAIRS: Final = 10
_RULES: Final = re.compile(
    r"How the prose of this book is written:\n.*?(?=\n\nHow you use)", re.DOTALL
)
_TASK: Final = re.compile(
    r"Write this scene in about (?P<words>[\d,]+) words.*?not yours to tell\. (?P<joints>.*?)"
    r" ?A reader must not feel the joint\..*\Z",
    re.DOTALL,
)

RIVAL: Final = """\
You write one scene of a novel. The voice is in `style`: {person} {tense} {distance} Its passages are \
by the hand that you are; go on in that hand, take no sentence.
Before writing, decide silently: what {pov} wants in the next ten minutes; what they misread; what each \
speaker will not say; the one particular of this place that nobody else would notice; the sentence \
after which nothing can go back.

On the page
1. Everything passes through {pov}: what is noticed is what somebody with that want and that trade \
would notice. Name things by their right names. At most one comparison a page, from {pov}'s own life.
2. Speech carries the conflict. People answer the question they wish they had been asked; one exchange \
in three goes unanswered. Attribution is "said" or an act that changes something.
3. The scene is of the kind that its `mode` names: in a conflict each exchange costs more than the \
last, until the turn; in an aftermath somebody takes in what happened and decides; in a summary \
time passes in the narrator's voice.
4. What the scene withholds stays unsaid, also in thought; what the chapter plants goes by as ordinary \
things, in a subordinate clause.
5. End on an act, a thing or a line that makes `next` necessary. Not on what it meant.
If a sentence explains what the one before showed, delete it. If a phrase came at once, it is \
everybody's: take the fact behind it. `habits` are used up. No contrast by denial, no triple where \
one is enough, no weather for feeling. No headings, no remarks about the text."""

TASK: Final = """\
`scene` is the plan: its turn, its outcome and what it reveals happen here, and nothing of the chapter's \
other scenes. {joints} About {words} words; let the turn come after the middle. Keep names, places \
and facts as given. The scene only."""


def main(recording: str, folder: str) -> None:
    """Write the pairs."""
    place, order = Path(folder), Random(20)  # noqa: S311 - nothing is kept secret
    key: dict[str, dict[str, str]] = {}
    for number, (step, today, rival) in enumerate(pairs(Path(recording)), start=1):
        own = place / f"{number:02d}"
        own.mkdir(parents=True, exist_ok=True)
        names = order.sample(["a", "b"], 2)
        for name, turns in zip(names, (today, rival), strict=True):
            text = "\n\n".join(f"== {role}\n\n{said}" for role, said in turns)
            (own / f"{name}.md").write_text(f"{text}\n", encoding="utf-8")
        key[own.name] = {"scene": step, names[0]: "today", names[1]: "rival"}
    place.with_name(f"{place.name}.key.json").write_text(
        json.dumps(key, indent=1) + "\n", encoding="utf-8"
    )


def pairs(recording: Path) -> list[tuple[str, list[tuple[str, str]], list[tuple[str, str]]]]:
    """Of each chosen scene its step, today's request and the rival, turn by turn."""
    with TemporaryDirectory() as folder:
        paths = played(recording, Path(folder))
        sheet, outline = (
            json.loads((paths.root / name).read_text(encoding="utf-8"))
            for name in ("style.json", "outline.json")
        )
        dumps = [
            json.loads(path.read_text(encoding="utf-8"))["debug_info"]
            for path in sorted(paths.debug.glob("*.json"))
        ]
    asked = [one for one in dumps if re.fullmatch(r"chapters/ch\d+/scene\d+", one["step"])]
    chosen = [asked[at * len(asked) // PAIRS] for at in range(PAIRS)]
    return [(one["step"], *_both(one, sheet["sheet"], outline["chapters"])) for one in chosen]


def _both(
    dump: dict[str, Any], sheet: dict[str, str], chapters: list[dict[str, Any]]
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Today's request, and the same material below the rival's rules and above its task."""
    today = [(turn["role"], turn["content"]) for turn in dump["prompt"]]
    number = int(dump["step"].split("/ch")[1][:2])
    told = {name: sheet[name] for name in ("person", "tense", "distance")}
    rules = RIVAL.format(**told, pov=chapters[number - 1]["pov"] or "the viewpoint")
    system, user = today[0][1], today[-1][1]
    task = _TASK.search(user)
    if task is None or _RULES.search(system) is None:
        raise SystemExit(f"{dump['step']}: the prompt is no longer worded as the trial expects")
    asked = TASK.format(**task.groupdict())
    rival = [("system", _RULES.sub(lambda _: rules, system)), *today[1:-1]]
    return today, [*rival, ("user", user[: task.start()] + asked)]


if __name__ == "__main__":
    main(*sys.argv[1:3])
