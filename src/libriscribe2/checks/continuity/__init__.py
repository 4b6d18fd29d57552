"""Whether a book contradicts itself: what its chapters state, compared by rules."""
