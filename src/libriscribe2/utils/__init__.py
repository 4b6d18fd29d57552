"""Shared building blocks without knowledge of books: above all the JSON cleanup pipeline."""
