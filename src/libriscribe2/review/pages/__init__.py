"""What each page shows: one module per screen, from a snapshot to plain values."""
