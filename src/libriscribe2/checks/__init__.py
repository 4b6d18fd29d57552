"""Checks of a book: text, plans, facts and files -> findings and metrics."""
