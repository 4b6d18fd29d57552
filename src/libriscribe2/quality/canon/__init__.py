"""Comparing what a book says with what it has said: rules over facts, in code."""
