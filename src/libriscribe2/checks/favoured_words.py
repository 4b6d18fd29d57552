"""Words and names that language models favour, as they were counted, not as anybody judged.

From the novellas of `EQ-bench/longform-writing-bench` (1c62550, 2025, 58 models) beside 107 books by
people, by `python -m bench.favoured_words`, 2026-11-23: words of half of the models that stand in
most of their books, for nearly all premises, and are more frequent there than in any English. Of 61
books by people that they were not made from one has more than 4.5 in 1,000 words; of 388 by the
other models 97 % have.
"""

from typing import Final

_WORDS: Final = (
    "barely battered blinked blurred brushing buzzed casting chaos closer clutching "
    "colder collapsed connection cracked crackled creaked crumbling decay deliberate "
    "desperation determination drifted echoing edges erupted etched eyebrow flicked "
    "flicker flickered flickering fragile frantic froze frustration gaze gestured "
    "glow grinned grip heartbeat hesitated hissed hovered hummed humming hunched jolt "
    "laced loomed lunged metallic mixture narrowed patterns pounding practiced pulse "
    "pulsed pulsing racing relentless reminder revealing rhythm rhythmic ribs rusted "
    "scanned scanning scent secrets shadows shattered shelves shift shifted shifting "
    "slick smelled spine stark static subtle surge survival swirling symbol tension "
    "tightened tilted tracing trapped tucked unease unreadable unsettling whispers "
    "widened wrist "
)
FAVOURED_WORDS: Final = tuple(_WORDS.split())

_NAMES: Final = (
    "aria blackwood caspian elara elias harding isolde jax kael kaelen lila lyra mara "
    "mira orion rhys rook seraphina silas thorne vance volkov voss zephyr "
)
FAVOURED_NAMES: Final = frozenset(_NAMES.split())
"""Rare names (`wordfreq`) that at least six models gave to people of three premises or more and at
most one of the people did, and `aria`, `caspian`, `isolde`, `orion`, which lists of 2024 name."""
