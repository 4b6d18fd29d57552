"""What bounds the requests of a run: money, rates, failures, time."""
