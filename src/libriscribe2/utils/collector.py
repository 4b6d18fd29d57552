"""The collector of garbage, and what it need not search."""

import gc
from functools import cache


@cache
def spare_the_loaded() -> None:
    """Have the collector pass over all that is loaded by now, once in the life of the process.

    Modules stay as long as the process; a search through them would hold some call up.
    """
    gc.freeze()
