"""Readers of the author's files and of pages: bytes to text with locators."""
