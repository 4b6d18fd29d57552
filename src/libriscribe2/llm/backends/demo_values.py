"""What the stand-in author knows of a book, and the sentences of drawn words that it writes."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from importlib.resources import files
from random import Random
from typing import Any, Final, TypeVar

from libriscribe2.llm.backend import Request

T = TypeVar("T")

_TITLES: Final = frozenset({"the", "dr", "mr", "mrs", "ms", "sister", "brother", "captain", "aunt"})
_LONGEST_RUN: Final = 12
"""The plan's own words stand in runs of at most so many: more would be a copy of the plan."""

_MOST_PLAN: Final = 0.6
_SLOT: Final = re.compile(r"\{(\w+)\}")
_END: Final = re.compile(r"(?<=[.!?\u2026。！？])[\u201d\"»)]*\s+|\n+|(?<=[。！？])")
_SPEECH: Final = re.compile(r"[\"“”„«»\[\]<>|*]")
_FEWEST_WORDS: Final = 5


def _bank() -> Mapping[str, tuple[str, ...]]:
    """The words and phrases by kind."""
    text = files(__package__).joinpath("demo_words.txt").read_text(encoding="utf-8")
    bank = {}
    for head, _, body in (section.partition("]\n") for section in text.split("\n[")[1:]):
        words = re.split(r" / |\n", body.strip()) if head.endswith("/") else body.split()
        bank[head.removesuffix(" /")] = tuple(words)
    return bank


BANK: Final = _bank()


class Dice:
    """Repeatable chance: the same seed throws the same on every machine and Python version."""

    def __init__(self, *seed: object) -> None:
        text = "\x1f".join(map(str, seed)).encode("utf-8", "surrogatepass")
        # Its `random()` is promised to give the same on every version of Python.
        self._random = Random(blake2b(text).hexdigest())  # noqa: S311 - nothing is kept secret

    def below(self, count: int) -> int:
        """A number from 0 to `count` - 1."""
        return int(self._random.random() * count)

    def pick(self, items: Sequence[T]) -> T:
        """One of the items; there must be one."""
        return items[self.below(len(items))]

    def filled(self, template: str, **slots: str) -> str:
        """A template whose slots are given or drawn; one with a capital gets one."""

        def said(slot: re.Match[str]) -> str:
            key = slot[1].lower()
            drawn = slots[key] if key in slots else self.pick(BANK[key])
            return drawn[:1].upper() + drawn[1:] if slot[1] != key else drawn

        return _SLOT.sub(said, template)


def sentences(text: str) -> list[str]:
    """The sentences of a text as they stand; headings and lines of marks are left out."""
    parts = (part.strip() for part in _END.split(text))
    return [part for part in parts if re.search(r"\w", part) and not part.startswith("#")]


def is_plain(sentence: str) -> bool:
    """Whether a sentence is narration that can be quoted."""
    return len(sentence.split()) >= _FEWEST_WORDS and _SPEECH.search(sentence) is None


def short_name(name: str, others: Iterable[str]) -> str:
    """The first word of a name, where it is a name by itself and nobody else's."""
    first = name.partition(" ")[0]
    shared = any(other != name and first in other.split() for other in others)
    return name if shared or first.strip(".").casefold() in _TITLES else first


