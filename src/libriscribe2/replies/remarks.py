"""What a model says beside a value, or in its place: structure alone tells how much it weighs."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from libriscribe2.replies.normalise import REASONING_NAME
from libriscribe2.replies.outcome import COUNTING_GAP
from libriscribe2.replies.repair.patterns import QUESTION
from libriscribe2.replies.schema_fit import properties_of, required_names, resolve, schema_nodes
from libriscribe2.replies.strict_json import string_leaves

_LAST_GROUP: Final = re.compile(r"\s*\([^()]{0,60}\)\s*\Z")
_ASKED: Final = re.compile(r"[?？؟՞፧][)\]\"'”’»」*_~\s]*\Z")


def asks(text: str) -> bool:
    """Whether a text holds a question."""
    return QUESTION.search(text) is not None


def ends_asking(text: str) -> bool:
    """Whether a text ends with a question; what stands in parentheses behind it is a part of it."""
    return _ASKED.search(_LAST_GROUP.sub("", text)) is not None


def quotes(text: str) -> bool:
    """Whether a text quotes anything."""
    return _QUOTED.search(text) is not None


LONGEST: Final = 48
"""The longest remark behind a value or a call that is not asked about."""
_SHORTEST_NAME: Final = 3
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_LONGEST_NAME: Final = 60
# Fences with their language, tags, tokens, rules and a bracket too many are no words.
_MARKS: Final = re.compile(
    r"[`~]{3,}[\w+-]*|【[^【】\n†]*†[^【】\n]*】|<[^<>\n]*>|<\|?\w*\|?>|^[ \t]*+[-*_=]{3,}+[ \t]*+$",
    re.MULTILINE,
)
# A word within a sentence.
_NAME: Final = re.compile(r"(?<=[\w,;:،] )[^\W\d_]{4,}")
_QUOTED: Final = re.compile(r"[\"“„«「][^\"”“»」]+[\"”“»」]")
_NUMBER: Final = re.compile(r"(?<![A-Za-z\d_.=])(?!(?<![^\n])\d+[.)]\s)\d{1,6}(?![%\dA-Za-z])")

_EDGES: Final = " \t\r\n`\"'{}[](),"


def words_of(text: str) -> str:
    """What a text beside a value says, without marks of fences and tags; "" for marks alone."""
    plain = _MARKS.sub(" ", text).strip(_EDGES).lstrip(f";{_EDGES}")
    return plain if any(char.isalnum() for char in plain) else ""


def length(said: str) -> int:
    """How long a remark is; a wide character says as much as three."""
    return len(said) + 2 * sum(char > "\u2e80" for char in said)


def weighs(after: str, value: Any) -> bool:
    """Whether what is said behind a value may change it: the model has to say which counts.

    It is long or asks, or speaks of the value: it names one of its texts, a number, or quotes.
    """
    if length(after) > LONGEST or asks(after) or _TORN.fullmatch(after):
        return True
    if _NUMBER.search(after) or quotes(after):
        return True
    said = set(_WORD.findall(after))
    return any(
        (_SHORTEST_NAME <= len(text) <= _LONGEST_NAME and text.strip() in after)
        or f"{field}:" in after
        or not said.isdisjoint(
            word
            for word in (*_WORD.findall(text[:_LONGEST_NAME]), *_NAME.findall(text))
            if not word[0].islower()
        )
        for field, text in string_leaves(value)
    )


# Words behind a value that end in the middle of a sentence: the reply was cut off.
_TORN: Final = re.compile(r"(?:[^\s.!?…:]+ ){4,}[^\W\d_]+")
# "3 of 12", "12章中の3章": a part of a whole.
_SHARE: Final = re.compile(
    r"(?<![\d.,])(\d{1,3})(?= (?:[^\W\d_]{1,5} ){1,2}(\d{1,3})(?![\d.,]\d))"
    r"|(?<!\d)(\d{1,3})[^\W\d_]{1,2}[\u3040-\u9fff\uac00-\ud7af ]{1,6}(\d{1,3})[\u3040-\u9fff\uac00-\ud7af]"
)


def is_a_share(lead: str, value: Any) -> bool:
    """Whether words before a value say that its list has so many of more items: "3 of 12"."""
    lists = [value, *(value.values() if isinstance(value, dict) else ())]
    counts = {len(one) for one in lists if isinstance(one, list)}
    shares = ([int(one) for one in found.groups() if one] for found in _SHARE.finditer(lead))
    return any(min(share) < max(share) and min(share) in counts for share in shares)


def gainsays(before: str, after: str, value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether words beside a value give one of its fields another value than it has.

    Before it a label stands with them ("Verdict: accept"); short words behind it name another
    value of the field's enum, and not its own.
    """
    properties = properties_of(resolve(schema, schema)) if isinstance(value, dict) else {}
    for name, node in properties.items():
        own, options = value.get(name), resolve(node, schema).get("enum", ())
        others = [one for one in options if isinstance(one, str) and length(one) > 2 and one != own]
        if isinstance(own, str) and not _says(own, after) and any(_says(o, after) for o in others):
            return True
        label = re.escape(name).replace("_", "[_ ]") + r"\W{0,3}[:：=]\W{0,4}"
        said = re.search(rf"(?<!\w)(?i:{label})(?P<said>\w+)", before)
        if said is None:
            continue
        stated = said["said"].casefold()
        comparable = stated.isdecimal() if type(own) is int else stated in ("true", "false")
        comparable = comparable and isinstance(own, int)
        if stated in map(str.casefold, others) or (comparable and stated != str(own).casefold()):
            return True
    return False


