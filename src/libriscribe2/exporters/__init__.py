"""Exports: a finished book as files that a reader can hold. No model is asked here."""
