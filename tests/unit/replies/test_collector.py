"""What is loaded is passed over by the collector."""

import gc

from libriscribe2.utils.collector import spare_the_loaded


def test_what_is_loaded_is_spared_once() -> None:
    spare_the_loaded()
    spared = gc.get_freeze_count()
    assert spared > 1_000
    spare_the_loaded()
    assert gc.get_freeze_count() <= spared
