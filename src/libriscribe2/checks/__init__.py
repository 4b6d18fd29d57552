"""Checks of a book: text, plans, facts and files -> findings and metrics.

What has to hold here:

- A plan is mended once at most, and only where code is sure (severity `error`); the answer with fewer
  errors is kept. What `allow` lets stand is never sent back.
- A patch is kept only if its words stand exactly once and no gate becomes worse; a critique or
  patches that cannot be had never cost the draft. Where an evaluator's decision cannot be had the
  revised text is kept; the passages of its calibration are in the journal (record `exam`), or
  `replay` could not repeat it.
- A statement of the story bible is kept only if its words stand in the chapter, word for word, and
  its file holds no chapter number: chapters move.
"""
