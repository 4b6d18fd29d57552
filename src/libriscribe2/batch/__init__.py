"""Many books: rows that are checked before anything is queued, a queue, and a report."""
