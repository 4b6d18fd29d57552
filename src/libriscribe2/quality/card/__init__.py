"""The report card: every figure with its human range and its worst places."""