def _says(word: str, text: str) -> bool:
    edges = (r"(?<!\w)", r"(?!\w)") if word.isascii() else ("", "")
    return re.search(re.escape(word).join(edges), text, re.IGNORECASE) is not None


_OPEN: Final = r"[<\[{(（［｛＜【〈]"
_CLOSE: Final = r"[>\]})）］｝＞】〉]"
_DOTS: Final = r"(?:\.{3,}|…+)"
_LETTER: Final = r"[^\W\d_]"
# Braces with a path, `{{step-1.response.url}}`, are a plan's reference to a result and content.
# "Lorem ipsum" is printers' filler in every language.
_HOLE: Final = re.compile(
    rf"{_OPEN}?{_DOTS}{_CLOSE}?|\{{\{{[^{{}}.\[]{{0,80}}\}}\}}|\$\{{[^{{}}]{{0,80}}\}}|%\([\w ]{{1,40}}\)s"
    r"|__[A-Z_]{2,40}__|(?i:lorem ipsum\b[^\n]*)"
    rf"|\w+://{_DOTS}|<(?!end_)[^<>/|]*{_LETTER}[^<>/|]*>|[\[［【][^\[\]［］【】]*{_LETTER}[^\[\]［］【】]*[\]］】]|\{{\w+\}}"
)
_ASIDE: Final = re.compile(rf"[(（][^()（）]*{_LETTER}[^()（）]*[)）]")
# Part of a text that stands for more of it: "[... the rest ...]".
LEFT_OUT: Final = re.compile(
    rf"[\[［【][ ]?{_DOTS}[^\[\]］】\n.…]{{1,200}}+{_DOTS}[ ]?[\]］】]|<!--[ ]?{_DOTS}[^<>]{{1,200}}-->"
    rf"|(?<![.…])(?:\.{{3,}}+|…++)[ ]?[(（][^()（）\n]{{1,200}}+[)）][ ]?{_DOTS}"
    rf"|\A{_DOTS}[ ]?[(（\[][^()（）\[\]\n]{{1,200}}+[)）\]]\Z"
    rf"|(?<=[.!?。！？…\"”»])\s?[\[［【](?:{_LETTER}+[ ,]+){{2,}}+{_LETTER}+[\]］】]\Z|(?<=[。！？])[（(\[［【](?:{_LETTER}|[，,、]){{4,}}[）)\]］】]\Z"
    rf"|\n[ \t]*\n[ \t]*[(（\[［【][^()（）\[\]\n]{{1,200}}+[)）\]］】]\Z"
)
# The last item of a list that stands for others: an abbreviation, "(the rest)", "so on ...".
_AND_MORE: Final = re.compile(
    rf"{_ASIDE.pattern}|\S+(?: \S+){{0,2}}? ?(?<![.…]){_DOTS}|(?=[a-zà-öø-ÿа-яё])(?:{_LETTER}{{1,4}}[. ] ?)*{_LETTER}{{1,4}}\."
)
# The last words of a text, in brackets of their own: "(the rest of it as before)".
_LAST_CLAUSE: Final = re.compile(
    rf"(?<=[.!?…\"”»])\s[(\[]((?:{_LETTER}+,? ){{3,}}{_LETTER}+)[)\]]\Z"
)
_LETTERED: Final = re.compile(r"\w")  # "x", as in formulas
_RANGE: Final = re.compile(r"(?<!\d)(\d{1,3})[^\W\d_]{0,2}\s?[-–—~〜～]\s?[^\W\d_]?(\d{1,3})(?!\d)")
_COUNT: Final = re.compile(r"\d+|(?<=\s)[A-Z]\Z")
_MOST_OF_A_HOLE: Final = 120
_MOST_OF_A_FILLER: Final = 12
_FEWEST_FILLED: Final = 3
# Fields whose value is copied from a text: what looks like a hole there is that text's.
_COPIED: Final = ("quote", "find")
TYPE_NAMES: Final = frozenset({"string", "number", "integer", "boolean", "array", "object"})


