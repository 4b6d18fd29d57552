"""A reply becomes a value or a refusal: JSON, calls, sections, result pages.

Nothing of the rest of the program is imported but names of log messages. What has to hold here:

- Lossy readings (content cut off, placeholders, arithmetic, keys that stand twice and differ) are
  refused with feedback, never returned as if whole.
- No pattern may search to the end from every place: possessive quantifiers, windows, or a note that
  nothing closes behind here. `python -m bench.hostile_scan` looks for more than linear time.
- A budget of a reply is shared with its fences (`Source.part`).
"""
