"""Checks of a book, its plan and its folder, and what judges drafts."""
