"""Parsers by the names of the original designs; they live in `replies`."""
