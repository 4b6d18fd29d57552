"""What a run says of itself: events, their file, traces."""