def is_hole(text: str) -> bool:
    """Whether a stripped text stands for content: `...`, `<title>`, `[what she wants]`, `{{x}}`."""
    return len(text) <= _MOST_OF_A_HOLE and _HOLE.fullmatch(text) is not None


def is_template(value: Any, schema: Mapping[str, Any] | None = None) -> bool:
    """Whether a value is the template of an answer and not an answer.

    One strong sign is enough: a hole, texts that only count ("Title 1", "Title 2"), one filler in
    several fields. Of the weak ones (a type's name, the field's own name or its description, a text
    in parentheses) half of all texts must be such.
    """
    weak = total = 0
    descriptions = {
        (name, said.strip())
        for name, node in schema_nodes(schema)
        if isinstance(said := node.get("description"), str)
    }
    nodes = [node for _, node in _containers(value) if isinstance(node, dict)]
    keys = {word for node in nodes for key in node for word in _words(key)}
    for field, text in string_leaves(value):
        total += 1
        bare = text.strip()
        if not field.endswith(_COPIED) and (
            is_hole(bare) or LEFT_OUT.search(bare) or _ends_in_a_clause(bare)
        ):
            return True
        weak += len(bare) <= _MOST_OF_A_HOLE and (
            bare in TYPE_NAMES
            or _ASIDE.fullmatch(bare) is not None
            or _names_itself(field, bare, keys)
            or bool(field and bare.isupper() and "_" in bare and field.upper() in bare)
            or (field, bare) in descriptions
        )
    if total and weak * 2 >= total:
        return True
    return any(_is_filled(node) or _is_range(node) for _, node in _containers(value))


def _ends_in_a_clause(text: str) -> bool:
    """Whether a text ends with words in brackets that are no sentence: they tell what is left out."""
    found = _LAST_CLAUSE.search(text[-200:])
    return found is not None and not found[1][0].isupper()


def _names_itself(field: str, text: str, keys: set[str]) -> bool:
    """Whether a text says its field's name, alone or among those of others: "Chapter title"."""
    return bool(field) and _words(field) <= _words(text) <= keys


def is_same_word(word: str, name: str) -> bool:
    """Whether a word and a field's name are one word, but for an ending: "Chapter", "chapters"."""
    one, other = word.casefold(), name.casefold()
    short = min(one, other, key=len)
    return len(short) > 2 and one[: len(short)] == other[: len(short)] and len(one) < len(other) + 3


