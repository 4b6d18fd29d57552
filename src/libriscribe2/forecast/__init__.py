"""What a run would take: calls, cost and time."""
