"""What a model may see of the book, within a budget: put together by code alone.

What has to hold here:

- What is not in `PromptContext` cannot reach a scene's prompt; only `prompt_context.py` reads for it.
- All requests of a chapter begin with the same `ChapterHead`: nothing of the chapter stands in the
  system message, nothing of one scene before the text, and the text is only appended to, so that
  providers' caches hold it. A reading that would be too long is shown less of that.
- Facts of the book before are chapter 0 with an `origin`; they count in no list of chapters.
- What a chapter may be written from is said by `DraftOrder` alone, for prompts, for waiting and for
  staleness; an opening is written only from text that stays.
- Floats are added by `fsum` or in a sorted order: a prompt is the same in every process.
"""
