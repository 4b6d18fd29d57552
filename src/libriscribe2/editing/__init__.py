"""Changing a book that is there: the order of chapters, edits taken over, manuscripts from elsewhere."""
