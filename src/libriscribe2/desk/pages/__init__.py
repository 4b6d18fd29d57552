"""What each screen shows."""
