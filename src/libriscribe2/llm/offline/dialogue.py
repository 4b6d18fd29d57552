"""Setting an exchange of two people as paragraphs of speech."""

from libriscribe2.llm.offline.dice import Dice
from libriscribe2.llm.offline.english import sentence
from libriscribe2.llm.offline.grammar import Grammar
from libriscribe2.llm.offline.people import Person


def exchange(template: str, grammar: Grammar, speakers: dict[str, Person], dice: Dice) -> str:
    """The turns of a `talk` template, each a paragraph.

    Args:
        template: `A: ... | B: ...`.
        grammar: Fills the slots; its banks hold `tag_first`, `tag`, `tag_question`, `gesture`.
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
        tag = "tag" if index else "tag_first"
        paragraphs.append(_turn(said, tag, grammar, told, dice) if tagged else f"“{said}”")
    return "\n\n".join(paragraphs)


def _turn(said: str, tag: str, grammar: Grammar, told: dict[str, str], dice: Dice) -> str:
    """One turn with the words that say whose it is."""
    if dice.chance(3):
        return f"“{said}” {sentence(_with(grammar, 'gesture', told))}"
    opening, rest = _first_sentence(said)
    if rest and dice.chance(2):
        return f"{_spoken(opening, tag, grammar, told)} “{rest}”"
    return _spoken(said, tag, grammar, told)


def _first_sentence(said: str) -> tuple[str, str]:
    """A turn cut after its first sentence."""
    ends = [place for mark in (". ", "? ") if (place := said.find(mark)) > 0]
    return (said[: min(ends) + 1], said[min(ends) + 2 :]) if ends else (said, "")


def _spoken(said: str, tag: str, grammar: Grammar, told: dict[str, str]) -> str:
    """Words in quotation marks and who says them."""
    if said.endswith("?"):
        return f"“{said}” {_with(grammar, 'tag_question', told)}."
    return f"“{said.removesuffix('.')},” {_with(grammar, tag, told)}."


def _with(grammar: Grammar, bank: str, told: dict[str, str]) -> str:
    """A tag or gesture for one speaker."""
    template = grammar.draw(bank)
    for name, value in told.items():
        template = template.replace(f"{{{name}}}", value)
    return grammar.expand(template)
