"""The voice of an author: what is counted in samples, and which passages stand for them."""
