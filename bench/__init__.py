"""Comparisons with other libraries, run by hand; nothing here ships with the product."""
