"""What a run says of itself: events, their file, traces.

An event about a call holds no word of a prompt or a reply, and a span only names and figures; whoever
sends it elsewhere is flushed with a bound when its block ends.
"""
