"""What a command does between parsing and printing: from a request to a result, or to events."""
