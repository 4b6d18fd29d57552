"""Which names a damaged text uses as keys."""

import re
from dataclasses import dataclass, field
from typing import Final

_MAX_NAMES: Final = 50


@dataclass(slots=True)
class KnownKeys:
    """Which names serve as keys in more than one place of a text."""

    text: str
    seen: dict[str, bool] = field(default_factory=dict)

    def occurs_elsewhere(self, name: str, start: int, end: int) -> bool:
        """Whether a name is a key outside the stretch from `start` to `end` too."""
        if name not in self.seen and len(self.seen) < _MAX_NAMES:
            key = re.compile(rf"""["']{re.escape(name)}["']\s*:""")
            after = key.search(self.text, end) is not None
            self.seen[name] = after or key.search(self.text, 0, start) is not None
        return self.seen.get(name, False)
