"""What an author can do about a finding, in a sentence."""

from typing import Final

_FIXES: Final = {
    "R1": "Give it one value in {here} and {there}.",
    "R2": "Mend the age in {here} or {there}, or tell how much time passes.",
    "R3": "Take them out of {here}, or make it a memory, or let them live in {there}.",
    "R4": "Change the place or the time in {here} or {there}.",
    "R5": "Change the day in {here} or {there}.",
    "R6": "Use one number in {here} and {there}.",
    "R7": "Make the two of them the same kin in {here} and {there}.",
    "R8": "Have it found again before {here}, or use another thing.",
    "R9": "Move what is learnt in {there} before {here}, or take the knowledge out of {here}.",
    "R10": "Give one of the two another name in {here} or {there}.",
    "R11": "Use the same side in {here} and {there}.",
    "R12": "Tell {here} as the other chapters are told, or have it written again: "
    "`libriscribe2 redo {project} chapters --chapter {chapter}`.",
    "R13": "Change its chapters under `threads` in outline.json, or write its payoff.",
    "R14": "Keep the rule in {here}, or change it in {there}.",
    "J1": "Make {here} and {there} agree, if you see it so too.",
}
NAME_FIX: Final = "Write {name} in {here}, or add {spelling} to characters.json or world.json."
_LET_STAND: Final = " Or let it stand: `<!-- libriscribe2: allow {rule} -->` in that paragraph."


def fix_of(rule: str, **values: str | int) -> str:
    """What mends a finding of a rule, and what lets it stand.

    Args:
        rule: The rule.
        **values: `here` and `there` as `file:line`, `project`, and `chapter`.
    """
    return with_note(_FIXES[rule].format(**values), rule)


def with_note(fix: str, rule: str) -> str:
    """A fix, and the note that lets the text stand; a plan has no place for one."""
    return fix if rule == "R13" else fix + _LET_STAND.format(rule=rule)