def _words(text: str) -> set[str]:
    return set(re.sub(r"[_-]", " ", text).casefold().split())


def _containers(value: Any) -> Iterator[tuple[str, dict[str, Any] | list[Any]]]:
    """The lists and objects of a value, outermost first, with the key that each stands under."""
    pending = [("", value)]
    while pending:
        name, node = pending.pop()
        if isinstance(node, dict):
            pending += node.items()
        elif isinstance(node, list):
            pending += (("", one) for one in node)
        else:
            continue
        yield name, node


def _is_range(node: Any) -> bool:
    """Whether an item stands for itself and those behind it: number 2, "Chapters 2–11"."""
    members = list(node.values()) if isinstance(node, dict) else []
    counts = {str(one) for one in members if type(one) is int}
    texts = (one for one in members if isinstance(one, str) and len(one) <= _LONGEST_NAME)
    found = (range_of for text in texts for range_of in _RANGE.finditer(text))
    return any(one[1] in counts and int(one[2]) > int(one[1]) for one in found)


def _is_filled(node: Any) -> bool:
    """Whether texts that stand together are filled with one text, or with one text and its number."""
    if isinstance(node, list):
        texts = [one for one in node if isinstance(one, str)]
        return _is_filled_list(texts) or _is_filled_table(node)
    parts = (one if isinstance(one, list) else [one] for one in node.values())
    texts = [text for part in parts for text in part if isinstance(text, str)]
    filler, times = Counter(texts or [""]).most_common(1)[0]
    if len(filler.split()) != 1 or len(filler) > _MOST_OF_A_FILLER or _LETTERED.fullmatch(filler):
        return False
    # A kind and a name may be one word: two are too few, but for what is no word ("–", "TBD").
    fewest = 2 if filler.isupper() or not filler.isalnum() else _FEWEST_FILLED
    return times >= fewest and 2 * times > len(texts)


def _is_filled_list(texts: list[str]) -> bool:
    if len(texts) < 2:  # one text repeats nothing
        return False
    if len(set(texts)) == 1 and texts[0].isupper() and len(texts[0]) > 1:
        return True
    more = [one for one in texts if _AND_MORE.fullmatch(one[:_MOST_OF_A_HOLE])]
    plain = all(not text.endswith(".") for text in texts[:-1])
    if len(texts) > 2 and more == texts[-1:] and plain:  # two are a name and its by-name
        return True
    return _only_count(texts)


def _only_count(texts: Sequence[str]) -> bool:
    """Whether texts differ by their number in a row alone: "Title 1", "Title 2"."""
    numbers = range(1, len(texts) + 1)
    counting = ([[str(one)] for one in numbers], [[chr(64 + one)] for one in numbers])
    rest = {_COUNT.sub("", text).strip() for text in texts}
    counted = [_COUNT.findall(text) for text in texts] in counting
    return counted and len(rest) == 1 and "" not in rest  # "1", "2" are answers


def _is_filled_table(items: Sequence[Any]) -> bool:
    """Whether all texts of objects in a row are their fields' names and a count: "Title 1"."""
    rows = [one for one in items if isinstance(one, dict)]
    if len(rows) < 2:  # one row repeats nothing
        return False
    texts = [key for key, one in rows[0].items() if isinstance(one, str)]
    return len(texts) > 1 and all(
        _words(rows[0][key][:-1]) == _words(key)
        and _only_count([str(row.get(key)) for row in rows])
        for key in texts
    )


def miscounts(items: Sequence[Mapping[str, Any]]) -> bool:
    """Whether objects in a row count themselves from the start, with a gap or a number twice."""
    for key, number in items[0].items():
        counts: list[Any] = [one.get(key) for one in items]
        if _is_count(counts) and _runs_on(counts):
            return counts != list(range(number, number + len(counts)))
    return False