class Prose:
    """Writes about people, each named in full before in short; about anybody if none is given."""

    def __init__(self, dice: Dice, people: Sequence[str] = ()) -> None:
        self._dice = dice
        self._people = list(dict.fromkeys(people))
        self._new = list(self._people)
        self._said: set[str] = set()

    def text(self, words: int, plan: str = "", facts: Sequence[str] = ()) -> str:
        """Paragraphs of so many words, with facts as they stand and a plan in short runs."""
        told, blocks = [*facts, *self._told(plan)], list[str]()
        while told and _count(told) > max(words * _MOST_PLAN, _LONGEST_RUN):
            told.pop()
        free = words - _count(told)
        while free > 2 or told:
            if free > 2:
                blocks.append(self._paragraph(min(free, 20 + self._dice.below(50)), free))
                free -= _count(blocks[-1:])
            if told:
                blocks.append(told.pop(0))
            elif self._people and free > 40 and not self._dice.below(3):
                blocks += [self.sentence(free // 2, "speaking") for _ in range(2)]
                free -= _count(blocks[-2:])
        return "\n\n".join(blocks)

    def sentence(self, most: int = 30, kind: str = "telling") -> str:
        """A sentence of at most so many words (three are enough), which was not said before."""
        for _ in range(60):
            drawn = self._dice.filled(self._dice.pick(BANK[kind]), p=self._name())
            left = most - len(drawn.split())
            if drawn not in self._said and (left == 0 or left > 2):
                self._said.add(drawn)
                self._new = [name for name in self._new if name not in drawn]
                return drawn
        return self._dice.filled(BANK["telling"][0])

    def _paragraph(self, words: int, free: int) -> str:
        """Sentences of about so many words; the last ones fill up what is free."""
        said: list[str] = []
        while _count(said) < words - 2:
            said.append(self.sentence(free - _count(said)))
        return " ".join(said)

    def _told(self, plan: str) -> list[str]:
        """The plan in short runs of its own words, spoken where there are people."""
        lines = BANK["told" if self._people else "stated"]
        found = []
        for sentence in sentences(plan):
            said = re.sub(r"[“”\"]", "", sentence).split()
            size = -(-len(said) // -(-len(said) // _LONGEST_RUN))
            for start in range(0, len(said), size):
                run = " ".join(said[start : start + size]).rstrip(".,;: ")
                found.append(self._dice.filled(self._dice.pick(lines), s=run, p=self._name()))
        return found

    def _name(self) -> str:
        """Somebody: first in full whoever was not named yet, then anybody."""
        if self._new:
            return self._new[0]
        one = self._dice.pick(self._people or BANK["anybody"])
        return short_name(one, self._people) if self._people else one


def _count(texts: Iterable[str]) -> int:
    """Words of some texts."""
    return sum(len(text.split()) for text in texts)


Table = Mapping[str, Any]
Rows = Iterator[dict[str, Any]]

_LONGEST_QUOTE: Final = 18
_FREE_ITEMS: Final = 3
_NAME: Final = re.compile(r"(?<=[a-z,;] )(?<!\bthe )(?<!\bin )(?<!\bof )[A-Z][a-z]+ [A-Z][a-z]+\b")
_INSIDE: Final = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})?\b")
_THREAD: Final = re.compile(r"- ([^:]+): .*\(chapter (\d+)(?: to (\d+))?[^)]*\)$")
_NOTE: Final = re.compile(r"(?m)^- (n-[0-9a-f]{12}): (.+)$")
_WORDS: Final = re.compile(r"(\d[\d,]*)(?:\s*(?:-|\u2013|to)\s*(\d[\d,]*))?\s+words?\b")
_TOPIC: Final = re.compile(r"\b[^\W\d_]{4,}\b")
_SHORT: Final = frozenset(
    {"title", "heading", "name", "id", "place", "role", "time", "age", "voice", "alternatives"}
)
_NOTHING: Final = (
    *("ended", "new_people", "things", "contradictions", "doubts", "left_out", "declined"),
)
"""Lists in which the stand-in author has nothing to say."""
_BLANK: Final = frozenset({"find", "replace", "genre", "story_time", "state", "about"})


class Asked:
    """What a request tells its reader.

    Attributes:
        question: The first turn of the user.
        schema: The JSON Schema of the reply, its own or that of the prompt; None for text.
        seed: What the reply depends on.
        words: The wanted length, as it is named last; of a range, the middle.
        fiction: Whether the book is a story.
        idea: What its people and things are drawn from: all its plans show it.
        topics: Longer words of the idea.
        quotes: The plain sentences of the text that is shown; those about the question first.
    """

    def __init__(self, request: Request) -> None:
        turns = [(m.get("role"), str(m.get("content") or "")) for m in request.messages]
        self._told = "\n".join(text for role, text in turns if role in {"system", "user"})
        self.question = next((text for role, text in turns if role == "user"), "")
        self.seed = json.dumps([turns, request.schema, request.generation], sort_keys=True)
        _, mark, after = self._told.rpartition("<json_schema>")
        shown = _json(after.partition("</json_schema>")[0], dict) if mark else None
        self.schema: Table | None = shown if request.schema is None else request.schema
        sizes = _WORDS.findall(self.question.partition("<json_schema>")[0][-4000:])
        range_ = [int(one.replace(",", "")) for one in (sizes or [("120", "")])[-1] if one]
        self.words = max(1, min(sum(range_) // len(range_), 20_000))
        self.fiction = "kind: non-fiction" not in self.block("book")
        self.idea = self.block("premise") or self.block("book")
        self.topics = list(dict.fromkeys(_TOPIC.findall(self.idea[:400]))) or ["books"]
        texts = map(self.block, ("text", "source_text", "samples"))
        plain = dict.fromkeys(filter(is_plain, sentences(next(filter(None, texts), ""))))
        about = set(_TOPIC.findall(self.block("question").casefold()))
        self.quotes = sorted(plain, key=lambda s: -len(about.intersection(s.casefold().split())))

    def block(self, name: str) -> str:
        """What stands between the first `<name>` and the `</name>` behind it."""
        told = self.question if f"<{name}>" in self.question else self._told
        return told.partition(f"<{name}>")[2].partition(f"</{name}>")[0].strip()

    def table(self, name: str) -> Table:
        """A block that is a JSON object; an empty one where it is none."""
        found: Table = _json(self.block(name), dict)
        return found

    def names(self, *blocks: str) -> list[str]:
        """The names in some blocks that list JSON objects with `name`."""
        rows = (row for one in blocks for row in _json(self.block(one).partition("\n")[0], list))
        return [str(row["name"]) for row in rows if isinstance(row, dict) and row.get("name")]

    def cast(self, count: int = 3) -> list[str]:
        """So many people: those that are given, then others with other first letters."""
        told = f"{self.idea}\n{self.table('concept').get('description')}"
        found = self.names("characters") or self.names("given", "people") or _NAME.findall(told)
        known, start = {name[:1] for name in found}, Dice(self.idea, "cast").below(26)
        firsts = [*BANK["first"][start:], *BANK["first"][:start]]
        lasts = [*BANK["last"][start // 2 :], *BANK["last"]]
        found += [f"{a} {b}" for a, b in zip(firsts, lasts, strict=False) if a[0] not in known]
        found += [f"{one} {lasts[step % 25]}son" for step, one in enumerate(firsts * 9)]
        return list(dict.fromkeys(found))[:count]

    def places(self) -> list[str]:
        """The places of the book."""
        return self.names("places") or list(BANK["places"])


def _json(text: str, kind: type) -> Any:
    """The JSON value of a text; an empty one where it is not of the kind."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return kind()
    return value if isinstance(value, kind) else kind()


def item_count(schema: Table) -> int:
    """How many items a list gets: the middle of its range, or three where it has no range."""
    low, high = int(schema.get("minItems", 0)), schema.get("maxItems")
    return (low + high) // 2 if low and high else max(low, min(_FREE_ITEMS, high or _FREE_ITEMS))


def quote_of(sentence: str) -> str:
    """The first words of a sentence, as they stand."""
    ends = [found.end() for found in re.finditer(r"\S+", sentence)]
    return sentence[: ends[min(_LONGEST_QUOTE, len(ends)) - 1]]


class Values:
    """Knows what belongs into the fields of a book's plans and records."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._dice = Dice(asked.seed, "values")
        self._fields: Table = (asked.schema or {}).get("properties", {})
        self._before = sum(line[:1].isdigit() for line in asked.block("outline").splitlines())
        self._quotes = asked.quotes
        self._prose = Prose(self._dice, asked.cast() if asked.fiction else ())
        self._rows: Mapping[str, Callable[[int], Rows]] = {
            **dict.fromkeys(_NOTHING, lambda _: iter(())),
            "characters": self._characters,
            "chapters": self._chapters,
            "scenes": self._scenes,
            "threads": self._threads,
            "facts": self._facts,
            "events": lambda _: ({"what": s, "quote": quote_of(s)} for s in self._quotes[-1:]),
            "issues": self._issues,
            "patches": self._patches,
            "people": self._people,
            "places": lambda n: ({"name": one} for one in asked.places()[: max(3, n)]),
            "rules": self._rules,
            "voices": lambda _: ({"name": one} for one in asked.names("characters")),
            "verdicts": lambda n: iter([{"verdict": "unclear"}] * n),
            "answers": self._answers,
        }

    def text(self, key: str) -> str:
        """What a text says of which nothing is known."""
        if key in _BLANK or key.endswith("quote"):
            return ""
        is_short = key in _SHORT or key.endswith("words")
        return self._dice.filled("{A} {n}") if is_short else self._prose.sentence()

    def rows(self, key: str, count: int) -> list[dict[str, Any]] | None:
        """What the objects of a list say, if `count` are wanted; None where nothing is known."""
        return list(self._rows[key](count)) if key in self._rows else None

    def book(self) -> dict[str, Any]:
        """The fields of the whole; what the prompt has already stays as it is."""
        asked, told = self._asked, self._quotes or [self._prose.text(60).replace("\n\n", " ")]
        title = re.search(r"(?m)^title: (.+)$", asked.block("book"))
        premise = " ".join(asked.idea.split())[:120].rstrip(" .?!")
        rest = self._prose.text(max(9, asked.words - len(premise.split())))
        summaries = [line.partition(": ")[2] for line in asked.block("summaries").splitlines()]
        kept = {} if asked.block("outline") else asked.table("concept")
        return {
            "title": self._dice.filled("{Topic} and {A} {n}", topic=asked.topics[0]),
            "description": f"{premise}. {rest}".replace("\n\n", " "),
            "summary": " ".join(" ".join(summaries or told[:3]).split()[:120]),
            "premise": (summaries or told)[0],
            "exit_state": told[-1],
            "pov": asked.cast()[0] if asked.fiction else "",
            "primary_keywords": asked.topics[:3],
            "questions": [f"Which {one} belong to this: {premise}?" for one in ("dates", "places")],
            "rules": [] if summaries else None,
            "places": [] if self._quotes else None,
            "person": "third person",
            "tense": "past tense",
            "paragraphs": [self._prose.text(45).replace("\n\n", " ") for _ in range(2)],
            **dict.fromkeys(("opening_move", "ending_move"), ""),
            "verdict": "unclear",
            "suggested_changes": None,
            **kept,
            **({"title": title[1]} if title else {}),
        }

    def _answers(self, count: int) -> Rows:
        """To each question some of the notes; of two passages none is better."""
        asked = [one for one in self._asked.block("questions").splitlines() if one]
        notes = _NOTE.findall(self._asked.block("notes"))
        yield from [] if asked else [{"better": "tie"}] * count
        for at in range(len(asked)):
            own = notes[at :: len(asked)]
            said = " ".join(f"{told.rstrip('. ')} [@{note}]." for note, told in own[:2])
            answer = {"question": at + 1, "verdict": "partly" if own else "not", "answer": said}
            yield answer | {"notes": [note for note, _ in own]}

    def _characters(self, count: int) -> Rows:
        roles = ("protagonist", "antagonist", "friend", *["neighbour"] * count)
        cast = self._asked.cast(max(count, len(self._asked.names("people"))))
        return ({"name": a, "role": b} for a, b in zip(cast, roles, strict=False))

    def _rules(self, _: int) -> Rows:
        """Habits of a text, each with words that stand in it."""
        for style, one in zip(BANK["style"], self._quotes or ["none"], strict=False):
            said = style.partition(": ")
            yield {"aspect": said[0], "rule": said[2], "quote": quote_of(one)}

    def _facts(self, _: int) -> Rows:
        """What a source says, or what the people of a chapter do first in it."""
        cast = self._asked.names("characters")
        for one in [] if cast else self._quotes[:4]:
            yield {"claim": one, "quote": one, "entity": "story", "attribute": "other"}
        for name in cast:
            short = re.compile(rf"\b{re.escape(short_name(name, cast))}\b")
            for one in [one for one in self._quotes if short.search(one)][:1]:
                value = " ".join(short.split(one)[-1].split()[:6]) or "is there"
                done = {"entity": name, "attribute": "acts", "value": value}
                yield done | {"quote": quote_of(one), "stance": "asserted", "scene": 1}

    def _issues(self, _: int) -> Rows:
        """One sentence from the middle of the text, which could as well be another one."""
        for one in self._quotes[len(self._quotes) // 2 :][:1]:
            yield {"kind": "stock", "severity": "warning", "quote": quote_of(one)}

    def _patches(self, _: int) -> Rows:
        """Another sentence for each that an issue quotes, where that stands only once."""
        excerpts = self._asked.block("excerpts")
        for line in self._asked.block("issues").splitlines():
            issue = _json(line, dict)
            quote = str(issue.get("quote") or "\n")
            found = [one for one in sentences(excerpts) if is_plain(one) and one.startswith(quote)]
            for one in found if len(found) == 1 == excerpts.count(found[0]) else ():
                names = [name.group() for name in _INSIDE.finditer(f"x {one}")]
                instead = Prose(self._dice, names[:1]).sentence(len(one.split()))
                yield {"issue": issue.get("issue", 0), "find": one, "replace": instead}

    def _people(self, _: int) -> Rows:
        """Who is named in the text that is shown, and what the text says first of them."""
        cast, text = self._asked.names("characters"), self._asked.block("text")
        found = [one.group() for one in _INSIDE.finditer(text)]
        often = [one for one in dict.fromkeys(found) if found.count(one) > 1]
        for name in [one for one in cast if short_name(one, cast) in text] if cast else often[:6]:
            about = [one for one in self._quotes if name in one]
            yield {"name": name, "about": about[0] if about else "", "place": ""}

    def _threads(self, _: int) -> Rows:
        """What the book owes its reader; of a written chapter, what it does for that."""
        number = self._asked.table("chapter").get("number")
        for thing, (setup, payoff) in self._spans().items() if not self._before else ():
            told = {"id": thing, "promise": f"Where the {thing} comes from, and who pays."}
            yield told | {"setup": setup, "payoff": payoff, "due_by": None, "must": setup == 1}
        for line in self._asked.block("threads").splitlines() if number and self._quotes else ():
            thread = _THREAD.match(line)
            for place, move, at in ((2, "set up", 0), (3, "paid off", -1)):
                if thread is not None and thread[place] == str(number):
                    yield {"thread": thread[1], "move": move, "quote": quote_of(self._quotes[at])}

    def _total(self) -> int:
        """How many chapters the book has."""
        whole = re.search(r"\bbook of (\d+) chapters", self._asked.question)
        own = item_count(self._fields.get("chapters", {}))
        return max(self._before + own, int(whole[1]) if whole is not None else 0)

    def _spans(self) -> dict[str, tuple[int, int]]:
        """The threads, if any are wanted, with the chapters that set them up and pay them off.

        In every chapter between the first and the last at least two of them are alive.
        """
        of, start = self._total(), Dice(self._asked.idea, "things").below(100)
        if not self._asked.fiction or of < 2 or "promises" not in self._fields:
            return {}
        spans = [(1, of), (1, max(2, of - 1)), (max(1, of // 3), 2 * of // 3)][: 2 + (of > 3)]
        return {BANK["n"][start + 31 * step]: span for step, span in enumerate(spans)}

    def _chapters(self, count: int) -> Rows:
        if "scenes" in self._fields["chapters"]["items"]["properties"]:
            yield from self._plans()
            return
        asked, of, spans = self._asked, self._total(), self._spans()
        if "notes" in self._fields["chapters"].get("items", {}).get("properties", {}):
            planned, ids = asked.block("outline").splitlines(), _NOTE.findall(asked.block("notes"))
            homes = (ids[at :: len(planned)] for at in range(len(planned)))
            yield from (
                {"number": at, "notes": [note for note, _ in own]}
                for at, own in enumerate(homes, 1)
            )
            return
        first, notes = self._before + 1, [said for _, said in _NOTE.findall(asked.block("notes"))]
        # Of a plan that is to be mended nothing changes but what is named, and nothing is.
        for number in range(first, first + count) if not asked.block("faults") else ():
            start, pov = number + len(asked.idea), self._pov(number)
            title = f"The {BANK['a'][7 * start % 97]} {BANK['n'][11 * start % 97]}"
            told = [self._plot(number, step) for step in range(6)]
            own = (
                max(said.split(), key=len) for said in notes[number * len(notes) // of - 1 :][:2]
            )
            told += [f"The sources speak of {one}." for one in own]
            chapter: dict[str, Any] = {
                "title": title.title(),
                "summary": " ".join(told),
                "beats": told[::2],
                "target_words": 0,
                "plants": [one for one, span in spans.items() if span[0] == number],
                "payoffs": [one for one, span in spans.items() if span[1] == number],
                "role": {1: "introduction", of: "conclusion"}.get(number, "") if of > 3 else "",
            }
            if asked.fiction:
                chapter |= {"pov": pov, "story_time": f"day {2 * number - 1}"}
                chapter |= {"tension": 3 + number % 3 + 3 * number // of}
                chapter |= {"entry_state": f"{pov} is at {self._at(number)}."}
                chapter |= {"exit_state": f"{pov} is at {self._at(number + 1)}."}
            yield {"pov": "", "tension": None, "story_time": "", "entry_state": "", **chapter}

    def _pov(self, number: int) -> str:
        cast = self._asked.cast()
        return cast[number % len(cast)]

    def _at(self, number: int) -> str:
        """A place of the book in the middle of a sentence."""
        places = self._asked.places()
        return re.sub(r"^The ", "the ", places[number % len(places)])

    def _plot(self, number: int, step: int) -> str:
        """A sentence of a plan, so short that the text may have it as it is."""
        asked, dice = self._asked, Dice(self._asked.idea, "plot", number, step)
        kinds = BANK["story" if asked.fiction else "lesson"]
        topic = asked.topics[(number + step) % len(asked.topics)]
        slots = {"x": self._pov(number), "y": self._pov(number + 1), "topic": topic}
        template = dice.pick(kinds) if step else kinds[0]
        return dice.filled(template, **slots, at=self._at(number + step % 2))

    def _plans(self) -> Rows:
        """The scenes of each chapter that is shown."""
        for line in self._asked.block("chapter").splitlines():
            chapter = _json(line, dict)
            number = int(chapter.get("number") or 1)
            said = re.search(
                rf"\bchapter {number}: (?:at least )?(\d+)(?: to (\d+))?", self._asked.question
            )
            low, high = (int(said[1]), int(said[2] or said[1])) if said else (3, 3)
            yield {"chapter": number, "scenes": list(self._scenes((low + high) // 2, chapter))}

    def _scenes(self, count: int, chapter: Table | None = None) -> Rows:
        asked, cast = self._asked, self._asked.cast(24)
        chapter = asked.table("chapter") if chapter is None else chapter
        number, places = int(chapter.get("number") or 1), asked.places()
        told = [str(one) for one in chapter.get("beats") or ()]
        told += [s for s in sentences(str(chapter.get("summary"))) if s not in " ".join(told)]
        for index in range(count):
            part = told[-(-index * len(told) // count) : -(-(index + 1) * len(told) // count)]
            summary = " ".join(part) or self._plot(number, 10 + index)
            about = f"{summary} {chapter.get('pov')} {cast[(number + index) % min(3, len(cast))]}"
            about, place = (about, places[index % len(places)]) if asked.fiction else ("", "")
            people = [one for one in cast if short_name(one, cast) in about]
            scene = {"summary": summary, "characters": people, "place": place, "reveals": []}
            yield scene | {"time": str(chapter.get("story_time") or ""), "target_words": 0}
