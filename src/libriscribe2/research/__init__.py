"""Research for a book: tool chains over sources and the web, down to notes.

What has to hold here:

- A note is a fact only while code finds its quote in the saved text. Chapters hold marks
  (`[@n-...]`, the note's id); numbers are made by `models/citations.py`, for the manuscript and for
  exports alike, and never stand in a chapter.
- A question's notes make nothing out of date, and its calls stand under `questions/`, so that
  `redo research` does not pay for them again.
- A quote stands word for word in its text (`quotes.py`).
"""
