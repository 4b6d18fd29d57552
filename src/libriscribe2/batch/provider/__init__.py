"""Calls of all books of a batch, sent together through their provider's batch API."""
