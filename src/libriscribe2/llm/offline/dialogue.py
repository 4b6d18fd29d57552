"""Setting an exchange of two people as paragraphs of speech."""

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.english import capitalised, sentence
from libriscribe2.llm.offline.grammar import Grammar
from libriscribe2.llm.offline.people import Person


def exchange(template: str, grammar: Grammar, speakers: dict[str, Person], dice: Dice) -> str:
    """The turns of a `talk` template, each a paragraph.

    Args:
        template: `A: ... | B: ...`.
        grammar: Fills the slots; its banks hold `tag`, `tag_question` and `gesture`.
        speakers: The people behind `A` and `B`.
        dice: Decides which turns get a tag or a gesture.
    """
    paragraphs = []
    for index, turn in enumerate(template.split(" | ")):
        speaker, _, words = turn.partition(": ")
        said = sentence(grammar.expand(words))
        listener = speakers["B" if speaker == "A" else "A"]
        told = {"who": speakers[speaker].short, "him_listener": listener.pronouns["him"]}
        # After the first two turns it is clear who speaks.
        tagged = index < 2 or dice.chance(5)
        paragraphs.append(_turn(said, grammar, told, dice) if tagged else f"“{said}”")
    return "\n\n".join(paragraphs)


def _turn(said: str, grammar: Grammar, told: dict[str, str], dice: Dice) -> str:
    """One turn with the words that say whose it is."""
    if dice.chance(3):
        return f"“{said}” {sentence(_with(grammar, 'gesture', told))}"
    opening, gap, rest = _first_sentence(said)
    if gap and dice.chance(2):
        return f"“{_spoken(opening, grammar, told)} “{capitalised(rest)}”"
    return _spoken_whole(said, grammar, told)


def _first_sentence(said: str) -> tuple[str, str, str]:
    """A turn cut after its first sentence."""
    ends = [place for mark in (". ", "? ") if (place := said.find(mark)) > 0]
    if not ends:
        return said, "", ""
    return said[: min(ends) + 1], " ", said[min(ends) + 2 :]


def _spoken(opening: str, grammar: Grammar, told: dict[str, str]) -> str:
    """The first part of a turn, closed and tagged, with a full stop after the tag."""
    return _spoken_whole(opening, grammar, told).removeprefix("“")


def _spoken_whole(said: str, grammar: Grammar, told: dict[str, str]) -> str:
    if said.endswith("?"):
        return f"“{said}” {_with(grammar, 'tag_question', told)}."
    return f"“{said.removesuffix('.')},” {_with(grammar, 'tag', told)}."


def _with(grammar: Grammar, bank: str, told: dict[str, str]) -> str:
    """A tag or gesture for one speaker."""
    template = grammar.draw(bank)
    for name, value in told.items():
        template = template.replace(f"{{{name}}}", value)
    return grammar.expand(template)
