"""Which long sentences a chapter says again, from one version to the next by what differs."""

from collections.abc import Sequence, Set
from itertools import chain

from libriscribe2.quality.gates.finding import sentence_keys
from libriscribe2.quality.tally import Tally


class SentenceTally:
    """Counts the long sentences of versions of a chapter.

    Args:
        known: Sentences that other texts have (`finding.sentence_keys`).
    """

    def __init__(self, known: Set[str]) -> None:
        self._known = known
        self._tally = Tally[str, str](sentence_keys)
        self._again: set[str] = set()

    def again_in(self, prose: Sequence[str]) -> Set[str]:
        """The sentences of a version that stand in it twice, or in another text."""
        came, went = self._tally.move_to(prose)
        for key in chain.from_iterable(map(sentence_keys, (*came, *went))):
            if self._uses(key) > (0 if key in self._known else 1):
                self._again.add(key)
            else:
                self._again.discard(key)
        return self._again

    def repetitions(self) -> int:
        """How often the last version says what it has said before, or what another text says."""
        return sum(self._uses(key) - (key not in self._known) for key in self._again)

    def _uses(self, key: str) -> int:
        return self._tally.counts[0][key]
