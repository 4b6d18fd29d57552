"""Gates: what code finds wrong with a chapter, and figures by which two versions compare.

The reviser puts every version of a chapter through all of them. Errors and warnings that quote a
passage go into the request for patches; a figure that rises refuses a patch. As each patch is tried,
a gate should take about a millisecond for a chapter.
"""
