"""A book that is there changed: the order of chapters, edits accepted, manuscripts imported."""
