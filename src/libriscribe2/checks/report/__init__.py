"""The report of a book: every metric with its reference range and its worst places."""