def _is_count(counts: Sequence[Any]) -> bool:
    """Whether whole numbers begin with 0 or 1."""
    return counts[0] in (0, 1) and all(type(one) is int for one in counts)


def _runs_on(counts: Sequence[Any]) -> bool:
    """Whether numbers rise, or count and name earlier ones again: 1, 2, 1; 1, 5, 3 are amounts."""
    first = [*dict.fromkeys(counts)]
    return counts == sorted(counts) or first == [*range(counts[0], counts[0] + len(first))]


def _jump(counts: Sequence[Any]) -> int:
    """The place of the first number that skips one, of numbers that rise from 0 or 1; else 0."""
    if not _is_count(counts) or any(one >= following for one, following in pairwise(counts)):
        return 0
    return next((at for at, one in enumerate(counts) if one > counts[0] + at), 0)


def has_gap(value: Any) -> bool:
    """Whether the number that the items of a list begin with counts from the start and jumps."""
    for _, node in _containers(value):
        inner = list(node.values()) if isinstance(node, dict) else node
        firsts = [next(iter(one.values()), None) for one in inner if isinstance(one, dict)]
        if len(firsts) == len(inner) > 1 and _jump(firsts):
            return True
    return False


# Names of fields that say no more than an item's place; "chapter" or "issue" may say to what it
# belongs, and then stand twice.
_COUNTERS: Final = ("number", "index", "id", "no", "nr")
_WORDS_OF_A_KEY: Final = re.compile(r"[_\W]+|(?<=[^\W_])(?=[A-Z])")


def miscounted(value: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
    """Why a list that counts itself from the start is not whole: a refusal kind and the numbers, or "".

    It has a number twice or skips one. A list that the schema does not require may hold a selection.
    An object that says how many items its list has ("total_chapters") and has fewer lacks some, too.
    """
    for name, node in _containers(value):
        if isinstance(node, dict):
            for key, one in node.items():
                if fewer := _fewer(node, key, one):
                    return COUNTING_GAP, f"{key} is {one}, but the list has {fewer}"
            continue
        items = [one for one in node if isinstance(one, dict)]
        field = next(iter(items[0]), "") if len(items) == len(node) > 1 else ""
        counts: list[Any] = [one.get(field) for one in items]
        if not (field in _COUNTERS or is_same_word(field, name)) or not _is_count(counts):
            continue
        where = name or "the list"
        if len(set(counts)) == len(counts) - 1 > 1 and _runs_on(counts):
            ((number, _),) = Counter(counts).most_common(1)  # 1, 1 is no count
            return "counted_twice", f"{field} {number} is twice in {where}"
        if (at := _jump(counts)) and name in required_names(schema):
            return COUNTING_GAP, f"{field} {counts[at]} follows {counts[at - 1]} in {where}"
    return "", ""


def _fewer(node: Mapping[str, Any], key: str, count: Any) -> int:
    """How many items the list has that a member counts more of, and that its name says beside one word."""
    words = [word.casefold() for word in _WORDS_OF_A_KEY.split(key)]
    lists = (
        one for name, one in node.items() if isinstance(one, list) and name.casefold() in words
    )
    sizes = [len(one) for one in lists if type(count) is int and len(one) < count]
    return max(sizes, default=0) if len(words) == 2 else 0


_REASONING: Final = re.compile(REASONING_NAME, re.IGNORECASE)
_SENTENCE: Final = re.compile(r"\w\s+\w|[\u3040-\u9fff\uac00-\ud7af]{3}")


def says_more(value: Mapping[str, Any]) -> bool:
    """Whether a text beside what a wrapper holds says something of it: why it failed, for one."""
    texts = ((name, one) for name, one in value.items() if isinstance(one, str))
    named = [one for name, one in texts if not _REASONING.fullmatch(name)]
    said = [one for one in named if one.lstrip()[:1] not in ("{", "[", "`")]
    return len(said) > 1 and any(_SENTENCE.search(text) for text in said)
