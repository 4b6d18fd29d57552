"""Parsers by the names of the original designs; those that commands need live elsewhere."""
